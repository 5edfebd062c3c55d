/* delay_laws.c - what tests of delay models share: many draws, and what holds of them within four standard errors.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gradcode/statistics.h"
#include "support/delay_laws.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

uint64_t law_seed(void)
{
    const char *given = getenv("GDC_TEST_SEED");
    uint64_t seed = given != NULL ? strtoull(given, NULL, 10) : 1;
    print_message("GDC_TEST_SEED=%llu\n", (unsigned long long)seed);
    return seed;
}

gdc_delay *law_delay(const char *const *specs, int count, uint64_t seed, int workers, int pieces)
{
    gdc_delay *delay;
    gdc_status status = gdc_delay_create(specs, count, seed, workers, pieces, &delay);
    if (status != GDC_OK)
        print_message("%s\n", gdc_last_error());
    assert_int_equal(status, GDC_OK);
    return delay;
}

double *law_draws(gdc_delay *delay, int workers, int versions, int pieces)
{
    double *x = malloc((size_t)workers * (size_t)versions * (size_t)pieces * sizeof *x), *at = x;
    assert_non_null(x);
    for (int v = 1; v <= versions; v++)
        for (int q = 0; q < pieces; q++)
            for (int w = 0; w < workers; w++)
                *at++ = gdc_delay_draw(delay, w, (uint64_t)v, (uint64_t)q);
    gdc_delay_destroy(delay);
    return x;
}

void law_refuses(gdc_status status, int workers, const char *const *specs, int count, const char *const *parts)
{
    gdc_delay *const untouched = (gdc_delay *)&status, *delay = untouched; /* outputs are written only on success */
    assert_int_equal(gdc_delay_create(specs, count, 1, workers, 1, &delay), status);
    assert_ptr_equal(delay, untouched);
    for (; *parts != NULL; parts++)
        if (strstr(gdc_last_error(), *parts) == NULL)
            fail_msg("'%s' without '%s'", gdc_last_error(), *parts);
}

void law_near(const char *what, double value, double expected, double standard_error)
{
    if (!(fabs(value - expected) <= 4 * standard_error))
        fail_msg("%s: %.8f, expected %.8f +- 4 * %.8f", what, value, expected, standard_error);
}

void law_moments(const double *x, size_t count, double mean, double variance, double kurtosis)
{
    double n = (double)count;
    law_near("mean", gdc_mean(x, count), mean, sqrt(variance / n));
    law_near("variance", gdc_variance(x, count), variance, variance * sqrt((kurtosis - 1) / n));
}

void law_quantile(const double *x, size_t count, double level, double quantile)
{
    size_t below = 0;
    for (size_t i = 0; i < count; i++)
        below += x[i] < quantile;
    law_near("share below a quantile", (double)below / (double)count, level, sqrt(level * (1 - level) / (double)count));
}

void law_exponential(const double *x, size_t count, double shift, double mean)
{
    static const double levels[] = {.01, .1, .5, .9, .99, .999};
    for (size_t i = 0; i < count; i++)
        assert_true(x[i] >= shift && isfinite(x[i]));
    law_moments(x, count, shift + mean, mean * mean, 9);
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
        law_quantile(x, count, levels[i], shift - mean * log(1 - levels[i]));
}

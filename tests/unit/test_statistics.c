/* test_statistics.c - summaries of numbers, against values worked out by hand.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gradcode/draw.h"
#include "gradcode/statistics.h"

#include <math.h>
#include <stdlib.h>

static uint64_t seed = 1;

static void nothing_gives_nan(void **state)
{
    (void)state;
    assert_true(isnan(gdc_mean(NULL, 0)));
    assert_true(isnan(gdc_variance(NULL, 0)));
    assert_true(isnan(gdc_quantile(NULL, 0, .5)));
    assert_true(isnan(gdc_median(NULL, 0)));
    assert_true(isnan(gdc_mad(NULL, 0)));
    assert_true(isnan(gdc_batch_half_width(NULL, 0, 5)));
}

static void one_number_is_its_own_summary(void **state)
{
    double x[1] = {7};
    (void)state;
    assert_true(gdc_mean(x, 1) == 7);
    assert_true(gdc_variance(x, 1) == 0);
    assert_true(gdc_quantile(x, 1, 0) == 7);
    assert_true(gdc_quantile(x, 1, 1) == 7);
    assert_true(gdc_mad(x, 1) == 0);
    assert_true(isnan(gdc_batch_half_width(x, 1, 5)));
}

static void mean_and_variance_are_unbiased(void **state)
{
    const double x[8] = {2, 4, 4, 4, 5, 5, 7, 9};
    (void)state;
    assert_true(gdc_mean(x, 8) == 5);
    assert_true(fabs(gdc_variance(x, 8) - 32. / 7) < 1e-14);
}

static void variance_survives_a_large_mean(void **state)
{
    const double x[3] = {1e9 + 1, 1e9 + 2, 1e9 + 3};
    (void)state;
    assert_true(gdc_variance(x, 3) == 1);
}

static void quantiles_are_linear_between_order_statistics(void **state)
{
    double x[5] = {50, 10, 40, 20, 30};
    (void)state;
    assert_true(gdc_quantile(x, 5, 0) == 10);
    assert_true(gdc_quantile(x, 5, 1) == 50);
    assert_true(gdc_quantile(x, 5, .5) == 30);
    assert_true(fabs(gdc_quantile(x, 5, .9) - 46) < 1e-12);
    assert_true(fabs(gdc_quantile(x, 5, .1) - 14) < 1e-12);
    assert_true(gdc_median(x, 4) == 25);
}

static void quantiles_keep_infinities(void **state)
{
    double x[4] = {INFINITY, 1, INFINITY, 2};
    (void)state;
    assert_true(gdc_quantile(x, 4, 0) == 1);
    assert_true(isinf(gdc_quantile(x, 4, .9)));
    assert_true(isinf(gdc_quantile(x, 4, .5)));
}

static void sorting_puts_nan_last(void **state)
{
    double x[4] = {NAN, 3, NAN, 1};
    (void)state;
    assert_true(gdc_quantile(x, 4, 0) == 1);
    assert_true(x[1] == 3 && isnan(x[2]) && isnan(x[3]));
}

static void mad_ignores_one_wild_value(void **state)
{
    double x[7] = {1, 1, 2, 2, 4, 6, 1e9};
    (void)state;
    assert_true(gdc_mad(x, 7) == 1);
}

/* 1..20 in batches of one: s^2 = 35, so the half-width shows Student's t itself. */
static void the_interval_uses_students_t(void **state)
{
    static const struct {
        int count;
        double t;
    } known[] = {{2, 12.7062047},  {3, 4.30265273},  {4, 3.18244631},  {5, 2.77644511},   {6, 2.57058184},
                 {11, 2.22813885}, {20, 2.09302405}, {31, 2.04227246}, {101, 1.98397152}, {1001, 1.96233908}};
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        double x[1001];
        for (int j = 0; j < known[i].count; j++)
            x[j] = j;
        double s = sqrt(gdc_variance(x, (size_t)known[i].count) / known[i].count);
        assert_true(fabs(gdc_batch_half_width(x, (size_t)known[i].count, known[i].count) / s - known[i].t) < 1e-7);
    }
}

static void batches_are_consecutive_and_nearly_equal(void **state)
{
    const double x[7] = {1, 2, 3, 10, 20, 5, 7}; /* batches {1,2,3} {10,20} {5,7}: means 2, 15, 6 */
    const double means[3] = {2, 15, 6};
    (void)state;
    double expected = 4.30265273 * sqrt(gdc_variance(means, 3) / 3);
    assert_true(fabs(gdc_batch_half_width(x, 7, 3) - expected) < 1e-6);
}

static void more_batches_than_numbers_are_lowered(void **state)
{
    const double x[4] = {1, 2, 4, 8};
    (void)state;
    assert_true(gdc_batch_half_width(x, 4, 100) == gdc_batch_half_width(x, 4, 4));
    assert_true(isnan(gdc_batch_half_width(x, 4, 1)));
    assert_true(isnan(gdc_batch_half_width(x, 4, 0)));
    assert_true(isnan(gdc_batch_half_width(x, 4, -3)));
}

/* A series that remembers (autoregressive, .9): single values would promise an interval more than 4 times too
 * short. */
static void the_interval_covers_the_mean_of_a_correlated_series(void **state)
{
    enum { SERIES = 400, LENGTH = 2000 };
    int covered = 0;
    (void)state;
    for (int s = 0; s < SERIES; s++) {
        double x[LENGTH], now = gdc_draw_normal((gdc_key){seed, 1, (uint64_t)s, 0, 0}) / sqrt(1 - .81);
        for (int i = 0; i < LENGTH; i++) {
            now = .9 * now + gdc_draw_normal((gdc_key){seed, 2, (uint64_t)s, (uint64_t)i, 0});
            x[i] = now;
        }
        covered += fabs(gdc_mean(x, LENGTH)) <= gdc_batch_half_width(x, LENGTH, 20);
    }
    double share = (double)covered / SERIES;
    if (!(share > .90 && share < .99))
        fail_msg("%.3f of the intervals cover the mean", share);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_gives_nan),
        cmocka_unit_test(one_number_is_its_own_summary),
        cmocka_unit_test(mean_and_variance_are_unbiased),
        cmocka_unit_test(variance_survives_a_large_mean),
        cmocka_unit_test(quantiles_are_linear_between_order_statistics),
        cmocka_unit_test(quantiles_keep_infinities),
        cmocka_unit_test(sorting_puts_nan_last),
        cmocka_unit_test(mad_ignores_one_wild_value),
        cmocka_unit_test(the_interval_uses_students_t),
        cmocka_unit_test(batches_are_consecutive_and_nearly_equal),
        cmocka_unit_test(more_batches_than_numbers_are_lowered),
        cmocka_unit_test(the_interval_covers_the_mean_of_a_correlated_series),
    };
    const char *given = getenv("GDC_TEST_SEED");
    seed = given != NULL ? strtoull(given, NULL, 10) : seed;
    print_message("GDC_TEST_SEED=%llu\n", (unsigned long long)seed);
    return cmocka_run_group_tests(tests, NULL, NULL);
}

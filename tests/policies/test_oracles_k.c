/* test_oracles_k.c - the K family against closed forms and reference simulations on the virtual clock: eight workers, one
 * piece per mini-batch, interrupted at once, communication free (arXiv 1803.01113).
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Accepted: |mean - oracle| <= 4 sqrt(se^2 + se_ref^2), se from batch means, as the updates of asynchronous policies are
 * correlated. GDC_TEST_FULL=1: ten times the updates. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gradcode/round.h"
#include "gradcode/runtime.h"
#include "gradcode/statistics.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { P = 8, SKIPPED = 200, BATCHES = 64 };

static const char *const laws[] = {"exp:mean=1", "shifted-exp:shift=1,mean=1", "pareto:alpha=2,min=1"};
enum { EXPONENTIAL, SHIFTED, PARETO };

static int updates(void)
{
    return getenv("GDC_TEST_FULL") ? 64000 : 6400;
}

typedef struct measured {
    double mean, error; /* of the time per update; standard error */
    double staleness;   /* per gradient */
    double fresh, fresh_error;
} measured;

static double standard_error(const double *x, int count)
{
    double mean[BATCHES];
    for (int i = 0; i < BATCHES; i++)
        mean[i] = gdc_mean(x + i * (count / BATCHES), (size_t)(count / BATCHES));
    return sqrt(gdc_variance(mean, BATCHES) / BATCHES);
}

/* What every round says, whatever the law: exact integers. */
static void check_round(const gdc_round *round, int k, uint64_t stale_so_far, int ages)
{
    assert_int_equal(round->vectors, k);
    assert_int_equal(stale_so_far + round->in_flight, (uint64_t)ages * round->version);
}

static void run(gdc_engine *engine, int k, int ages, measured *m)
{
    int count = updates();
    uint64_t stale = 0, stale_counted = 0;
    double *time_s = calloc((size_t)count, sizeof *time_s), *fresh = calloc((size_t)count, sizeof *fresh);
    for (int r = -SKIPPED; r < count; r++) {
        gdc_round round = {.size = sizeof round};
        assert_int_equal(gdc_gradient(engine, NULL, NULL, &round), GDC_OK);
        stale += round.staleness;
        check_round(&round, k, stale, ages);
        if (r < 0)
            continue;
        time_s[r] = round.ended_s - round.began_s;
        fresh[r] = (double)round.fresh / k;
        stale_counted += round.staleness;
    }
    *m = (measured){.mean = gdc_mean(time_s, (size_t)count),
                    .error = standard_error(time_s, count),
                    .staleness = (double)stale_counted / count / k,
                    .fresh = gdc_mean(fresh, (size_t)count),
                    .fresh_error = standard_error(fresh, count)};
    free(time_s);
    free(fresh);
}

static measured measure(const char *name, int k, int law, int ages)
{
    gdc_delay *delay;
    gdc_engine *engine;
    gdc_options options;
    measured m;
    char spec[64];
    const char *seed = getenv("GDC_TEST_SEED");
    gdc_options_init(&options);
    snprintf(spec, sizeof spec, "%s:k=%d", name, k);
    options.strategy = spec;
    options.poll_s = 0;
    assert_int_equal(gdc_delay_create(&laws[law], 1, seed ? strtoull(seed, NULL, 10) : 2026, P, 1, &delay), GDC_OK);
    options.delay = delay;
    if (gdc_open_virtual(&options, P, NULL, NULL, &engine) != GDC_OK)
        fail_msg("%s: %s", spec, gdc_last_error());
    run(engine, k, ages, &m);
    gdc_close(engine, NULL);
    gdc_delay_destroy(delay);
    return m;
}

static void expect(const char *what, int k, int law, double value, double oracle, double error, double reference_error)
{
    double room = 4 * sqrt(error * error + reference_error * reference_error) + 1e-6; /* oracles have six decimals */
    if (!(fabs(value - oracle) <= room))
        fail_msg("%s, k = %d, %s: %.6f, oracle %.6f, accepted within %.6f", what, k, laws[law], value, oracle, room);
}

/* ages: what the identity adds per update. oracle, reference_error [P]; the latter may be NULL. */
static void meets(const char *name, int law, int distinct_ages, const double *oracle, const double *reference_error)
{
    double worst = 0;
    for (int k = 1; k <= P; k++) {
        int ages = distinct_ages < 0 ? P - k : distinct_ages;
        measured m = measure(name, k, law, ages);
        double reference = reference_error ? reference_error[k - 1] : 0;
        expect(name, k, law, m.mean, oracle[k - 1], m.error, reference);
        worst = fmax(worst, fabs(m.mean - oracle[k - 1]) / sqrt(m.error * m.error + reference * reference));
    }
    printf("%-14s %-26s worst of 8: %.2f standard errors\n", name, laws[law], worst);
}

enum { BY_K = -1, NONE = 0 };

static const double exp_sync[P] = {.125000, .267857, .434524, .634524, .884524, 1.217857, 1.717857, 2.717857};

static void exponential_delays(void **state)
{
    double batch[P];
    (void)state;
    for (int k = 1; k <= P; k++)
        batch[k - 1] = k / 8.0;
    meets("k-sync", EXPONENTIAL, NONE, exp_sync, NULL);
    meets("k-async", EXPONENTIAL, BY_K, exp_sync, NULL);
    meets("k-batch-sync", EXPONENTIAL, NONE, batch, NULL);
    meets("k-batch-async", EXPONENTIAL, P - 1, batch, NULL);
}

static void shifted_exponential_delays(void **state)
{
    static const double sync[P] = {1.125000, 1.267857, 1.434524, 1.634524, 1.884524, 2.217857, 2.717857, 3.717857};
    static const double batch_sync[P] = {1.125000, 1.267841, 1.434186, 1.631235,
                                         1.864389, 2.129264, 2.406155, 2.670761};
    static const double async[P] = {.25, .53332, .85681, 1.24067, 1.62464, 2.05276, 2.63904, 3.717857};
    static const double async_error[P] = {0, 1e-4, 1e-4, 1e-4, 1e-4, 1e-4, 1e-4, 0};
    double batch_async[P];
    (void)state;
    for (int k = 1; k <= P; k++)
        batch_async[k - 1] = k / 4.0;
    meets("k-sync", SHIFTED, NONE, sync, NULL);
    meets("k-batch-sync", SHIFTED, NONE, batch_sync, NULL);
    meets("k-async", SHIFTED, BY_K, async, async_error);
    meets("k-batch-async", SHIFTED, P - 1, batch_async, NULL);
}

static void pareto_delays(void **state)
{
    static const double sync[P] = {1.066667, 1.148718, 1.253147, 1.392385, 1.591298, 1.909557, 2.546076, 5.092152};
    static const double async[P] = {.25, .53335, .8569, 1.2369, 1.5978, 2.0720, 2.896, 5.092152};
    static const double async_error[P] = {2e-4, 2e-4, 2e-4, 2e-4, 3e-4, 3e-4, 7e-4, 0};
    double batch_async[P];
    (void)state;
    for (int k = 1; k <= P; k++)
        batch_async[k - 1] = k / 4.0;
    meets("k-sync", PARETO, NONE, sync, NULL);
    meets("k-async", PARETO, BY_K, async, async_error);
    meets("k-batch-async", PARETO, P - 1, batch_async, NULL);
}

/* Staleness by the exact identity, up to what is in flight at both ends; fresh shares for exponential delays. */
static void staleness_and_fresh_shares_are_as_derived(void **state)
{
    (void)state;
    for (int law = 0; law < 3; law++)
        for (int k = 1; k <= P; k++) {
            measured a = measure("k-async", k, law, P - k), b = measure("k-batch-async", k, law, P - 1);
            double ends = 20.0 * P * P / k / updates() * (law == PARETO ? 10 : 1);
            assert_true(fabs(a.staleness - gdc_staleness_k_async(k, P)) <= ends);
            assert_true(fabs(b.staleness - gdc_staleness_k_batch_async(k, P)) <= ends);
            if (law != EXPONENTIAL)
                continue;
            expect("fresh, k-async", k, law, a.fresh, gdc_fresh_k_async(k, P), a.fresh_error, 0);
            expect("fresh, k-batch-async", k, law, b.fresh, gdc_fresh_k_batch_async(k, P), b.fresh_error, 0);
        }
}

/* More mini-batches than workers. */
static void batches_beyond_the_workers_take_their_share_of_time(void **state)
{
    (void)state;
    for (int k = 9; k <= 40; k += 31) {
        measured s = measure("k-batch-sync", k, EXPONENTIAL, NONE), a = measure("k-batch-async", k, EXPONENTIAL, P - 1);
        expect("k-batch-sync", k, EXPONENTIAL, s.mean, k / 8.0, s.error, 0);
        expect("k-batch-async", k, EXPONENTIAL, a.mean, k / 8.0, a.error, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exponential_delays),
        cmocka_unit_test(shifted_exponential_delays),
        cmocka_unit_test(pareto_delays),
        cmocka_unit_test(staleness_and_fresh_shares_are_as_derived),
        cmocka_unit_test(batches_beyond_the_workers_take_their_share_of_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

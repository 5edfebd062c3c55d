/* test_noise.c - rounds of every kind show the noise that their samples have.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gradcode/critical.h"
#include "gradcode/draw.h"
#include "support/virtual_bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t seed = 1;

enum { MOST = 24 };

static double share(int p) /* unequal sizes, counted in samples */
{
    return 2 + p % 3;
}

/* The fixture of theory: a sample's gradient is G (1 + z) + a with Var z = 3, E|a|^2 = 12, |G|^2 = 5: S = 27. */
static int noisy_partial(void *context, gdc_task *task, void *sum)
{
    double *out = sum;
    (void)context;
    for (int s = 0; s < share(task->partition); s++)
        for (int i = -1; i < D; i++) {
            static const double deviation_z = 1.7320508075688772, deviation_a = 1.5491933384829668; /* sqrt(12/5) */
            uint64_t where = (uint64_t)(task->partition * 8 + s);
            gdc_key key = {.seed = seed, .purpose = 9, .a = task->version, .b = where};
            double z = deviation_z * gdc_draw_normal(key);
            key.c = (uint64_t)(i + 1);
            if (i >= 0)
                out[i] += task->scale * (1 + z + deviation_a * gdc_draw_normal(key));
        }
    return 0;
}

static gdc_critical_estimates watch_noise(const char *strategy, int rounds)
{
    bench b;
    double samples[MOST];
    gdc_critical *critical;
    gdc_critical_estimates e = {.size = sizeof e};
    for (int p = 0; p < N * 2; p++)
        samples[p] = share(p);
    open_bench(&b, strategy, "exp:mean=1", 2);
    b.options.samples = samples;
    b.options.norms = 1;
    assert_int_equal(gdc_open_virtual(&b.options, N, noisy_partial, NULL, &b.engine), GDC_OK);
    assert_int_equal(gdc_critical_create(INFINITY, &critical), GDC_OK);
    for (int r = 0; r < rounds; r++) {
        double g[D];
        gdc_round round = {.size = sizeof round};
        assert_int_equal(gdc_gradient(b.engine, model, g, &round), GDC_OK);
        assert_int_equal(gdc_critical_observe(critical, &round, GDC_F64, D, g), GDC_OK);
    }
    assert_int_equal(gdc_critical_estimate(critical, &e), GDC_OK);
    assert_int_equal(e.updates, rounds);
    gdc_critical_destroy(critical);
    close_bench(&b);
    return e;
}

/* Coded or not, waiting or not: the noise is the samples' own. 99.9 % intervals are twice as wide as those of 95 %. */
static void every_strategy_sees_the_same_noise(void **state)
{
    static const char *const strategies[] = {"sync",
                                             "gc:code=uncoded",
                                             "gc:code=fractional,load=2",
                                             "gc:code=cyclic,load=3",
                                             "gc:code=uncoded,load=2,message=1,walk=two-ended",
                                             "ignore:s=2",
                                             "drop:tau=1.5",
                                             "drop:tau=1.5,norm=by-kept"};
    (void)state;
    for (size_t s = 0; s < sizeof strategies / sizeof *strategies; s++) {
        gdc_critical_estimates e = watch_noise(strategies[s], 600);
        printf("%-50s S %.1f (%.1f to %.1f), |G|^2 %.2f (%.2f to %.2f)\n", strategies[s], e.noise.value, e.noise.low,
               e.noise.high, e.gradient2.value, e.gradient2.low, e.gradient2.high);
        assert_true(fabs(e.noise.value - 27) < e.noise.high - e.noise.low);
        assert_true(fabs(e.gradient2.value - 5) < e.gradient2.high - e.gradient2.low);
        assert_true(e.noise.high - e.noise.low < 12);
    }
}

static void rounds_that_show_no_noise_are_passed_over(void **state)
{
    static const double g[D] = {1, 2, 3, 4, 5};
    const gdc_round good = {.size = sizeof good,
                            .scale = 1,
                            .used = 1,
                            .amplification = 1,
                            .samples = 12,
                            .parts = 4,
                            .norm2 = 7,
                            .part_samples = 3};
    gdc_critical *critical;
    gdc_critical_estimates e = {.size = sizeof e};
    (void)state;
    assert_int_equal(gdc_critical_create(INFINITY, &critical), GDC_OK);
    gdc_round none = good, single = good, approximate = good, shorter = good, scaled = good, partly = good;
    none.norm2 = NAN;
    single.part_samples = 12;
    approximate.residual = .3; /* neither of all partitions nor of some of them */
    approximate.used = .5;
    shorter.size = offsetof(gdc_round, samples);
    assert_int_equal(gdc_critical_observe(critical, &none, GDC_F64, D, g), GDC_OK);
    assert_int_equal(gdc_critical_observe(critical, &single, GDC_F64, D, g), GDC_OK);
    assert_int_equal(gdc_critical_observe(critical, &approximate, GDC_F64, D, g), GDC_OK);
    assert_int_equal(gdc_critical_observe(critical, &shorter, GDC_F64, D, g), GDC_EINVAL);
    assert_int_equal(gdc_critical_estimate(critical, &e), GDC_OK);
    assert_int_equal(e.updates, 0);
    scaled.used = .5; /* as ignore says it: half, scaled by 2 */
    scaled.scale = 2;
    scaled.residual = 1;
    scaled.amplification = NAN;
    partly.used = .75; /* as a code that waits for no more says it: a quarter is missing */
    partly.residual = .5;
    assert_int_equal(gdc_critical_observe(critical, &scaled, GDC_F64, D, g), GDC_OK);
    assert_int_equal(gdc_critical_observe(critical, &partly, GDC_F64, D, g), GDC_OK);
    assert_int_equal(gdc_critical_observe(critical, &good, GDC_F64, D, g), GDC_OK);
    assert_int_equal(gdc_critical_estimate(critical, &e), GDC_OK);
    assert_int_equal(e.updates, 3);
    gdc_critical_destroy(critical);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_strategy_sees_the_same_noise),
        cmocka_unit_test(rounds_that_show_no_noise_are_passed_over),
    };
    if (getenv("GDC_TEST_SEED"))
        seed = strtoull(getenv("GDC_TEST_SEED"), NULL, 10);
    printf("seed %llu\n", (unsigned long long)seed);
    return cmocka_run_group_tests(tests, NULL, NULL);
}

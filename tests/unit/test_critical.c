/* test_critical.c - critical parameters: the fixture with known noise, intervals, what is not known.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gradcode/critical.h"
#include "gradcode/draw.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t seed = 1;

/* ---- the fixture: g = G(1 + z) + a, Var z = 3, E|a|^2 = 12, |G|^2 = 5 scale^2 --------------------- */

enum { K = 8, SAMPLES = 4, DIMENSION = 20 };
static const double var_z = 3, var_a = 12, norm2_at_1 = 5;

typedef struct source {
    int d;
    uint64_t run, round; /* of the draws */
} source;

static double normal(const source *from, int part, int what)
{
    return gdc_draw_normal((gdc_key){
        .seed = seed, .purpose = 77, .a = from->run, .b = from->round, .c = (uint64_t)(part * (DIMENSION + 1) + what)});
}

/* One update of K parts of SAMPLES samples. */
static void feed_round(gdc_critical *c, source *from, double scale)
{
    double mean[DIMENSION] = {0}, parts = 0, whole = 0, coordinate = scale * sqrt(norm2_at_1 / from->d);
    from->round++;
    for (int l = 0; l < K; l++) {
        double z = sqrt(var_z / SAMPLES) * normal(from, l, 0);
        for (int i = 0; i < from->d; i++) {
            double g = coordinate * (1 + z) + sqrt(var_a / from->d / SAMPLES) * normal(from, l, i + 1);
            parts += g * g / K;
            mean[i] += g / K;
        }
    }
    for (int i = 0; i < from->d; i++)
        whole += mean[i] * mean[i];
    assert_int_equal(gdc_critical_feed(c, parts, SAMPLES, whole, K * SAMPLES), GDC_OK);
}

static gdc_critical *fresh(double population)
{
    gdc_critical *c = NULL;
    assert_int_equal(gdc_critical_create(population, &c), GDC_OK);
    return c;
}

static gdc_critical_estimates read(const gdc_critical *c)
{
    gdc_critical_estimates e = {.size = sizeof e};
    assert_int_equal(gdc_critical_estimate(c, &e), GDC_OK);
    return e;
}

/* Levels of a run whose gradient falls, rounds each. */
static const double scales[] = {4, 2, 1, .5, .25};
enum { SCALES = 5 };

static gdc_critical_estimates descend(source *from, int rounds)
{
    gdc_critical *c = fresh(INFINITY);
    for (int i = 0; i < SCALES; i++)
        for (int r = 0; r < rounds; r++)
            feed_round(c, from, scales[i]);
    gdc_critical_estimates e = read(c);
    gdc_critical_destroy(c);
    return e;
}

static int is_within(gdc_interval x, double truth)
{
    return x.low <= truth && truth <= x.high;
}

static void the_fixture_gives_m_and_sigma2(void **state)
{
    source from = {.d = DIMENSION};
    (void)state;
    gdc_critical_estimates e = descend(&from, 4000);
    printf("M %.4f (%.4f to %.4f), sigma^2 %.3f (%.3f to %.3f), %d levels\n", e.m.value, e.m.low, e.m.high,
           e.sigma2.value, e.sigma2.low, e.sigma2.high, e.levels);
    assert_true(fabs(e.m.value / 3 - 1) < .05);
    assert_true(fabs(e.sigma2.value / 12 - 1) < .05);
    assert_true(e.levels >= SCALES);
    assert_true(e.updates == SCALES * 4000);
    assert_true(e.m.high - e.m.low < .5 && e.sigma2.high - e.sigma2.low < 1);
}

static void noise_and_gradient_are_those_of_now(void **state)
{
    source from = {.d = DIMENSION, .run = 1};
    gdc_critical *c = fresh(INFINITY);
    (void)state;
    for (int r = 0; r < 3000; r++)
        feed_round(c, &from, 4);
    for (int r = 0; r < 3000; r++)
        feed_round(c, &from, 1);
    gdc_critical_estimates e = read(c);
    gdc_critical_destroy(c);
    assert_true(is_within(e.noise, 27) && is_within(e.gradient2, 5) && is_within(e.ratio, 27. / 5));
    assert_true(e.noise.high < 40 && e.gradient2.high < 8); /* nothing is left of |G|^2 = 80, S = 252 */
}

/* Single rounds regress to about 1.08 instead of 3, and so would means of few. */
static void short_levels_are_not_biased(void **state)
{
    enum { RUNS = 40 };
    double m = 0, sigma2 = 0;
    (void)state;
    for (uint64_t run = 0; run < RUNS; run++) {
        source from = {.d = DIMENSION, .run = 100 + run};
        gdc_critical_estimates e = descend(&from, 100);
        m += e.m.value / RUNS;
        sigma2 += e.sigma2.value / RUNS;
    }
    printf("100 rounds per level: mean M %.3f, mean sigma^2 %.3f\n", m, sigma2);
    assert_true(fabs(m / 3 - 1) < .1);
    assert_true(fabs(sigma2 / 12 - 1) < .1);
}

static void intervals_cover(void **state)
{
    enum { RUNS = 300, ROUNDS = 150, COORDINATES = 6, VALUES = 5 };
    static const char *const name[VALUES] = {"M", "sigma^2", "|G|^2", "S", "S/|G|^2"};
    int covered[VALUES] = {0};
    (void)state;
    for (uint64_t run = 0; run < RUNS; run++) {
        source from = {.d = COORDINATES, .run = 1000 + run};
        gdc_critical *c = fresh(INFINITY);
        for (int i = 0; i < SCALES - 1; i++) /* down to scale .5 */
            for (int r = 0; r < ROUNDS; r++)
                feed_round(c, &from, scales[i]);
        for (int r = 0; r < 600; r++) /* the running means forget what came before */
            feed_round(c, &from, 1);
        gdc_critical_estimates e = read(c);
        const gdc_interval at[VALUES] = {e.m, e.sigma2, e.gradient2, e.noise, e.ratio};
        const double truth[VALUES] = {3, 12, 5, 27, 27. / 5};
        for (int v = 0; v < VALUES; v++)
            covered[v] += is_within(at[v], truth[v]);
        gdc_critical_destroy(c);
    }
    for (int v = 0; v < VALUES; v++) {
        printf("%s is in its 95 %% interval in %.1f %% of %d runs\n", name[v], 100. * covered[v] / RUNS, RUNS);
        assert_true(covered[v] >= .88 * RUNS);
        assert_true(covered[v] <= .99 * RUNS); /* and it is no wider than it must be */
    }
}

static void one_level_cannot_tell_m_from_sigma2(void **state)
{
    source from = {.d = DIMENSION, .run = 2};
    gdc_critical *c = fresh(INFINITY);
    (void)state;
    for (int r = 0; r < 2000; r++)
        feed_round(c, &from, 1);
    gdc_critical_estimates e = read(c);
    gdc_critical_destroy(c);
    assert_int_equal(e.levels, 1);
    assert_true(isnan(e.m.value) && isnan(e.sigma2.value));
    assert_true(e.m.low == 0 && e.m.high == e.ratio.high && e.m.high > 3);
    assert_true(e.sigma2.low == 0 && e.sigma2.high == e.noise.high && e.sigma2.high > 12);
}

static void estimates_scale_with_the_gradients(void **state)
{
    gdc_critical *c[2] = {fresh(INFINITY), fresh(INFINITY)};
    const double factor = 0x1p-400; /* a power of 2: exact */
    (void)state;
    for (uint64_t r = 0; r < 600; r++) {
        double level = r < 300 ? 100 : 1, u = gdc_draw_uniform((gdc_key){.seed = seed, .purpose = 5, .a = r});
        double whole = level * (1 + .3 * u), parts = whole + level * u + 2;
        assert_int_equal(gdc_critical_feed(c[0], parts, 2, whole, 10), GDC_OK);
        assert_int_equal(gdc_critical_feed(c[1], parts * factor, 2, whole * factor, 10), GDC_OK);
    }
    gdc_critical_estimates e = read(c[0]), f = read(c[1]);
    assert_true(isfinite(e.m.value) && e.m.value == f.m.value && e.m.low == f.m.low && e.m.high == f.m.high);
    assert_true(e.sigma2.value * factor == f.sigma2.value && e.gradient2.value * factor == f.gradient2.value);
    assert_true(e.ratio.value == f.ratio.value && e.levels == f.levels);
    gdc_critical_destroy(c[0]);
    gdc_critical_destroy(c[1]);
}

static void a_gradient_of_nothing_gives_no_negative_and_no_ratio(void **state)
{
    int unbounded = 0;
    (void)state;
    for (uint64_t run = 0; run < 20; run++) {
        source from = {.d = DIMENSION, .run = 3000 + run};
        gdc_critical *c = fresh(INFINITY);
        for (int r = 0; r < 300; r++)
            feed_round(c, &from, 0);
        gdc_critical_estimates e = read(c);
        gdc_critical_destroy(c);
        assert_true(e.gradient2.value >= 0 && e.gradient2.low >= 0 && e.gradient2.high >= 0);
        assert_true(is_within(e.noise, e.noise.value) && e.noise.low > 0);
        assert_true(isnan(e.ratio.value) || e.ratio.value > 0);
        unbounded += isinf(e.ratio.high);
    }
    assert_true(unbounded >= 15);
}

static void noise_without_a_level_part_is_all_sigma2(void **state)
{
    gdc_critical *c = fresh(INFINITY);
    (void)state;
    for (int r = 0; r < 400; r++) { /* S = 12 - |G|^2 / 100: the free fit has M < 0 */
        double level = r < 200 ? 64 : 1, s = 12 - level / 100;
        assert_int_equal(gdc_critical_feed(c, level + s / 4, 4, level + s / 32, 32), GDC_OK);
    }
    gdc_critical_estimates e = read(c);
    gdc_critical_destroy(c);
    assert_true(e.m.value == 0 && e.m.low == 0);
    assert_true(fabs(e.sigma2.value / 12 - 1) < .1);
}

static void the_whole_population_has_no_noise(void **state)
{
    gdc_critical *c = fresh(1000);
    (void)state;
    for (int r = 0; r < 5; r++)
        assert_int_equal(gdc_critical_feed(c, 9, 100, 4, 1000), GDC_OK);
    gdc_critical_estimates e = read(c);
    assert_true(fabs(e.gradient2.value - 4) < 1e-12);
    assert_true(fabs(e.noise.value - 5 / (.01 - .001)) < 1e-9);
    gdc_critical_destroy(c);
}

static void nothing_is_known_before_the_second_update(void **state)
{
    gdc_critical *c = fresh(INFINITY);
    (void)state;
    for (uint64_t updates = 0; updates < 2; updates++) {
        gdc_critical_estimates e = read(c);
        assert_true(e.updates == updates && e.levels == 0);
        assert_true(isnan(e.gradient2.value) && isnan(e.noise.high) && isnan(e.ratio.low) && isnan(e.m.value));
        gdc_critical_feed(c, 3, 1, 2, 8);
    }
    gdc_critical_destroy(c);
}

static void impossible_updates_are_refused(void **state)
{
    static const double bad[][4] = {{NAN, 1, 1, 2}, {INFINITY, 1, 1, 2}, {-1, 1, 1, 2},  {1, 0, 1, 2},
                                    {1, -1, 1, 2},  {1, NAN, 1, 2},      {1, 1, NAN, 2}, {1, 1, -1, 2},
                                    {1, 1, 1, 1},   {1, 2, 1, 1},        {1, 1, 1, NAN}, {1, 1, 1, INFINITY}};
    gdc_critical *c = fresh(INFINITY), *none = NULL;
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(gdc_critical_feed(c, bad[i][0], bad[i][1], bad[i][2], bad[i][3]), GDC_EINVAL);
    assert_true(read(c).updates == 0);
    gdc_critical_destroy(c);
    assert_int_equal(gdc_critical_create(0, &none), GDC_EINVAL);
    assert_int_equal(gdc_critical_create(NAN, &none), GDC_EINVAL);
    gdc_critical_destroy(none);
}

static void a_shorter_struct_is_not_overrun(void **state)
{
    gdc_critical *c = fresh(INFINITY);
    gdc_critical_estimates e;
    (void)state;
    memset(&e, 0x55, sizeof e);
    e.size = offsetof(gdc_critical_estimates, noise);
    assert_int_equal(gdc_critical_estimate(c, &e), GDC_OK);
    assert_int_equal(e.size, offsetof(gdc_critical_estimates, noise));
    for (size_t i = e.size; i < sizeof e; i++)
        assert_int_equal(((unsigned char *)&e)[i], 0x55);
    gdc_critical_destroy(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_fixture_gives_m_and_sigma2),
        cmocka_unit_test(noise_and_gradient_are_those_of_now),
        cmocka_unit_test(short_levels_are_not_biased),
        cmocka_unit_test(intervals_cover),
        cmocka_unit_test(one_level_cannot_tell_m_from_sigma2),
        cmocka_unit_test(estimates_scale_with_the_gradients),
        cmocka_unit_test(a_gradient_of_nothing_gives_no_negative_and_no_ratio),
        cmocka_unit_test(noise_without_a_level_part_is_all_sigma2),
        cmocka_unit_test(the_whole_population_has_no_noise),
        cmocka_unit_test(nothing_is_known_before_the_second_update),
        cmocka_unit_test(impossible_updates_are_refused),
        cmocka_unit_test(a_shorter_struct_is_not_overrun),
    };
    if (getenv("GDC_TEST_SEED"))
        seed = strtoull(getenv("GDC_TEST_SEED"), NULL, 10);
    printf("seed %llu\n", (unsigned long long)seed);
    return cmocka_run_group_tests(tests, NULL, NULL);
}

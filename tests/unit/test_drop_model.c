/* test_drop_model.c - the light-tail model of DropCompute against its values and against simulation.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gradcode/delay.h"
#include "gradcode/draw.h"
#include "gradcode/drop_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint64_t seed = 1;

static void gaussian_maxima_have_their_values(void **state)
{
    static const struct {
        int workers;
        double factor;
    } known[] = {{16, 1.801}, {64, 2.369}, {200, 2.766}, {2048, 3.454}};
    (void)state;
    for (int i = 0; i < 4; i++)
        if (fabs(gdc_drop_model_factor(known[i].workers) - known[i].factor) > 1e-3)
            fail_msg("n=%d: %.6f, want %.3f", known[i].workers, gdc_drop_model_factor(known[i].workers),
                     known[i].factor);
    assert_true(gdc_drop_model_factor(1) == 0);
    assert_true(fabs(gdc_drop_model_factor(2) - .5772156649 * .9009) < 1e-3); /* Phi^-1(1/2) = 0 */
}

/* A profile as large as a simulation. lognormal: the paper's delay; else normal times. */
static gdc_profile *simulate(int workers, int pieces, double deviation, int lognormal)
{
    enum { ROUNDS = 200 };
    const char *spec = "lognormal:mu=1";
    gdc_delay *delay;
    gdc_profile *p;
    assert_int_equal(gdc_delay_create(&spec, 1, seed, workers, pieces, &delay), GDC_OK);
    assert_int_equal(gdc_profile_create(workers, ROUNDS, pieces, &p), GDC_OK);
    for (int i = 0; i < ROUNDS; i++)
        for (int w = 0; w < workers; w++)
            for (int m = 0; m < pieces; m++) {
                gdc_key key = {.seed = seed, .a = (uint64_t)i, .b = (uint64_t)w, .c = (uint64_t)m};
                double normal = 1 + deviation * gdc_draw_normal(key);
                double drawn = gdc_delay_draw(delay, w, (uint64_t)i + 1, (uint64_t)m);
                gdc_profile_set(p, i, w, m, lognormal ? drawn : fmax(normal, 0));
            }
    gdc_delay_destroy(delay);
    return p;
}

static void check_light(int workers, int pieces, double deviation)
{
    gdc_profile *p = simulate(workers, pieces, deviation, 0);
    gdc_drop_model model;
    gdc_threshold got, want;
    gdc_drop_model_of(p, &model);
    assert_true(model.workers == workers && model.pieces == pieces && model.overhead_s == 0);
    for (int check = 0; check < 2; check++) {
        for (double tau = .5 * pieces; tau < 1.2 * pieces; tau += .31) {
            assert_int_equal(gdc_drop_model_judge(&model, tau, (gdc_check)check, &got), GDC_OK);
            assert_int_equal(gdc_profile_judge(p, tau, (gdc_check)check, &want), GDC_OK);
            if (fabs(got.kept - want.kept) > .01 || fabs(got.full_s / want.full_s - 1) > .02 ||
                fabs(got.speedup / want.speedup - 1) > .07)
                fail_msg("n=%d M=%d sigma=%g tau=%g check=%d: kept %g (%g), full %g (%g), speed-up %g (%g)", workers,
                         pieces, deviation, tau, check, got.kept, want.kept, got.full_s, want.full_s, got.speedup,
                         want.speedup);
        }
        assert_int_equal(gdc_drop_model_choose(&model, (gdc_check)check, &got), GDC_OK);
        assert_int_equal(gdc_profile_choose(p, (gdc_check)check, 0, &want), GDC_OK);
        assert_true(fabs(got.speedup / want.speedup - 1) < .03);
    }
    gdc_profile_destroy(p);
}

static void light_tails_agree_with_simulation(void **state)
{
    (void)state;
    check_light(64, 12, .2);
    check_light(64, 12, .1);
    check_light(16, 8, .29);
    check_light(200, 12, .2);
}

/* Under log-normal times the formula promises less than there is: 1.25 against 1.37 in the literature's setting. */
static void lognormal_times_gain_more_than_the_formula_says(void **state)
{
    gdc_profile *p = simulate(200, 12, 0, 1);
    gdc_drop_model model;
    gdc_threshold formula, table;
    (void)state;
    gdc_drop_model_of(p, &model);
    assert_int_equal(gdc_drop_model_choose(&model, GDC_CHECK_POLL, &formula), GDC_OK);
    assert_int_equal(gdc_profile_choose(p, GDC_CHECK_POLL, 0, &table), GDC_OK);
    print_message("formula %.3f, table %.3f\n", formula.speedup, table.speedup);
    assert_true(fabs(formula.speedup - 1.25) < .03);
    assert_true(table.speedup > 1.34 && table.speedup < 1.44);
    gdc_profile_destroy(p);
}

static void without_spread_everything_is_known(void **state)
{
    gdc_drop_model model;
    gdc_threshold t;
    double full = 0;
    (void)state;
    gdc_drop_model_init(&model);
    model.workers = 8;
    model.pieces = 4;
    model.overhead_s = 1;
    assert_int_equal(gdc_drop_model_time(&model, &full), GDC_OK);
    assert_true(full == 4);
    assert_int_equal(gdc_drop_model_judge(&model, 2, GDC_CHECK_POLL, &t), GDC_OK);
    assert_true(t.kept == .5 && t.round_s == 3 && t.full_s == 5 && fabs(t.speedup - .5 * 5 / 3) < 1e-15);
    assert_int_equal(gdc_drop_model_judge(&model, 2, GDC_CHECK_PIECE, &t), GDC_OK);
    assert_true(t.kept == .75 && t.round_s == 4);
    assert_int_equal(gdc_drop_model_judge(&model, INFINITY, GDC_CHECK_PIECE, &t), GDC_OK);
    assert_true(t.kept == 1 && t.speedup == 1);
    assert_int_equal(gdc_drop_model_choose(&model, GDC_CHECK_PIECE, &t), GDC_OK);
    assert_true(t.kept == 1 && t.speedup == 1);
}

static void impossible_models_are_refused(void **state)
{
    gdc_drop_model model;
    gdc_threshold t = {.tau_s = 5};
    (void)state;
    memset(&model, 0, sizeof model);
    assert_int_equal(gdc_drop_model_choose(&model, GDC_CHECK_POLL, &t), GDC_EINVAL);
    gdc_drop_model_init(&model);
    assert_int_equal(gdc_drop_model_judge(&model, -1, GDC_CHECK_POLL, &t), GDC_EINVAL);
    assert_int_equal(gdc_drop_model_judge(&model, NAN, GDC_CHECK_POLL, &t), GDC_EINVAL);
    model.mean_s = 0;
    assert_int_equal(gdc_drop_model_judge(&model, 1, GDC_CHECK_POLL, &t), GDC_EINVAL);
    model.mean_s = 1;
    model.deviation_s = NAN;
    assert_int_equal(gdc_drop_model_judge(&model, 1, GDC_CHECK_POLL, &t), GDC_EINVAL);
    model.deviation_s = 0;
    model.workers = 0;
    assert_int_equal(gdc_drop_model_choose(&model, GDC_CHECK_POLL, &t), GDC_EINVAL);
    assert_true(t.tau_s == 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gaussian_maxima_have_their_values),
        cmocka_unit_test(light_tails_agree_with_simulation),
        cmocka_unit_test(lognormal_times_gain_more_than_the_formula_says),
        cmocka_unit_test(without_spread_everything_is_known),
        cmocka_unit_test(impossible_models_are_refused),
    };
    const char *given = getenv("GDC_TEST_SEED");
    seed = given ? strtoull(given, NULL, 10) : seed;
    print_message("seed %llu\n", (unsigned long long)seed);
    return cmocka_run_group_tests(tests, NULL, NULL);
}

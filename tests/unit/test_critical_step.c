/* test_critical_step.c - the scalar model's critical steps, and what estimates advise.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gradcode/critical.h"

#include <math.h>
#include <string.h>

/* ---- critical steps ------------------------------------------------------------------------------ */

static const int delays[] = {0, 1, 2, 4, 8, 16, 32};
enum { DELAYS = 7 };

static void critical_steps_are_those_of_the_table(void **state)
{
    static const struct {
        double noise, step[DELAYS];
    } table[] = {{0, {2.00000, 1.00000, .61803, .34730, .18454, .09516, .04833}},
                 {1, {1.00000, .61803, .44504, .28463, .16516, .08973, .04688}},
                 {4, {.40000, .30623, .25182, .18816, .12636, .07671, .04304}},
                 {16, {.11765, .10634, .09758, .08455, .06780, .04949, .03262}}};
    (void)state;
    for (size_t row = 0; row < 4; row++)
        for (int i = 0; i < DELAYS; i++) {
            double step = 0;
            assert_int_equal(gdc_critical_step(table[row].noise, delays[i], &step), GDC_OK);
            if (fabs(step - table[row].step[i]) > 1.01e-5)
                fail_msg("M=%g tau=%d: %.6f, the table has %.5f", table[row].noise, delays[i], step,
                         table[row].step[i]);
        }
}

static void without_noise_the_step_is_known_in_closed_form(void **state)
{
    const double pi = acos(-1);
    (void)state;
    for (int tau = 0; tau <= 1000; tau += tau < 10 ? 1 : 99) {
        double step = 0;
        assert_int_equal(gdc_critical_step(0, tau, &step), GDC_OK);
        assert_true(fabs(step / (2 * sin(pi / (2 * (2. * tau + 1)))) - 1) < 1e-12);
        assert_int_equal(gdc_critical_step(1, tau, &step), GDC_OK); /* one delay more in the denominator */
        assert_true(fabs(step / (2 * sin(pi / (2 * (2. * tau + 3)))) - 1) < 1e-12);
    }
    double step = 0;
    assert_int_equal(gdc_critical_step(7, 0, &step), GDC_OK);
    assert_true(fabs(step - 2 / 8.) < 1e-12);
}

enum { MOST_DELAY = 8 };

/* Second moments of (x_t, ..., x_(t-tau)) after `steps` updates from x = 1, of the model as it is written. */
static double second_moment(double noise, int tau, double step, int steps)
{
    double c[MOST_DELAY + 1][MOST_DELAY + 1], next[MOST_DELAY + 1][MOST_DELAY + 1], scale = 0;
    for (int i = 0; i <= tau; i++)
        for (int j = 0; j <= tau; j++)
            c[i][j] = 1;
    for (int t = 0; t < steps; t++) {
        next[0][0] = c[0][0] - 2 * step * c[0][tau] + step * step * (1 + noise) * c[tau][tau];
        for (int j = 1; j <= tau; j++)
            next[0][j] = next[j][0] = c[0][j - 1] - step * c[tau][j - 1];
        for (int i = 1; i <= tau; i++)
            for (int j = 1; j <= tau; j++)
                next[i][j] = c[i - 1][j - 1];
        memcpy(c, next, sizeof c);
        double largest = 0;
        for (int i = 0; i <= tau; i++)
            largest = fmax(largest, c[i][i]);
        if (largest == 0)
            return -INFINITY;
        for (int i = 0; i <= tau; i++)
            for (int j = 0; j <= tau; j++)
                c[i][j] /= largest;
        scale += log(largest);
    }
    return scale;
}

static void second_moments_turn_at_the_critical_step(void **state)
{
    static const double noises[] = {0, .1, 1, 4, 16, 64};
    (void)state;
    for (size_t m = 0; m < 6; m++)
        for (int tau = 0; tau <= MOST_DELAY; tau++) {
            double step = 0;
            assert_int_equal(gdc_critical_step(noises[m], tau, &step), GDC_OK);
            if (second_moment(noises[m], tau, .99 * step, 20000) > -5)
                fail_msg("M=%g tau=%d: not stable below %g", noises[m], tau, step);
            if (second_moment(noises[m], tau, 1.01 * step, 20000) < 5)
                fail_msg("M=%g tau=%d: stable above %g", noises[m], tau, step);
        }
}

static void the_rule_of_thumb_is_stable(void **state)
{
    (void)state;
    for (double noise = 0; noise < 1e4; noise = 2 * noise + .25)
        for (int tau = 0; tau < 3000; tau += 1 + tau / 2) {
            double step = 0;
            assert_int_equal(gdc_critical_step(noise, tau, &step), GDC_OK);
            if (1.5 / (1 + noise + tau) >= step)
                fail_msg("M=%g tau=%d: %g is not below %g", noise, tau, 1.5 / (1 + noise + tau), step);
        }
}

static void impossible_models_have_no_step(void **state)
{
    double step = 5;
    (void)state;
    assert_int_equal(gdc_critical_step(-1, 0, &step), GDC_EINVAL);
    assert_int_equal(gdc_critical_step(NAN, 0, &step), GDC_EINVAL);
    assert_int_equal(gdc_critical_step(INFINITY, 0, &step), GDC_EINVAL);
    assert_int_equal(gdc_critical_step(1, -1, &step), GDC_EINVAL);
    assert_true(step == 5);
}

/* ---- advice -------------------------------------------------------------------------------------- */

static const gdc_critical_estimates known = {.size = sizeof known,
                                             .updates = 500,
                                             .levels = 4,
                                             .gradient2 = {.5, .4, .6},
                                             .noise = {13.5, 13, 14},
                                             .ratio = {27, 24, 30},
                                             .m = {3, 2, 4},
                                             .sigma2 = {12, 11, 13},
                                             .m_variance = .25,
                                             .sigma2_variance = 1,
                                             .covariance = -.3};

static gdc_critical_advice ask(const gdc_critical_estimates *e, gdc_critical_setting setting)
{
    gdc_critical_advice a = {.size = sizeof a};
    assert_int_equal(gdc_critical_advise(e, &setting, &a), GDC_OK);
    return a;
}

static void advice_follows_the_formulas(void **state)
{
    double limit = 0;
    (void)state;
    gdc_critical_advice a =
        ask(&known, (gdc_critical_setting){.eps = .1, .batch = 8, .staleness = 2.5, .mini_batch = 4, .smoothness = 10});
    assert_true(fabs(a.batch.value - 123) < 1e-12); /* 3 + 12/.1 */
    double half = 1.96 * sqrt(.25 - .6 / .1 + 1 / .01);
    assert_true(fabs(a.batch.low - (123 - half)) < 1e-9 && fabs(a.batch.high - (123 + half)) < 1e-9);
    assert_true(fabs(a.in_flight - 28) < 1e-12);
    assert_true(fabs(a.staleness - (123. / 8 - 1)) < 1e-12);
    assert_true(a.workers == 30); /* floor(123/4) */
    assert_true(fabs(a.step - 1.5 / (10 * (1 + 3. / 8 + 2.5))) < 1e-15);
    assert_int_equal(gdc_critical_step(3. / 8, 3, &limit), GDC_OK);
    assert_true(a.step_limit == limit / 10);
}

static void advice_is_for_now_unless_a_target_is_given(void **state)
{
    (void)state;
    gdc_critical_advice a = ask(&known, (gdc_critical_setting){.batch = 100});
    assert_true(a.batch.value == 27 && a.batch.low == 24 && a.batch.high == 30);
    assert_true(a.staleness == 0 && isnan(a.workers));
    assert_true(fabs(a.step - 1.5 / (1 + .03)) < 1e-15);
}

static void advice_is_careful_where_m_is_not_known(void **state)
{
    gdc_critical_estimates e = known;
    (void)state;
    e.m = (gdc_interval){NAN, 0, 30};
    e.sigma2 = (gdc_interval){NAN, 0, 14};
    gdc_critical_advice a = ask(&e, (gdc_critical_setting){.eps = .1, .batch = 10, .mini_batch = 1});
    assert_true(isnan(a.batch.value) && isnan(a.staleness) && isnan(a.workers));
    assert_true(a.batch.low == 24 && a.batch.high == 14 / .1); /* all of S is M; all of it is sigma^2 */
    assert_true(fabs(a.step - 1.5 / (1 + 3)) < 1e-15);
    e.m.high = INFINITY;
    a = ask(&e, (gdc_critical_setting){.batch = 10});
    assert_true(isnan(a.step) && isnan(a.step_limit) && a.batch.value == 27);
}

static void impossible_settings_are_refused(void **state)
{
    static const gdc_critical_setting bad[] = {
        {.batch = 0},
        {.batch = NAN},
        {.batch = INFINITY},
        {.batch = 1, .eps = -1},
        {.batch = 1, .eps = NAN},
        {.batch = 1, .staleness = -1},
        {.batch = 1, .staleness = INFINITY},
        {.batch = 1, .mini_batch = -1},
        {.batch = 1, .smoothness = -2},
    };
    gdc_critical_advice a = {.size = sizeof a};
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(gdc_critical_advise(&known, &bad[i], &a), GDC_EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(critical_steps_are_those_of_the_table),
        cmocka_unit_test(without_noise_the_step_is_known_in_closed_form),
        cmocka_unit_test(second_moments_turn_at_the_critical_step),
        cmocka_unit_test(the_rule_of_thumb_is_stable),
        cmocka_unit_test(impossible_models_have_no_step),
        cmocka_unit_test(advice_follows_the_formulas),
        cmocka_unit_test(advice_is_for_now_unless_a_target_is_given),
        cmocka_unit_test(advice_is_careful_where_m_is_not_known),
        cmocka_unit_test(impossible_settings_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

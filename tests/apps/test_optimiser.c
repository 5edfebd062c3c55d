/* test_optimiser.c - steps of gradient descent against sequences worked out by hand.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "problems/optimiser.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { STEPS = 3 };

/* Two parameters from (1, -2), gradients (1, 4), (3, 0), (-2, 2), rate 1/2, momentum 1/2: all exact in
 * binary. plain      1-.5=.5          .5-1.5=-1          -1+1=0            -2-2=-4      -4            -4-1=-5
 * momentum   v 1 3.5 -.25     x .5 -1.25 -1.125                    v 4 2 3      x -4 -5 -6.5
 * nesterov   g+v/2 1.5 4.75 -2.125   x .25 -2.125 -1.0625          6 1 3.5      x -5 -5.5 -7.25 */
static const double gradients[STEPS][2] = {{1, 4}, {3, 0}, {-2, 2}};
static const double plain[STEPS][2] = {{0.5, -4}, {-1, -4}, {0, -5}};
static const double momentum[STEPS][2] = {{0.5, -4}, {-1.25, -5}, {-1.125, -6.5}};
static const double nesterov[STEPS][2] = {{0.25, -5}, {-2.125, -5.5}, {-1.0625, -7.25}};

static void follow_f64(optimiser *o, const double expected[STEPS][2])
{
    double model[2] = {1, -2};
    for (int t = 0; t < STEPS; t++) {
        double gradient[2] = {gradients[t][0], gradients[t][1]};
        optimiser_step(o, gradient, model);
        assert_memory_equal(gradient, gradients[t], sizeof gradient);
        assert_true(model[0] == expected[t][0] && model[1] == expected[t][1]);
    }
}

static void follow_f32(optimiser *o, const double expected[STEPS][2])
{
    float model[2] = {1, -2};
    for (int t = 0; t < STEPS; t++) {
        float gradient[2] = {(float)gradients[t][0], (float)gradients[t][1]};
        optimiser_step(o, gradient, model);
        assert_true(gradient[0] == (float)gradients[t][0] && gradient[1] == (float)gradients[t][1]);
        assert_true((double)model[0] == expected[t][0] && (double)model[1] == expected[t][1]);
    }
}

/* Twice, with a reset between: the second run must not remember the first. */
static void follow(double weight, int is_nesterov, const double expected[STEPS][2])
{
    optimiser o;
    for (gdc_dtype dtype = GDC_F64; dtype <= GDC_F32; dtype++) {
        assert_int_equal(optimiser_init(dtype, 2, 0.5, weight, is_nesterov, &o), GDC_OK);
        for (int run = 0; run < 2; run++) {
            if (dtype == GDC_F64)
                follow_f64(&o, expected);
            else
                follow_f32(&o, expected);
            optimiser_reset(&o);
        }
        optimiser_free(&o);
        assert_null(o.velocity);
        optimiser_free(&o);
    }
}

static void plain_steps_follow_the_gradient(void **state)
{
    (void)state;
    follow(0, 0, plain);
}

static void momentum_accumulates_gradients(void **state)
{
    (void)state;
    follow(0.5, 0, momentum);
}

static void nesterov_looks_one_step_ahead(void **state)
{
    (void)state;
    follow(0.5, 1, nesterov);
}

/* On x^2/2 at rate 1 plain descent is at 0 in one step; the heavy ball x' = x - v, v' = m v + x swings as its
 * recurrence says. */
static void the_heavy_ball_follows_its_recurrence(void **state)
{
    optimiser o;
    (void)state;
    assert_int_equal(optimiser_init(GDC_F64, 1, 0.1, 0.9, 0, &o), GDC_OK);
    double x = 1, before = 1;
    for (int t = 0; t < 200; t++) {
        double model = x, next = x - 0.1 * x + 0.9 * (x - before);
        optimiser_step(&o, &model, &x);
        before = model;
        assert_true(fabs(x - next) <= 64 * DBL_EPSILON);
    }
    optimiser_free(&o);
}

static void impossible_settings_are_refused(void **state)
{
    optimiser o = {.rate = -5};
    (void)state;
    assert_int_equal(optimiser_init(GDC_F64, 2, 0, 0, 0, &o), GDC_EINVAL);
    assert_int_equal(optimiser_init(GDC_F64, 2, NAN, 0, 0, &o), GDC_EINVAL);
    assert_int_equal(optimiser_init(GDC_F64, 2, INFINITY, 0, 0, &o), GDC_EINVAL);
    assert_int_equal(optimiser_init(GDC_F64, 2, 0.1, 1, 0, &o), GDC_EINVAL);
    assert_non_null(strstr(gdc_last_error(), "momentum=1"));
    assert_int_equal(optimiser_init(GDC_F64, 2, 0.1, -0.1, 0, &o), GDC_EINVAL);
    assert_int_equal(optimiser_init(GDC_F64, 2, 0.1, 0, 1, &o), GDC_EINVAL);
    assert_int_equal(optimiser_init(GDC_F64, 0, 0.1, 0, 0, &o), GDC_EINVAL);
    assert_true(o.rate == -5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_steps_follow_the_gradient), cmocka_unit_test(momentum_accumulates_gradients),
        cmocka_unit_test(nesterov_looks_one_step_ahead),   cmocka_unit_test(the_heavy_ball_follows_its_recurrence),
        cmocka_unit_test(impossible_settings_are_refused),
    };
    return cmocka_run_group_tests_name("optimiser", tests, NULL, NULL);
}

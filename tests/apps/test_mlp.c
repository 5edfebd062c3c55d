/* test_mlp.c - the perceptron with a hidden layer against a plain loop in long double; what it learns and what it refuses.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "problems/optimiser.h"
#include "problems/problem.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    FEATURES = 3,
    HIDDEN = 4,
    CLASSES = 3,
    SAMPLES = 300,
    NUMBERS = HIDDEN * (FEATURES + 1) + CLASSES * (HIDDEN + 1)
};

static problem open_on(const char *spec, const data *set, gdc_dtype dtype)
{
    problem p;
    if (problem_open(spec, set, dtype, &p))
        fail_msg("%s", gdc_last_error());
    return p;
}

static data *open_data(const char *spec)
{
    data *set = NULL;
    if (data_open(spec, 3, DATA_SHUFFLED, &set))
        fail_msg("%s", gdc_last_error());
    return set;
}

static data *small_data(void)
{
    return open_data("synthetic:samples=300,features=3,classes=3");
}

/* ---- the plain loop: W1 [hidden x features], b1, W2 [classes x hidden], b2 ---- */

static long double plain_loss(const data *set, size_t i, const long double *model)
{
    const float *x = (const float *)set->x + i * FEATURES;
    const long double *b1 = model + HIDDEN * FEATURES, *w2 = b1 + HIDDEN, *b2 = w2 + CLASSES * HIDDEN;
    long double unit[HIDDEN], score[CLASSES], sum = 0;
    for (int h = 0; h < HIDDEN; h++) {
        unit[h] = b1[h];
        for (int j = 0; j < FEATURES; j++)
            unit[h] += model[h * FEATURES + j] * (long double)x[j];
        unit[h] = tanhl(unit[h]);
    }
    for (int c = 0; c < CLASSES; c++) {
        score[c] = b2[c];
        for (int h = 0; h < HIDDEN; h++)
            score[c] += w2[c * HIDDEN + h] * unit[h];
        sum += expl(score[c]);
    }
    return logl(sum) - score[(size_t)set->y[i]];
}

static long double plain_sum(const data *set, const long double *model)
{
    long double sum = 0;
    for (size_t i = 0; i < SAMPLES; i++)
        sum += plain_loss(set, i, model);
    return sum;
}

/* Biases other than 0 as well. */
static void make_model(const problem *p, double *model, long double *wide)
{
    p->ops->initial(p->self, 4, model);
    for (int i = 0; i < NUMBERS; i++) {
        model[i] += 0.1 * ((i * 7) % 11 - 5);
        wide[i] = model[i];
    }
}

/* Central differences in long double: error about h^2/6 of the third derivative, some 1e-12 of the largest. */
static void gradient_and_loss_are_those_of_a_plain_loop(void **state)
{
    (void)state;
    data *set = small_data();
    problem p = open_on("mlp:hidden=4", set, GDC_F64);
    double model[NUMBERS], sum[NUMBERS] = {0}, most = 0;
    long double wide[NUMBERS], h = 1e-6L, difference[NUMBERS];
    assert_int_equal(p.ops->dimension(p.self), NUMBERS);
    make_model(&p, model, wide);
    double loss = p.ops->add(p.self, 0, SAMPLES, 1, model, sum);
    assert_true(fabsl(loss - plain_sum(set, wide)) < 1e-12L * loss);
    for (int i = 0; i < NUMBERS; i++) {
        long double at = wide[i];
        wide[i] = at + h;
        difference[i] = plain_sum(set, wide);
        wide[i] = at - h;
        difference[i] = (difference[i] - plain_sum(set, wide)) / (2 * h);
        wide[i] = at;
        most = fmax(most, fabs(sum[i]));
    }
    for (int i = 0; i < NUMBERS; i++)
        if (!(fabsl(sum[i] - difference[i]) <= 1e-11L * most))
            fail_msg("number %d: %.17g, want %.17Lg", i, sum[i], difference[i]);
    problem_close(&p);
    data_close(set);
}

static void the_regulariser_takes_both_layers_and_no_bias(void **state)
{
    (void)state;
    data *set = small_data();
    problem p = open_on("mlp:hidden=4,l2=0.5", set, GDC_F64), plain = open_on("mlp:hidden=4", set, GDC_F64);
    double model[NUMBERS], gradient[NUMBERS] = {0}, squares = 0;
    long double wide[NUMBERS];
    make_model(&p, model, wide);
    p.ops->regularise(p.self, model, gradient);
    for (int i = 0; i < NUMBERS; i++) {
        bool is_b1 = i >= HIDDEN * FEATURES && i < HIDDEN * (FEATURES + 1), is_b2 = i >= NUMBERS - CLASSES;
        assert_true(gradient[i] == (is_b1 || is_b2 ? 0 : 0.5 * model[i]));
        squares += is_b1 || is_b2 ? 0 : model[i] * model[i];
    }
    assert_true(fabs(p.ops->penalty(p.self, model) - squares / 4) < 1e-12);
    assert_true(fabs(problem_loss(&p, model, NULL) - problem_loss(&plain, model, NULL) - squares / 4) < 1e-12);
    problem_close(&p);
    problem_close(&plain);
    data_close(set);
}

static double deviation(size_t count, const double *x)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += x[i] * x[i];
    return sqrt(sum / (double)count);
}

/* Glorot: variance 2 / (inputs + outputs). Of 20,000 and 1,000 draws, five standard errors. */
static void it_starts_at_the_announced_spread_with_biases_of_zero(void **state)
{
    (void)state;
    data *set = open_data("synthetic:samples=20,features=200,classes=10");
    problem p = open_on("mlp:hidden=100", set, GDC_F64);
    size_t d = p.ops->dimension(p.self);
    assert_int_equal(d, 100 * 201 + 10 * 101);
    double *model = malloc(d * sizeof *model);
    assert_non_null(model);
    p.ops->initial(p.self, 1, model);
    assert_true(fabs(deviation(20000, model) / sqrt(2.0 / 300) - 1) < 5 / sqrt(2 * 20000.0));
    assert_true(deviation(100, model + 20000) == 0);
    assert_true(fabs(deviation(1000, model + 20100) / sqrt(2.0 / 110) - 1) < 5 / sqrt(2 * 1000.0));
    assert_true(deviation(10, model + 21100) == 0);
    free(model);
    problem_close(&p);
    data_close(set);
}

/* ---- what it learns ---- */

/* The loss after so many steps on the first `samples`. */
static double descend(const problem *p, gdc_dtype dtype, size_t samples, double rate, int steps)
{
    optimiser o;
    size_t d = p->ops->dimension(p->self), bytes = d * (dtype == GDC_F64 ? sizeof(double) : sizeof(float));
    void *model = malloc(bytes), *gradient = malloc(bytes);
    assert_true(model != NULL && gradient != NULL);
    assert_int_equal(optimiser_init(dtype, d, rate, 0.9, 1, &o), GDC_OK);
    p->ops->initial(p->self, 1, model);
    for (int t = 0; t < steps; t++) {
        memset(gradient, 0, bytes);
        p->ops->add(p->self, 0, samples, 1.0 / (double)samples, model, gradient);
        optimiser_step(&o, gradient, model);
    }
    double loss = problem_loss(p, model, NULL);
    optimiser_free(&o);
    free(model);
    free(gradient);
    return loss;
}

/* Exclusive or: no linear scores do better than log 2. */
static void it_learns_what_no_linear_scores_can(void **state)
{
    float x[] = {0, 0, 0, 1, 1, 0, 1, 1}, y[] = {0, 1, 1, 0};
    data set = {
        .name = "xor", .samples = 4, .features = 2, .classes = 2, .type = DATA_F32, .x = x, .x_scale = 1, .y = y};
    (void)state;
    problem hidden = open_on("mlp:hidden=8", &set, GDC_F64), linear = open_on("softmax", &set, GDC_F64);
    assert_true(descend(&hidden, GDC_F64, 4, 0.2, 500) < 0.01);
    assert_true(descend(&linear, GDC_F64, 4, 0.2, 500) > 0.99 * log(2));
    problem_close(&hidden);
    problem_close(&linear);
}

static void the_loss_falls_in_either_type(void **state)
{
    (void)state;
    data *set = open_data("synthetic:samples=500,features=10,classes=4,noise=0,separation=12");
    for (int type = 0; type < 2; type++) {
        gdc_dtype dtype = type == 0 ? GDC_F64 : GDC_F32;
        problem p = open_on("mlp", set, dtype);
        assert_true(descend(&p, dtype, 500, 0.1, 0) > 1);
        assert_true(descend(&p, dtype, 500, 0.1, 150) < 0.05);
        problem_close(&p);
    }
    data_close(set);
}

static void the_loss_falls_on_images(void **state)
{
    (void)state;
    data *set = NULL;
    if (data_open("fashion-mnist:samples=2000", 1, DATA_SHUFFLED, &set)) {
        print_message("skipped: %s\n", gdc_last_error());
        skip();
    }
    problem p = open_on("mlp", set, GDC_F32);
    double before = descend(&p, GDC_F32, 2000, 0.1, 0), after = descend(&p, GDC_F32, 2000, 0.1, 60);
    print_message("loss %.4f, after 60 steps %.4f\n", before, after);
    assert_true(before > 2 && after < 0.75);
    problem_close(&p);
    data_close(set);
}

/* ---- what it refuses ---- */

static void what_cannot_be_is_refused(void **state)
{
    static const char *const cases[][3] = {
        {"mlp:hidden=0", "3", "hidden"},  {"mlp:hidden=x", "3", "hidden"},
        {"mlp:hidden=-1", "3", "hidden"}, {"mlp:l2=-1", "3", "l2"},
        {"mlp:bias=0", "3", "bias"},      {"mlp", "0", "mlp: synthetic has real targets: want 2 or more classes"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char spec[64];
        snprintf(spec, sizeof spec, "synthetic:samples=9,features=2,classes=%s", cases[i][1]);
        data *set = open_data(spec);
        problem p = {.ops = NULL};
        assert_int_equal(problem_open(cases[i][0], set, GDC_F64, &p), GDC_EINVAL);
        if (!strstr(gdc_last_error(), cases[i][2]))
            fail_msg("%s: \"%s\" lacks \"%s\"", cases[i][0], gdc_last_error(), cases[i][2]);
        data_close(set);
    }
}

static void models_beyond_the_range_of_blas_are_refused(void **state)
{
    float x[2] = {0}, y[] = {1};
    data set = {
        .name = "wide", .samples = 1, .features = 2, .classes = 2, .type = DATA_F32, .x = x, .x_scale = 1, .y = y};
    problem p = {.ops = NULL};
    (void)state;
    set.features = 3000; /* times 10^6 */
    assert_int_equal(problem_open("mlp:hidden=1000000", &set, GDC_F64, &p), GDC_EINVAL);
    assert_non_null(strstr(gdc_last_error(), "so at most hidden="));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradient_and_loss_are_those_of_a_plain_loop),
        cmocka_unit_test(the_regulariser_takes_both_layers_and_no_bias),
        cmocka_unit_test(it_starts_at_the_announced_spread_with_biases_of_zero),
        cmocka_unit_test(it_learns_what_no_linear_scores_can),
        cmocka_unit_test(the_loss_falls_in_either_type),
        cmocka_unit_test(the_loss_falls_on_images),
        cmocka_unit_test(what_cannot_be_is_refused),
        cmocka_unit_test(models_beyond_the_range_of_blas_are_refused),
    };
    return cmocka_run_group_tests_name("mlp", tests, NULL, NULL);
}

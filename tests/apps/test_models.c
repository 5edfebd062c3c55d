/* test_models.c - the problems of linear scores by hand, extreme scores, known optima, data that do not fit.
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
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int near(double x, double y)
{
    return fabs(x - y) <= 32 * DBL_EPSILON * fmax(1, fabs(y));
}

static problem open_on(const char *spec, const data *set)
{
    problem p;
    if (problem_open(spec, set, GDC_F64, &p))
        fail_msg("%s", gdc_last_error());
    return p;
}

static data *open_data(const char *spec)
{
    data *set = NULL;
    if (data_open(spec, 2, 1, &set))
        fail_msg("%s", gdc_last_error());
    return set;
}

/* Samples (1, 2) and (-1, 0). */
static data two_samples(int classes, float x[4], float y[2])
{
    return (data){.name = "hand",
                  .samples = 2,
                  .features = 2,
                  .classes = classes,
                  .type = DATA_F32,
                  .x = x,
                  .x_scale = 1,
                  .y = y};
}

/* w = (2, -1), b = 1: scores 1 and -1; targets 3 and 0: residuals -2 and -1; losses 2 and 1/2.
 * gradient: -2 (1, 2, 1) - 1 (-1, 0, 1) = (-1, -4, -3). Regulariser .5/2 (4 + 1) = 1.25, gradient (1, -.5,
 * 0). */
static void least_squares_by_hand(void **state)
{
    float x[] = {1, 2, -1, 0}, y[] = {3, 0};
    data set = two_samples(0, x, y);
    double model[] = {2, -1, 1}, sum[3] = {0};
    (void)state;
    problem p = open_on("least-squares:l2=0.5", &set);
    assert_int_equal(p.ops->dimension(p.self), 3);
    assert_true(near(p.ops->add(p.self, 0, 2, 1, model, sum), 2.5));
    assert_true(near(sum[0], -1) && near(sum[1], -4) && near(sum[2], -3));
    assert_true(near(problem_loss(&p, model, NULL), 1.25 + 1.25));
    p.ops->regularise(p.self, model, sum);
    assert_true(near(sum[0], 0) && near(sum[1], -4.5) && near(sum[2], -3));
    problem_close(&p);
}

/* At zero both probabilities are 1/2: losses log 2; labels 1, 0: gradient -1/2 (1, 2, 1) + 1/2 (-1, 0, 1) =
 * (-1, -1, 0). */
static void logistic_by_hand(void **state)
{
    float x[] = {1, 2, -1, 0}, y[] = {1, 0};
    data set = two_samples(2, x, y);
    double model[] = {0, 0, 0}, sum[3] = {0};
    (void)state;
    problem p = open_on("logistic", &set);
    assert_int_equal(p.ops->dimension(p.self), 3);
    assert_true(near(p.ops->add(p.self, 0, 2, 1, model, sum), 2 * log(2)));
    assert_true(near(sum[0], -1) && near(sum[1], -1) && near(sum[2], 0));
    model[2] = log(3); /* probabilities 3/4: losses log 4/3 and log 4 */
    assert_true(near(problem_loss(&p, model, NULL), (log(4.0 / 3) + log(4)) / 2));
    problem_close(&p);
}

/* Three classes at zero: losses log 3, derivatives 1/3 - [own]; labels 2 and 0.
 * W rows: class 0: (1/3)(1, 2) + (-2/3)(-1, 0) = (1, 2/3); class 1: (1/3)(1, 2) + (1/3)(-1, 0) = (0, 2/3);
 * class 2: (-2/3)(1, 2) + (1/3)(-1, 0) = (-1, -4/3); b: -1/3, 2/3, -1/3. */
static void softmax_by_hand(void **state)
{
    static const double want[] = {1, 2.0 / 3, 0, 2.0 / 3, -1, -4.0 / 3, -1.0 / 3, 2.0 / 3, -1.0 / 3};
    float x[] = {1, 2, -1, 0}, y[] = {2, 0};
    data set = two_samples(3, x, y);
    double model[9] = {0}, sum[9] = {0};
    (void)state;
    problem p = open_on("softmax", &set);
    assert_int_equal(p.ops->dimension(p.self), 9);
    assert_true(near(p.ops->add(p.self, 0, 2, 1, model, sum), 2 * log(3)));
    for (int i = 0; i < 9; i++)
        assert_true(near(sum[i], want[i]));
    model[6] = log(6); /* sum of exponentials 8: losses log 8 (label 2), log 8/6 (label 0) */
    assert_true(near(problem_loss(&p, model, NULL), (log(8) + log(8.0 / 6)) / 2));
    problem_close(&p);
}

/* Two classes of softmax are logistic regression with w = w1 - w0. */
static void softmax_of_two_classes_is_logistic(void **state)
{
    (void)state;
    data *set = open_data("synthetic:samples=300,features=5,classes=2,noise=0.3");
    problem soft = open_on("softmax:start=normal", set), binary = open_on("logistic", set);
    double model[12], sum[12] = {0}, w[6], g[6] = {0};
    soft.ops->initial(soft.self, 3, model);
    for (size_t j = 0; j < 6; j++)
        w[j] = j < 5 ? model[5 + j] - model[j] : model[11] - model[10];
    double one = soft.ops->add(soft.self, 0, 300, 1, model, sum);
    double other = binary.ops->add(binary.self, 0, 300, 1, w, g);
    assert_true(fabs(one - other) < 1e-11 * one);
    for (size_t j = 0; j < 6; j++) {
        assert_true(fabs(sum[j < 5 ? 5 + j : 11] - g[j]) < 1e-10);
        assert_true(fabs(sum[j < 5 ? j : 10] + g[j]) < 1e-10);
    }
    problem_close(&soft);
    problem_close(&binary);
    data_close(set);
}

/* Scores of +-5000: a right answer costs nothing, a wrong one the score itself, and no number overflows. */
static void certain_answers_stay_finite(void **state)
{
    float x[] = {5000, 0, -5000, 0}, right[] = {1, 0}, wrong[] = {0, 1};
    static const char *const specs[] = {"logistic:bias=0", "softmax:bias=0"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        double model[] = {1, 0, 0, 0}, sum[4] = {0};
        double sign = i == 0 ? 1 : -1; /* softmax: the first weights are those of class 0 */
        data set = two_samples(2, x, sign > 0 ? right : wrong);
        problem p = open_on(specs[i], &set);
        assert_true(p.ops->add(p.self, 0, 2, 1, model, sum) == 0);
        assert_true(sum[0] == 0 && sum[2] == 0);
        problem_close(&p);
        set.y = sign > 0 ? wrong : right;
        p = open_on(specs[i], &set);
        assert_true(p.ops->add(p.self, 0, 2, 1, model, sum) == 10000);
        assert_true(sum[0] == 10000);
        problem_close(&p);
    }
}

static void small_losses_of_near_certain_answers_are_kept(void **state)
{
    float x[] = {40, 0, -40, 0}, y[] = {1, 0};
    double model[] = {1, 0}, sum[2] = {0};
    data set = two_samples(2, x, y);
    (void)state;
    problem p = open_on("logistic:bias=0", &set);
    assert_true(fabs(p.ops->add(p.self, 0, 2, 1, model, sum) / (2 * exp(-40)) - 1) < 1e-12);
    assert_true(fabs(sum[0] / (-80 * exp(-40)) - 1) < 1e-12);
    problem_close(&p);
}

static void the_optimum_of_clean_targets_is_a_minimiser(void **state)
{
    (void)state;
    data *set = open_data("synthetic:samples=2000,features=50,noise=0");
    problem p = open_on("least-squares", set);
    double model[51] = {0}, sum[51] = {0}, there;
    memcpy(model, set->optimum, 50 * sizeof *model);
    p.ops->add(p.self, 0, 2000, 1.0 / 2000, model, sum);
    for (int i = 0; i < 51; i++)
        assert_true(fabs(sum[i]) < 1e-7); /* targets are floats */
    there = problem_loss(&p, model, NULL);
    assert_true(there < 1e-13);
    for (int i = 0; i < 51; i++) {
        model[i] += 0.01;
        assert_true(problem_loss(&p, model, NULL) > there + 1e-5);
        model[i] -= 0.01;
    }
    problem_close(&p);
    data_close(set);
}

static double descend(problem *p, size_t samples, double rate, int steps, double *model)
{
    optimiser o;
    size_t d = p->ops->dimension(p->self);
    double *gradient = malloc(d * sizeof *gradient);
    assert_non_null(gradient);
    assert_int_equal(optimiser_init(GDC_F64, d, rate, 0.9, 1, &o), GDC_OK);
    p->ops->initial(p->self, 1, model);
    for (int t = 0; t < steps; t++) {
        memset(gradient, 0, d * sizeof *gradient);
        p->ops->add(p->self, 0, samples, 1.0 / (double)samples, model, gradient);
        p->ops->regularise(p->self, model, gradient);
        optimiser_step(&o, gradient, model);
    }
    optimiser_free(&o);
    free(gradient);
    return problem_loss(p, model, NULL);
}

static void descent_finds_the_optimum_of_clean_targets(void **state)
{
    (void)state;
    data *set = open_data("synthetic:samples=500,features=10,noise=0");
    problem p = open_on("least-squares", set);
    double model[11];
    assert_true(descend(&p, 500, 0.2, 300, model) < 1e-12);
    for (int i = 0; i < 10; i++)
        assert_true(fabs(model[i] - set->optimum[i]) < 1e-6);
    assert_true(fabs(model[10]) < 1e-6);
    problem_close(&p);
    data_close(set);
}

static void separated_classes_are_learnt(void **state)
{
    (void)state;
    data *set = open_data("synthetic:samples=500,features=10,classes=4,noise=0,separation=12");
    problem p = open_on("softmax", set);
    double model[44];
    assert_true(descend(&p, 500, 0.1, 300, model) < 0.05);
    problem_close(&p);
    data_close(set);
}

static void the_regulariser_leaves_the_bias_alone(void **state)
{
    float x[] = {0, 0, 0, 0}, y[] = {3, 5};
    data set = two_samples(0, x, y);
    double model[3];
    (void)state;
    problem p = open_on("least-squares:l2=10", &set);
    assert_true(near(descend(&p, 2, 0.1, 400, model), 0.5));
    assert_true(model[0] == 0 && model[1] == 0 && fabs(model[2] - 4) < 1e-9);
    problem_close(&p);
}

static void data_that_do_not_fit_are_refused(void **state)
{
    static const char *const cases[][3] = {
        {"softmax", "0", "want 2 or more classes"},
        {"logistic", "0", "hand has 0 classes: want 2"},
        {"logistic", "3", "hand has 3 classes: want 2"},
        {"least-squares", "2", "want real targets"},
        {"softmax:l2=-1", "2", "l2"},
        {"softmax:l3=1", "2", "l3"},
        {"hardmax", "2", "hardmax"},
    };
    float x[] = {1, 2, -1, 0}, y[] = {1, 0};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        data set = two_samples(atoi(cases[i][1]), x, y);
        problem p = {.ops = NULL};
        assert_int_equal(problem_open(cases[i][0], &set, GDC_F64, &p), GDC_EINVAL);
        if (!strstr(gdc_last_error(), cases[i][2]))
            fail_msg("case %zu: \"%s\" lacks \"%s\"", i, gdc_last_error(), cases[i][2]);
        assert_null(p.ops);
        problem_close(&p);
    }
}

static void models_beyond_the_range_of_blas_are_refused(void **state)
{
    float x[] = {1, 2, -1, 0}, y[] = {1, 0};
    data set = two_samples(3, x, y);
    problem p = {.ops = NULL};
    (void)state;
    set.features = 715827882; /* times 3, plus 3, is above 2^31 - 1 */
    assert_int_equal(problem_open("softmax", &set, GDC_F64, &p), GDC_EINVAL);
    assert_null(p.ops);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(least_squares_by_hand),
        cmocka_unit_test(logistic_by_hand),
        cmocka_unit_test(softmax_by_hand),
        cmocka_unit_test(softmax_of_two_classes_is_logistic),
        cmocka_unit_test(certain_answers_stay_finite),
        cmocka_unit_test(small_losses_of_near_certain_answers_are_kept),
        cmocka_unit_test(the_optimum_of_clean_targets_is_a_minimiser),
        cmocka_unit_test(descent_finds_the_optimum_of_clean_targets),
        cmocka_unit_test(separated_classes_are_learnt),
        cmocka_unit_test(the_regulariser_leaves_the_bias_alone),
        cmocka_unit_test(data_that_do_not_fit_are_refused),
        cmocka_unit_test(models_beyond_the_range_of_blas_are_refused),
    };
    return cmocka_run_group_tests_name("models", tests, NULL, NULL);
}

/* test_problems.c - laws of every problem in the registry: its gradient is that of its loss, sums are sums.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "problems/batch.h"
#include "problems/problem.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A problem with its data, in double, at a model that is not special. */
typedef struct fixture {
    data *set;
    problem p;
    size_t d;
    double *model, *sum, *other; /* [d] */
} fixture;

/* What suits a problem: a new one in the registry must be named here. */
typedef struct suit {
    const char *name;
    int classes;
    const char *options; /* those that give a start other than zeros, in few numbers */
    double spread;       /* of that start, for a model that is not special */
} suit;

static const suit *suit_of(const char *name)
{
    static const suit table[] = {{"softmax", 4, "start=normal", 30},
                                 {"logistic", 2, "start=normal", 30},
                                 {"least-squares", 0, "start=normal", 30},
                                 {"mlp", 4, "hidden=5", 2}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strcmp(table[i].name, name) == 0)
            return &table[i];
    fail_msg("nothing suits problem %s", name);
    return NULL;
}

static data *suitable_data(const char *name, size_t samples)
{
    char spec[100];
    data *set = NULL;
    snprintf(spec, sizeof spec, "synthetic:samples=%zu,features=6,classes=%d", samples, suit_of(name)->classes);
    if (data_open(spec, 11, DATA_SHUFFLED, &set))
        fail_msg("%s", gdc_last_error());
    return set;
}

static bool has_option(const problem_ops *ops, const char *key)
{
    for (const gdc_option *o = ops->options; o->key; o++)
        if (strcmp(o->key, key) == 0)
            return true;
    return false;
}

static fixture setup(const problem_ops *ops, const char *options, size_t samples)
{
    fixture f = {.set = suitable_data(ops->name, samples)};
    char spec[100];
    snprintf(spec, sizeof spec, "%s:%s%s", ops->name, suit_of(ops->name)->options, options);
    if (problem_open(spec, f.set, GDC_F64, &f.p))
        fail_msg("%s", gdc_last_error());
    f.d = ops->dimension(f.p.self);
    f.model = calloc(3 * f.d, sizeof *f.model);
    assert_non_null(f.model);
    f.sum = f.model + f.d;
    f.other = f.sum + f.d;
    ops->initial(f.p.self, 5, f.model);
    for (size_t i = 0; i < f.d; i++)
        f.model[i] *= suit_of(ops->name)->spread;
    return f;
}

static void teardown(fixture *f)
{
    problem_close(&f->p);
    data_close(f->set);
    free(f->model);
}

static double largest(size_t count, const double *x)
{
    double most = 0;
    for (size_t i = 0; i < count; i++)
        most = fmax(most, fabs(x[i]));
    return most;
}

static void assert_close(size_t count, const double *x, const double *y, double relative)
{
    double scale = largest(count, y);
    assert_true(scale > 0);
    for (size_t i = 0; i < count; i++)
        if (!(fabs(x[i] - y[i]) <= relative * scale))
            fail_msg("entry %zu: %.17g, want %.17g", i, x[i], y[i]);
}

/* Central differences: error about h^2/6 |f'''| + eps |f| / h, some 1e-10 at h = 1e-5. */
static void check_differences(fixture *f)
{
    const problem_ops *ops = f->p.ops;
    const double h = 1e-5;
    ops->add(f->p.self, 0, f->set->samples, 1 / (double)f->set->samples, f->model, f->sum);
    ops->regularise(f->p.self, f->model, f->sum);
    for (size_t i = 0; i < f->d; i++) {
        double at = f->model[i];
        f->model[i] = at + h;
        double above = problem_loss(&f->p, f->model, NULL);
        f->model[i] = at - h;
        f->other[i] = (above - problem_loss(&f->p, f->model, NULL)) / (2 * h);
        f->model[i] = at;
    }
    assert_close(f->d, f->sum, f->other, 1e-8);
}

static void gradients_are_those_of_the_loss(void **state)
{
    static const char *const options[] = {"", ",l2=0.3", ",bias=0", ",bias=0,l2=2"};
    (void)state;
    for (int i = 0; problems[i]; i++)
        for (size_t o = 0; o < sizeof options / sizeof *options; o++) {
            if (strstr(options[o], "bias") && !has_option(problems[i], "bias"))
                continue;
            fixture f = setup(problems[i], options[o], 300);
            check_differences(&f);
            teardown(&f);
        }
}

static void ranges_add_up_to_single_samples(void **state)
{
    static const size_t ends[] = {0, 1, 1, 255, 511, 513, 700};
    (void)state;
    for (int i = 0; problems[i]; i++) {
        fixture f = setup(problems[i], "", 700);
        double loss = 0, other = 0;
        for (size_t r = 1; r < sizeof ends / sizeof *ends; r++)
            loss += f.p.ops->add(f.p.self, ends[r - 1], ends[r] - ends[r - 1], 1, f.model, f.sum);
        for (size_t s = 0; s < 700; s++)
            other += f.p.ops->add(f.p.self, s, 1, 1, f.model, f.other);
        assert_close(f.d, f.sum, f.other, 700 * DBL_EPSILON);
        assert_true(fabs(loss - other) <= 700 * DBL_EPSILON * other);
        assert_true(fabs(loss / 700 - problem_loss(&f.p, f.model, NULL)) <= 700 * DBL_EPSILON * loss / 700);
        teardown(&f);
    }
}

static void a_scaled_gradient_is_added_to_what_is_there(void **state)
{
    (void)state;
    for (int i = 0; problems[i]; i++) {
        fixture f = setup(problems[i], "", 400);
        double loss = f.p.ops->add(f.p.self, 10, 300, 1, f.model, f.sum);
        for (size_t j = 0; j < f.d; j++) {
            f.sum[j] = 100 - 2.5 * f.sum[j];
            f.other[j] = 100;
        }
        assert_true(f.p.ops->add(f.p.self, 10, 300, -2.5, f.model, f.other) == loss);
        assert_close(f.d, f.other, f.sum, 300 * DBL_EPSILON);
        teardown(&f);
    }
}

static void nothing_is_added_for_no_samples(void **state)
{
    (void)state;
    for (int i = 0; problems[i]; i++) {
        fixture f = setup(problems[i], "", 50);
        assert_true(f.p.ops->add(f.p.self, 50, 0, 1, f.model, f.sum) == 0);
        assert_true(largest(f.d, f.sum) == 0);
        teardown(&f);
    }
}

static void partitions_add_up_to_the_whole_set(void **state)
{
    (void)state;
    for (int i = 0; problems[i]; i++) {
        fixture f = setup(problems[i], "", 10007);
        batch b;
        assert_int_equal(batch_init(10007, 0, 8, &b), GDC_OK);
        for (int j = 0; j < 8; j++) {
            sample_range r[2];
            assert_int_equal(batch_ranges(&b, 3, j, r), 1);
            f.p.ops->add(f.p.self, r[0].first, r[0].count, 1, f.model, f.sum);
        }
        f.p.ops->add(f.p.self, 0, 10007, 1, f.model, f.other);
        assert_close(f.d, f.sum, f.other, 10007 * DBL_EPSILON);
        teardown(&f);
    }
}

/* Two handles on the same data, one of them used before: redundant workers must send the same bits. */
static void same_range_same_bits(void **state)
{
    (void)state;
    for (int i = 0; problems[i]; i++) {
        fixture f = setup(problems[i], "", 700), fresh = setup(problems[i], "", 700);
        f.p.ops->add(f.p.self, 0, 700, 1, f.model, f.other);
        double loss = f.p.ops->add(f.p.self, 33, 300, 1, f.model, f.sum);
        assert_true(loss == fresh.p.ops->add(fresh.p.self, 33, 300, 1, fresh.model, fresh.sum));
        assert_memory_equal(f.sum, fresh.sum, f.d * sizeof *f.sum);
        teardown(&f);
        teardown(&fresh);
    }
}

static void floats_follow_doubles(void **state)
{
    (void)state;
    for (int i = 0; problems[i]; i++) {
        fixture f = setup(problems[i], ",l2=0.5", 400);
        problem p;
        float model[100], sum[100] = {0};
        char spec[100];
        snprintf(spec, sizeof spec, "%s:%s,l2=0.5", problems[i]->name, suit_of(problems[i]->name)->options);
        assert_int_equal(problem_open(spec, f.set, GDC_F32, &p), GDC_OK);
        assert_int_equal(p.ops->dimension(p.self), f.d);
        assert_in_range(f.d, 1, 100);
        for (size_t j = 0; j < f.d; j++)
            f.model[j] = model[j] = (float)f.model[j];
        f.p.ops->add(f.p.self, 0, 400, 0.01, f.model, f.sum);
        f.p.ops->regularise(f.p.self, f.model, f.sum);
        p.ops->add(p.self, 0, 400, 0.01, model, sum);
        p.ops->regularise(p.self, model, sum);
        for (size_t j = 0; j < f.d; j++)
            f.other[j] = (double)sum[j];
        assert_close(f.d, f.other, f.sum, 40 * (double)FLT_EPSILON);
        assert_true(fabs(problem_loss(&p, model, NULL) / problem_loss(&f.p, f.model, NULL) - 1) < 1e-5);
        problem_close(&p);
        teardown(&f);
    }
}

/* Where zeros are no place to start from, the start is seeded whatever the options. */
static void starts_are_zeros_or_seeded(void **state)
{
    (void)state;
    for (int i = 0; problems[i]; i++) {
        fixture f = setup(problems[i], "", 50);
        problem zeros;
        f.p.ops->initial(f.p.self, 5, f.sum);
        f.p.ops->initial(f.p.self, 5, f.other);
        assert_memory_equal(f.sum, f.other, f.d * sizeof *f.sum);
        assert_true(largest(f.d, f.sum) > 0 && largest(f.d, f.sum) * suit_of(problems[i]->name)->spread < 3);
        f.p.ops->initial(f.p.self, 6, f.other);
        assert_memory_not_equal(f.sum, f.other, f.d * sizeof *f.sum);
        if (has_option(problems[i], "start")) {
            assert_int_equal(problem_open(problems[i]->name, f.set, GDC_F64, &zeros), GDC_OK);
            zeros.ops->initial(zeros.self, 5, f.other);
            assert_true(largest(f.d, f.other) == 0);
            problem_close(&zeros);
        }
        teardown(&f);
    }
}

/* The mean loss is that of the samples' losses; by class they add up to the whole. */
static void losses_of_samples_are_those_of_the_sums(void **state)
{
    (void)state;
    for (int i = 0; problems[i]; i++) {
        fixture f = setup(problems[i], ",l2=0.5", 700);
        double loss[700], sum = 0, by_class[8], total = 0;
        int classes = f.set->classes;
        const void *model = f.model;
        for (size_t s = 0; s < 700; s += PROBLEM_SAMPLES)
            f.p.ops->losses(f.p.self, s, 700 - s < PROBLEM_SAMPLES ? 700 - s : PROBLEM_SAMPLES, &model, 1, loss + s);
        for (size_t s = 0; s < 700; s++) {
            double one = f.p.ops->add(f.p.self, s, 1, 1, f.model, f.sum);
            assert_true(fabs(one - loss[s]) <= 100 * DBL_EPSILON * fmax(1, one));
            sum += one;
        }
        double mean = problem_loss(&f.p, f.model, classes ? by_class : NULL);
        double penalty = f.p.ops->penalty(f.p.self, f.model);
        assert_true(penalty > 0 && fabs(mean - penalty - sum / 700) < 700 * DBL_EPSILON * mean);
        for (int c = 0; c < classes; c++) {
            double wanted = 0;
            for (size_t s = 0; s < 700; s++)
                wanted += f.set->y[s] == (float)c ? loss[s] : 0;
            assert_true(fabs(by_class[c] - wanted) <= 700 * DBL_EPSILON * wanted);
            total += by_class[c];
        }
        assert_true(classes == 0 || fabs(total - sum) <= 700 * DBL_EPSILON * sum);
        teardown(&f);
    }
}

/* More models than fit into one pass, each with its own loss. */
static void many_models_are_evaluated_as_one_by_one(void **state)
{
    enum { MANY = 2 * PROBLEM_MODELS + 1 };
    (void)state;
    for (int i = 0; problems[i]; i++) {
        fixture f = setup(problems[i], ",l2=0.5", 700);
        double *all = calloc(MANY * f.d, sizeof *all), loss[MANY];
        const void *models[MANY];
        assert_non_null(all);
        for (int m = 0; m < MANY; m++) {
            for (size_t j = 0; j < f.d; j++)
                all[(size_t)m * f.d + j] = f.model[j] * (1 + 0.1 * m);
            models[m] = all + (size_t)m * f.d;
        }
        problem_losses(&f.p, models, MANY, loss);
        for (int m = 0; m < MANY; m++) {
            assert_true(fabs(loss[m] - problem_loss(&f.p, models[m], NULL)) <= 100 * DBL_EPSILON * loss[m]);
            assert_true(m == 0 || loss[m] != loss[m - 1]);
        }
        free(all);
        teardown(&f);
    }
}

static void registry_is_named_and_described(void **state)
{
    static const char *const names[] = {"softmax", "logistic", "least-squares", "mlp"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        assert_string_equal(problems[i]->name, names[i]);
        assert_ptr_equal(problem_find(names[i]), problems[i]);
        assert_true(strlen(problems[i]->help) > 0 && strlen(problems[i]->data) > 0);
    }
    assert_null(problems[sizeof names / sizeof *names]);
    assert_ptr_equal(problem_find("softmax:l2=1"), problems[0]);
    assert_null(problem_find("softmix"));
    assert_non_null(strstr(gdc_last_error(), "least-squares"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_are_those_of_the_loss),
        cmocka_unit_test(ranges_add_up_to_single_samples),
        cmocka_unit_test(a_scaled_gradient_is_added_to_what_is_there),
        cmocka_unit_test(nothing_is_added_for_no_samples),
        cmocka_unit_test(partitions_add_up_to_the_whole_set),
        cmocka_unit_test(same_range_same_bits),
        cmocka_unit_test(floats_follow_doubles),
        cmocka_unit_test(starts_are_zeros_or_seeded),
        cmocka_unit_test(losses_of_samples_are_those_of_the_sums),
        cmocka_unit_test(many_models_are_evaluated_as_one_by_one),
        cmocka_unit_test(registry_is_named_and_described),
    };
    return cmocka_run_group_tests_name("problems", tests, NULL, NULL);
}

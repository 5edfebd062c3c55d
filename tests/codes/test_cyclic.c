/* test_cyclic.c - cyclic codes: tolerance, support, the search among draws, the loads at both ends.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "plan/plan.h"
#include "plan/quality.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ALL_SETS = 100000, SEED = 5 };

static gdc_plan *make(const char *items, int load, int n, int m, uint64_t seed)
{
    char spec[64];
    gdc_plan *plan = NULL;
    snprintf(spec, sizeof spec, "cyclic:load=%d%s", load, items);
    if (gdc_plan_create(spec, n, n * m, seed, &plan) != GDC_OK)
        fail_msg("%s: %s", spec, gdc_last_error());
    return plan;
}

static void survives_exactly_load_minus_1_stragglers(void **state)
{
    (void)state;
    for (int n = 1; n <= 10; n++)
        for (int load = 1; load <= n; load++) {
            gdc_quality quality;
            gdc_plan *plan = make("", load, n, 1 + n % 2, SEED);
            assert_int_equal(gdc_plan_quality(plan, ALL_SETS, 1, &quality), GDC_OK);
            assert_int_equal(quality.exhaustive, 1);
            assert_int_equal(quality.tolerance, load - 1);
            assert_true(quality.worst >= 1 - 1e-12 && quality.worst < 1e7);
            for (int j = load; j <= n; j++)
                assert_true(quality.recoverable[j] == 0);
            gdc_plan_destroy(plan);
        }
}

static void each_row_is_constant_on_load_neighbouring_shards(void **state)
{
    (void)state;
    enum { N = 7, M = 3, LOAD = 4 };
    gdc_plan *plan = make(",permute=0", LOAD, N, M, SEED);
    for (int w = 0; w < N; w++) {
        const gdc_row *row = gdc_plan_row(plan, w, 0);
        assert_int_equal(gdc_plan_rows(plan, w), 1);
        assert_int_equal(row->after, LOAD * M);
        for (int j = 0; j < N * M; j++) {
            int away = (j / M - w + N) % N;
            assert_int_equal(gdc_row_coefficient(row, j) != 0, away < LOAD);
            assert_true(gdc_row_coefficient(row, j) == gdc_row_coefficient(row, j / M * M));
        }
        assert_true(gdc_row_coefficient(row, w * M) == 1);
        for (int i = 0; i < LOAD * M; i++)
            assert_int_equal(gdc_plan_walk(plan, w, i), (w * M + i) % (N * M));
    }
    gdc_plan_destroy(plan);
}

/* There is nothing to draw at either end. */
static void load_1_is_the_identity_and_load_n_is_all_ones(void **state)
{
    (void)state;
    for (int n = 1; n <= 9; n++) {
        gdc_plan *one = make("", 1, n, 2, SEED), *all = make("", n, n, 2, SEED);
        for (int w = 0; w < n; w++) {
            assert_int_equal(gdc_row_support(gdc_plan_row(one, w, 0)), 2);
            assert_int_equal(gdc_plan_row(all, w, 0)->terms, 1);
            assert_true(gdc_plan_row(all, w, 0)->term[0].coefficient == 1);
            assert_int_equal(gdc_row_support(gdc_plan_row(all, w, 0)), 2 * n);
        }
        gdc_plan_destroy(one);
        gdc_plan_destroy(all);
    }
}

static double worst_of(const char *items, int load, int n, uint64_t seed)
{
    double worst;
    gdc_plan *plan = make(items, load, n, 1, seed);
    assert_int_equal(gdc_plan_worst(plan, load - 1, ALL_SETS, 1, INFINITY, &worst, NULL), GDC_OK);
    gdc_plan_destroy(plan);
    return worst;
}

/* 8 workers have at most 70 sets of a size: the search sees them all, and the first draw is among the 20. */
static void the_best_of_20_draws_is_never_worse_than_the_first(void **state)
{
    (void)state;
    int better = 0;
    for (uint64_t seed = 1; seed <= 10; seed++)
        for (int load = 2; load <= 7; load++) {
            double first = worst_of(",tries=1", load, 8, seed), best = worst_of("", load, 8, seed);
            assert_true(best <= first);
            better += best < first / 2;
        }
    assert_true(better > 30);
}

static void the_seed_alone_decides(void **state)
{
    (void)state;
    gdc_plan *a = make("", 4, 12, 1, 1), *b = make("", 4, 12, 1, 1), *c = make("", 4, 12, 1, 2);
    assert_int_equal(gdc_plan_digest(a), gdc_plan_digest(b));
    assert_true(gdc_plan_digest(a) != gdc_plan_digest(c));
    gdc_plan_destroy(a);
    gdc_plan_destroy(b);
    gdc_plan_destroy(c);
}

static void refuses_impossible_loads(void **state)
{
    (void)state;
    gdc_plan *plan = NULL;
    assert_int_equal(gdc_plan_create("cyclic:load=9", 8, 8, 1, &plan), GDC_EINVAL);
    assert_non_null(strstr(gdc_last_error(), "cyclic: load=9 with 8 workers: want 1 to 8, nearest is 8"));
    assert_int_equal(gdc_plan_create("cyclic:load=0", 8, 8, 1, &plan), GDC_EINVAL);
    assert_int_equal(gdc_plan_create("cyclic:tries=0", 8, 8, 1, &plan), GDC_EINVAL);
    assert_null(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(survives_exactly_load_minus_1_stragglers),
        cmocka_unit_test(each_row_is_constant_on_load_neighbouring_shards),
        cmocka_unit_test(load_1_is_the_identity_and_load_n_is_all_ones),
        cmocka_unit_test(the_best_of_20_draws_is_never_worse_than_the_first),
        cmocka_unit_test(the_seed_alone_decides),
        cmocka_unit_test(refuses_impossible_loads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

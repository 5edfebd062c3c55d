/* test_dual.c - dual codes: who owns what, what they survive, the search among draws, refusals.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "plan/plan.h"
#include "plan/quality.h"
#include "support/dual_plan.h"
#include "support/exactness.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 24, MOST_K = 8 * MOST, SEED = 5, ALL_SETS = 100000 };

/* ---- who owns what ---- */

static void check_owners(const gdc_plan *plan, int load)
{
    int owners[MOST_K] = {0};
    for (int w = 0; w < plan->workers; w++)
        for (int i = 0; i < gdc_plan_held(plan, w); i++)
            owners[gdc_plan_walk(plan, w, i)]++;
    for (int p = 0; p < plan->partitions; p++)
        assert_int_equal(owners[p], load);
}

static void every_partition_has_load_owners_whatever_the_placement(void **state)
{
    (void)state;
    for (int n = 1; n <= 9; n++)
        for (int load = 1; load <= n; load++)
            for (int p = 0; p < 4; p++) {
                char items[32];
                snprintf(items, sizeof items, ",place=%s,tries=1", dual_places[p]);
                gdc_plan *plan = make_dual(items, load, n, 2, SEED);
                check_owners(plan, load);
                for (int w = 0; w < n; w++) {
                    assert_int_equal(gdc_plan_held(plan, w), 2 * load);
                    assert_int_equal(gdc_plan_rows(plan, w), 1);
                    assert_int_equal(gdc_row_support(gdc_plan_row(plan, w, 0)), 2 * load);
                    assert_int_equal(gdc_plan_walk(plan, w, 0), 2 * w); /* its own shard first */
                }
                gdc_plan_destroy(plan);
            }
}

static void loads_follow_the_speeds_to_less_than_one_partition(void **state)
{
    uint64_t seed = exactness_seed(20260301);
    int tried = 0, uneven = 0;
    (void)state;
    for (int n = 2; n <= 12; n++)
        for (int load = 1; load < n; load++)
            for (int m = 1; m <= 7; m += 3) {
                char items[96];
                int speed[MOST], sum = 0, k = n * m;
                if (!draw_speeds(seed + (uint64_t)(100 * n + load), n, load, speed, items, sizeof items - 16))
                    continue;
                strcat(items, ",tries=1");
                gdc_plan *plan = make_dual(items, load, n, m, SEED);
                check_owners(plan, load);
                for (int w = 0; w < n; w++)
                    sum += speed[w];
                for (int w = 0; w < n; w++) {
                    double share = (double)k * load * speed[w] / sum;
                    int held = gdc_plan_held(plan, w);
                    assert_true(fabs(held - share) < 1 && held <= k);
                    uneven += k * load * speed[w] % sum != 0;
                    for (int i = 1; i < held; i++)
                        assert_int_equal(gdc_plan_walk(plan, w, i), (gdc_plan_walk(plan, w, i - 1) + 1) % k);
                }
                tried++;
                gdc_plan_destroy(plan);
            }
    assert_true(tried > 100 && uneven > tried);
}

static void whole_groups_and_the_loads_at_both_ends_have_coefficients_1(void **state)
{
    (void)state;
    for (int n = 2; n <= 9; n++)
        for (int load = 1; load <= n; load++) {
            if (n % load != 0)
                continue;
            gdc_plan *plan = make_dual(",place=group", load, n, 2, SEED);
            assert_true(exactness_is_unit(plan));
            gdc_plan_destroy(plan);
        }
}

/* The plans of 10^4 and of 10^6 partitions per shard have the same number of legs and terms. */
static void memory_does_not_grow_with_partitions(void **state)
{
    (void)state;
    const char items[] = ",speeds=3+1+4+1+5+9,tries=1";
    gdc_plan *small = make_dual(items, 2, 6, 10000, SEED), *large = make_dual(items, 2, 6, 1000000, SEED);
    for (int w = 0; w < 6; w++) {
        assert_int_equal(small->leg_at[w + 1], large->leg_at[w + 1]);
        assert_int_equal(gdc_plan_row(small, w, 0)->terms, gdc_plan_row(large, w, 0)->terms);
        assert_true(gdc_plan_row(small, w, 0)->terms <= 7);
    }
    gdc_plan_destroy(small);
    gdc_plan_destroy(large);
}

static void survives_exactly_load_minus_1_stragglers(void **state)
{
    (void)state;
    for (int n = 2; n <= 8; n++)
        for (int load = 1; load <= n; load++) {
            gdc_quality quality;
            gdc_plan *plan = make_dual(",place=spread", load, n, 1, SEED);
            assert_int_equal(gdc_plan_quality(plan, ALL_SETS, 1, &quality), GDC_OK);
            assert_int_equal(quality.exhaustive, 1);
            assert_int_equal(quality.tolerance, load - 1);
            gdc_plan_destroy(plan);
        }
}

/* ---- the search ---- */

static double worst_of(const char *items, int load, int n, uint64_t seed)
{
    double worst;
    gdc_plan *plan = make_dual(items, load, n, 1, seed);
    assert_int_equal(gdc_plan_worst(plan, load - 1, ALL_SETS, 1, INFINITY, &worst, NULL), GDC_OK);
    gdc_plan_destroy(plan);
    return worst;
}

/* 8 workers have at most 70 sets of a size: the search sees them all, and the first draw is among the 20. */
static void the_best_of_20_draws_is_never_worse_than_the_first(void **state)
{
    (void)state;
    int better = 0;
    for (uint64_t seed = 1; seed <= 6; seed++)
        for (int load = 2; load <= 7; load++) {
            double first = worst_of(",tries=1", load, 8, seed), best = worst_of("", load, 8, seed);
            assert_true(best <= first * (1 + 1e-9));
            better += best < first / 2;
        }
    assert_true(better > 18);
}

static void the_seed_alone_decides(void **state)
{
    (void)state;
    gdc_plan *a = make_dual("", 4, 12, 1, 1), *b = make_dual("", 4, 12, 1, 1), *c = make_dual("", 4, 12, 1, 2);
    assert_int_equal(gdc_plan_digest(a), gdc_plan_digest(b));
    assert_true(gdc_plan_digest(a) != gdc_plan_digest(c));
    gdc_plan_destroy(a);
    gdc_plan_destroy(b);
    gdc_plan_destroy(c);
}

/* ---- refusals ---- */

static void refuse(const char *spec, const char *sentence)
{
    gdc_plan *plan = NULL;
    assert_int_equal(gdc_plan_create(spec, 4, 8, 1, &plan), GDC_EINVAL);
    if (strstr(gdc_last_error(), sentence) == NULL)
        fail_msg("%s: %s", spec, gdc_last_error());
    assert_null(plan);
}

static void refuses_what_cannot_be_and_names_the_nearest(void **state)
{
    (void)state;
    refuse("dual:load=5", "dual: load=5 with 4 workers: want 1 to 4, nearest is 4");
    refuse("dual:load=2,speeds=1+1+2", "dual: speeds has 3 numbers for 4 workers: want 4, one for each");
    refuse("dual:load=2,speeds=1+1+2+5",
           "dual: speeds gives worker 3 the value 5 of 9 with load=2: want at most 4 beside these others");
    refuse("dual:load=3,speeds=1+4+1+1",
           "dual: speeds gives worker 1 the value 4 of 7 with load=3: want at most 1 beside these others");
    refuse("dual:load=2,speeds=1+1+1+0", "speeds");
    refuse("dual:load=2,speeds=1+1+1+1,place=group", "dual: place=group with speeds: want place=ring");
    gdc_plan *plan = make_dual(",speeds=1+1+2+4", 2, 4, 2, 1); /* the greatest that is valid */
    gdc_plan_destroy(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_partition_has_load_owners_whatever_the_placement),
        cmocka_unit_test(loads_follow_the_speeds_to_less_than_one_partition),
        cmocka_unit_test(whole_groups_and_the_loads_at_both_ends_have_coefficients_1),
        cmocka_unit_test(memory_does_not_grow_with_partitions),
        cmocka_unit_test(survives_exactly_load_minus_1_stragglers),
        cmocka_unit_test(the_best_of_20_draws_is_never_worse_than_the_first),
        cmocka_unit_test(the_seed_alone_decides),
        cmocka_unit_test(refuses_what_cannot_be_and_names_the_nearest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_uncoded.c - uncoded: who walks what, in which direction and in how many messages; what it survives.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "plan/plan.h"

#include <stdio.h>
#include <string.h>

enum { ALL_SETS = 100000 };

static gdc_plan *make(const char *spec, int n, int m)
{
    gdc_plan *plan = NULL;
    if (gdc_plan_create(spec, n, n * m, 5, &plan) != GDC_OK)
        fail_msg("%s: %s", spec, gdc_last_error());
    return plan;
}

static void refused(const char *spec, int n, int m, const char *sentence)
{
    gdc_plan *plan = NULL;
    assert_int_equal(gdc_plan_create(spec, n, n * m, 5, &plan), GDC_EINVAL);
    assert_null(plan);
    if (strstr(gdc_last_error(), sentence) == NULL)
        fail_msg("%s: \"%s\" does not say \"%s\"", spec, gdc_last_error(), sentence);
}

static void survives_load_minus_1_stragglers_with_amplification_1(void **state)
{
    (void)state;
    for (int n = 1; n <= 8; n++)
        for (int load = 1; load <= n; load++) {
            char spec[64];
            gdc_quality quality;
            snprintf(spec, sizeof spec, "uncoded:load=%d,walk=two-ended,message=1", load);
            gdc_plan *plan = make(spec, n, 2);
            assert_int_equal(gdc_plan_quality(plan, ALL_SETS, 1, &quality), GDC_OK);
            assert_int_equal(quality.exhaustive, 1);
            assert_int_equal(quality.tolerance, load - 1);
            assert_true(quality.worst == 1 && quality.median == 1);
            gdc_plan_destroy(plan);
        }
}

static void walks_its_own_shard_first_and_then_the_next_of_the_ring(void **state)
{
    (void)state;
    gdc_plan *plan = make("uncoded:load=3,permute=0", 5, 4);
    for (int w = 0; w < 5; w++)
        for (int i = 0; i < 12; i++)
            assert_int_equal(gdc_plan_walk(plan, w, i), (4 * w + i) % 20);
    assert_int_equal(gdc_plan_walk(plan, 0, 12), -1);
    gdc_plan_destroy(plan);
}

static void permuting_keeps_own_shards_and_one_ring(void **state)
{
    (void)state;
    enum { N = 9, M = 3 };
    gdc_plan *plan = make("uncoded:load=2", N, M);
    int worker = 0, moved = 0;
    for (int i = 0; i < N; i++) {
        assert_int_equal(gdc_plan_walk(plan, worker, 0), worker * M);
        int next = gdc_plan_walk(plan, worker, M) / M;
        moved += next != (worker + 1) % N;
        worker = next;
        assert_true(worker != 0 || i == N - 1);
    }
    assert_int_equal(worker, 0);
    assert_true(moved > 0);
    gdc_plan_destroy(plan);
}

static int place_in_walk(const gdc_plan *plan, int worker, int partition)
{
    for (int i = 0; i < gdc_plan_held(plan, worker); i++)
        if (gdc_plan_walk(plan, worker, i) == partition)
            return i;
    return -1;
}

static void two_ended_owner_and_helper_meet_in_the_middle(void **state)
{
    (void)state;
    for (int m = 1; m <= 6; m++) {
        gdc_plan *plan = make("uncoded:load=2,walk=two-ended", 7, m);
        for (int j = 0; j < 7 * m; j++) {
            int sum = 0, holders = 0;
            for (int w = 0; w < 7; w++) {
                int place = place_in_walk(plan, w, j);
                sum += place < 0 ? 0 : place;
                holders += place >= 0;
            }
            assert_int_equal(holders, 2);
            assert_int_equal(sum, 2 * m - 1);
        }
        gdc_plan_destroy(plan);
    }
}

/* Each message is the sum of the partitions that were walked since the one before. */
static void messages_follow_the_walk(void **state)
{
    (void)state;
    const char *const specs[] = {"uncoded:load=2,message=2", "uncoded:load=3,message=2,walk=two-ended",
                                 "uncoded:load=2,message=1,walk=two-ended", "uncoded:load=2,message=6",
                                 "uncoded:load=2"};
    const int partitions[] = {2, 2, 1, 6, 6};
    for (int s = 0; s < 5; s++) {
        gdc_plan *plan = make(specs[s], 4, 6);
        for (int w = 0; w < 4; w++) {
            assert_int_equal(gdc_plan_rows(plan, w) * partitions[s], gdc_plan_held(plan, w));
            assert_int_equal(gdc_plan_most_open(plan, w), 1);
            for (int i = 0; i < gdc_plan_held(plan, w); i++) {
                const gdc_row *row = gdc_plan_row(plan, w, i / partitions[s]);
                assert_true(gdc_row_coefficient(row, gdc_plan_walk(plan, w, i)) == 1);
                assert_int_equal(row->after, (i / partitions[s] + 1) * partitions[s]);
                assert_int_equal(gdc_row_support(row), partitions[s]);
            }
        }
        gdc_plan_destroy(plan);
    }
    gdc_plan *whole = make("uncoded:load=2,message=6", 4, 6), *usual = make("uncoded:load=2", 4, 6);
    assert_int_equal(gdc_plan_digest(whole), gdc_plan_digest(usual));
    gdc_plan_destroy(whole);
    gdc_plan_destroy(usual);
}

static void refuses_what_does_not_fit(void **state)
{
    (void)state;
    refused("uncoded:load=9", 8, 1, "uncoded: load=9 with 8 workers: want 1 to 8, nearest is 8");
    refused("uncoded:load=0", 8, 1, "load=0");
    refused("uncoded:message=4", 8, 6, "want a divisor of 6, nearest is 3");
    refused("uncoded:message=50", 8, 6, "want a divisor of 6, nearest is 6");
    refused("uncoded:message=-1", 8, 6, "message=-1");
    refused("uncoded:walk=sideways", 8, 6, "two-ended");
    refused("uncoded:lode=2", 8, 6, "load");
    refused("uncoded:permute=2", 8, 6, "permute=2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(survives_load_minus_1_stragglers_with_amplification_1),
        cmocka_unit_test(walks_its_own_shard_first_and_then_the_next_of_the_ring),
        cmocka_unit_test(permuting_keeps_own_shards_and_one_ring),
        cmocka_unit_test(two_ended_owner_and_helper_meet_in_the_middle),
        cmocka_unit_test(messages_follow_the_walk),
        cmocka_unit_test(refuses_what_does_not_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

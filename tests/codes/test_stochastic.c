/* test_stochastic.c - stochastic gradient coding: what arrives, added up, is right on average, with the published variance.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gradcode/draw.h"
#include "plan/plan.h"
#include "support/exactness.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_N = 40, LOSS_PURPOSE = 62 };

static gdc_plan *plan_of(const char *spec, int n, int k)
{
    gdc_plan *plan = NULL;
    if (gdc_plan_create(spec, n, k, 1, &plan) != GDC_OK)
        fail_msg("%s with %d workers: %s", spec, n, gdc_last_error());
    return plan;
}

static bool holds(const gdc_plan *plan, int worker, int shard)
{
    return gdc_row_coefficient(gdc_plan_row(plan, worker, 0), shard * (plan->partitions / plan->workers)) != 0;
}

static void every_shard_is_on_load_workers_with_its_share(void **state)
{
    (void)state;
    for (int n = 1; n <= 12; n++)
        for (int load = 1; load <= n; load++) {
            char spec[64];
            snprintf(spec, sizeof spec, "stochastic:load=%d,p=.25", load);
            gdc_plan *plan = plan_of(spec, n, 2 * n);
            for (int p = 0; p < 2 * n; p++) {
                int holders = 0;
                for (int w = 0; w < n; w++) {
                    double coefficient = gdc_row_coefficient(gdc_plan_row(plan, w, 0), p);
                    assert_true(coefficient == 0 || coefficient == 1 / (load * .75));
                    holders += coefficient != 0;
                }
                assert_int_equal(holders, load);
            }
            for (int w = 0; w < n; w++)
                assert_int_equal(gdc_plan_held(plan, w), 2 * load);
            gdc_plan_destroy(plan);
        }
}

/* While there is room: 0, 1, 3, 7 are the offsets, and 7 + 7 < 31 leaves no difference twice. */
static void no_two_shards_are_together_on_more_than_one_worker(void **state)
{
    (void)state;
    for (int n = 15; n <= MOST_N; n++)
        for (int load = 2; load <= 4; load++) {
            char spec[64];
            int together = 0;
            snprintf(spec, sizeof spec, "stochastic:load=%d", load);
            gdc_plan *plan = plan_of(spec, n, n);
            for (int a = 0; a < n; a++)
                for (int b = 0; b < a; b++) {
                    int both = 0;
                    for (int w = 0; w < n; w++)
                        both += holds(plan, w, a) && holds(plan, w, b);
                    assert_true(both <= 1);
                    together += both;
                }
            assert_int_equal(together, n * load * (load - 1) / 2);
            gdc_plan_destroy(plan);
        }
}

static void what_arrives_is_right_on_average_with_the_published_variance(void **state)
{
    enum { DRAWS = 20000, N = 20 };
    static const struct {
        int load;
        double p;
    } cases[] = {{1, .1}, {2, .2}, {4, .2}, {4, .5}};
    (void)state;
    uint64_t seed = exactness_seed(20260301);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        double load = cases[c].load, p = cases[c].p, mean = 0, square = 0, variance = p / (load * (1 - p));
        char spec[64];
        snprintf(spec, sizeof spec, "stochastic:load=%d,p=%g", cases[c].load, p);
        gdc_plan *plan = plan_of(spec, N, N);
        for (uint64_t draw = 0; draw < DRAWS; draw++) {
            double entered[N] = {0};
            for (int w = 0; w < N; w++) {
                gdc_key key = {seed, LOSS_PURPOSE, draw, (uint64_t)w, c};
                for (int j = 0; gdc_draw_uniform(key) >= p && j < N; j++)
                    entered[j] += gdc_row_coefficient(gdc_plan_row(plan, w, 0), j);
            }
            for (int j = 0; j < N; j++) {
                mean += entered[j] / N / DRAWS;
                square += (entered[j] - 1) * (entered[j] - 1) / N / DRAWS;
            }
        }
        gdc_plan_destroy(plan);
        print_message("%s: mean %.4f, variance %.4f (%.4f)\n", spec, mean, square, variance);
        assert_true(fabs(mean - 1) < 4 * sqrt(variance * load / N / DRAWS)); /* shards of a worker come together */
        assert_true(fabs(square / variance - 1) < .02);
    }
}

static void refuses_impossible_loads_and_shares(void **state)
{
    static const char *const cases[][2] = {{"stochastic:load=7", "load=7 with 6 workers: want 1 to 6, nearest is 6"},
                                           {"stochastic:p=1", "p=1"},
                                           {"stochastic:p=-.1", "nearest valid value: 0"},
                                           {"stochastic:place=ring", "place"}};
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        gdc_plan *plan = NULL;
        assert_int_equal(gdc_plan_create(cases[c][0], 6, 6, 1, &plan), GDC_EINVAL);
        if (strstr(gdc_last_error(), cases[c][1]) == NULL)
            fail_msg("\"%s\" does not say \"%s\"", gdc_last_error(), cases[c][1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_shard_is_on_load_workers_with_its_share),
        cmocka_unit_test(no_two_shards_are_together_on_more_than_one_worker),
        cmocka_unit_test(what_arrives_is_right_on_average_with_the_published_variance),
        cmocka_unit_test(refuses_impossible_loads_and_shares),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

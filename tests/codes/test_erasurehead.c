/* test_erasurehead.c - approximate repetition: groups, and the share that is missing when m workers have answered.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gradcode/decoder.h"
#include "gradcode/draw.h"
#include "plan/plan.h"
#include "support/exactness.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_N = 30, MOST_K = 2 * MOST_N, ORDER_PURPOSE = 63 };

static gdc_plan *plan_of(const char *spec, int n, int k)
{
    gdc_plan *plan = NULL;
    if (gdc_plan_create(spec, n, k, 1, &plan) != GDC_OK)
        fail_msg("%s with %d workers: %s", spec, n, gdc_last_error());
    return plan;
}

/* Any worker of any set: what enters is exactly what somebody of the set holds, with weight 1. */
static void check_set(const gdc_plan *plan, gdc_decoder *decoder, unsigned set)
{
    int n = plan->workers, uncovered = 0;
    double weight[MOST_N], rho[MOST_K];
    gdc_decode decode = {.size = sizeof decode};
    gdc_decoder_reset(decoder);
    for (int w = 0; w < n; w++)
        if (set >> w & 1)
            gdc_decoder_offer(decoder, w, 0);
    assert_int_equal(gdc_decoder_weights(decoder, weight, NULL, &decode), GDC_OK);
    exactness_residual(plan, weight, rho);
    for (int w = 0; w < n; w++)
        assert_true(weight[w] == 0 || weight[w] == 1);
    for (int p = 0; p < plan->partitions; p++) {
        bool held = false;
        for (int w = 0; w < n; w++)
            held = held || ((set >> w & 1) && gdc_row_coefficient(gdc_plan_row(plan, w, 0), p) != 0);
        assert_true(rho[p] == (held ? 0 : -1));
        uncovered += !held;
    }
    assert_int_equal(decode.missing, uncovered);
    assert_true(fabs(decode.residual_rms * decode.residual_rms - (double)uncovered / plan->partitions) < 1e-15);
    assert_int_equal(gdc_decoder_complete(decoder), uncovered == 0);
}

static void what_enters_is_what_somebody_answered_for(void **state)
{
    (void)state;
    for (int n = 1; n <= 9; n++)
        for (int load = 1; load <= n; load++) {
            char spec[64];
            gdc_decoder *decoder;
            if (n % load != 0)
                continue;
            snprintf(spec, sizeof spec, "erasurehead:load=%d", load);
            gdc_plan *plan = plan_of(spec, n, 2 * n);
            assert_int_equal(gdc_decoder_create(plan, &decoder), GDC_OK);
            for (unsigned set = 0; set < 1U << n; set++)
                check_set(plan, decoder, set);
            gdc_decoder_destroy(decoder);
            gdc_plan_destroy(plan);
        }
}

/* C(n - c, m)/C(n, m) */
static double expected_missing(int n, int c, int m)
{
    double share = 1;
    for (int i = 0; i < c; i++)
        share *= (double)(n - m - i) / (n - i);
    return share;
}

static void check_missing(int m, double published, uint64_t seed)
{
    enum { N = 30, DRAWS = 20000 };
    gdc_plan *plan = plan_of("erasurehead:load=3", N, N);
    gdc_decoder *decoder;
    double missing = 0, weight[N], expected = expected_missing(N, 3, m);
    assert_int_equal(gdc_decoder_create(plan, &decoder), GDC_OK);
    for (uint64_t draw = 0; draw < DRAWS; draw++) {
        int order[N];
        gdc_decode decode = {.size = sizeof decode};
        gdc_draw_permutation((gdc_key){seed, ORDER_PURPOSE, draw, (uint64_t)m, 0}, N, order);
        gdc_decoder_reset(decoder);
        for (int i = 0; i < m; i++)
            gdc_decoder_offer(decoder, order[i], 0);
        assert_int_equal(gdc_decoder_weights(decoder, weight, NULL, &decode), GDC_OK);
        missing += decode.residual_rms * decode.residual_rms / DRAWS;
    }
    print_message("m=%d: %.4f missing, expected %.4f\n", m, missing, expected);
    assert_true(fabs(expected - published) < 6e-4);
    assert_true(fabs(missing - expected) < .002);
    gdc_decoder_destroy(decoder);
    gdc_plan_destroy(plan);
}

static void thirty_workers_miss_as_much_as_published(void **state)
{
    (void)state;
    uint64_t seed = exactness_seed(20260401);
    check_missing(15, .112, seed);
    check_missing(20, .0296, seed);
}

static void refuses_loads_that_make_no_groups(void **state)
{
    static const char *const cases[][2] = {
        {"erasurehead:load=4", "load=4 with 6 workers: want a divisor of 6 (1, 2, 3, 6), nearest is 3"},
        {"erasurehead:load=8", "nearest is 6"},
        {"erasurehead:load=0", "nearest valid value: 1"}};
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
        cmocka_unit_test(what_enters_is_what_somebody_answered_for),
        cmocka_unit_test(thirty_workers_miss_as_much_as_published),
        cmocka_unit_test(refuses_loads_that_make_no_groups),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

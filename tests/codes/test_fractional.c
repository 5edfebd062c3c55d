/* test_fractional.c - fractional repetition: tolerance, amplification exactly 1, classes that tile, and sizes
 * of a cluster. SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gradcode/draw.h"
#include "plan/decoder.h"
#include "plan/fit.h"
#include "support/exactness.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALL_SETS = 100000, MOST = 12 };

static gdc_plan *make(int load, int n, int m, int permute)
{
    char spec[64];
    gdc_plan *plan = NULL;
    snprintf(spec, sizeof spec, "fractional:load=%d,permute=%d", load, permute);
    if (gdc_plan_create(spec, n, n * m, 5, &plan) != GDC_OK)
        fail_msg("%s: %s", spec, gdc_last_error());
    return plan;
}

static void survives_exactly_load_minus_1_stragglers_with_amplification_exactly_1(void **state)
{
    (void)state;
    for (int n = 1; n <= MOST; n++)
        for (int load = 1; load <= n; load++) {
            gdc_quality quality;
            gdc_plan *plan = make(load, n, 1 + n % 2, 1);
            assert_int_equal(gdc_plan_quality(plan, ALL_SETS, 1, &quality), GDC_OK);
            assert_int_equal(quality.exhaustive, 1);
            assert_int_equal(quality.tolerance, load - 1);
            assert_true(quality.worst == 1.0 && quality.median == 1.0);
            gdc_plan_destroy(plan);
        }
}

/* One responder in each of the n/2 groups: 2^j C(n/2, j) of the C(n, j) straggler sets leave one. */
static void pairs_are_recovered_as_often_as_counting_says(void **state)
{
    (void)state;
    const double expected[] = {1, 1, 1 - 4 / 28.0, 32 / 56.0, 16 / 70.0, 0};
    gdc_quality quality;
    gdc_plan *plan = make(2, 8, 1, 1);
    assert_int_equal(gdc_plan_quality(plan, ALL_SETS, 1, &quality), GDC_OK);
    for (int j = 0; j < 6; j++)
        assert_true(fabs(quality.recoverable[j] - expected[j]) < 1e-15);
    gdc_plan_destroy(plan);
}

static gdc_span held(const gdc_plan *plan, int worker)
{
    return gdc_plan_row(plan, worker, 0)->term[0].span;
}

static void each_class_tiles_all_shards_with_whole_near_equal_chunks(void **state)
{
    (void)state;
    enum { M = 3 };
    for (int n = 1; n <= MOST; n++)
        for (int load = 1; load <= n; load++) {
            gdc_plan *plan = make(load, n, M, 0);
            for (int class = 0; class < load; class ++) {
                int end = 0, least = n, most = 0;
                for (int w = class; w < n; w += load) {
                    gdc_span span = held(plan, w);
                    assert_int_equal(span.first, end);
                    assert_int_equal(span.count % M, 0);
                    assert_int_equal(gdc_plan_held(plan, w), span.count);
                    least = span.count / M < least ? span.count / M : least;
                    most = span.count / M > most ? span.count / M : most;
                    end += span.count;
                }
                assert_int_equal(end, n * M);
                assert_true(most - least <= 1);
            }
            gdc_plan_destroy(plan);
        }
}

static void groups_hold_the_same_where_the_load_divides_the_workers(void **state)
{
    (void)state;
    gdc_plan *plan = make(3, 12, 2, 0);
    for (int w = 0; w < 12; w++) {
        assert_int_equal(held(plan, w).first, w / 3 * 6);
        assert_int_equal(held(plan, w).count, 6);
    }
    gdc_plan_destroy(plan);
}

/* The path through the borders and least squares are two decoders: both must be exact, or both must fail. */
static void paths_agree_with_least_squares_on_every_set(void **state)
{
    (void)state;
    for (int n = 2; n <= 8; n++)
        for (int load = 2; load <= n; load++) {
            gdc_plan *plan = make(load, n, 1, 1);
            gdc_cells cells;
            gdc_decoder *decoder;
            assert_int_equal(gdc_cells_create(plan, &cells), GDC_OK);
            assert_int_equal(gdc_decoder_create(plan, &decoder), GDC_OK);
            for (int set = 1; set < 1 << n; set++) {
                unsigned char given[8] = {0};
                double weight[8] = {0}, fitted[8] = {0};
                gdc_decoder_reset(decoder);
                for (int w = 0; w < n; w++)
                    if ((set >> w & 1) != 0) {
                        given[w] = 1;
                        gdc_decoder_take(decoder, w);
                    }
                for (int c = 0; c < cells.components; c++) {
                    gdc_fit fit;
                    assert_int_equal(gdc_fit_create(cells.cells, n, &fit), GDC_OK);
                    assert_int_equal(gdc_fit_solve(&fit, plan, &cells, c, given, fitted), GDC_OK);
                    gdc_fit_free(&fit);
                }
                assert_int_equal(gdc_decoder_weights(decoder, weight, NULL, NULL), GDC_OK);
                double left = exactness_residual(plan, fitted, NULL);
                assert_int_equal(left <= 1e-9, gdc_decoder_complete(decoder));
                assert_int_equal(exactness_residual(plan, weight, NULL) == 0, gdc_decoder_complete(decoder));
            }
            gdc_decoder_destroy(decoder);
            gdc_cells_free(&cells);
            gdc_plan_destroy(plan);
        }
}

/* Also where classes differ (3 does not divide 100,000), so that all rows hang together in one chain. */
static void decodes_100000_workers(void **state)
{
    (void)state;
    enum { N = 100000 };
    uint64_t seed = exactness_seed(4);
    double *weight = calloc(N, sizeof *weight);
    int *order = calloc(N, sizeof *order);
    assert_true(weight != NULL && order != NULL);
    for (int load = 2; load <= 4; load++) {
        gdc_decode decode = {.size = sizeof decode};
        gdc_decoder *decoder;
        gdc_plan *plan = make(load, N, 12, 1);
        assert_int_equal(gdc_decoder_create(plan, &decoder), GDC_OK);
        for (uint64_t round = 0; round < 2; round++) {
            gdc_decoder_reset(decoder);
            gdc_draw_permutation((gdc_key){seed, 1, round, 0, 0}, N, order);
            int arrivals = 0;
            while (arrivals < N && !gdc_decoder_complete(decoder))
                gdc_decoder_offer(decoder, order[arrivals++], 0);
            assert_true(arrivals >= N / load && arrivals < N);
            assert_int_equal(gdc_decoder_weights(decoder, weight, NULL, &decode), GDC_OK);
            assert_true(decode.residual == 0 && decode.amplification >= 1);
            assert_true(decode.amplification == exactness_amplification(plan, weight));
        }
        gdc_decoder_destroy(decoder);
        gdc_plan_destroy(plan);
    }
    free(weight);
    free(order);
}

static void refuses_impossible_loads(void **state)
{
    (void)state;
    gdc_plan *plan = NULL;
    assert_int_equal(gdc_plan_create("fractional:load=6", 5, 5, 1, &plan), GDC_EINVAL);
    assert_non_null(strstr(gdc_last_error(), "fractional: load=6 with 5 workers: want 1 to 5, nearest is 5"));
    assert_int_equal(gdc_plan_create("fractional", 1, 1, 1, &plan), GDC_EINVAL);
    assert_non_null(strstr(gdc_last_error(), "load=2 with 1 workers: want 1 to 1, nearest is 1"));
    assert_int_equal(gdc_plan_create("fractional:load=0", 5, 5, 1, &plan), GDC_EINVAL);
    assert_null(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(survives_exactly_load_minus_1_stragglers_with_amplification_exactly_1),
        cmocka_unit_test(pairs_are_recovered_as_often_as_counting_says),
        cmocka_unit_test(each_class_tiles_all_shards_with_whole_near_equal_chunks),
        cmocka_unit_test(groups_hold_the_same_where_the_load_divides_the_workers),
        cmocka_unit_test(paths_agree_with_least_squares_on_every_set),
        cmocka_unit_test(decodes_100000_workers),
        cmocka_unit_test(refuses_impossible_loads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

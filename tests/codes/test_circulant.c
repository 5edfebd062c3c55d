/* test_circulant.c - circulant codes: the shape of their rows, what they survive, how well, and the structured decode
 * against the generic one.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "plan/decoder.h"
#include "plan/plan.h"
#include "plan/quality.h"
#include "support/exactness.h"

#include "gradcode/draw.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ALL_SETS = 100000, MOST = 24, SEED = 5, SETS_PURPOSE = 79 };

static gdc_plan *make(const char *items, int load, int n, int m)
{
    char spec[64];
    gdc_plan *plan = NULL;
    snprintf(spec, sizeof spec, "circulant:load=%d%s", load, items);
    if (gdc_plan_create(spec, n, n * m, SEED, &plan) != GDC_OK)
        fail_msg("%s: %s", spec, gdc_last_error());
    return plan;
}

static bool is_valid(int load, int n)
{
    return load == 1 || (n - load) % 2 == 0;
}

/* ---- rows ---- */

/* The product of x - w^f over the s frequencies around n/2, multiplied out. */
static void multiply_out(int n, int s, long double complex *g)
{
    g[0] = 1;
    for (int t = 0; t < s; t++) {
        long double f = n / 2.0L - (s - 1) / 2.0L + t;
        long double complex root = cexpl(2.0L * I * acosl(-1) * f / n);
        g[t + 1] = g[t];
        for (int c = t; c > 0; c--)
            g[c] = g[c - 1] - root * g[c];
        g[0] = -root * g[0];
    }
}

static void rows_are_shifts_of_the_product_of_its_roots(void **state)
{
    (void)state;
    for (int n = 1; n <= MOST; n++)
        for (int load = 1; load <= n; load++) {
            long double complex g[MOST + 1];
            if (!is_valid(load, n))
                continue;
            gdc_plan *plan = make(",permute=0", load, n, 2);
            multiply_out(n, load - 1, g);
            for (int w = 0; w < n; w++)
                for (int t = 0; t < n; t++) {
                    double c = gdc_row_coefficient(gdc_plan_row(plan, w, 0), 2 * ((w + t) % n));
                    assert_true(cabsl(c - (t < load ? g[t] : 0)) < 1e-11);
                    assert_true(t >= load ||
                                c == gdc_row_coefficient(gdc_plan_row(plan, w, 0), 2 * ((w + load - 1 - t) % n)));
                }
            gdc_plan_destroy(plan);
        }
}

static void permuting_moves_workers_only(void **state)
{
    (void)state;
    enum { N = 12 };
    gdc_plan *plain = make(",permute=0", 4, N, 1), *permuted = make("", 4, N, 1);
    int seen[N] = {0}, moved = 0;
    for (int w = 0; w < N; w++) {
        int at = gdc_plan_walk(permuted, w, 0); /* its position: the first shard that it walks */
        const gdc_row *row = gdc_plan_row(permuted, w, 0), *same = gdc_plan_row(plain, at, 0);
        seen[at]++;
        moved += at != w;
        assert_int_equal(row->terms, same->terms);
        assert_memory_equal(row->term, same->term, (size_t)row->terms * sizeof *row->term);
    }
    for (int i = 0; i < N; i++)
        assert_int_equal(seen[i], 1);
    assert_true(moved > 0);
    gdc_plan_destroy(plain);
    gdc_plan_destroy(permuted);
}

/* ---- what they survive ---- */

static void survives_exactly_load_minus_1_stragglers(void **state)
{
    (void)state;
    for (int n = 1; n <= 10; n++)
        for (int load = 1; load <= n; load++) {
            gdc_quality quality;
            if (!is_valid(load, n))
                continue;
            gdc_plan *plan = make("", load, n, 1 + n % 2);
            assert_int_equal(gdc_plan_quality(plan, ALL_SETS, 1, &quality), GDC_OK);
            assert_int_equal(quality.exhaustive, 1);
            assert_int_equal(quality.tolerance, load - 1);
            gdc_plan_destroy(plan);
        }
}

static double worst_of(int n, int s, int size)
{
    double worst;
    gdc_plan *plan = make("", s + 1, n, 1);
    assert_int_equal(gdc_plan_worst(plan, size, ALL_SETS, 1, INFINITY, &worst, NULL), GDC_OK);
    gdc_plan_destroy(plan);
    return worst;
}

/* Over all straggler sets; |Z| = s is the worst size. */
static void worst_amplification_is_that_of_the_table(void **state)
{
    static const struct {
        int n, s;
        double worst;
    } table[] = {{8, 3, 5.83}, {12, 3, 13.9}, {16, 3, 25.3}, {16, 5, 147}, {24, 5, 804}};
    static const double by_size[] = {1, 1, 1.46, 5.74, 25.9, 147};
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        assert_true(fabs(worst_of(table[i].n, table[i].s, table[i].s) / table[i].worst - 1) < 0.01);
    for (int size = 0; size <= 5; size++)
        assert_true(fabs(worst_of(16, 5, size) / by_size[size] - 1) < 0.01);
}

/* ---- the structured decode ---- */

/* The weights that minimum-norm least squares gives, with the fast path hidden. */
static void generic_weights(gdc_plan *plan, const unsigned char *straggler, double *weight)
{
    const struct gdc_code_ops *code = plan->code;
    gdc_decoder *decoder;
    plan->code = NULL;
    assert_int_equal(gdc_decoder_create(plan, &decoder), GDC_OK);
    for (int w = 0; w < plan->workers; w++)
        if (!straggler[w])
            gdc_decoder_take(decoder, w);
    assert_int_equal(gdc_decoder_weights(decoder, weight, NULL, NULL), GDC_OK);
    gdc_decoder_destroy(decoder);
    plan->code = code;
}

static void check_decode(gdc_plan *plan, gdc_decoder *decoder, const unsigned char *straggler)
{
    double weight[MOST], expected[MOST], size = 0;
    gdc_decoder_reset(decoder);
    for (int w = 0; w < plan->workers; w++)
        if (!straggler[w])
            gdc_decoder_take(decoder, w);
    assert_int_equal(gdc_decoder_weights(decoder, weight, NULL, NULL), GDC_OK);
    generic_weights(plan, straggler, expected);
    for (int w = 0; w < plan->workers; w++)
        size = fmax(size, fabs(expected[w]));
    for (int w = 0; w < plan->workers; w++) {
        assert_true(fabs(weight[w] - expected[w]) <= 1e-9 * size);
        assert_true(!straggler[w] || weight[w] == 0);
    }
    assert_true(exactness_residual(plan, weight, NULL) <= 1e-12 * fmax(1, exactness_amplification(plan, weight)));
}

static int members(int set)
{
    int count = 0;
    for (; set != 0; set &= set - 1)
        count++;
    return count;
}

static void agrees_with_least_squares_for_every_tolerated_loss(void **state)
{
    (void)state;
    for (int n = 2; n <= 8; n++)
        for (int load = 2; load < n; load++) { /* load n is all ones: any single row will do, and one is taken */
            gdc_decoder *decoder;
            if (!is_valid(load, n))
                continue;
            gdc_plan *plan = make("", load, n, 2);
            assert_int_equal(gdc_decoder_create(plan, &decoder), GDC_OK);
            for (int set = 0; set < 1 << n; set++) {
                unsigned char straggler[MOST] = {0};
                for (int w = 0; w < n; w++)
                    straggler[w] = (set >> w & 1) != 0;
                if (members(set) < load)
                    check_decode(plan, decoder, straggler);
            }
            gdc_decoder_destroy(decoder);
            gdc_plan_destroy(plan);
        }
}

/* Neighbours on the ring are the worst sets: all of those, and seeded others. */
static void agrees_with_least_squares_for_large_rings(void **state)
{
    static const int sizes[][2] = {{16, 4}, {16, 6}, {24, 6}, {24, 4}, {23, 7}};
    uint64_t seed = exactness_seed(20260201);
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        int n = sizes[i][0], load = sizes[i][1];
        gdc_plan *plan = make(",permute=0", load, n, 1);
        gdc_decoder *decoder;
        assert_int_equal(gdc_decoder_create(plan, &decoder), GDC_OK);
        for (int first = 0; first < 3 * n; first++) {
            unsigned char straggler[MOST] = {0};
            int order[MOST];
            gdc_draw_permutation((gdc_key){seed, SETS_PURPOSE, i, (uint64_t)first, 0}, n, order);
            for (int s = 0; s < load - 1; s++)
                straggler[first < n ? (first + s) % n : order[s]] = 1;
            check_decode(plan, decoder, straggler);
        }
        gdc_decoder_destroy(decoder);
        gdc_plan_destroy(plan);
    }
}

/* ---- refusals ---- */

static void names_the_loads_on_either_side_of_an_invalid_one(void **state)
{
    (void)state;
    for (int n = 1; n <= 12; n++)
        for (int load = 1; load <= n; load++) {
            char spec[64], above[64], below[32];
            gdc_plan *plan = NULL;
            snprintf(spec, sizeof spec, "circulant:load=%d", load);
            snprintf(above, sizeof above, "load=%d, which survives one straggler more", load + 1);
            snprintf(below, sizeof below, "and load=%d", load - 1);
            gdc_status status = gdc_plan_create(spec, n, n, 1, &plan);
            assert_int_equal(status, is_valid(load, n) ? GDC_OK : GDC_EINVAL);
            if (status != GDC_OK) {
                assert_non_null(strstr(gdc_last_error(), above));
                assert_non_null(strstr(gdc_last_error(), below));
                assert_true(is_valid(load + 1, n) && is_valid(load - 1, n) && load + 1 <= n);
            }
            gdc_plan_destroy(plan);
        }
}

static void refuses_impossible_loads(void **state)
{
    (void)state;
    gdc_plan *plan = NULL;
    assert_int_equal(gdc_plan_create("circulant:load=9", 8, 8, 1, &plan), GDC_EINVAL);
    assert_non_null(strstr(gdc_last_error(), "circulant: load=9 with 8 workers: want 1 to 8, nearest is 8"));
    assert_int_equal(gdc_plan_create("circulant:load=0", 8, 8, 1, &plan), GDC_EINVAL);
    assert_int_equal(gdc_plan_create("circulant:load=4,tries=3", 8, 8, 1, &plan), GDC_EINVAL);
    assert_null(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_shifts_of_the_product_of_its_roots),
        cmocka_unit_test(permuting_moves_workers_only),
        cmocka_unit_test(survives_exactly_load_minus_1_stragglers),
        cmocka_unit_test(worst_amplification_is_that_of_the_table),
        cmocka_unit_test(agrees_with_least_squares_for_every_tolerated_loss),
        cmocka_unit_test(agrees_with_least_squares_for_large_rings),
        cmocka_unit_test(names_the_loads_on_either_side_of_an_invalid_one),
        cmocka_unit_test(refuses_impossible_loads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

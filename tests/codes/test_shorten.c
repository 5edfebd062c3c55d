/* test_shorten.c - codes of messages shorter than the gradient: every set of arrivals against the rank test, real gradients
 * through the encode path, accuracy at 100 workers, float32.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernels/vector.h"
#include "plan/decoder.h"
#include "support/brute.h"
#include "support/dual_plan.h"
#include "support/exactness.h"
#include "support/normal_problem.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SEED = 5, MOST_BLOCKS = 4, SETS_PURPOSE = 92 };

/* What a round does: block v of the sum is the combination of the messages by the weights of block v. Returns
 * ||sum - truth|| / max(||truth||, 1e-3 sum_j ||g_j||). */
static double decode_error(const gdc_plan *plan, normal_problem *p, const double *weight)
{
    int messages = plan->row_at[plan->workers];
    size_t length = gdc_plan_length(plan, p->d), bytes = gdc_element_bytes(p->f32);
    unsigned char *message = calloc((size_t)messages * length + 1, bytes);
    const void **in = calloc((size_t)messages + 1, sizeof *in);
    double sum[NORMAL_MOST_D], error = 0, size = 0, parts = 0;
    for (int w = 0; w < plan->workers; w++)
        for (int r = plan->row_at[w]; r < plan->row_at[w + 1]; r++) {
            in[r] = message + (size_t)r * length * bytes;
            encode_normal(plan, p, w, r - plan->row_at[w], message + (size_t)r * length * bytes);
        }
    for (int v = 0; v < plan->blocks; v++) {
        size_t first = (size_t)v * length < p->d ? (size_t)v * length : p->d;
        size_t count = p->d - first < length ? p->d - first : length;
        gdc_combine(p->f32, count, messages, weight + (size_t)v * (size_t)messages, in, false,
                    (unsigned char *)sum + first * bytes);
    }
    for (size_t i = 0; i < p->d; i++) {
        long double truth = 0;
        double got = p->f32 ? (double)((float *)sum)[i] : sum[i];
        for (int j = 0; j < plan->partitions; j++)
            truth += normal_at(j, i);
        error += (got - (double)truth) * (got - (double)truth);
        size += (double)(truth * truth);
    }
    for (int j = 0; j < plan->partitions; j++) {
        double norm2 = 0;
        for (size_t i = 0; i < p->d; i++)
            norm2 += normal_at(j, i) * normal_at(j, i);
        parts += sqrt(norm2);
    }
    free(message);
    free(in);
    return sqrt(error) / fmax(sqrt(size), 1e-3 * parts);
}

/* ---- every set of arrivals ---- */

typedef struct scene {
    gdc_plan *plan;
    gdc_decoder *decoder, *generic;
    brute *book;
} scene;

static gdc_decoder *decoder_of(gdc_plan *plan, bool fast)
{
    const struct gdc_code_ops *code = plan->code;
    gdc_decoder *decoder;
    plan->code = fast ? code : NULL;
    assert_int_equal(gdc_decoder_create(plan, &decoder), GDC_OK);
    plan->code = code;
    return decoder;
}

static bool take(gdc_decoder *decoder, const gdc_plan *plan, const unsigned char *given)
{
    gdc_decoder_reset(decoder);
    for (int r = 0; r < plan->row_at[plan->workers]; r++)
        if (given[r])
            gdc_decoder_take(decoder, r);
    return gdc_decoder_complete(decoder) == 1;
}

/* The largest |a_v^T R - e_v| over blocks, in all and of each partition, and the amplification of the worst block, from the rows. */
static double residual_of(const gdc_plan *plan, const double *weight, double *off, double *amplification)
{
    int messages = plan->row_at[plan->workers], columns = plan->partitions * plan->blocks;
    double worst = 0;
    *amplification = 0;
    memset(off, 0, (size_t)plan->partitions * sizeof *off);
    for (int v = 0; v < plan->blocks; v++) {
        double size = 0;
        for (int c = 0; c < columns; c++) {
            long double rho = c / plan->partitions == v ? -1 : 0;
            for (int r = 0; r < messages; r++)
                rho += (long double)weight[v * messages + r] * gdc_row_coefficient(&plan->row[r], c);
            double *of = &off[c % plan->partitions];
            *of = fmax(*of, fabs((double)rho));
            worst = fmax(worst, *of);
        }
        for (int r = 0; r < messages; r++)
            size += fabs(weight[v * messages + r]) * gdc_row_norm1(&plan->row[r]) / plan->partitions;
        *amplification = fmax(*amplification, size);
    }
    return worst;
}

static void check_exact(const scene *s, const unsigned char *given, bool agree)
{
    enum { ROWS = 8 };
    double weight[MOST_BLOCKS * ROWS], other[MOST_BLOCKS * ROWS], off[2 * ROWS], amplification, size = 0;
    int messages = s->plan->row_at[s->plan->workers];
    unsigned char missing[2 * ROWS];
    gdc_decode decode = {.size = sizeof decode};
    if (gdc_decoder_weights(s->decoder, weight, missing, &decode) != GDC_OK)
        fail_msg("%s", gdc_last_error());
    double residual = residual_of(s->plan, weight, off, &amplification);
    assert_true(residual <= 1e-9);
    assert_true(fabs(decode.residual - residual) <= 1e-13 * amplification * s->plan->partitions);
    assert_true(fabs(decode.amplification - amplification) <= 1e-12 * amplification);
    assert_int_equal(decode.missing, 0);
    for (int p = 0; p < s->plan->partitions; p++)
        assert_int_equal(missing[p], 0);
    for (size_t d = 1; d <= NORMAL_MOST_D; d += 2) {
        normal_problem p = {.d = d};
        assert_true(decode_error(s->plan, &p, weight) <= 1e3 * DBL_EPSILON * amplification);
    }
    const struct gdc_code_ops *code = s->plan->code;
    s->plan->code = NULL;
    assert_true(take(s->generic, s->plan, given));
    assert_int_equal(gdc_decoder_weights(s->generic, other, NULL, NULL), GDC_OK);
    s->plan->code = code;
    for (int i = 0; i < s->plan->blocks * messages; i++)
        size = fmax(size, fabs(other[i]));
    for (int i = 0; i < s->plan->blocks * messages; i++) {
        assert_true(given[i % messages] || weight[i] == 0);
        assert_true(!agree || fabs(weight[i] - other[i]) <= 1e-8 * size);
    }
}

static void check_inexact(const scene *s)
{
    enum { ROWS = 8 };
    double weight[MOST_BLOCKS * ROWS], off[2 * ROWS], amplification;
    unsigned char missing[2 * ROWS];
    gdc_decode decode = {.size = sizeof decode};
    int flagged = 0;
    assert_int_equal(gdc_decoder_weights(s->decoder, weight, missing, &decode), GDC_OK);
    assert_true(residual_of(s->plan, weight, off, &amplification) > 1e-7 && decode.residual > 1e-7);
    for (int p = 0; p < s->plan->partitions; p++) {
        assert_int_equal(missing[p], off[p] > 1e-7);
        flagged += missing[p];
    }
    assert_true(flagged > 0 && decode.missing == flagged);
}

/* agree: all solutions are those of the fast path, for sets that it takes. */
static int check_all_sets(gdc_plan *plan, int tolerance, bool agree)
{
    scene s = {plan, decoder_of(plan, true), decoder_of(plan, false), brute_create(plan)};
    int rows = plan->row_at[plan->workers], complete = 0;
    for (int set = 0; set < 1 << rows; set++) {
        unsigned char given[16] = {0};
        int missing = 0;
        for (int r = 0; r < rows; r++) {
            given[r] = (set >> r & 1) != 0;
            missing += !given[r];
        }
        bool can = take(s.decoder, plan, given);
        assert_int_equal(can, brute_spans(s.book, given));
        assert_true(can || missing > tolerance);
        if (can)
            check_exact(&s, given, agree && missing <= tolerance);
        else
            check_inexact(&s);
        complete += can;
    }
    gdc_decoder_destroy(s.decoder);
    gdc_decoder_destroy(s.generic);
    brute_destroy(s.book);
    gdc_plan_destroy(plan);
    return complete;
}

static void agrees_with_the_rank_test_on_every_set_of_arrivals(void **state)
{
    (void)state;
    for (int n = 2; n <= 6; n++)
        for (int load = 2; load <= n; load++)
            for (int m = 2; m <= load && m <= MOST_BLOCKS; m++)
                for (int p = 0; p < 4; p += n < 6 ? 1 : 3) {
                    char items[64];
                    snprintf(items, sizeof items, ",shorten=%d,place=%s,tries=2", m, dual_places[p]);
                    check_all_sets(make_dual(items, load, n, 1, SEED), load - m, p != 1 && load < n);
                }
}

static void agrees_with_the_rank_test_with_unequal_speeds(void **state)
{
    (void)state;
    check_all_sets(make_dual(",shorten=2,speeds=1+1+2+2,tries=2", 3, 4, 2, SEED), 1, false);
    check_all_sets(make_dual(",shorten=2,speeds=3+1+3+2+2+3,tries=2", 4, 6, 2, SEED), 2, false);
    check_all_sets(make_dual(",shorten=3,speeds=3+1+3+2+2+3,tries=2", 4, 6, 2, SEED), 1, false);
}

/* ---- many workers ---- */

static double sampled_error(const gdc_plan *plan, normal_problem *p, uint64_t seed, int load, int m, int sets)
{
    gdc_decoder *decoder;
    double worst = 0, *weight = calloc((size_t)m * (size_t)plan->workers, sizeof *weight);
    int *order = calloc((size_t)plan->workers, sizeof *order);
    unsigned char *given = calloc((size_t)plan->workers, 1);
    assert_int_equal(gdc_decoder_create(plan, &decoder), GDC_OK);
    for (int set = 0; set < sets; set++) {
        gdc_draw_permutation((gdc_key){seed, SETS_PURPOSE, (uint64_t)load, (uint64_t)m, (uint64_t)set << 32},
                             plan->workers, order);
        memset(given, 1, (size_t)plan->workers);
        for (int i = 0; i < load - m; i++)
            given[order[i]] = 0;
        assert_true(take(decoder, plan, given));
        assert_int_equal(gdc_decoder_weights(decoder, weight, NULL, NULL), GDC_OK);
        worst = fmax(worst, decode_error(plan, p, weight));
    }
    gdc_decoder_destroy(decoder);
    free(weight);
    free(order);
    free(given);
    return worst;
}

static void errors_stay_below_1e_10_at_100_workers(void **state)
{
    static const int shapes[][2] = {{5, 4}, {8, 4}, {4, 2}, {12, 3}};
    uint64_t seed = exactness_seed(20260310);
    bool full = getenv("GDC_TEST_FULL") != NULL;
    (void)state;
    for (size_t i = 0; i < (full ? 4 : 2); i++) {
        int load = shapes[i][0], m = shapes[i][1];
        char items[32];
        normal_problem p = {.d = NORMAL_MOST_D};
        snprintf(items, sizeof items, ",shorten=%d", m);
        gdc_plan *plan = make_dual(items, load, 100, 1, SEED);
        double error = sampled_error(plan, &p, seed, load, m, full ? 40 : 4);
        printf("n=100 load=%d shorten=%d: largest relative error %.2e\n", load, m, error);
        assert_true(error <= 1e-10);
        gdc_plan_destroy(plan);
    }
}

static void float32_stays_below_its_prediction(void **state)
{
    uint64_t seed = exactness_seed(20260311);
    (void)state;
    for (int m = 2; m <= MOST_BLOCKS; m++) {
        gdc_quality quality;
        char items[32];
        normal_problem p = {.f32 = true, .d = NORMAL_MOST_D};
        snprintf(items, sizeof items, ",shorten=%d", m);
        gdc_plan *plan = make_dual(items, m + 1, 10, 1, SEED);
        assert_int_equal(gdc_plan_quality(plan, 100, 1, &quality), GDC_OK);
        assert_int_equal(quality.tolerance, 1);
        double error = sampled_error(plan, &p, seed, m + 1, m, 20);
        /* predicted: relative to k max|g|, which is at most some 20 ||G|| here */
        assert_true(error > FLT_EPSILON / 4 && error <= 20 * quality.worst * FLT_EPSILON);
        gdc_plan_destroy(plan);
    }
}

/* Groups survive almost any loss, but never that of all but m - 1 owners of a partition, which samples do not find. */
static void the_sampled_tolerance_is_capped_by_the_owners_that_blocks_need(void **state)
{
    gdc_quality quality;
    gdc_plan *plan = make_dual(",shorten=3,place=group,tries=1", 5, 40, 1, SEED);
    (void)state;
    assert_int_equal(gdc_plan_quality(plan, 5, 1, &quality), GDC_OK);
    assert_int_equal(quality.tolerance, 2);
    assert_true(quality.recoverable[3] == 1);
    gdc_plan_destroy(plan);
}

/* ---- refusals ---- */

static void refuses_a_shorten_that_does_not_fit(void **state)
{
    (void)state;
    gdc_plan *plan = NULL;
    assert_int_equal(gdc_plan_create("dual:load=3,shorten=4", 6, 6, 1, &plan), GDC_EINVAL);
    assert_non_null(strstr(gdc_last_error(), "dual: shorten=4 with load=3: want 1 to 3, nearest is 3"));
    assert_int_equal(gdc_plan_create("dual:load=3,shorten=0", 6, 6, 1, &plan), GDC_EINVAL);
    assert_null(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_the_rank_test_on_every_set_of_arrivals),
        cmocka_unit_test(agrees_with_the_rank_test_with_unequal_speeds),
        cmocka_unit_test(errors_stay_below_1e_10_at_100_workers),
        cmocka_unit_test(float32_stays_below_its_prediction),
        cmocka_unit_test(the_sampled_tolerance_is_capped_by_the_owners_that_blocks_need),
        cmocka_unit_test(refuses_a_shorten_that_does_not_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_random_rows.c - the decoder on random rows of every kind against brute force.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gradcode/draw.h"
#include "plan/decoder.h"
#include "plan/plan.h"
#include "support/brute.h"
#include "support/exactness.h"

#include <float.h>
#include <math.h>

enum { MOST_MESSAGES = 12, MOST_K = 12, ROWS_PURPOSE = 91, ORDER_PURPOSE = 92 };

static void add_message(gdc_plan_writer *writer, int k, int terms, const gdc_term *term)
{
    gdc_plan_add_leg(writer, (gdc_span){0, k}, false);
    gdc_plan_add_row(writer, k, terms, term);
    gdc_plan_end_worker(writer);
}

static gdc_plan *finish(gdc_plan_writer *writer)
{
    gdc_plan *plan = NULL;
    if (gdc_plan_writer_finish(writer, &plan) != GDC_OK)
        fail_msg("%s", gdc_last_error());
    return plan;
}

static gdc_decoder *decoder_of(const gdc_plan *plan)
{
    gdc_decoder *decoder = NULL;
    assert_int_equal(gdc_decoder_create(plan, &decoder), GDC_OK);
    return decoder;
}

static int draw(uint64_t seed, int a, int b, int c, int bound)
{
    gdc_key key = {seed, ROWS_PURPOSE, (uint64_t)a, (uint64_t)b, (uint64_t)c};
    return (int)gdc_draw_below(key, (uint64_t)bound);
}

/* Few partitions, small whole coefficients: many rows are equal or dependent, some partitions are covered by
 * none, and the components are of every kind. Even seeds: single spans only. */
static gdc_plan *random_plan(uint64_t seed)
{
    static const double coefficient[] = {1, 1, 1, 2, -1, 0.5};
    int n = 2 + draw(seed, 0, 0, 0, MOST_MESSAGES - 1), k = 1 + draw(seed, 0, 0, 1, MOST_K);
    gdc_plan_writer *writer;
    assert_int_equal(gdc_plan_writer_create(n, k, &writer), GDC_OK);
    for (int w = 0; w < n; w++) {
        gdc_term term[MOST_K];
        int terms = 0, most = seed % 2 == 0 ? 1 : 1 + draw(seed, 1, w, 0, 3);
        for (int at = draw(seed, 2, w, 0, k), t = 0; t < most && at < k; t++) {
            int count = 1 + draw(seed, 3, w, t, k - at < 4 ? k - at : 4);
            term[terms++] = (gdc_term){{at, count}, coefficient[draw(seed, 4, w, t, 6)]};
            at += count + draw(seed, 5, w, t, 4);
        }
        add_message(writer, k, terms, term);
    }
    return finish(writer);
}

static void check_weights(const gdc_plan *plan, gdc_decoder *decoder, const double *gradient)
{
    double weight[MOST_MESSAGES], sum[EXACTNESS_D], rho[MOST_K];
    unsigned char missing[MOST_K];
    gdc_decode decode = {.size = sizeof decode};
    assert_int_equal(gdc_decoder_weights(decoder, weight, missing, &decode), GDC_OK);
    exactness_residual(plan, weight, rho);
    for (int j = 0; j < plan->partitions; j++)
        assert_int_equal(missing[j], fabs(rho[j]) > 1e-7);
    assert_int_equal(decode.missing == 0, gdc_decoder_complete(decoder));
    if (!gdc_decoder_complete(decoder))
        return;
    exactness_decode(plan, weight, EXACTNESS_D, gradient, sum);
    assert_true(exactness_ratio(plan, weight, EXACTNESS_D, gradient, sum, DBL_EPSILON / 2) <= 1);
}

static int check_order(const gdc_plan *plan, gdc_decoder *decoder, brute *book, gdc_key key, const double *gradient)
{
    unsigned char offered[MOST_MESSAGES] = {0};
    int order[MOST_MESSAGES], n = plan->workers;
    gdc_decoder_reset(decoder);
    gdc_draw_permutation(key, n, order);
    for (int i = 0; i < n; i++) {
        int wanted = gdc_decoder_wants(decoder, order[i], 0);
        assert_int_equal(gdc_decoder_offer(decoder, order[i], 0), wanted);
        offered[order[i]] = 1;
        if (gdc_decoder_complete(decoder) != brute_spans(book, offered))
            fail_msg("rows of seed %llu: complete=%d after %d arrivals", (unsigned long long)key.seed,
                     gdc_decoder_complete(decoder), i + 1);
        if (i % 3 == 0)
            check_weights(plan, decoder, gradient);
    }
    check_weights(plan, decoder, gradient);
    return gdc_decoder_complete(decoder);
}

static void agrees_with_the_rank_test_on_random_rows(void **state)
{
    (void)state;
    uint64_t seed = exactness_seed(20260105);
    int complete = 0;
    for (uint64_t i = 0; i < 20000; i++) {
        double gradient[MOST_K * EXACTNESS_D];
        gdc_plan *plan = random_plan(seed + i);
        gdc_decoder *decoder = decoder_of(plan);
        brute *book = brute_create(plan);
        exactness_gradients(plan->partitions, seed + i, gradient);
        for (uint64_t o = 0; o < 3; o++)
            complete += check_order(plan, decoder, book, (gdc_key){seed + i, ORDER_PURPOSE, o, 0, 0}, gradient);
        brute_destroy(book);
        gdc_decoder_destroy(decoder);
        gdc_plan_destroy(plan);
    }
    print_message("%d of 60000 orders end decodable\n", complete);
    assert_true(complete > 2000 && complete < 58000);
}

static void least_squares_weights_leave_no_better_residual(void **state)
{
    (void)state;
    uint64_t seed = exactness_seed(20260106);
    for (uint64_t i = 0; i < 2000; i++) {
        double weight[MOST_MESSAGES], rho[MOST_K];
        gdc_plan *plan = random_plan(seed + i);
        gdc_decoder *decoder = decoder_of(plan);
        for (int w = 0; w < plan->workers; w += 2)
            gdc_decoder_offer(decoder, w, 0);
        assert_int_equal(gdc_decoder_weights(decoder, weight, NULL, NULL), GDC_OK);
        exactness_residual(plan, weight, rho);
        for (int w = 0; w < plan->workers; w += 2) { /* the residual is orthogonal to every row used */
            double along = 0;
            for (int j = 0; j < plan->partitions; j++)
                along += rho[j] * gdc_row_coefficient(gdc_plan_row(plan, w, 0), j);
            assert_true(fabs(along) < 1e-9);
        }
        gdc_decoder_destroy(decoder);
        gdc_plan_destroy(plan);
    }
}

/* Least sum |a_i| |span_i| over a in {-1, 0, 1}^n with a^T R = 1: a shortest path is an extreme point, so no others matter. */
static int least_cover(const gdc_plan *plan)
{
    int n = plan->workers, least = -1, cases = 1;
    for (int i = 0; i < n; i++)
        cases *= 3;
    for (int c = 0; c < cases; c++) {
        int sum[MOST_K] = {0}, cost = 0, ones = 1;
        for (int i = 0, digits = c; i < n; i++, digits /= 3) {
            gdc_span span = plan->row[i].term[0].span;
            cost += digits % 3 == 1 ? 0 : span.count;
            for (int j = span.first; j < span.first + span.count; j++)
                sum[j] += digits % 3 - 1;
        }
        for (int j = 0; j < plan->partitions; j++)
            ones = ones && sum[j] == 1;
        if (ones && (least < 0 || cost < least))
            least = cost;
    }
    return least;
}

static void spans_are_combined_with_the_least_amplification(void **state)
{
    (void)state;
    uint64_t seed = exactness_seed(20260107);
    int detours = 0;
    for (uint64_t i = 0; i < 500; i++) {
        enum { N = 7, K = 6 };
        gdc_plan_writer *writer;
        gdc_decode decode = {.size = sizeof decode};
        double weight[N];
        assert_int_equal(gdc_plan_writer_create(N, K, &writer), GDC_OK);
        for (int w = 0; w < N; w++) {
            int first = draw(seed + i, 6, w, 0, K), count = 1 + draw(seed + i, 6, w, 1, K - first);
            add_message(writer, K, 1, &(gdc_term){{first, count}, 1});
        }
        gdc_plan *plan = finish(writer);
        gdc_decoder *decoder = decoder_of(plan);
        for (int w = 0; w < N; w++)
            gdc_decoder_take(decoder, w);
        int least = least_cover(plan);
        assert_int_equal(gdc_decoder_complete(decoder), least >= 0);
        assert_int_equal(gdc_decoder_weights(decoder, weight, NULL, &decode), GDC_OK);
        if (least >= 0)
            assert_true(fabs(decode.amplification * K - least) < 1e-12);
        detours += least > K;
        gdc_decoder_destroy(decoder);
        gdc_plan_destroy(plan);
    }
    assert_true(detours > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_the_rank_test_on_random_rows),
        cmocka_unit_test(least_squares_weights_leave_no_better_residual),
        cmocka_unit_test(spans_are_combined_with_the_least_amplification),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

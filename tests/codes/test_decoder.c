/* test_decoder.c - the decoder on rows that no code makes: random, scattered, equal, dependent, uncovered;
 * and its hooks. SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "plan/code.h"
#include "plan/decoder.h"
#include "support/exactness.h"

#include <math.h>
#include <string.h>

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

/* ---- rows made by hand ---- */

/* Worker 0 and 1: the same scattered row; 2: its complement; 3: twice the row of 0. */
static gdc_plan *scattered_plan(void)
{
    const gdc_term odd[] = {{{1, 1}, 1}, {{3, 2}, 3}, {{8, 1}, 1}};
    const gdc_term even[] = {{{0, 1}, 1}, {{2, 1}, 1}, {{3, 2}, -2}, {{5, 3}, 1}, {{9, 1}, 1}};
    const gdc_term twice[] = {{{1, 1}, 2}, {{3, 2}, 6}, {{8, 1}, 2}};
    gdc_plan_writer *writer;
    assert_int_equal(gdc_plan_writer_create(4, 10, &writer), GDC_OK);
    add_message(writer, 10, 3, odd);
    add_message(writer, 10, 3, odd);
    add_message(writer, 10, 5, even);
    add_message(writer, 10, 3, twice);
    return finish(writer);
}

static void encodes_a_scattered_row_like_the_dense_product(void **state)
{
    (void)state;
    gdc_plan *plan = scattered_plan();
    double gradient[10 * EXACTNESS_D], message[EXACTNESS_D];
    exactness_gradients(10, 3, gradient);
    for (int w = 0; w < 4; w++) {
        double dense = 0;
        exactness_encode(gdc_plan_row(plan, w, 0), EXACTNESS_D, gradient, message);
        for (int j = 0; j < 10; j++)
            dense += gdc_row_coefficient(gdc_plan_row(plan, w, 0), j) * gradient[j * EXACTNESS_D + EXACTNESS_WHOLE];
        assert_true(message[EXACTNESS_WHOLE] == dense);
    }
    gdc_plan_destroy(plan);
}

static void refuses_equal_rows_and_takes_dependent_ones(void **state)
{
    (void)state;
    gdc_plan *plan = scattered_plan();
    gdc_decoder *decoder = decoder_of(plan);
    assert_int_equal(gdc_decoder_offer(decoder, 1, 0), 1);
    assert_int_equal(gdc_decoder_wants(decoder, 1, 0), 0);
    assert_int_equal(gdc_decoder_wants(decoder, 0, 0), 0);
    assert_int_equal(gdc_decoder_offer(decoder, 0, 0), 0);
    assert_int_equal(gdc_decoder_offer(decoder, 3, 0), 1);
    assert_int_equal(gdc_decoder_complete(decoder), 0);
    assert_int_equal(gdc_decoder_offer(decoder, 2, 0), 1);
    assert_int_equal(gdc_decoder_complete(decoder), 1);
    gdc_decoder_destroy(decoder);
    gdc_plan_destroy(plan);
}

/* Equal and proportional rows make the matrix rank-deficient: the minimum norm shares the weight between
 * them. */
static void shares_weight_among_dependent_rows(void **state)
{
    (void)state;
    gdc_plan *plan = scattered_plan();
    gdc_decoder *decoder = decoder_of(plan);
    const double expected[] = {1 / 6.0, 1 / 6.0, 1, 1 / 3.0};
    double weight[4];
    for (int w = 0; w < 4; w++)
        gdc_decoder_take(decoder, w);
    assert_int_equal(gdc_decoder_weights(decoder, weight, NULL, NULL), GDC_OK);
    for (int w = 0; w < 4; w++)
        assert_true(fabs(weight[w] - expected[w]) < 1e-14);
    gdc_decoder_destroy(decoder);
    gdc_plan_destroy(plan);
}

static void never_completes_while_a_partition_is_in_no_row(void **state)
{
    (void)state;
    gdc_plan_writer *writer;
    unsigned char missing[4];
    double weight[1];
    gdc_decode decode = {.size = sizeof decode};
    assert_int_equal(gdc_plan_writer_create(1, 4, &writer), GDC_OK);
    add_message(writer, 4, 2, (const gdc_term[]){{{0, 1}, 2}, {{3, 1}, 2}});
    gdc_plan *plan = finish(writer);
    gdc_decoder *decoder = decoder_of(plan);
    assert_int_equal(gdc_decoder_offer(decoder, 0, 0), 1);
    assert_int_equal(gdc_decoder_complete(decoder), 0);
    assert_int_equal(gdc_decoder_weights(decoder, weight, missing, &decode), GDC_OK);
    assert_true(fabs(weight[0] - 0.5) < 1e-14);
    assert_memory_equal(missing, ((unsigned char[]){0, 1, 1, 0}), 4);
    assert_int_equal(decode.missing, 2);
    assert_true(fabs(decode.residual_rms - sqrt(0.5)) < 1e-14);
    gdc_decoder_destroy(decoder);
    gdc_plan_destroy(plan);
}

/* One row (1, 1 + off): what is left of all-ones is about off/2. */
static int is_complete_with(double off)
{
    gdc_plan_writer *writer;
    assert_int_equal(gdc_plan_writer_create(2, 2, &writer), GDC_OK);
    add_message(writer, 2, 2, (const gdc_term[]){{{0, 1}, 1}, {{1, 1}, 1 + off}});
    add_message(writer, 2, 2, (const gdc_term[]){{{0, 1}, 1}, {{1, 1}, 3}});
    gdc_plan *plan = finish(writer);
    gdc_decoder *decoder = decoder_of(plan);
    double weight[2];
    gdc_decode decode = {.size = sizeof decode};
    gdc_decoder_offer(decoder, 0, 0);
    int complete = gdc_decoder_complete(decoder);
    assert_int_equal(gdc_decoder_weights(decoder, weight, NULL, &decode), GDC_OK);
    assert_int_equal(decode.residual <= 1e-7, complete);
    assert_int_equal(gdc_decoder_offer(decoder, 1, 0), !complete);
    assert_int_equal(gdc_decoder_complete(decoder), 1);
    gdc_decoder_destroy(decoder);
    gdc_plan_destroy(plan);
    return complete;
}

static void the_gate_decides_what_is_complete(void **state)
{
    (void)state;
    assert_int_equal(is_complete_with(1e-3), 0);
    assert_int_equal(is_complete_with(1e-5), 0);
    assert_int_equal(is_complete_with(3e-7), 0);
    assert_int_equal(is_complete_with(1e-8), 1);
    assert_int_equal(is_complete_with(1e-15), 1);
}

/* Two components: what is decodable takes no more, whatever the other one lacks. */
static void refuses_what_a_decodable_component_does_not_need(void **state)
{
    (void)state;
    gdc_plan_writer *writer;
    assert_int_equal(gdc_plan_writer_create(4, 4, &writer), GDC_OK);
    add_message(writer, 4, 2, (const gdc_term[]){{{0, 1}, 1}, {{1, 1}, 2}});
    add_message(writer, 4, 1, &(gdc_term){{1, 1}, 1});
    add_message(writer, 4, 2, (const gdc_term[]){{{0, 1}, 2}, {{1, 1}, 1}});
    add_message(writer, 4, 1, &(gdc_term){{2, 2}, 4});
    gdc_plan *plan = finish(writer);
    gdc_decoder *decoder = decoder_of(plan);
    double weight[4];
    assert_int_equal(gdc_decoder_offer(decoder, 0, 0), 1);
    assert_int_equal(gdc_decoder_offer(decoder, 1, 0), 1);
    assert_int_equal(gdc_decoder_wants(decoder, 2, 0), 0);
    assert_int_equal(gdc_decoder_offer(decoder, 2, 0), 0);
    assert_int_equal(gdc_decoder_complete(decoder), 0);
    assert_int_equal(gdc_decoder_offer(decoder, 3, 0), 1);
    assert_int_equal(gdc_decoder_complete(decoder), 1);
    assert_int_equal(gdc_decoder_weights(decoder, weight, NULL, NULL), GDC_OK);
    assert_true(weight[2] == 0 && weight[3] == 0.25);
    gdc_decoder_destroy(decoder);
    gdc_plan_destroy(plan);
}

static void refuses_messages_that_do_not_exist(void **state)
{
    (void)state;
    gdc_plan *plan = scattered_plan();
    gdc_decoder *decoder = decoder_of(plan);
    const int nobody[][2] = {{-1, 0}, {4, 0}, {0, -1}, {0, 1}, {1 << 30, 1 << 30}};
    for (int i = 0; i < 5; i++) {
        assert_int_equal(gdc_decoder_wants(decoder, nobody[i][0], nobody[i][1]), 0);
        assert_int_equal(gdc_decoder_offer(decoder, nobody[i][0], nobody[i][1]), 0);
    }
    gdc_decoder_destroy(decoder);
    gdc_plan_destroy(plan);
    gdc_decoder_destroy(NULL);
}

static void reset_forgets_everything(void **state)
{
    (void)state;
    gdc_plan *plan = scattered_plan();
    gdc_decoder *used = decoder_of(plan), *fresh = decoder_of(plan);
    double a[4], b[4];
    for (int w = 0; w < 4; w++)
        gdc_decoder_offer(used, w, 0);
    assert_int_equal(gdc_decoder_weights(used, a, NULL, NULL), GDC_OK);
    gdc_decoder_reset(used);
    assert_int_equal(gdc_decoder_complete(used), 0);
    for (int w = 3; w >= 1; w--)
        assert_int_equal(gdc_decoder_offer(used, w, 0), gdc_decoder_offer(fresh, w, 0));
    assert_int_equal(gdc_decoder_weights(used, a, NULL, NULL), GDC_OK);
    assert_int_equal(gdc_decoder_weights(fresh, b, NULL, NULL), GDC_OK);
    assert_memory_equal(a, b, sizeof a);
    gdc_decoder_destroy(used);
    gdc_decoder_destroy(fresh);
    gdc_plan_destroy(plan);
}

static void writes_no_more_of_the_quality_than_the_caller_has(void **state)
{
    (void)state;
    gdc_plan *plan = scattered_plan();
    gdc_decoder *decoder = decoder_of(plan);
    double weight[4];
    gdc_decode decode = {.size = offsetof(gdc_decode, amplification), .amplification = 77, .missing = 78};
    assert_int_equal(gdc_decoder_weights(decoder, weight, NULL, &decode), GDC_OK);
    assert_true(decode.residual == 1 && decode.residual_rms == 1);
    assert_true(decode.amplification == 77 && decode.missing == 78);
    assert_int_equal(decode.size, offsetof(gdc_decode, amplification));
    gdc_decoder_destroy(decoder);
    gdc_plan_destroy(plan);
}

/* ---- the fast path of a code ---- */

static bool good_weights(const gdc_plan *plan, void *prepared, const unsigned char *accepted, double *weight)
{
    (void)prepared;
    for (int i = 0; i < plan->workers; i++)
        weight[i] = 0;
    weight[accepted[0] ? 0 : 1] = weight[2] = 1;
    return true;
}

static bool no_weights(const gdc_plan *plan, void *prepared, const unsigned char *accepted, double *weight)
{
    (void)prepared;
    for (int i = 0; i < plan->workers; i++)
        weight[i] = accepted[i] ? NAN : INFINITY;
    return false;
}

static bool bad_weights(const gdc_plan *plan, void *prepared, const unsigned char *accepted, double *weight)
{
    good_weights(plan, prepared, accepted, weight);
    weight[2] += 1e-6;
    return true;
}

static gdc_status decode_all(gdc_plan *plan, const gdc_code_ops *code, double *weight)
{
    plan->code = code;
    gdc_decoder *decoder = decoder_of(plan);
    for (int w = 0; w < 4; w++)
        gdc_decoder_take(decoder, w);
    gdc_status status = gdc_decoder_weights(decoder, weight, NULL, NULL);
    gdc_decoder_destroy(decoder);
    return status;
}

static void a_fast_path_is_used_if_it_is_exact_and_may_decline(void **state)
{
    (void)state;
    const gdc_code_ops good = {.weights = good_weights}, none = {.weights = no_weights}, bad = {.weights = bad_weights};
    gdc_plan *plan = scattered_plan();
    double generic[4], weight[4];
    assert_int_equal(decode_all(plan, NULL, generic), GDC_OK);
    assert_int_equal(decode_all(plan, &none, weight), GDC_OK);
    assert_memory_equal(weight, generic, sizeof weight);
    assert_int_equal(decode_all(plan, &good, weight), GDC_OK);
    assert_memory_equal(weight, ((double[]){1, 0, 1, 0}), sizeof weight);
    assert_int_equal(decode_all(plan, &bad, weight), GDC_OK);
    assert_memory_equal(weight, generic, sizeof weight);
    gdc_plan_destroy(plan);
}

static void a_fast_path_is_not_asked_about_incomplete_sets(void **state)
{
    (void)state;
    const gdc_code_ops bad = {.weights = bad_weights};
    gdc_plan *plan = scattered_plan();
    plan->code = &bad;
    gdc_decoder *decoder = decoder_of(plan);
    double weight[4];
    gdc_decoder_offer(decoder, 2, 0);
    assert_int_equal(gdc_decoder_weights(decoder, weight, NULL, NULL), GDC_OK);
    assert_true(weight[0] == 0 && weight[1] == 0 && weight[2] < 1);
    gdc_decoder_destroy(decoder);
    gdc_plan_destroy(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(encodes_a_scattered_row_like_the_dense_product),
        cmocka_unit_test(refuses_equal_rows_and_takes_dependent_ones),
        cmocka_unit_test(shares_weight_among_dependent_rows),
        cmocka_unit_test(never_completes_while_a_partition_is_in_no_row),
        cmocka_unit_test(the_gate_decides_what_is_complete),
        cmocka_unit_test(refuses_what_a_decodable_component_does_not_need),
        cmocka_unit_test(refuses_messages_that_do_not_exist),
        cmocka_unit_test(reset_forgets_everything),
        cmocka_unit_test(writes_no_more_of_the_quality_than_the_caller_has),
        cmocka_unit_test(a_fast_path_is_used_if_it_is_exact_and_may_decline),
        cmocka_unit_test(a_fast_path_is_not_asked_about_incomplete_sets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_report_bias.c - laws of what the report says of bias, staleness, residuals, tuning, and more samples than a batch has.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "sample_result.h"

#include <jansson.h>

/* The known result with the losses of three classes: the drop's third is far behind, all its classes together a little. */
static result biased_result(void)
{
    static const double loss[4][3] = {{0.5, 1, 0.75}, {0.5, 1, 0.75}, {0.5, 1 + 1e-12, 0.75}, {0.4, 0.9, 2}};
    result r = known_result();
    r.classes = 3;
    for (int i = 0; i < 4; i++) {
        r.strategy[i].class_loss = malloc(sizeof loss[i]);
        assert_non_null(r.strategy[i].class_loss);
        memcpy(r.strategy[i].class_loss, loss[i], sizeof loss[i]);
    }
    r.strategy[3].loss_final = 1.1;
    r.strategy[3].least_worker_share = 0.25;
    return r;
}

static json_t *strategy_json(const result *r, size_t i)
{
    char *text = result_to_json(r);
    assert_non_null(text);
    json_t *json = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(json);
    json_t *strategy = json_incref(json_array_get(json_object_get(json, "strategies"), i));
    json_decref(json);
    free(text);
    return strategy;
}

static double number(const json_t *object, const char *key)
{
    assert_true(json_is_number(json_object_get(object, key)));
    return json_number_value(json_object_get(object, key));
}

/* ---- bias ---- */

static void the_gap_is_that_of_the_class_furthest_above_sync(void **state)
{
    (void)state;
    result r = biased_result();
    result_figures drop = result_derive(&r, 3), exact = result_derive(&r, 2), sync = result_derive(&r, 0);
    assert_int_equal(drop.worst_class, 2);
    assert_true(drop.class_loss_gap == 1.25);
    assert_true(exact.class_loss_gap > 0 && exact.class_loss_gap < 2e-12);
    assert_true(sync.class_loss_gap == 0);
    r.strategy[0].class_loss[2] = NAN; /* a class without samples */
    drop = result_derive(&r, 3);
    assert_int_equal(drop.worst_class, 0);
    assert_true(fabs(drop.class_loss_gap + 0.1) < 1e-15);
    set_error(&r.strategy[0], "worker 3 lost");
    assert_int_equal(result_derive(&r, 3).worst_class, -1);
    assert_true(isnan(result_derive(&r, 3).class_loss_gap));
    result_free(&r);
}

static void json_tells_the_losses_by_class(void **state)
{
    (void)state;
    result r = biased_result();
    r.strategy[3].class_loss[1] = NAN;
    json_t *s = strategy_json(&r, 3);
    const json_t *list = json_object_get(s, "class_loss");
    assert_int_equal(json_array_size(list), 3);
    assert_true(json_number_value(json_array_get(list, 2)) == 2);
    assert_true(json_is_null(json_array_get(list, 1)));
    assert_true(number(s, "worst_class") == 2 && number(s, "class_loss_gap") == 1.25);
    json_decref(s);
    result_free(&r);
    r = known_result();
    s = strategy_json(&r, 3);
    assert_true(json_is_null(json_object_get(s, "class_loss")) && json_is_null(json_object_get(s, "worst_class")));
    assert_true(json_is_null(json_object_get(s, "class_loss_gap")));
    json_decref(s);
    result_free(&r);
}

static void bias_is_one_sentence_where_it_is_large(void **state)
{
    (void)state;
    result r = biased_result();
    char *text = printed(result_print_reading, &r);
    assert_true(
        says(text, "Bias: with drop:tau=1 the loss of class 2 ended at 2, 1.25 above that of the same class under sync "
                   "(all classes together: +0.35), and 25 % of the worst-served shard's samples were used; with exact "
                   "gradients no class ended more than 1e-12 above."));
    free(text);
    r.strategy[1].class_loss[0] = 0.7; /* two more, though less */
    r.strategy[2].class_loss[0] = 0.8;
    r.strategy[1].gradient_error = r.strategy[2].gradient_error = 0.1;
    text = printed(result_print_reading, &r);
    assert_true(says(text, "shard's samples were used; then gc:code=uncoded (class 0: +0.3), gc:code=fractional,load=2 "
                           "(class 0: +0.2)."));
    free(text);
    r.strategy[1].class_loss[0] = r.strategy[2].class_loss[0] = 0.5;
    r.strategy[3].loss_final = 0.75 + 0.7; /* all classes lost much: slow progress is no bias */
    text = printed(result_print_reading, &r);
    assert_false(says(text, "Bias"));
    free(text);
    r.strategy[3].loss_final = 0.75;
    r.strategy[3].class_loss[2] = 0.8; /* less than a tenth more than under sync */
    text = printed(result_print_reading, &r);
    assert_false(says(text, "Bias"));
    free(text);
    result_free(&r);
}

static void gaps_have_a_column_where_somebody_has_one(void **state)
{
    (void)state;
    result r = biased_result();
    char *text = printed(result_print_table, &r);
    assert_no_line_is_too_long(text);
    assert_true(says(text, "+1.25") && says(text, "class gap final loss of the class that is furthest above"));
    free(text);
    r.strategy[3].class_loss[2] = 0.75;
    text = printed(result_print_table, &r);
    assert_false(says(text, "class"));
    free(text);
    result_free(&r);
}

/* ---- staleness ---- */

static void staleness_has_a_column_where_somebody_is_stale(void **state)
{
    (void)state;
    result r = known_result();
    char *text = printed(result_print_table, &r);
    assert_false(says(text, "stale"));
    free(text);
    r.target_loss = 1; /* as many columns as there can be */
    for (int i = 0; i < r.strategies; i++)
        r.strategy[i].time_to_target_s = 1.25;
    r.strategy[0].staleness_mean = NAN; /* an all-reduce counts no vectors */
    r.strategy[3].staleness_mean = 2.5;
    text = printed(result_print_table, &r);
    assert_no_line_is_too_long(text);
    assert_true(says(text, "stale mean number of updates between"));
    assert_true(says(text, "2.50"));
    free(text);
    result_free(&r);
}

static void json_counts_staleness_exactly_or_not_at_all(void **state)
{
    (void)state;
    result r = known_result();
    r.strategy[1].staleness_mean = 1.5;
    r.strategy[1].fresh_fraction = 0.25;
    r.strategy[1].staleness_sum = (UINT64_C(1) << 53) + 1; /* no double */
    r.strategy[1].in_flight_last = 7;
    r.strategy[0].staleness_mean = NAN;
    json_t *s = strategy_json(&r, 1);
    assert_true(json_integer_value(json_object_get(s, "staleness_sum")) == (INT64_C(1) << 53) + 1);
    assert_int_equal(json_integer_value(json_object_get(s, "in_flight_last")), 7);
    assert_true(number(s, "staleness_mean") == 1.5 && number(s, "fresh_fraction") == 0.25);
    assert_true(number(s, "vectors_per_update") == 4);
    json_decref(s);
    s = strategy_json(&r, 0);
    assert_true(json_is_null(json_object_get(s, "staleness_sum")) &&
                json_is_null(json_object_get(s, "in_flight_last")));
    json_decref(s);
    result_free(&r);
}

/* ---- approximate decodes, tuning, more than a batch ---- */

static void residuals_are_told_of_decodes_that_were_not_exact(void **state)
{
    (void)state;
    result r = known_result();
    r.strategy[0].residual = NAN;
    r.strategy[1].residual = 1e-13;
    char *text = printed(result_print_table, &r);
    assert_false(says(text, "residual of the decode"));
    free(text);
    r.strategy[3].residual = 0.125;
    text = printed(result_print_table, &r);
    assert_true(says(text, "(0: every partition counts once): drop:tau=1 0.125"));
    assert_false(says(text, "fractional,load=2 1e-13"));
    free(text);
    r.strategy[3].amplification = NAN; /* nothing was decoded */
    text = printed(result_print_table, &r);
    assert_false(says(text, "residual of the decode"));
    free(text);
    json_t *s = strategy_json(&r, 3);
    assert_true(number(s, "residual") == 0.125);
    json_decref(s);
    result_free(&r);
}

static void what_was_chosen_is_told(void **state)
{
    (void)state;
    result r = known_result();
    json_t *s = strategy_json(&r, 3);
    assert_true(json_is_null(json_object_get(s, "chosen")));
    json_decref(s);
    char *text = printed(result_print_table, &r);
    assert_false(says(text, "tuned"));
    free(text);
    r.strategy[3].chosen = copy("tau=0.0123");
    text = printed(result_print_table, &r);
    assert_true(says(text, "drop:tau=1 (0.0123) no"));
    assert_true(says(text, "tuned (in parentheses) by time per used sample"));
    assert_false(says(text, "the best that use"));
    free(text);
    r.strategy[1].chosen = copy("load=2,most=6");
    text = printed(result_print_table, &r);
    assert_true(says(text, "load=2 (load=2,most=6)"));
    assert_no_line_is_too_long(text);
    free(text);
    s = strategy_json(&r, 3);
    assert_string_equal(json_string_value(json_object_get(s, "chosen")), "tau=0.0123");
    assert_true(json_is_null(json_object_get(s, "careful")));
    assert_true(json_is_null(json_object_get(s, "careful_price")));
    json_decref(s);
    result_free(&r);
}

static void the_best_that_hardly_drops_stands_beside_the_best(void **state)
{
    (void)state;
    result r = known_result();
    r.strategy[3].chosen = copy("tau=0.0123");
    r.strategy[3].careful = copy("tau=0.02");
    r.strategy[3].careful_price = 1.25;
    char *text = printed(result_print_table, &r);
    assert_true(says(text, "the best that use .9 of a batch: drop:tau=1 tau=0.02 (1.25 times the time)"));
    assert_false(says(text, "the time);"));
    free(text);
    r.strategy[1].chosen = copy("load=1");
    r.strategy[1].careful = copy("load=2");
    r.strategy[1].careful_price = 2;
    text = printed(result_print_table, &r);
    assert_true(says(text, "load=2 (2.00 times the time); drop:tau=1 tau=0.02 (1.25 times the time)"));
    free(text);
    json_t *s = strategy_json(&r, 3);
    assert_string_equal(json_string_value(json_object_get(s, "careful")), "tau=0.02");
    assert_float_equal(json_real_value(json_object_get(s, "careful_price")), 1.25, 0);
    json_decref(s);
    result_free(&r);
}

static void a_gradient_far_off_is_told_in_lengths(void **state)
{
    (void)state;
    result r = known_result();
    r.strategy[3].gradient_error = 9.99;
    char *text = printed(result_print_reading, &r);
    assert_true(says(text, "was off by up to 999 %"));
    free(text);
    r.strategy[3].gradient_error = 12.75;
    text = printed(result_print_reading, &r);
    assert_true(says(text, "was off by up to 12.8 times its length"));
    free(text);
    result_free(&r);
}

/* Four batches of samples in a round of 1 s: 0.25 s a batch, and nothing was dropped. */
static void more_samples_than_a_batch_make_a_batch_cheaper(void **state)
{
    (void)state;
    result r = known_result();
    r.strategy[3].used_fraction = 4;
    r.strategy[3].least_worker_share = 1.5;
    result_figures f = result_derive(&r, 3);
    assert_true(fabs(f.effective_round_s - 0.25) < 1e-15 && fabs(f.speedup_effective - 16) < 1e-12);
    char *table = printed(result_print_table, &r), *text = printed(result_print_reading, &r);
    assert_true(says(table, "400.0"));
    assert_true(says(text, "drop:tau=1: 250 ms a batch, 16.00 times as fast as sync"));
    assert_true(says(text, "4 times the batch's samples were used and 1.5 times the worst-served shard's"));
    assert_false(says(text, "400 %"));
    free(table);
    free(text);
    result_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_gap_is_that_of_the_class_furthest_above_sync),
        cmocka_unit_test(json_tells_the_losses_by_class),
        cmocka_unit_test(bias_is_one_sentence_where_it_is_large),
        cmocka_unit_test(gaps_have_a_column_where_somebody_has_one),
        cmocka_unit_test(staleness_has_a_column_where_somebody_is_stale),
        cmocka_unit_test(json_counts_staleness_exactly_or_not_at_all),
        cmocka_unit_test(residuals_are_told_of_decodes_that_were_not_exact),
        cmocka_unit_test(what_was_chosen_is_told),
        cmocka_unit_test(the_best_that_hardly_drops_stands_beside_the_best),
        cmocka_unit_test(a_gradient_far_off_is_told_in_lengths),
        cmocka_unit_test(more_samples_than_a_batch_make_a_batch_cheaper),
    };
    return cmocka_run_group_tests_name("bias and staleness", tests, NULL, NULL);
}

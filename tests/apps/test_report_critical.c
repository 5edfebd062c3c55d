/* test_report_critical.c - laws of how critical parameters are shown.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "sample_result.h"

#include <jansson.h>
#include <stdio.h>

static result_critical *known_critical(double in_flight)
{
    result_critical *c = calloc(1, sizeof *c);
    assert_non_null(c);
    c->estimates = (gdc_critical_estimates){.size = sizeof c->estimates,
                                            .updates = 40,
                                            .levels = 4,
                                            .gradient2 = {.5, .4, .6},
                                            .noise = {13.5, 13, 14},
                                            .ratio = {27, 24, 30},
                                            .m = {3, 2, 4},
                                            .sigma2 = {12, 11, 13},
                                            .m_variance = .25,
                                            .sigma2_variance = 1,
                                            .covariance = -.3};
    c->setting = (gdc_critical_setting){.batch = in_flight, .mini_batch = 4};
    c->advice.size = sizeof c->advice;
    assert_int_equal(gdc_critical_advise(&c->estimates, &c->setting, &c->advice), GDC_OK);
    return c;
}

static void assert_says(const char *text, const char *words)
{
    if (strstr(text, words) == NULL)
        fail_msg("'%s' is not in:\n%s", words, text);
}

static void assert_narrow(const char *text)
{
    for (const char *line = text; *line != '\0'; line += strcspn(line, "\n") + 1) {
        size_t length = strcspn(line, "\n");
        assert_true(length <= 100);
        assert_true(length == 0 || line[length - 1] != ' ');
    }
}

/* The known result with its first strategy alone. */
static result single(void)
{
    result r = known_result();
    while (r.strategies > 1) {
        result_strategy *last = &r.strategy[--r.strategies];
        free(last->spec);
        free(last->round);
    }
    return r;
}

static void one_strategy_is_told_at_length(void **state)
{
    (void)state;
    result r = single();
    r.rate = .1;
    r.strategy[0].critical = known_critical(10);
    char *text = printed(result_print_critical, &r);
    assert_narrow(text);
    assert_says(text, "  |G|^2      0.5       (0.4 to 0.6) ");
    assert_says(text, "  M          3         (2 to 4) ");
    assert_says(text, "  batch      27        (24 to 30) ");
    assert_says(text, "more costs nothing yet");
    assert_says(text, "  staleness  1.7 ");
    assert_says(text, "  workers    6 ");
    assert_says(text, "  step size  1.15 / L "); /* 1.5 / 1.3 */
    assert_says(text, "L <= 11.5");
    free(text);
    free(r.strategy[0].critical);
    r.strategy[0].critical = known_critical(100);
    r.momentum = .9;
    text = printed(result_print_critical, &r);
    assert_says(text, "more buys little");
    assert_says(text, "  staleness  0 ");
    assert_says(text, "L <= 1.46"); /* 1.5 / 1.03, and a step of .1 / (1 - .9) */
    free(text);
    result_free(&r);
}

static void what_is_not_known_is_said(void **state)
{
    (void)state;
    result r = single();
    result_critical *c = r.strategy[0].critical = known_critical(10);
    c->estimates.m = (gdc_interval){NAN, 0, 30};
    c->estimates.sigma2 = (gdc_interval){NAN, 0, INFINITY};
    char *text = printed(result_print_critical, &r);
    assert_narrow(text);
    assert_says(text, "  M          -         (0 to 30) ");
    assert_says(text, "  sigma^2    -         (0 or more) ");
    assert_says(text, "one level");
    free(text);
    c->estimates.updates = 0;
    text = printed(result_print_critical, &r);
    assert_says(text, "No update showed noise");
    assert_null(strstr(text, "sigma"));
    free(text);
    result_free(&r);
}

static void several_are_a_note_each(void **state)
{
    (void)state;
    result r = known_result();
    for (int i = 0; i < 3; i++)
        r.strategy[i].critical = known_critical(10 * (i + 1));
    r.strategy[0].critical->advice.batch.value = NAN; /* cannot tell by itself */
    char *text = printed(result_print_table, &r), *none = printed(result_print_critical, &r);
    char words[200];
    assert_narrow(text);
    assert_string_equal(none, "");
    snprintf(words, sizeof words, "%s: 20 samples, useful up to 27 (24 to 30)\n", r.strategy[1].spec);
    assert_says(text, words);
    snprintf(words, sizeof words, "%s: 10 samples, useful up to 27 (24 to 30) by %s\n", r.strategy[0].spec,
             r.strategy[1].spec);
    assert_says(text, words);
    free(none);
    free(text);
    result_free(&r);
}

static void nothing_is_shown_unasked(void **state)
{
    (void)state;
    result r = single();
    char *text = printed(result_print_critical, &r), *table = printed(result_print_table, &r);
    assert_string_equal(text, "");
    assert_null(strstr(table, "in flight"));
    free(text);
    free(table);
    result_free(&r);
}

static void json_has_it_with_null_for_the_unknown(void **state)
{
    (void)state;
    result r = known_result();
    r.strategy[1].critical = known_critical(10);
    r.strategy[1].critical->estimates.m.value = NAN;
    char *text = result_to_json(&r);
    json_t *json = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(json);
    const json_t *list = json_object_get(json, "strategies");
    assert_true(json_is_null(json_object_get(json_array_get(list, 0), "critical")));
    const json_t *c = json_object_get(json_array_get(list, 1), "critical");
    assert_int_equal(json_integer_value(json_object_get(c, "updates")), 40);
    assert_true(json_is_null(json_object_get(json_object_get(c, "m"), "value")));
    assert_true(json_real_value(json_object_get(json_object_get(c, "m"), "high")) == 4);
    assert_true(json_real_value(json_object_get(json_object_get(c, "batch"), "value")) == 27);
    assert_true(json_real_value(json_object_get(c, "samples_in_flight")) == 10);
    assert_true(json_real_value(json_object_get(c, "largest_workers")) == 6);
    json_decref(json);
    free(text);
    result_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_strategy_is_told_at_length),
        cmocka_unit_test(what_is_not_known_is_said),
        cmocka_unit_test(several_are_a_note_each),
        cmocka_unit_test(nothing_is_shown_unasked),
        cmocka_unit_test(json_has_it_with_null_for_the_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_report_many.c - laws of the report for many strategies: it stays readable, and tells once what they have in common.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "report/parts.h"
#include "sample_result.h"

enum { MANY = 24 };

static const char *const long_specs[] = {
    "gc:code=mmc,load=4,clusters=4,orders=2+4",
    "adasync:base=k-batch-async,k0=4,every=2,rule=sqrt",
    "gc:code=uncoded,load=3,place=random,walk=two-ended,message=1",
    "drop:tau=auto,norm=by-kept,resample=batch",
};

/* sync, then so many whose specs are long and numbered; every third promises nothing. */
static result many_results(void)
{
    result r = known_result();
    for (int i = 1; i < r.strategies; i++) {
        free(r.strategy[i].spec);
        free(r.strategy[i].round);
    }
    r.strategies = MANY;
    r.strategy = realloc(r.strategy, MANY * sizeof *r.strategy);
    assert_non_null(r.strategy);
    for (int i = 1; i < MANY; i++) {
        char spec[100];
        snprintf(spec, sizeof spec, "%s,seed=%d", long_specs[i % 4], i);
        set_strategy(&r.strategy[i], spec, i % 3 != 0, i % 3 != 0 ? 1 : 0.5, 3 + 0.01 * i, 4);
        r.strategy[i].gradient_error = i % 3 != 0 ? 1e-15 : 0.01 * i;
        r.strategy[i].loss_final = 0.5 + 0.01 * i;
        r.strategy[i].load = i % 3 != 0 ? 2 : 1;
    }
    return r;
}

static int lines(const char *text)
{
    int count = 0;
    for (; (text = strchr(text, '\n')) != NULL; text++)
        count++;
    return count;
}

static int count_of(const char *text, const char *word)
{
    int count = 0;
    for (; (text = strstr(text, word)) != NULL; text++)
        count++;
    return count;
}

static void a_page_holds_what_is_read_of_many_strategies(void **state)
{
    (void)state;
    result r = many_results();
    char *table = printed(result_print_table, &r), *reading = printed(result_print_reading, &r);
    assert_no_line_is_too_long(table);
    assert_no_line_is_too_long(reading);
    assert_in_range(lines(table), MANY, 4 + 3 * MANY + 24);
    assert_in_range(lines(reading), 8, 24);
    assert_true(says(reading, "The gradient was exact (error at most 1e-15) with all 17 that promise it."));
    assert_true(says(reading, "With 7 that do not promise it the gradient was off by up to 3 % ("));
    assert_true(says(reading, ") to 21 % ("));
    assert_true(says(reading, "the loss was lowest:"));
    assert_true(says(table, "2 times the data: "));
    assert_true(says(table, "and 15 more; all others once"));
    free(table);
    free(reading);
    result_free(&r);
}

static void a_broken_promise_is_named_however_many_there_are(void **state)
{
    (void)state;
    result r = many_results();
    r.strategy[7].gradient_error = 0.04;
    char *reading = printed(result_print_reading, &r);
    assert_true(says(reading, "seed=7 the gradient was off by up to 4 %, although it promises the exact one"));
    assert_false(says(reading, "that promise it."));
    assert_true(says(reading, "and 13 more."));
    free(reading);
    result_free(&r);
}

/* A kill on the virtual clock strikes every strategy alike; one met it later. */
static void what_befell_many_alike_is_told_once(void **state)
{
    (void)state;
    result r = many_results();
    for (int i = 0; i < MANY; i++) {
        add_loss(&r.strategy[i], (result_lost){3, i == 5 ? 9 : 7, "dead", false});
        r.strategy[i].note = copy("cannot drop");
        r.strategy[i].worker = calloc(8, sizeof *r.strategy[i].worker);
        assert_non_null(r.strategy[i].worker);
        r.strategy[i].worker[2].erased = 1;
    }
    char *table = printed(result_print_table, &r);
    assert_int_equal(count_of(table, "  lost  "), 2);
    assert_true(says(table, "and 20 more: worker 3 dead in round 7"));
    assert_true(says(table, "seed=5: worker 3 dead in round 9"));
    assert_int_equal(count_of(table, "  erased  "), 1);
    assert_true(says(table, "and 21 more: worker 2 (1 vector)"));
    assert_int_equal(count_of(table, "  strategy  "), 1);
    assert_true(says(table, "and 21 more: cannot drop"));
    free(table);
    result_free(&r);
}

/* Where the i-th curve's look is, in the script. */
static void look_of(const char *script, int i, int *colour, int *dash)
{
    for (script = strstr(script, "\nplot "); i >= 0; i--) {
        script = strstr(script, " linetype ");
        assert_non_null(script);
        script += strlen(" linetype ");
    }
    assert_int_equal(sscanf(script, "%d dashtype %d", colour, dash), 2);
}

static void every_curve_has_a_look_of_its_own(void **state)
{
    (void)state;
    result r = many_results();
    char *script = printed(report_times_plot, &r);
    assert_int_equal(count_of(script, "'rounds.csv'"), MANY);
    for (int i = 0; i < MANY; i++)
        for (int j = 0; j < i; j++) {
            int colour[2], dash[2];
            look_of(script, i, &colour[0], &dash[0]);
            look_of(script, j, &colour[1], &dash[1]);
            assert_true(colour[0] != colour[1] || dash[0] != dash[1]);
        }
    assert_non_null(strstr(script, "set key outside"));
    free(script);
    for (int i = 4; i < MANY; i++)
        r.strategy[i].rounds_completed = 0;
    script = printed(report_times_plot, &r);
    assert_non_null(strstr(script, "set key below"));
    free(script);
    result_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_page_holds_what_is_read_of_many_strategies),
        cmocka_unit_test(a_broken_promise_is_named_however_many_there_are),
        cmocka_unit_test(what_befell_many_alike_is_told_once),
        cmocka_unit_test(every_curve_has_a_look_of_its_own),
    };
    return cmocka_run_group_tests_name("report of many", tests, NULL, NULL);
}

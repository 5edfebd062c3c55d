/* test_report.c - laws of the report that is read: derived figures, table, sentences.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "sample_result.h"

#include <stdio.h>

/* ---- derived figures ---- */

static void assert_near(double x, double wanted, double tolerance)
{
    if (!(fabs(x - wanted) <= tolerance))
        fail_msg("%.17g is not %.17g", x, wanted);
}

static void derived_figures_are_those_computed_by_hand(void **state)
{
    (void)state;
    result r = known_result();
    result_figures sync = result_derive(&r, 0), drop = result_derive(&r, 3), gc = result_derive(&r, 1);
    assert_near(sync.mean, 4, 1e-12);
    assert_near(sync.p50, 4, 1e-12);
    assert_near(sync.p99, 4.98, 1e-12);
    assert_near(sync.min, 3, 0);
    assert_near(sync.max, 5, 0);
    assert_near(sync.ci95, 12.7062, 1e-3); /* t(1; .975) * sd / sqrt(2) = 12.7062 * 1 */
    assert_near(sync.overhead_s, 3.5, 1e-12);
    assert_near(gc.speedup_vs_sync, 2, 1e-12);
    assert_near(gc.speedup_vs_waiting, 2.5, 1e-12);
    assert_near(drop.effective_round_s, 2, 1e-12);
    assert_near(drop.speedup_vs_sync, 4, 1e-12);
    assert_near(drop.speedup_effective, 2, 1e-12);
    assert_near(drop.speedup_effective_vs_waiting, 2.5, 1e-12);
    result_free(&r);
}

static void a_strategy_that_failed_has_no_speedup_and_is_no_baseline(void **state)
{
    (void)state;
    result r = known_result();
    set_error(&r.strategy[0], "worker 3 lost");
    assert_int_equal(result_baseline(&r, true), -1);
    assert_int_equal(result_baseline(&r, false), 2);
    assert_true(isnan(result_derive(&r, 0).speedup_vs_waiting));
    assert_true(isnan(result_derive(&r, 1).speedup_effective));
    assert_near(result_derive(&r, 1).speedup_effective_vs_waiting, 2.5, 1e-12);
    result_free(&r);
}

static void only_uncoded_without_redundancy_waits_for_all(void **state)
{
    (void)state;
    result r = known_result();
    free(r.strategy[2].spec);
    r.strategy[2].spec = copy("gc:code=uncoded,load=2");
    assert_int_equal(result_baseline(&r, false), -1);
    free(r.strategy[2].spec);
    r.strategy[2].spec = copy("gc:load=1,code=uncoded");
    assert_int_equal(result_baseline(&r, false), 2);
    result_free(&r);
}

static void no_round_means_nothing_is_known(void **state)
{
    (void)state;
    result r = known_result();
    r.strategy[1].rounds_completed = 0;
    result_figures f = result_derive(&r, 1);
    assert_true(isnan(f.mean) && isnan(f.ci95) && isnan(f.p99) && isnan(f.speedup_effective));
    result_free(&r);
}

/* ---- the table ---- */

static const char *line_of(const char *text, const char *beginning)
{
    for (const char *line = text; line != NULL; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, beginning, strlen(beginning)) == 0)
            return line;
    }
    return NULL;
}

static void rows_are_sorted_by_effective_speedup_and_failures_are_last(void **state)
{
    (void)state;
    result r = known_result();
    r.strategy[3].used_fraction = 0.22; /* effective 4.5: behind sync though its rounds are the shortest */
    set_error(&r.strategy[1], "worker 3 lost in round 1");
    char *text = printed(result_print_table, &r);
    const char *sync = line_of(text, "sync"), *drop = line_of(text, "drop:tau=1"),
               *waiting = line_of(text, "gc:code=uncoded"), *failed = line_of(text, "gc:code=fractional");
    assert_true(sync != NULL && drop != NULL && waiting != NULL && failed != NULL);
    assert_true(sync < drop && drop < waiting && waiting < failed);
    assert_true(says(failed, "failed after 2 of 2 rounds: worker 3 lost in round 1"));
    free(text);
    result_free(&r);
}

static void rows_are_as_long_as_the_rule_under_the_header(void **state)
{
    (void)state;
    result r = known_result();
    r.strategy[1].gradient_error = NAN;
    char *text = printed(result_print_table, &r);
    size_t rule = strcspn(line_of(text, "-----"), "\n");
    const char *rows[] = {"strategy", "sync", "gc:code=fractional", "gc:code=uncoded", "drop"};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_int_equal(strcspn(line_of(text, rows[i]), "\n"), rule);
    free(text);
    result_free(&r);
}

static void columns_of_unknown_figures_are_left_out(void **state)
{
    (void)state;
    result r = known_result();
    for (int i = 0; i < r.strategies; i++)
        r.strategy[i].gradient_error = NAN;
    char *text = printed(result_print_table, &r);
    assert_false(says(text, "gradient"));
    assert_false(says(text, "nan"));
    assert_true(says(text, "loss"));
    free(text);
    result_free(&r);
}

static void communication_is_called_free_only_where_it_is(void **state)
{
    (void)state;
    result r = known_result();
    char *text = printed(result_print_table, &r);
    assert_true(says(text, "communication free"));
    free(text);
    r.latency_s = 0.001;
    text = printed(result_print_table, &r);
    assert_false(says(text, "communication free"));
    assert_true(says(text, "0.001 s latency"));
    free(text);
    strcpy(r.clock, "mpi");
    text = printed(result_print_table, &r);
    assert_false(says(text, "communication"));
    free(text);
    result_free(&r);
}

static void notes_name_baselines_memory_and_losses(void **state)
{
    (void)state;
    result r = known_result();
    add_loss(&r.strategy[1], (result_lost){3, 20, "stopped", true});
    add_loss(&r.strategy[1], (result_lost){5, -1, "silent", false});
    add_loss(&r.strategy[1], (result_lost){7, 20, "stopped", true});
    char *text = printed(result_print_table, &r);
    assert_true(says(text, "against sync, a plain all-reduce, and gc:code=uncoded"));
    assert_non_null(strstr(text, "2 times the data: gc:code=fractional,load=2; all others once"));
    assert_true(says(text, "gc:code=fractional,load=2: worker 3 and 7 stopped in round 20 (came back)"));
    assert_true(says(text, "gc:code=fractional,load=2: worker 5 silent in the warm-up"));
    assert_true(says(text, "12.5 % of the workers' piece time was real computation"));
    free(text);
    result_free(&r);
}

static void no_overhead_is_told_where_the_ideal_knows_no_faults(void **state)
{
    (void)state;
    result r = known_result();
    char *text = printed(result_print_table, &r);
    assert_true(says(text, "T^c 500 to 4.5e+03 ms"));
    assert_false(says(text, "below 0"));
    free(text);
    r.strategy[3].ideal_round_s = 1.5;
    text = printed(result_print_table, &r);
    assert_true(says(text, "T^c -500 to 4.5e+03 ms"));
    assert_true(says(text, "below 0: the rounds were shorter than by their delays alone"));
    free(text);
    r.faults = 1;
    text = printed(result_print_table, &r);
    assert_false(says(text, "T^c"));
    free(text);
    text = printed(result_print_reading, &r);
    assert_false(says(text, "By its delays alone"));
    free(text);
    result_free(&r);
}

static void notes_tell_what_a_spec_does_not(void **state)
{
    (void)state;
    result r = known_result();
    char *text = printed(result_print_table, &r);
    assert_false(says(text, "drawn by --seed"));
    assert_false(says(text, "erased"));
    free(text);
    free(r.delay[0]);
    r.delay[0] = copy("slow:workers=2,factor=3");
    r.strategy[3].note = copy("cannot drop");
    r.strategy[1].worker = calloc(8, sizeof *r.strategy[1].worker);
    r.strategy[1].worker[1].erased = 1;
    r.strategy[1].worker[4].erased = 3;
    text = printed(result_print_table, &r);
    assert_true(says(text, "slow:workers=2,factor=3: the workers are drawn by --seed; which= names them"));
    assert_true(says(text, "strategy drop:tau=1 cannot drop"));
    assert_true(says(text, "erased gc:code=fractional,load=2: worker 1 (1 vector), worker 4 (3 vectors)"));
    free(text);
    strcpy(r.delay[0], "slow:which=2,factor=3");
    text = printed(result_print_table, &r);
    assert_false(says(text, "drawn by --seed"));
    free(text);
    result_free(&r);
}

/* ---- the reading ---- */

static void reading_follows_the_figures(void **state)
{
    (void)state;
    result r = known_result();
    r.strategy[3].used_fraction = 0.4;
    char *text = printed(result_print_reading, &r);
    assert_true(says(text, "Fastest was gc:code=fractional,load=2: 2 s a batch, 2.00 times as fast as sync"));
    assert_true(says(text, "off by up to 25 %: 40 % of the batch's samples were used"));
    free(text);
    r.strategy[3].used_fraction = 1;
    text = printed(result_print_reading, &r);
    assert_true(says(text,
                     "Fastest was drop:tau=1, but its gradient was off by up to 25 %; fastest with the exact one was "
                     "gc:code=fractional,load=2."));
    assert_true(says(text, "drop:tau=1: 1 s a batch, 4.00 times as fast as sync"));
    assert_true(says(text, "gc:code=fractional,load=2: 2 s a batch, 2.00 times as fast as sync"));
    free(text);
    r.strategy[3].gradient_error = NAN;
    text = printed(result_print_reading, &r);
    assert_true(says(text, "Fastest was drop:tau=1, but it does not promise the exact gradient; fastest with"));
    free(text);
    result_free(&r);
}

static void reading_leads_with_who_reached_the_target(void **state)
{
    (void)state;
    result r = known_result();
    r.target_loss = 0.5;
    r.strategy[0].time_to_target_s = 3;
    r.strategy[1].time_to_target_s = 2;
    char *text = printed(result_print_reading, &r);
    assert_true(
        says(text, "- gc:code=fractional,load=2 was first at the target loss of 0.5, after 2 s. - Fastest was"));
    free(text);
    result_free(&r);
}

/* In the sample a round that starts at t has the loss 2 - t where it is known, which is in every other round.
 */
static void reading_compares_losses_at_one_time(void **state)
{
    (void)state;
    result r = known_result();
    r.strategy[0].round[1].loss = 0.625;
    char *text = printed(result_print_reading, &r);
    assert_true(says(text, "After 2 s, when drop:tau=1 had done its rounds, the loss was"));
    assert_true(says(text, "0.75 with drop:tau=1"));
    assert_true(says(text, "2 with sync"));
    free(text);
    r.strategy[0].round[1].start_s = 1.5;
    text = printed(result_print_reading, &r);
    assert_true(says(text, "0.625 with sync"));
    free(text);
    result_free(&r);
}

static void reading_calls_no_gradient_exact_that_was_not(void **state)
{
    (void)state;
    result r = known_result();
    r.strategy[1].gradient_error = 0.03;
    char *text = printed(result_print_reading, &r);
    assert_true(says(text, "3 %, although it promises the exact one"));
    free(text);
    for (int i = 0; i < r.strategies; i++)
        r.strategy[i].gradient_error = NAN;
    text = printed(result_print_reading, &r);
    assert_false(says(text, "gradient was"));
    free(text);
    result_free(&r);
}

static void no_line_is_longer_than_the_page_whatever_the_result(void **state)
{
    (void)state;
    print_message("seed %llu\n", (unsigned long long)seed());
    for (uint64_t i = 0; i < 2000; i++) {
        result r = odd_result(i);
        char *table = printed(result_print_table, &r), *reading = printed(result_print_reading, &r);
        assert_no_line_is_too_long(table);
        assert_no_line_is_too_long(reading);
        assert_null(strstr(reading, "nan "));
        free(table);
        free(reading);
        result_free(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derived_figures_are_those_computed_by_hand),
        cmocka_unit_test(a_strategy_that_failed_has_no_speedup_and_is_no_baseline),
        cmocka_unit_test(only_uncoded_without_redundancy_waits_for_all),
        cmocka_unit_test(no_round_means_nothing_is_known),
        cmocka_unit_test(rows_are_sorted_by_effective_speedup_and_failures_are_last),
        cmocka_unit_test(rows_are_as_long_as_the_rule_under_the_header),
        cmocka_unit_test(columns_of_unknown_figures_are_left_out),
        cmocka_unit_test(communication_is_called_free_only_where_it_is),
        cmocka_unit_test(notes_name_baselines_memory_and_losses),
        cmocka_unit_test(reading_follows_the_figures),
        cmocka_unit_test(reading_leads_with_who_reached_the_target),
        cmocka_unit_test(no_overhead_is_told_where_the_ideal_knows_no_faults),
        cmocka_unit_test(notes_tell_what_a_spec_does_not),
        cmocka_unit_test(reading_compares_losses_at_one_time),
        cmocka_unit_test(reading_calls_no_gradient_exact_that_was_not),
        cmocka_unit_test(no_line_is_longer_than_the_page_whatever_the_result),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_dynamic_table.c - 64 workers, 12 pieces per shard, seven kinds of delays: mean round times of the dynamic strategy and of
 * those that it is compared with, against reference values from independent programs. Timing only; running pieces are carried
 * over into the next round.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A mean is accepted within 2 % and twice the two half-widths together (95 %, 20 batches of consecutive rounds). The references are
 * means of 2,000 rounds; where their half-width is not known it is taken to be that of so many rounds here. 100 rounds; all 2,000
 * with GDC_TEST_FULL=1. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gradcode/round.h"
#include "gradcode/statistics.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { WORKERS = 64, PIECES = 12, REFERENCE_ROUNDS = 2000, FEW_ROUNDS = 100, BATCHES = 20, CELLS = 9 };

/* %g: typical time of a piece, or the threshold of dropping that is best on this delay. */
static const char *const strategies[CELLS] = {
    "sync",
    "drop:tau=%g",
    "gc:code=fractional,load=2,permute=0",
    "gc:code=uncoded,load=3,message=1,permute=0",
    "gc:code=uncoded,load=3,message=1,permute=0,walk=two-ended",
    "dynamic:load=2,permute=0,nominal=%g",
    "dynamic:load=3,permute=0,nominal=%g",
    "dynamic:load=4,permute=0,nominal=%g",
    "dynamic:load=64,permute=0,nominal=%g",
};
enum { SYNC, DROP, FRC, DYNAMIC_2 = 5, DYNAMIC_N = 8 };

typedef struct row {
    const char *delay[3];
    double nominal, tau;
    double reference[CELLS]; /* seconds per round; DROP: per round's worth of used samples */
    double half_width[CELLS];
    double vectors; /* dynamic: per worker and round at most */
} row;

static const row rows[] = {
    {{"lognormal:mu=1"}, 1.5, 16, {24.5, 21.3, 39.3, 25.6, 23.1, 22.1, 21.3, 21.0, 20.5}, {0}, 3.5},
    {{"none:piece=1", "jitter:sd=.05", "burst:p=.05,factor=10"},
     1.05,
     9.6,
     {121.8, 13.5, 43.6, 28.3, 26.5, 32.0, 20.6, 17.9, 14.8},
     {[FRC] = 2.4, [DYNAMIC_2] = 1.1},
     3.5},
    {{"none:piece=1", "jitter:sd=.05", "slow:workers=1,factor=10"},
     1.05,
     9.6,
     {124.8, 13.0, 25.1, 26.0, 24.6, 23.7, 18.8, 16.9, 13.8},
     {0},
     3.5},
    {{"none:piece=1", "jitter:sd=.05", "spread:mean=1"},
     2.0,
     13.5,
     {71.3, 25.9, 76.0, 53.4, 43.7, 41.1, 32.8, 29.0, 23.0},
     {[DYNAMIC_2] = .34},
     3.5},
    {{"none:piece=1", "jitter:sd=.05", "stall:p=.0041667,extra=200"},
     1.05,
     13,
     {218.4, 206.3, 118.3, 92.5, 89.2, 99.7, 56.8, 40.9, 23.4},
     {[DYNAMIC_2] = 3.4, 1.9, 1.3, .3},
     6},
    {{"none:piece=1", "jitter:sd=.05", "gilbert:in=.03,out=.3,factor=5"},
     1.05,
     10,
     {62.9, 13.9, 48.1, 31.5, 27.7, 30.9, 21.4, 18.5, 15.5},
     {[FRC] = 2.7, [DYNAMIC_2] = .8},
     3.5},
    {{"pareto:alpha=2,min=.5"},
     1.05,
     12,
     {35.8, 30.7, 29.7, 26.4, 23.4, 22.1, 18.2, 16.6, 14.6},
     {[SYNC] = 1.6, [DROP] = 1.3},
     3.5},
};
enum { ROWS = sizeof rows / sizeof *rows };

typedef struct cell {
    double mean, half_width, vectors, work; /* work: pieces finished by anyone / pieces needed */
} cell;

static cell measure(const char *const *delays, const char *strategy, int workers, int rounds)
{
    static double round_s[REFERENCE_ROUNDS];
    gdc_options options;
    gdc_delay *delay;
    gdc_engine *engine;
    double used = 0;
    cell x = {0};
    gdc_options_init(&options);
    options.strategy = strategy;
    options.partitions = PIECES;
    assert_int_equal(gdc_delay_create(delays, delays[1] ? 3 : 1, 2026, workers, PIECES, &delay), GDC_OK);
    options.delay = delay;
    if (gdc_open_virtual(&options, workers, NULL, NULL, &engine) != GDC_OK)
        fail_msg("%s: %s", strategy, gdc_last_error());
    for (int i = 0; i < rounds; i++) {
        gdc_round round = {.size = sizeof round};
        assert_int_equal(gdc_gradient(engine, NULL, NULL, &round), GDC_OK);
        round_s[i] = round.ended_s - round.began_s;
        x.vectors += (double)round.messages / rounds / workers;
        used += round.used / rounds;
    }
    for (int w = 0; w < workers; w++) {
        gdc_worker_stats stats = {.size = sizeof stats};
        assert_int_equal(gdc_stats(engine, w, &stats), GDC_OK);
        x.work += (double)stats.pieces / rounds / workers / PIECES;
    }
    x.mean = gdc_mean(round_s, (size_t)rounds) / used;
    x.half_width = gdc_batch_half_width(round_s, (size_t)rounds, BATCHES) / used;
    gdc_close(engine, NULL);
    gdc_delay_destroy(delay);
    return x;
}

/* h: of the reference; 0: not known. */
static cell expect(const char *const *delays, const char *strategy, int workers, int rounds, double reference, double h)
{
    cell x = measure(delays, strategy, workers, rounds);
    if (h == 0)
        h = x.half_width * sqrt((double)rounds / REFERENCE_ROUNDS);
    double allowed = .02 * reference + 2 * sqrt(x.half_width * x.half_width + h * h);
    bool accepted = fabs(x.mean - reference) <= allowed;
    print_message("%4d %-30s %-57s %7.2f +- %5.2f s (reference %5.1f)  %5.2f vectors, work %.3f%s\n", workers,
                  delays[2] ? delays[2] : delays[0], strategy, x.mean, x.half_width, reference, x.vectors, x.work,
                  accepted ? "" : "  OFF");
    assert_true(accepted);
    return x;
}

static int rounds_here(void)
{
    return getenv("GDC_TEST_FULL") ? REFERENCE_ROUNDS : FEW_ROUNDS;
}

static void mean_times_are_those_of_the_references(void **state)
{
    (void)state;
    for (const row *r = rows; r < rows + ROWS; r++)
        for (int c = 0; c < CELLS; c++) {
            char strategy[128];
            snprintf(strategy, sizeof strategy, strategies[c], c == DROP ? r->tau : r->nominal);
            cell x = expect(r->delay, strategy, WORKERS, rounds_here(), r->reference[c], r->half_width[c]);
            bool is_dynamic = c >= DYNAMIC_2;
            assert_true(!is_dynamic || (x.vectors >= 1 && x.vectors <= r->vectors));
            assert_true(!is_dynamic || x.work < (c < DYNAMIC_N ? 1.075 : 1.105));
        }
}

/* What it costs to report less, to hold nothing apart, and what the running median does. */
static void details_of_the_protocol_cost_what_they_should(void **state)
{
    int rounds = rounds_here();
    (void)state;
    expect(rows[0].delay, "dynamic:load=3,permute=0,nominal=1.5,progress=0", WORKERS, rounds, 21.5, 0);
    expect(rows[2].delay, "dynamic:load=3,permute=0,nominal=1.05,progress=0", WORKERS, rounds, 19.03, 0);
    expect(rows[0].delay, "dynamic:load=3,permute=0,nominal=1.5,pool=0", WORKERS, rounds, 24.2, 0);
    expect(rows[0].delay, "dynamic:load=3,permute=0,nominal=1.5,pool=32", WORKERS, rounds, 21.3, 0);
    expect(rows[6].delay, "dynamic:load=64,permute=0", WORKERS, rounds, 14.2, 0);
}

/* Helping before one's own is done closes most of the gap to holding everything, at the price of more vectors. */
static void helping_early_closes_most_of_the_gap(void **state)
{
    (void)state;
    int rounds = rounds_here();
    double all = rows[2].reference[DYNAMIC_N];
    for (int load = 3; load <= 4; load++) {
        char strategy[128];
        snprintf(strategy, sizeof strategy, "dynamic:load=%d,permute=0,nominal=1.05,early=2", load);
        cell x = measure(rows[2].delay, strategy, WORKERS, rounds);
        double closed =
            (rows[2].reference[DYNAMIC_2 + load - 2] - x.mean) / (rows[2].reference[DYNAMIC_2 + load - 2] - all);
        print_message("%s: %.2f s, %.0f %% of the gap\n", strategy, x.mean, 100 * closed);
        assert_true(closed > .5 && closed < .9);
    }
    cell plain = measure(rows[0].delay, "dynamic:load=3,permute=0,nominal=1.5", WORKERS, rounds);
    cell early = measure(rows[0].delay, "dynamic:load=3,permute=0,nominal=1.5,early=2", WORKERS, rounds);
    assert_true(early.vectors > 1.5 * plain.vectors && early.vectors < 2.5 * plain.vectors);
}

static void larger_numbers_of_workers_are_as_the_references(void **state)
{
    static const double reference[3][4] = {
        {17.0, 20.6, 24.3, 29.7}, {15.6, 17.9, 19.6, 21.3}, {14.2, 14.8, 15.2, 15.4}};
    (void)state;
    for (int i = 0, workers = 16; i < 4; i++, workers *= 4)
        for (int r = 0; r < 3; r++) {
            char strategy[128];
            int rounds = getenv("GDC_TEST_FULL") ? 400 : 20;
            snprintf(strategy, sizeof strategy, "dynamic:load=%d,permute=0,nominal=1.05", r < 2 ? 3 + r : workers);
            expect(rows[1].delay, strategy, workers, rounds, reference[r][i], 0);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mean_times_are_those_of_the_references),
        cmocka_unit_test(details_of_the_protocol_cost_what_they_should),
        cmocka_unit_test(helping_early_closes_most_of_the_gap),
        cmocka_unit_test(larger_numbers_of_workers_are_as_the_references),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

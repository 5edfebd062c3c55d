/* test_dynamic_time.c - laws of the dynamic strategy on the virtual clock: time on every path, economy, bits.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gradcode/draw.h"
#include "support/exactness.h"
#include "support/virtual_bench.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static gdc_engine *open_timing(const char *strategy, int workers, int partitions, const gdc_delay *delay, double poll_s)
{
    gdc_engine *engine;
    gdc_options options;
    gdc_options_init(&options);
    options.strategy = strategy;
    options.partitions = partitions;
    options.delay = delay;
    options.poll_s = poll_s;
    if (gdc_open_virtual(&options, workers, NULL, NULL, &engine) != GDC_OK)
        fail_msg("%s: %s", strategy, gdc_last_error());
    return engine;
}

static gdc_delay *open_delay(const char *const *specs, int count, uint64_t seed, int workers, int partitions)
{
    gdc_delay *delay;
    if (gdc_delay_create(specs, count, seed, workers, partitions, &delay) != GDC_OK)
        fail_msg("%s", gdc_last_error());
    return delay;
}

static double round_s(gdc_engine *engine)
{
    gdc_round round = {.size = sizeof round};
    if (gdc_gradient(engine, NULL, NULL, &round) != GDC_OK)
        fail_msg("%s", gdc_last_error());
    return round.ended_s - round.began_s;
}

/* ---- one round on random paths, everybody fresh ---- */

static int by_size(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* The k-th smallest of all completion times, were all workers to go on for ever: nobody can have k pieces before. */
static double bound_s(const gdc_delay *delay, int workers, int partitions, uint64_t version)
{
    int k = workers * partitions, count = 0;
    double *at_s = calloc((size_t)workers * (size_t)k, sizeof *at_s);
    for (int w = 0; w < workers; w++) {
        double s = 0;
        for (int q = 0; q < k; q++)
            at_s[count++] = s += gdc_delay_draw(delay, w, version, (uint64_t)q);
    }
    qsort(at_s, (size_t)count, sizeof *at_s, by_size);
    double bound = at_s[k - 1];
    free(at_s);
    return bound;
}

static const char *const laws[][2] = {
    {"exp:mean=1", "jitter:sd=0.05"},           {"none:piece=1", "jitter:sd=0.5"},
    {"exp:mean=1", "slow:workers=2,factor=10"}, {"pareto:alpha=1.2,min=.3", "burst:p=.2,factor=8"},
    {"none:piece=1", "stall:p=.05,extra=20"},
};
enum { LAWS = sizeof laws / sizeof *laws };

static void compare_path(const char *options, int law, uint64_t seed, int rounds)
{
    int workers = 2 + (int)(seed % 7), partitions = 1 + (int)(seed / 7 % 6), load = 1 + (int)(seed / 42) % workers;
    char strategy[128];
    snprintf(strategy, sizeof strategy, "dynamic:load=%d,pool=10000%s", load, options);
    gdc_delay *delay = open_delay(laws[law], 2, seed, workers, partitions);
    gdc_engine *dynamic = open_timing(strategy, workers, partitions, delay, 0);
    gdc_engine *sync = open_timing("sync", workers, partitions, delay, 0);
    for (int r = 1; r <= rounds; r++) {
        double ours = round_s(dynamic), theirs = round_s(sync);
        double bound = bound_s(delay, workers, partitions, (uint64_t)r);
        if (ours > theirs * (1 + 1e-9) || ours < bound * (1 - 1e-9))
            fail_msg("%s, %d workers, %d pieces, law %d, seed %llu, round %d: %.9g s, sync %.9g, bound %.9g", strategy,
                     workers, partitions, law, (unsigned long long)seed, r, ours, theirs, bound);
    }
    gdc_close(dynamic, NULL);
    gdc_close(sync, NULL);
    gdc_delay_destroy(delay);
}

static void no_round_is_later_than_synchronous_or_earlier_than_possible(void **state)
{
    static const char *const options[] = {"",
                                          ",theta=0,theta2=0",
                                          ",progress=0",
                                          ",theta=.3,theta2=.1,place=random",
                                          ",reproducible=1",
                                          ",place=group,nominal=.5"};
    enum { OPTIONS = sizeof options / sizeof *options, PATHS = 84, ROUNDS = 8 };
    uint64_t seed = exactness_seed(1);
    (void)state;
    for (int o = 0; o < OPTIONS; o++)
        for (int law = 0; law < LAWS; law++)
            for (uint64_t path = 0; path < PATHS; path++)
                compare_path(options[o], law, seed + path * 5 + (uint64_t)(law * OPTIONS + o), ROUNDS);
}

/* A slow control channel costs its own time and not more. */
static void latency_costs_a_round_trip_or_two(void **state)
{
    const char *specs[] = {"none:piece=1", "jitter:sd=.3"};
    (void)state;
    for (int i = 0; i < 40; i++) {
        gdc_delay *delay = open_delay(specs, 2, (uint64_t)i + 1, N, 8);
        gdc_options options;
        gdc_options_init(&options);
        gdc_engine *engine[2];
        options.partitions = 8;
        options.delay = delay;
        options.latency_s = .02;
        options.poll_s = 0;
        for (int e = 0; e < 2; e++) {
            options.strategy = e ? "gc:code=uncoded" : "dynamic:load=3";
            assert_int_equal(gdc_open_virtual(&options, N, NULL, NULL, &engine[e]), GDC_OK);
        }
        for (int r = 0; r < 10; r++)
            assert_true(round_s(engine[0]) <= round_s(engine[1]) + 2 * .04);
        gdc_close(engine[0], NULL);
        gdc_close(engine[1], NULL);
        gdc_delay_destroy(delay);
    }
}

/* ---- economy ---- */

static void equal_speeds_cost_what_synchronous_costs(void **state)
{
    const char *specs[] = {"none:piece=1"};
    (void)state;
    for (int load = 1; load <= N; load++) {
        char strategy[64];
        gdc_delay *delay = open_delay(specs, 1, 1, N, 5);
        snprintf(strategy, sizeof strategy, "dynamic:load=%d", load);
        gdc_engine *engine = open_timing(strategy, N, 5, delay, INFINITY);
        for (int r = 1; r <= 10; r++) {
            gdc_round round = {.size = sizeof round};
            assert_int_equal(gdc_gradient(engine, NULL, NULL, &round), GDC_OK);
            assert_true(fabs(round.ended_s - round.began_s - 5) < 1e-9);
            assert_int_equal(round.messages, N);
            assert_true(round.exact && round.used == 1);
        }
        for (int w = 0; w < N; w++) {
            gdc_worker_stats stats = {.size = sizeof stats};
            assert_int_equal(gdc_stats(engine, w, &stats), GDC_OK);
            assert_true(stats.pieces == 50 && stats.used == 50);
        }
        gdc_close(engine, NULL);
        gdc_delay_destroy(delay);
    }
}

/* One of four is ten times slower: with everything in everybody's reach the others take over all that it has not begun. */
static void a_slow_worker_keeps_only_the_piece_that_it_runs(void **state)
{
    const char *specs[] = {"none:piece=1", "slow:which=0,factor=100"};
    (void)state;
    gdc_delay *delay = open_delay(specs, 2, 1, 4, 6);
    gdc_engine *engine = open_timing("dynamic:load=4,nominal=1", 4, 6, delay, 0);
    double s = round_s(engine);
    assert_true(s == 8); /* 24 pieces by three workers: its running piece is overdue long before */
    gdc_close(engine, NULL);
    gdc_delay_destroy(delay);
}

/* ---- sums ---- */

static const char *const kinds[] = {
    "dynamic:load=2",
    "dynamic:load=6",
    "dynamic:load=3,pool=0",
    "dynamic:load=3,pool=1",
    "dynamic:load=3,early=1",
    "dynamic:load=2,progress=0",
    "dynamic:load=3,reproducible=1",
    "dynamic:load=3,clusters=2",
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static void every_kind_gives_the_whole_batch(void **state)
{
    (void)state;
    for (int i = 0; i < KINDS; i++)
        for (int m = 1; m <= 4; m++) {
            bench b;
            open_bench(&b, kinds[i], "pareto:alpha=1.1,min=.2", m);
            start_bench(&b);
            for (uint64_t v = 1; v <= 60; v++) {
                double g[D];
                gdc_round round = {.size = sizeof round};
                assert_int_equal(gdc_gradient(b.engine, model, g, &round), GDC_OK);
                assert_true(round.exact && round.used == 1 && round.scale == 1);
                for (size_t c = 0; c < D; c++)
                    assert_true(g[c] == integer_total(N * m, v, c));
            }
            close_bench(&b);
        }
}

static int real_partial(void *context, gdc_task *task, void *sum)
{
    double *out = sum;
    (void)context;
    for (uint64_t i = 0; i < D; i++)
        out[i] += task->scale * gdc_draw_normal((gdc_key){.seed = 3, .a = (uint64_t)task->partition, .b = i});
    return 0;
}

static void sum_of_a_round(const char *strategy, uint64_t seed, double *sum)
{
    const char *spec = "exp:mean=1";
    gdc_options options;
    gdc_engine *engine;
    gdc_options_init(&options);
    options.strategy = strategy;
    options.partitions = 4;
    options.dimension = D;
    gdc_delay *delay = open_delay(&spec, 1, seed, N, 4);
    options.delay = delay;
    assert_int_equal(gdc_open_virtual(&options, N, real_partial, NULL, &engine), GDC_OK);
    assert_int_equal(gdc_gradient(engine, model, sum, NULL), GDC_OK);
    gdc_close(engine, NULL);
    gdc_delay_destroy(delay);
}

static void reproducible_sums_are_the_same_bits_whatever_arrives_when(void **state)
{
    double first[D], other[D];
    int differ = 0;
    (void)state;
    sum_of_a_round("dynamic:load=3,reproducible=1", 1, first);
    for (uint64_t seed = 2; seed < 200; seed++) {
        sum_of_a_round("dynamic:load=3,reproducible=1", seed, other);
        assert_memory_equal(first, other, sizeof first);
        sum_of_a_round("dynamic:load=3", seed, other);
        differ += memcmp(first, other, sizeof first) != 0;
        for (size_t c = 0; c < D; c++)
            assert_true(fabs(first[c] - other[c]) < 1e-12);
    }
    assert_true(differ > 50); /* that is what it is for */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_round_is_later_than_synchronous_or_earlier_than_possible),
        cmocka_unit_test(latency_costs_a_round_trip_or_two),
        cmocka_unit_test(equal_speeds_cost_what_synchronous_costs),
        cmocka_unit_test(a_slow_worker_keeps_only_the_piece_that_it_runs),
        cmocka_unit_test(every_kind_gives_the_whole_batch),
        cmocka_unit_test(reproducible_sums_are_the_same_bits_whatever_arrives_when),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

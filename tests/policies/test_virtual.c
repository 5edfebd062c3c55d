/* test_virtual.c - laws of rounds on the virtual clock.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gradcode/decoder.h"
#include "gradcode/draw.h"
#include "support/virtual_bench.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* ---- exactness ---- */

static void check_exact(const char *strategy, int partitions, double poll_s, double tolerance)
{
    bench b;
    open_bench(&b, strategy, "exp:mean=1", partitions);
    b.options.poll_s = poll_s;
    start_bench(&b);
    for (uint64_t v = 1; v <= 40; v++) {
        double g[D];
        gdc_round round = {.size = sizeof round};
        assert_int_equal(gdc_gradient(b.engine, model, g, &round), GDC_OK);
        assert_int_equal(round.version, v);
        assert_true(round.exact && round.used == 1 && round.scale == 1);
        for (size_t i = 0; i < D; i++) {
            double want = integer_total(N * partitions, v, i);
            assert_true(fabs(g[i] - want) <= tolerance * want);
        }
    }
    close_bench(&b);
}

static void exact_strategies_give_the_whole_batch(void **state)
{
    static const double polls[] = {INFINITY, 0, 0.25};
    (void)state;
    for (int i = 0; i < 3; i++) {
        for (int m = 1; m <= 3; m++) {
            check_exact("sync", m, polls[i], 0);
            check_exact("drop:tau=inf", m, polls[i], 0);
            check_exact("gc:code=uncoded", m, polls[i], 0);
            check_exact("gc:code=uncoded,load=3,message=1,walk=two-ended", m, polls[i], 0);
            check_exact("gc:code=fractional,load=3", m, polls[i], 0);
            check_exact("gc:code=cyclic,load=3", m, polls[i], 1e-9);
        }
    }
}

/* Both give the same bits at the same times. */
static void run_in_step(bench *a, bench *b, int rounds)
{
    start_bench(a);
    start_bench(b);
    for (int r = 0; r < rounds; r++) {
        double ga[D], gb[D];
        assert_int_equal(gdc_gradient(a->engine, model, ga, NULL), GDC_OK);
        assert_int_equal(gdc_gradient(b->engine, model, gb, NULL), GDC_OK);
        assert_memory_equal(ga, gb, sizeof ga);
        assert_true(gdc_now(a->engine) == gdc_now(b->engine));
    }
    close_bench(a);
    close_bench(b);
}

static void runs_are_bitwise_reproducible(void **state)
{
    static const char *const strategies[] = {"gc:code=cyclic,load=3", "drop:tau=1.5", "sync"};
    (void)state;
    for (int s = 0; s < 3; s++) {
        bench a, b;
        open_bench(&a, strategies[s], "exp:mean=1", 2);
        open_bench(&b, strategies[s], "exp:mean=1", 2);
        run_in_step(&a, &b, 30);
    }
}

static void dropping_nothing_is_plain_synchronous_to_the_bit(void **state)
{
    static const char *const drops[] = {"drop:tau=inf", "drop:tau=inf,norm=by-kept", "drop:tau=inf,check=poll"};
    (void)state;
    for (int s = 0; s < 3; s++) {
        bench a, b;
        open_bench(&a, "sync", "exp:mean=1", 3);
        open_bench(&b, drops[s], "exp:mean=1", 3);
        a.options.poll_s = b.options.poll_s = 0.1;
        run_in_step(&a, &b, 20);
    }
}

/* ---- time ---- */

static double round_time(const char *strategy, const char *delay, int partitions, double latency_s, double bandwidth)
{
    const char *specs[] = {delay};
    gdc_options options;
    gdc_delay *d;
    gdc_engine *engine;
    gdc_options_init(&options);
    options.strategy = strategy;
    options.partitions = partitions;
    options.dimension = 1000;
    options.latency_s = latency_s;
    options.bandwidth = bandwidth;
    assert_int_equal(gdc_delay_create(specs, 1, 1, N, partitions, &d), GDC_OK);
    options.delay = d;
    assert_int_equal(gdc_open_virtual(&options, N, NULL, NULL, &engine), GDC_OK);
    gdc_round round = {.size = sizeof round};
    for (int r = 0; r < 3; r++)
        assert_int_equal(gdc_gradient(engine, NULL, NULL, &round), GDC_OK);
    gdc_close(engine, NULL);
    gdc_delay_destroy(d);
    return round.ended_s - round.began_s;
}

static void communication_is_charged(void **state)
{
    (void)state;
    assert_true(fabs(round_time("gc:code=uncoded", "none:piece=1", 2, 0, INFINITY) - 2) < 1e-9);
    assert_true(fabs(round_time("gc:code=uncoded", "none:piece=1", 2, 0.25, INFINITY) - 2.5) < 1e-9);
    double wire_s = 8000 / 1e6; /* per vector: N models out one after the other, the last worker's vector in */
    assert_true(fabs(round_time("gc:code=uncoded", "none:piece=1", 1, 0, 1e6) - (1 + (N + 1) * wire_s)) < 1e-9);
    double reduce_s = 2.0 * (N - 1) / N * wire_s + 2 * 3 * 0.25;
    assert_true(fabs(round_time("sync", "none:piece=1", 1, 0.25, 1e6) - (1 + reduce_s)) < 1e-9);
}

static void a_running_piece_is_carried_over_unless_it_can_be_cut(void **state)
{
    const char *specs[] = {"none:piece=1", "slow:which=0,factor=10"};
    double mean[2];
    (void)state;
    for (int cut = 0; cut < 2; cut++) {
        gdc_options options;
        gdc_delay *d;
        gdc_engine *engine;
        gdc_options_init(&options);
        options.strategy = "gc:code=fractional,load=2,permute=0";
        options.poll_s = cut ? 0 : INFINITY;
        assert_int_equal(gdc_delay_create(specs, 2, 1, N, 1, &d), GDC_OK);
        options.delay = d;
        assert_int_equal(gdc_open_virtual(&options, N, NULL, NULL, &engine), GDC_OK);
        for (int r = 0; r < 20; r++)
            assert_int_equal(gdc_gradient(engine, NULL, NULL, NULL), GDC_OK);
        gdc_worker_stats slow = {.size = sizeof slow};
        assert_int_equal(gdc_stats(engine, 0, &slow), GDC_OK);
        mean[cut] = (double)slow.pieces;
        assert_true(fabs(gdc_now(engine) - 40) < 1e-9); /* its partner is there every time */
        gdc_close(engine, NULL);
        gdc_delay_destroy(d);
    }
    assert_true(mean[0] >= 3 && mean[0] <= 4); /* 40 s / 10 s */
    assert_true(mean[1] == 0);
}

/* ---- order ---- */

typedef struct kept_set {
    unsigned char row[N];
} kept_set;

static void note_kept(void *context, const gdc_arrival_note *note)
{
    kept_set *set = context;
    if (note->fate == GDC_FATE_KEPT)
        set->row[note->worker] = 1;
}

static int real_partial(void *context, gdc_task *task, void *sum)
{
    double *out = sum;
    (void)context;
    for (uint64_t i = 0; i < D; i++)
        out[i] += task->scale * gdc_draw_normal((gdc_key){.seed = 3, .a = (uint64_t)task->partition, .b = i});
    return 0;
}

/* Different delays give the same kept set in different orders: identical bytes. */
static void the_same_kept_set_gives_the_same_bits_in_any_order(void **state)
{
    enum { RUNS = 400 };
    static kept_set sets[RUNS];
    static double sums[RUNS][D];
    int pairs = 0;
    (void)state;
    for (int run = 0; run < RUNS; run++) {
        const char *spec = "exp:mean=1";
        gdc_options options;
        gdc_delay *delay;
        gdc_engine *engine;
        gdc_options_init(&options);
        options.strategy = "gc:code=cyclic,load=3";
        options.dimension = D;
        options.observe = note_kept;
        options.observe_context = &sets[run];
        assert_int_equal(gdc_delay_create(&spec, 1, (uint64_t)run + 1, N, 1, &delay), GDC_OK);
        options.delay = delay;
        assert_int_equal(gdc_open_virtual(&options, N, real_partial, NULL, &engine), GDC_OK);
        assert_int_equal(gdc_gradient(engine, model, sums[run], NULL), GDC_OK);
        gdc_close(engine, NULL);
        gdc_delay_destroy(delay);
        for (int other = 0; other < run; other++) {
            if (memcmp(&sets[other], &sets[run], sizeof sets[run]) != 0)
                continue;
            assert_memory_equal(sums[other], sums[run], sizeof sums[run]);
            pairs++;
        }
    }
    assert_true(pairs > RUNS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_strategies_give_the_whole_batch),
        cmocka_unit_test(runs_are_bitwise_reproducible),
        cmocka_unit_test(dropping_nothing_is_plain_synchronous_to_the_bit),
        cmocka_unit_test(communication_is_charged),
        cmocka_unit_test(a_running_piece_is_carried_over_unless_it_can_be_cut),
        cmocka_unit_test(the_same_kept_set_gives_the_same_bits_in_any_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

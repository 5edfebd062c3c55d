/* test_ignore.c - the first n - s workers, scaled up, against their definition on the virtual clock.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/scheduler.h"
#include "support/virtual_bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { M = 3, K = N * M };

/* Who is among the first, and when the last of them is done; workers fresh at the round's begin. */
typedef struct expected {
    bool kept[N];
    double time_s;
} expected;

static expected first_workers(const gdc_delay *delay, uint64_t version, int enough)
{
    expected e = {.time_s = 0};
    double shard_s[N] = {0};
    for (int w = 0; w < N; w++)
        for (uint64_t q = 0; q < M; q++)
            shard_s[w] += gdc_delay_draw(delay, w, version, q);
    for (int w = 0; w < N; w++) {
        int faster = 0;
        for (int v = 0; v < N; v++)
            faster += shard_s[v] < shard_s[w];
        e.kept[w] = faster < enough;
        if (e.kept[w])
            e.time_s = fmax(e.time_s, shard_s[w]);
    }
    return e;
}

/* Partition p at version v gives v * (p + 1) + i in coordinate i. */
static double shard_gradient(int worker, uint64_t version, size_t i)
{
    double sum = 0;
    for (int p = worker * M; p < (worker + 1) * M; p++)
        sum += (double)version * (p + 1) + (double)i;
    return sum;
}

static void open_fresh(bench *b, const char *strategy, const char *delay)
{
    open_bench(b, strategy, delay, M);
    b->options.poll_s = 0;
}

/* samples [K] or NULL */
static void check_rounds(const char *strategy, int s, double *samples)
{
    bench b;
    double held[K], all = 0;
    for (int p = 0; p < K; p++) {
        held[p] = samples ? samples[p] : 1;
        all += held[p];
    }
    open_fresh(&b, strategy, "exp:mean=1");
    b.options.samples = samples;
    start_bench(&b);
    if (samples)
        memset(samples, 0, K * sizeof *samples); /* the library has a copy */
    for (uint64_t v = 1; v <= 60; v++) {
        double g[D], used = 0, squares = 0;
        gdc_round round = {.size = sizeof round};
        expected e = first_workers(b.delay, v, N - s);
        for (int p = 0; p < K; p++)
            used += e.kept[p / M] ? held[p] : 0;
        assert_int_equal(gdc_gradient(b.engine, model, g, &round), GDC_OK);
        assert_true(fabs(round.ended_s - round.began_s - e.time_s) < 1e-9);
        assert_true(fabs(round.scale - all / used) < 1e-12 * round.scale);
        assert_true(fabs(round.used - used / all) < 1e-12);
        assert_int_equal(round.exact, s == 0);
        assert_int_equal(round.messages, N - s);
        for (int w = 0; w < N; w++)
            squares += M * (e.kept[w] ? (all / used - 1) * (all / used - 1) : 1);
        assert_true(fabs(round.residual - sqrt(squares / K)) < 1e-12);
        for (size_t i = 0; i < D; i++) {
            double want = 0;
            for (int w = 0; w < N; w++)
                want += e.kept[w] ? shard_gradient(w, v, i) * (all / used) : 0;
            assert_true(fabs(g[i] - want) <= 1e-12 * fabs(want));
        }
    }
    close_bench(&b);
}

static void the_first_workers_are_summed_and_scaled(void **state)
{
    (void)state;
    check_rounds("ignore:s=0", 0, NULL);
    check_rounds("ignore:s=1", 1, NULL);
    check_rounds("ignore:s=2", 2, NULL);
    check_rounds("ignore:s=5", 5, NULL);
}

static void partitions_count_by_their_samples(void **state)
{
    double samples[K];
    (void)state;
    for (int s = 0; s < N; s++) {
        char strategy[32];
        for (int p = 0; p < K; p++)
            samples[p] = 1 + p % 7;
        snprintf(strategy, sizeof strategy, "ignore:s=%d", s);
        check_rounds(strategy, s, samples);
    }
}

static void ignoring_nobody_equals_waiting_for_all_bit_by_bit(void **state)
{
    bench ignore, all;
    (void)state;
    open_bench(&ignore, "ignore:s=0", "exp:mean=1", M);
    open_bench(&all, "gc:code=uncoded", "exp:mean=1", M);
    start_bench(&ignore);
    start_bench(&all);
    for (int r = 0; r < 20; r++) {
        double g[D], h[D];
        gdc_round a = {.size = sizeof a}, b = {.size = sizeof b};
        assert_int_equal(gdc_gradient(ignore.engine, model, g, &a), GDC_OK);
        assert_int_equal(gdc_gradient(all.engine, model, h, &b), GDC_OK);
        assert_memory_equal(g, h, sizeof g);
        assert_true(a.exact && a.used == 1 && a.scale == 1 && a.residual == 0);
        assert_true(a.ended_s == b.ended_s);
    }
    close_bench(&ignore);
    close_bench(&all);
}

/* A slow worker's shard never enters: that is what the smallest share says. */
static void home_shards_are_used_as_often_as_their_worker_is_kept(void **state)
{
    enum { ROUNDS = 40 };
    bench b;
    int kept[N] = {0};
    (void)state;
    open_fresh(&b, "ignore:s=1", "slow:which=2,factor=1000");
    start_bench(&b);
    for (uint64_t v = 1; v <= ROUNDS; v++) {
        double g[D];
        expected e = first_workers(b.delay, v, N - 1);
        for (int w = 0; w < N; w++)
            kept[w] += e.kept[w];
        assert_int_equal(gdc_gradient(b.engine, model, g, NULL), GDC_OK);
    }
    for (int w = 0; w < N; w++) {
        gdc_worker_stats stats = {.size = sizeof stats};
        assert_int_equal(gdc_stats(b.engine, w, &stats), GDC_OK);
        assert_true(stats.home_used == M * kept[w] && stats.used == M * kept[w]);
    }
    assert_int_equal(kept[2], 0);
    close_bench(&b);
}

/* ---- losses ---- */

static void survives_s_deaths_and_names_one_too_many(void **state)
{
    bench b;
    gdc_fault faults[3];
    (void)state;
    for (int i = 0; i < 3; i++)
        faults[i] = (gdc_fault){GDC_FAULT_KILL, GDC_AT_COMPUTE, 2 * i, (uint64_t)(2 + 3 * i), 0};
    open_bench(&b, "ignore:s=2", "exp:mean=1", M);
    b.options.faults = faults;
    b.options.fault_count = 3;
    start_bench(&b);
    for (int r = 1; r <= 12; r++) {
        double g[D];
        gdc_status status = gdc_gradient(b.engine, model, g, NULL);
        if (status == GDC_OK)
            continue;
        assert_int_equal(status, GDC_EUNRECOVERABLE);
        assert_true(r >= 8);
        assert_non_null(strstr(gdc_last_error(), "worker"));
        assert_non_null(strstr(gdc_last_error(), "4"));
        close_bench(&b);
        return;
    }
    fail_msg("three of six workers are dead, and four are wanted");
}

static void a_partial_that_is_not_finite_is_as_good_as_lost(void **state)
{
    bench b;
    double g[D];
    (void)state;
    open_bench(&b, "ignore:s=1", "exp:mean=1", M);
    b.problem.nan_partition = 4; /* of worker 1 */
    start_bench(&b);
    for (int r = 0; r < 20; r++)
        assert_int_equal(gdc_gradient(b.engine, model, g, NULL), GDC_OK);
    gdc_worker_stats stats = {.size = sizeof stats};
    assert_int_equal(gdc_stats(b.engine, 1, &stats), GDC_OK);
    assert_true(stats.used == 0 && stats.home_used == 0);
    close_bench(&b);
    open_bench(&b, "ignore:s=0", "exp:mean=1", M);
    b.problem.nan_partition = 4;
    start_bench(&b);
    assert_int_equal(gdc_gradient(b.engine, model, g, NULL), GDC_EUNRECOVERABLE);
    assert_non_null(strstr(gdc_last_error(), "worker 1"));
    close_bench(&b);
}

/* Worker 0 stands still, worker 1's vector is an erasure at 3 s: five of six are out of reach, and the deadline runs from
 * there, whatever the slow worker still does until 30 s. */
static void an_erasure_is_not_waited_for(void **state)
{
    const char *specs[] = {"none:piece=1", "slow:which=3,factor=10"};
    const gdc_fault stop = {GDC_FAULT_STOP, GDC_AT_COMPUTE, 0, 1, 0};
    bench b;
    double g[D];
    (void)state;
    open_bench(&b, "ignore:s=1", "none:piece=1", M);
    gdc_delay_destroy(b.delay);
    assert_int_equal(gdc_delay_create(specs, 2, 11, N, M, &b.delay), GDC_OK);
    b.options.delay = b.delay;
    b.options.faults = &stop;
    b.options.fault_count = 1;
    b.options.round_deadline_s = 10;
    b.problem.nan_partition = 4;
    start_bench(&b);
    assert_int_equal(gdc_gradient(b.engine, model, g, NULL), GDC_ETIMEDOUT);
    assert_true(fabs(gdc_now(b.engine) - 13) < 1e-9);
    close_bench(&b);
}

/* Stops, deaths, late returns, erasures: a round ends or is refused, and nobody gets a model that it did not ask for. */
static void every_schedule_is_live_and_bounded(void **state)
{
    int finished = 0, failed = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= 2000; seed++) {
        schedule s = {.strategy = seed % 2 ? "ignore:s=1" : "ignore:s=3",
                      .workers = 6,
                      .partitions = 2,
                      .rounds = 6,
                      .seed = seed};
        schedule_report r;
        s.stop_permille = seed / 2 % 2 ? 60 : 0;
        s.kill_permille = seed / 4 % 2 ? 4 : 0;
        s.erase_permille = seed / 8 % 2 ? 30 : 0;
        assert_true(schedule_run(&s, &r));
        if (r.stuck || r.extra_models || r.most_models > 1 || r.most_controls > 4)
            fail_msg("seed %llu: stuck %d, extra models %d, %d models, %d controls", (unsigned long long)seed, r.stuck,
                     r.extra_models, r.most_models, r.most_controls);
        if (s.kill_permille == 0 && s.erase_permille == 0)
            assert_int_equal(r.finished, 6);
        finished += r.finished;
        failed += r.failed;
    }
    assert_true(finished > 8000 && failed > 20);
}

/* ---- refusals ---- */

static void refused(const char *strategy, const char *sentence)
{
    gdc_options options;
    gdc_engine *engine = NULL;
    gdc_options_init(&options);
    options.strategy = strategy;
    assert_int_equal(gdc_open_virtual(&options, N, NULL, NULL, &engine), GDC_EINVAL);
    assert_null(engine);
    if (strstr(gdc_last_error(), sentence) == NULL)
        fail_msg("%s: \"%s\" does not say \"%s\"", strategy, gdc_last_error(), sentence);
}

static void refuses_to_ignore_everybody(void **state)
{
    (void)state;
    refused("ignore:s=6", "ignore: s=6 with 6 workers: want 0 to 5, nearest is 5");
    refused("ignore:s=-1", "s=-1");
    refused("ignore", "s");
    refused("ignore:s=1,load=2", "load");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_workers_are_summed_and_scaled),
        cmocka_unit_test(partitions_count_by_their_samples),
        cmocka_unit_test(ignoring_nobody_equals_waiting_for_all_bit_by_bit),
        cmocka_unit_test(home_shards_are_used_as_often_as_their_worker_is_kept),
        cmocka_unit_test(survives_s_deaths_and_names_one_too_many),
        cmocka_unit_test(a_partial_that_is_not_finite_is_as_good_as_lost),
        cmocka_unit_test(an_erasure_is_not_waited_for),
        cmocka_unit_test(every_schedule_is_live_and_bounded),
        cmocka_unit_test(refuses_to_ignore_everybody),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

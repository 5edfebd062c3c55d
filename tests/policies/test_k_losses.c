/* test_k_losses.c - the K family under deaths, erasures and random schedules.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/k_bench.h"
#include "support/scheduler.h"

#include <stdio.h>

/* ---- deaths ---- */

/* Workers 0, 1, ... are killed one after the other. */
static void open_with_deaths(k_bench *b, const char *spec, gdc_fault *faults, int count)
{
    for (int i = 0; i < count; i++)
        faults[i] = (gdc_fault){GDC_FAULT_KILL, GDC_AT_COMPUTE, i, (uint64_t)(3 + 10 * i), 0};
    k_open(b, spec, "exp:mean=1", false);
    b->options.faults = faults;
    b->options.fault_count = count;
    k_start(b);
}

static void distinct_workers_are_too_few_when_fewer_than_k_live(void **state)
{
    static const char *const specs[] = {"k-sync:k=4", "k-async:k=4"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        k_bench b;
        gdc_fault faults[3];
        gdc_status status = GDC_OK;
        int round = 0;
        open_with_deaths(&b, specs[i], faults, 3);
        while (status == GDC_OK && ++round < 200)
            status = k_try(&b);
        assert_int_equal(status, GDC_EUNRECOVERABLE);
        assert_true(round > 20);
        assert_non_null(strstr(gdc_last_error(), "without the lost workers 0-2; partitions 0-8 of 0-17 are missing"));
        assert_int_equal(k_try(&b), GDC_EUNRECOVERABLE); /* and stays so */
        k_close(&b);
    }
}

static void what_a_worker_gave_before_it_died_counts(void **state)
{
    static const char *const specs[] = {"k-sync:k=6", "k-async:k=6"};
    const gdc_fault kill = {GDC_FAULT_KILL, GDC_AT_SENT, 4, 2, 0};
    (void)state;
    for (int i = 0; i < 2; i++) {
        k_bench b;
        k_open(&b, specs[i], "exp:mean=1", false);
        b.options.faults = &kill;
        b.options.fault_count = 1;
        k_start(&b);
        k_round(&b);
        k_round(&b);
        assert_true(b.round.exact);
        assert_int_equal(k_try(&b), GDC_EUNRECOVERABLE);
        k_close(&b);
    }
}

static void batches_go_on_with_the_last_worker_and_end_with_it(void **state)
{
    static const char *const specs[] = {"k-batch-sync:k=4", "k-batch-async:k=4"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        k_bench b;
        gdc_fault faults[K_N];
        int rounds = 0;
        open_with_deaths(&b, specs[i], faults, K_N - 1);
        for (; rounds < 200; rounds++) {
            k_round(&b);
            assert_int_equal(b.round.vectors, 4);
        }
        near(b.gradient[0] / b.round.scale, 4 * K_M);
        near(b.gradient[2 + K_N - 1] / b.round.scale, 4 * K_M); /* all of them the last worker's */
        k_close(&b);
        open_with_deaths(&b, specs[i], faults, K_N);
        for (rounds = 0; rounds < 200 && k_try(&b) == GDC_OK; rounds++)
            ;
        assert_true(rounds >= 50 && rounds < 200);
        assert_non_null(strstr(gdc_last_error(), "without the lost workers 0-5"));
        k_close(&b);
    }
}

/* ---- erasures ---- */

static void an_erased_worker_is_done_without_and_named_where_it_is_wanted(void **state)
{
    static const struct {
        const char *spec;
        bool lasts;
    } cases[] = {{"k-sync:k=5", true},       {"k-async:k=5", true},       {"k-sync:k=6", false},
                 {"k-async:k=6", false},     {"k-batch-sync:k=20", true}, {"k-batch-async:k=20", true},
                 {"k-batch-sync:k=1", true}, {"k-batch-async:k=1", true}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        k_bench b;
        gdc_status status = GDC_OK;
        k_open(&b, cases[i].spec, "exp:mean=1", false);
        b.problem.nan_worker = 2;
        k_start(&b);
        for (int r = 0; r < 30 && status == GDC_OK; r++) {
            status = k_try(&b);
            if (status == GDC_OK)
                near(b.gradient[2 + 2], 0);
        }
        assert_int_equal(status, cases[i].lasts ? GDC_OK : GDC_EUNRECOVERABLE);
        if (!cases[i].lasts)
            assert_non_null(strstr(gdc_last_error(), "worker 2"));
        k_close(&b);
    }
}

static void rounds_in_which_all_is_erased_end(void **state)
{
    static const char *const specs[] = {"k-sync:k=1", "k-async:k=1", "k-batch-sync:k=1", "k-batch-async:k=1"};
    (void)state;
    for (int i = 0; i < 4; i++) {
        k_bench b;
        k_open(&b, specs[i], "exp:mean=1", false);
        b.problem.nan_worker = -2;
        k_start(&b);
        for (int r = 0; r < 5; r++)
            assert_int_equal(k_try(&b), GDC_EUNRECOVERABLE);
        b.problem.nan_worker = -1;
        k_try(&b); /* what is in flight was poisoned by nobody */
        k_round(&b);
        k_close(&b);
    }
}

/* Worker 0 stands still, worker 1's vector is an erasure at 3 s: five of six are out of reach, and the deadline runs from there,
 * whatever the slow worker still does until 30 s. Batches may still come from others. */
static void an_erasure_is_not_waited_for(void **state)
{
    const char *delays[] = {"none:piece=1", "slow:which=3,factor=10"};
    const char *specs[] = {"k-sync:k=5", "k-async:k=5", "k-batch-sync:k=5"};
    const gdc_fault stop = {GDC_FAULT_STOP, GDC_AT_COMPUTE, 0, 1, 0};
    (void)state;
    for (int i = 0; i < 3; i++) {
        k_bench b;
        k_open(&b, specs[i], "none:piece=1", false);
        gdc_delay_destroy(b.delay);
        assert_int_equal(gdc_delay_create(delays, 2, 11, K_N, K_M, &b.delay), GDC_OK);
        b.options.delay = b.delay;
        b.options.faults = &stop;
        b.options.fault_count = 1;
        b.problem.nan_worker = 1;
        k_start(&b);
        assert_int_equal(k_try(&b), i < 2 ? GDC_ETIMEDOUT : GDC_OK);
        assert_true(fabs(gdc_now(b.engine) - (i < 2 ? 13 : 6)) < 1e-9);
        k_close(&b);
    }
}

/* A stale vector that was erased: its worker gets the model at once and may still give. */
static void an_erased_finisher_of_k_async_is_given_the_model_of_the_round(void **state)
{
    const gdc_fault spoil = {GDC_FAULT_NAN, GDC_AT_MODEL, 0, 1, 0};
    const char *specs[] = {"none:piece=1", "slow:which=0,factor=2.4"};
    k_bench b;
    (void)state;
    k_open(&b, "k-async:k=5", "none:piece=1", false);
    gdc_delay_destroy(b.delay);
    assert_int_equal(gdc_delay_create(specs, 2, 1, K_N, K_M, &b.delay), GDC_OK);
    b.options.delay = b.delay;
    b.options.faults = &spoil;
    b.options.fault_count = 1;
    k_start(&b);
    for (int r = 0; r < 4; r++) {
        k_round(&b);
        assert_true(b.round.fresh == 5);
    }
    /* model 1 at 0, erased at 7.2 in round 3 (6 to 9); model 3 at once, until 14.4 in round 5 (12 to 15) */
    k_round(&b);
    assert_true(b.round.fresh == 4 && b.round.staleness == 2);
    gdc_worker_stats stats = {.size = sizeof stats};
    assert_int_equal(gdc_stats(b.engine, 0, &stats), GDC_OK);
    assert_int_equal(stats.erased, 1);
    k_close(&b);
}

/* ---- random schedules ---- */

typedef struct books {
    bool any, stale, cancels, is_whole; /* is_whole: nothing is lost on purpose */
    int k, workers, partitions;
    uint64_t staleness, busy;
} books;

static bool is_integer(double x)
{
    return fabs(x - round(x)) < 1e-6;
}

/* The entries say which versions entered; all of them were told; nothing is in flight that nobody owes. */
static bool is_right(void *context, const schedule_round *r)
{
    books *b = context;
    const gdc_round *round = &r->round;
    double sum = 0, least = (double)round->version;
    bool whole = true;
    for (int p = 0; p < r->k; p++) {
        double entry = r->sum[p] / round->scale;
        whole = whole && is_integer(entry) && entry > -1e-6 && (b->any || entry < least + 1e-6);
        whole = whole && fabs(r->sum[p] - r->sum[p / b->partitions * b->partitions]) < 1e-6; /* shards are whole */
        sum += entry / b->partitions;
    }
    double told = (double)b->k * least - (double)round->staleness;
    b->staleness += round->staleness;
    b->busy += b->stale ? (uint64_t)r->busy : 0;
    bool conserved = b->cancels || !b->is_whole || b->staleness + round->in_flight == b->busy;
    return whole && round->vectors == (uint64_t)b->k && fabs(sum - told) < 1e-6 && conserved &&
           fabs(round->scale * b->k - b->workers) < 1e-9 && (b->stale || round->fresh == round->vectors);
}

static void every_schedule_is_right_live_and_bounded(void **state)
{
    static const char *const names[] = {"k-sync", "k-batch-sync", "k-async", "k-batch-async"};
    int finished = 0, failed = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= 3200; seed++) {
        int kind = (int)(seed % 4), cancel = (int)(seed / 4 % 2),
            k = kind % 2 ? 1 + (int)(seed / 8 % 9) : 1 + (int)(seed / 8 % 5);
        char spec[64];
        snprintf(spec, sizeof spec, "%s:k=%d,cancel=%d", names[kind], k, cancel);
        books b = {.any = kind % 2, .stale = kind / 2, .cancels = cancel, .k = k, .workers = 5, .partitions = 2};
        schedule s = {.strategy = spec, .workers = 5, .partitions = 2, .rounds = 8, .seed = seed};
        s.judge = is_right;
        s.context = &b;
        s.stop_permille = seed / 3 % 2 ? 60 : 0;
        s.kill_permille = seed / 5 % 2 ? 4 : 0;
        s.erase_permille = seed / 7 % 2 ? 30 : 0;
        b.is_whole = s.kill_permille == 0 && s.erase_permille == 0;
        schedule_report r;
        assert_true(schedule_run(&s, &r));
        if (r.wrong || r.stuck || r.extra_models || r.most_models > 1 || r.most_controls > 4)
            fail_msg("seed %llu, %s: wrong %d, stuck %d, extra models %d, %d models, %d controls",
                     (unsigned long long)seed, spec, r.wrong, r.stuck, r.extra_models, r.most_models, r.most_controls);
        if (b.is_whole)
            assert_int_equal(r.finished, 8);
        finished += r.finished;
        failed += r.failed;
    }
    printf("%d rounds right, %d refused with a reason\n", finished, failed);
    assert_true(finished > 20000 && failed > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distinct_workers_are_too_few_when_fewer_than_k_live),
        cmocka_unit_test(what_a_worker_gave_before_it_died_counts),
        cmocka_unit_test(batches_go_on_with_the_last_worker_and_end_with_it),
        cmocka_unit_test(an_erased_worker_is_done_without_and_named_where_it_is_wanted),
        cmocka_unit_test(rounds_in_which_all_is_erased_end),
        cmocka_unit_test(an_erasure_is_not_waited_for),
        cmocka_unit_test(an_erased_finisher_of_k_async_is_given_the_model_of_the_round),
        cmocka_unit_test(every_schedule_is_right_live_and_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_approx_losses.c - approximate decoding when workers die, stand still or send what is no number.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/scheduler.h"
#include "support/virtual_bench.h"

#include <math.h>
#include <string.h>

enum { M = 2, K = N * M };

static void fewer_than_are_waited_for_are_enough_when_the_others_are_dead(void **state)
{
    bench b;
    gdc_fault faults[N];
    (void)state;
    for (int w = 0; w < N; w++)
        faults[w] = (gdc_fault){GDC_FAULT_KILL, GDC_AT_COMPUTE, w, (uint64_t)(2 + 2 * w), 0};
    open_bench(&b, "approx:wait=5,load=2", "exp:mean=1", M);
    b.options.faults = faults;
    b.options.fault_count = N;
    start_bench(&b);
    for (int r = 1; r <= 11; r++) {
        double g[D];
        gdc_round round = {.size = sizeof round};
        assert_int_equal(gdc_gradient(b.engine, model, g, &round), GDC_OK);
        assert_true(round.messages <= N - r / 2);
        assert_true(round.used >= 1. / 3 - 1e-12);
    }
    double g[D];
    assert_int_equal(gdc_gradient(b.engine, model, g, NULL), GDC_EUNRECOVERABLE);
    assert_non_null(strstr(gdc_last_error(), "workers 0-5"));
    assert_non_null(strstr(gdc_last_error(), "partitions 0-11 of 0-11 are missing"));
    close_bench(&b);
}

/* Four of the six that fixed weights wait for: what they give stands for all. */
static void fixed_weights_make_up_for_the_dead(void **state)
{
    const gdc_fault faults[] = {{GDC_FAULT_KILL, GDC_AT_COMPUTE, 5, 1, 0}, {GDC_FAULT_KILL, GDC_AT_COMPUTE, 4, 3, 0}};
    bench b;
    (void)state;
    open_bench(&b, "approx:wait=6,load=1,permute=0,decode=fixed", "exp:mean=1", M);
    b.options.faults = faults;
    b.options.fault_count = 2;
    start_bench(&b);
    for (uint64_t v = 1; v <= 6; v++) {
        double g[D], want = 0, live = v < 3 ? 5 : 4;
        gdc_round round = {.size = sizeof round};
        assert_int_equal(gdc_gradient(b.engine, model, g, &round), GDC_OK);
        for (int p = 0; p < M * live; p++)
            want += N / live * (double)v * (p + 1);
        assert_true(fabs(g[0] - want) < 1e-12 * want && fabs(round.scale - N / live) < 1e-12 && !round.exact);
    }
    close_bench(&b);
}

static void a_partial_that_is_not_finite_is_left_out(void **state)
{
    bench b;
    double g[D];
    (void)state;
    open_bench(&b, "approx:wait=6,load=1,permute=0", "exp:mean=1", M);
    b.problem.nan_partition = 4; /* of worker 2, and nobody else's */
    start_bench(&b);
    for (uint64_t v = 1; v <= 10; v++) {
        gdc_round round = {.size = sizeof round};
        assert_int_equal(gdc_gradient(b.engine, model, g, &round), GDC_OK);
        assert_true(fabs(round.used - 5. / 6) < 1e-12 && !round.exact);
        assert_true(fabs(round.residual - sqrt(1. / 6)) < 1e-12);
        assert_true(fabs(g[0] - (integer_total(K, v, 0) - (double)v * (5 + 6))) < 1e-9 * g[0]);
    }
    close_bench(&b);
}

static gdc_status round_without_worker_0(const char *strategy, const char *delay, double *ended_s)
{
    const gdc_fault stop = {GDC_FAULT_STOP, GDC_AT_COMPUTE, 0, 1, 0};
    bench b;
    double g[D];
    open_bench(&b, strategy, delay, M);
    gdc_delay_destroy(b.delay);
    assert_int_equal(gdc_delay_create(&delay, 1, 11, N, M, &b.delay), GDC_OK);
    b.options.delay = b.delay;
    b.options.faults = &stop;
    b.options.fault_count = 1;
    b.options.round_deadline_s = 10;
    start_bench(&b);
    gdc_status status = gdc_gradient(b.engine, model, g, NULL);
    *ended_s = gdc_now(b.engine);
    close_bench(&b);
    return status;
}

/* Five of six do without the one that stands still; six do not, and the deadline runs from where it is known. It does not run as
 * long as the full gradient can come from the others, however long that takes. */
static void who_stands_still_is_waited_for_until_the_deadline(void **state)
{
    double ended_s;
    (void)state;
    assert_int_equal(round_without_worker_0("approx:wait=5,load=1", "none:piece=1", &ended_s), GDC_OK);
    assert_true(fabs(ended_s - 2) < 1e-9);
    assert_int_equal(round_without_worker_0("approx:wait=6,load=1", "none:piece=1", &ended_s), GDC_ETIMEDOUT);
    assert_non_null(strstr(gdc_last_error(), "worker 0"));
    assert_true(fabs(ended_s - 10) < 1e-9);
    assert_int_equal(round_without_worker_0("approx:wait=6,load=2", "none:piece=15", &ended_s), GDC_OK);
    assert_true(fabs(ended_s - 60) < 1e-9);
    assert_int_equal(round_without_worker_0("approx:wait=6,load=2,decode=fixed", "none:piece=15", &ended_s),
                     GDC_ETIMEDOUT);
    assert_true(fabs(ended_s - 10) < 1e-9);
}

/* Stops, deaths, late returns, erasures: a round ends as long as anybody gives anything, nobody gets a model that it did not ask
 * for, and where weights are 0 and 1 all that enters is this round's, once. */
static void every_schedule_is_live_and_bounded(void **state)
{
    static const struct {
        const char *strategy;
        bool whole;
    } shape[] = {
        {"approx:wait=4,load=2", true},
        {"approx:wait=6,code=graph,degree=3", false},
        {"approx:wait=3,code=stochastic,load=2", false},
        {"approx:wait=5,code=uncoded,load=2,message=1", true},
        {"approx:wait=4,code=uncoded,load=2,message=1,decode=fixed", false},
        {"approx:wait=4,code=cyclic,load=3", false},
    };
    enum { COUNT = sizeof shape / sizeof *shape };
    int finished = 0, failed = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= 3000; seed++) {
        schedule s = {
            .strategy = shape[seed % COUNT].strategy, .workers = 6, .partitions = 2, .rounds = 6, .seed = seed};
        schedule_report r;
        s.tolerance = HUGE_VAL;
        s.judge = shape[seed % COUNT].whole ? is_whole_or_left_out : NULL;
        s.stop_permille = seed / COUNT % 2 ? 60 : 0;
        s.kill_permille = seed / COUNT / 2 % 2 ? 25 : 0;
        s.erase_permille = seed / COUNT / 4 % 2 ? 300 : 0;
        assert_true(schedule_run(&s, &r));
        if (strstr(s.strategy, "fixed")) /* counts whole workers, so rounds of nothing but halves fail */
            r.early = 0;
        if (r.wrong || r.stuck || r.extra_models || r.most_models > 1 || r.most_controls > 4 || r.early)
            fail_msg("seed %llu under %s: wrong %d, stuck %d, early %d, extra models %d, %d models, %d controls",
                     (unsigned long long)seed, s.strategy, r.wrong, r.stuck, r.early, r.extra_models, r.most_models,
                     r.most_controls);
        if (s.kill_permille == 0 && s.erase_permille == 0)
            assert_int_equal(r.finished, 6);
        finished += r.finished;
        failed += r.failed;
    }
    print_message("%d rounds ended, %d with nobody left\n", finished, failed);
    assert_true(finished > 14000 && failed > 300);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fewer_than_are_waited_for_are_enough_when_the_others_are_dead),
        cmocka_unit_test(fixed_weights_make_up_for_the_dead),
        cmocka_unit_test(a_partial_that_is_not_finite_is_left_out),
        cmocka_unit_test(who_stands_still_is_waited_for_until_the_deadline),
        cmocka_unit_test(every_schedule_is_live_and_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_losses.c - workers that die, stand still, fail or send nonsense, on the virtual clock.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/integer_problem.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { N = 6, D = 3, ROUNDS = 12 };

typedef struct run {
    gdc_status status[ROUNDS];
    bool exact[ROUNDS];
    double ended_s[ROUNDS], began_s[ROUNDS];
    char sentence[ROUNDS][1024];
    gdc_worker_stats stats[N];
    int erased;
} run;

static void count_erased(void *context, const gdc_arrival_note *note)
{
    ((run *)context)->erased += note->fate == GDC_FATE_ERASED;
}

static bool is_exact(const double *g, uint64_t version)
{
    for (size_t i = 0; i < D; i++)
        if (g[i] != integer_total(N, version, i))
            return false;
    return true;
}

/* Pieces take 1 s; rounds of load 2 take 2 s. */
static void play(const char *strategy, const char *const *faults, int count, integer_problem problem, run *out)
{
    static const double model[D];
    const char *delay_spec = "none:piece=1";
    gdc_fault fault[4];
    gdc_options options;
    gdc_delay *delay;
    gdc_engine *engine;
    memset(out, 0, sizeof *out);
    gdc_options_init(&options);
    for (int i = 0; i < count; i++)
        assert_int_equal(gdc_fault_parse(faults[i], N, 1, &fault[i]), GDC_OK);
    options.strategy = strategy;
    options.dimension = D;
    options.faults = fault;
    options.fault_count = count;
    options.observe = count_erased;
    options.observe_context = out;
    assert_int_equal(gdc_delay_create(&delay_spec, 1, 1, N, 1, &delay), GDC_OK);
    options.delay = delay;
    assert_int_equal(gdc_open_virtual(&options, N, integer_partial, &problem, &engine), GDC_OK);
    for (int r = 0; r < ROUNDS; r++) {
        double g[D];
        gdc_round round = {.size = sizeof round};
        out->began_s[r] = gdc_now(engine);
        out->status[r] = gdc_gradient(engine, model, g, &round);
        out->ended_s[r] = gdc_now(engine);
        out->exact[r] = out->status[r] == GDC_OK && is_exact(g, (uint64_t)r + 1);
        strcpy(out->sentence[r], out->status[r] == GDC_OK ? "" : gdc_last_error());
    }
    for (int w = 0; w < N; w++) {
        out->stats[w].size = sizeof out->stats[w];
        assert_int_equal(gdc_stats(engine, w, &out->stats[w]), GDC_OK);
    }
    gdc_close(engine, NULL);
    gdc_delay_destroy(delay);
}

static const integer_problem sound = {.dimension = D, .fail_partition = -1, .nan_partition = -1};
static const char pairs[] = "gc:code=fractional,load=2,permute=0"; /* groups {0,1} {2,3} {4,5} */

static void all_exact(const run *r)
{
    for (int i = 0; i < ROUNDS; i++)
        assert_true(r->exact[i]);
}

static void one_loss_per_group_costs_nothing(void **state)
{
    static const char *const moments[] = {"compute", "sent", "model"};
    (void)state;
    for (int m = 0; m < 3; m++) {
        char spec[64];
        const char *faults[] = {spec};
        run r;
        snprintf(spec, sizeof spec, "kill:worker=3,round=4,at=%s", moments[m]);
        play(pairs, faults, 1, sound, &r);
        all_exact(&r);
        assert_int_equal(r.stats[3].health, GDC_DEAD);
        assert_string_equal(r.stats[3].lost, "dead");
        assert_true(r.stats[3].lost_version >= 5);
        assert_null(r.stats[2].lost);
    }
}

static void a_lost_group_is_named_and_the_engine_stays_usable(void **state)
{
    static const char *const faults[] = {"kill:worker=2,round=3", "kill:worker=3,round=5"};
    run r;
    (void)state;
    play(pairs, faults, 2, sound, &r);
    for (int i = 0; i < 5; i++)
        assert_true(r.exact[i]);
    for (int i = 5; i < ROUNDS; i++) {
        assert_int_equal(r.status[i], GDC_EUNRECOVERABLE);
        assert_non_null(strstr(r.sentence[i], "workers 2-3"));
        assert_non_null(strstr(r.sentence[i], "partitions 2-3"));
    }
}

static void a_stopped_worker_returns_and_is_welcome(void **state)
{
    static const char *const faults[] = {"stop:worker=1,round=2,for=9"};
    run r;
    (void)state;
    play(pairs, faults, 1, sound, &r);
    all_exact(&r);
    assert_string_equal(r.stats[1].lost, "stopped");
    assert_int_equal(r.stats[1].returned, 1);
    assert_int_equal(r.stats[1].health, GDC_ALIVE);
    assert_true(r.stats[1].pieces < r.stats[0].pieces);
    assert_true(r.stats[1].pieces >= 2 * 5);
}

static void only_suspects_left_ends_at_the_deadline(void **state)
{
    static const char *const faults[] = {"stop:worker=4,round=3", "stop:worker=5,round=3,for=15"};
    run r;
    (void)state;
    play(pairs, faults, 2, sound, &r);
    assert_true(r.exact[2]);
    assert_int_equal(r.status[3], GDC_ETIMEDOUT);
    assert_true(fabs(r.ended_s[3] - r.began_s[3] - 10) < 1e-9);
    assert_non_null(strstr(r.sentence[3], "workers 4-5"));
    assert_non_null(strstr(r.sentence[3], "partitions 4-5"));
    for (int i = 4; i < ROUNDS; i++)
        assert_true(r.exact[i]); /* worker 5 woke up and serves again */
}

static void erasures_are_recovered_or_named(void **state)
{
    static const char *const one[] = {"nan:worker=0,round=2"};
    static const char *const both[] = {"corrupt:worker=0,round=2", "nan:worker=1,round=2"};
    run r;
    (void)state;
    play(pairs, one, 1, sound, &r);
    all_exact(&r);
    assert_int_equal(r.erased, 1);
    assert_int_equal(r.stats[0].erased, 1);
    assert_int_equal(r.stats[1].erased, 0);
    play(pairs, both, 2, sound, &r);
    assert_int_equal(r.status[2], GDC_EUNRECOVERABLE);
    assert_non_null(strstr(r.sentence[2], "workers 0-1"));
    assert_non_null(strstr(r.sentence[2], "partitions 0-1"));
    assert_non_null(strstr(r.sentence[2], "round 3"));
    for (int i = 3; i < ROUNDS; i++)
        assert_true(r.exact[i]);
}

static void a_nan_that_everybody_computes_is_an_error(void **state)
{
    integer_problem problem = sound;
    run r;
    (void)state;
    problem.nan_partition = 3;
    play(pairs, NULL, 0, problem, &r);
    assert_int_equal(r.status[0], GDC_EUNRECOVERABLE);
    play("sync", NULL, 0, problem, &r);
    assert_int_equal(r.status[0], GDC_ENUMERIC);
    assert_non_null(strstr(r.sentence[0], "worker 3"));
}

static void three_failed_rounds_lose_the_workers(void **state)
{
    integer_problem problem = sound;
    run r;
    (void)state;
    problem.fail_partition = 5;
    play(pairs, NULL, 0, problem, &r);
    assert_int_equal(r.status[0], GDC_EUNRECOVERABLE);
    assert_int_equal(r.stats[4].health, GDC_DEAD);
    assert_int_equal(r.stats[4].error, 7);
    assert_int_equal(r.stats[5].error, 7);
    assert_int_equal(r.stats[0].error, 0);
}

static void an_all_reduce_cannot_do_without_anybody(void **state)
{
    static const char *const faults[] = {"kill:worker=2,round=3"};
    run r;
    (void)state;
    play("sync", faults, 1, sound, &r);
    assert_true(r.exact[2]);
    for (int i = 3; i < ROUNDS; i++)
        assert_int_equal(r.status[i], GDC_ETIMEDOUT);
    assert_non_null(strstr(r.sentence[3], "worker 2"));
    assert_true(fabs(r.ended_s[3] - r.began_s[3] - 11) < 1e-9); /* 1 s of work, then the deadline of 10 s */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_loss_per_group_costs_nothing),
        cmocka_unit_test(a_lost_group_is_named_and_the_engine_stays_usable),
        cmocka_unit_test(a_stopped_worker_returns_and_is_welcome),
        cmocka_unit_test(only_suspects_left_ends_at_the_deadline),
        cmocka_unit_test(erasures_are_recovered_or_named),
        cmocka_unit_test(a_nan_that_everybody_computes_is_an_error),
        cmocka_unit_test(three_failed_rounds_lose_the_workers),
        cmocka_unit_test(an_all_reduce_cannot_do_without_anybody),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

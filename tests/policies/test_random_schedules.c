/* test_random_schedules.c - the coordinator and the worker machine under ten thousand seeded schedules with
 * stops, deaths, late returns and erasures. A failing seed prints the line that replays it.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/scheduler.h"

#include <stdio.h>
#include <stdlib.h>

enum { SCHEDULES = 10000 };

static const struct {
    const char *strategy;
    int workers, partitions;
    double tolerance;
} shapes[] = {
    {"gc:code=uncoded", 4, 1, 0},
    {"gc:code=uncoded,load=2,message=1", 4, 2, 0},
    {"gc:code=uncoded,load=2,message=1,walk=two-ended", 4, 2, 0},
    {"gc:code=fractional,load=2", 6, 1, 0},
    {"gc:code=fractional,load=3", 6, 2, 0},
    {"gc:code=fractional,load=2", 5, 1, 0},
    {"gc:code=cyclic,load=2", 5, 1, 1e-9},
    {"gc:code=cyclic,load=3", 6, 1, 1e-9},
    {"gc:code=circulant,load=4", 6, 2, 1e-9},
    {"gc:code=mmc,load=2,clusters=2,orders=1+2", 6, 1, 1e-9},
    {"gc:code=mmc,load=3,clusters=2,orders=2+3", 8, 2, 1e-8},
    {"gc:code=dual,load=3,speeds=1+2+2+2+2+1,tries=1", 6, 2, 1e-8},
    {"gc:code=dual,load=3,shorten=2,tries=1", 5, 1, 1e-9},
    {"gc:code=uncoded,load=2,clusters=2,place=random,walk=two-ended,message=1", 6, 2, 0},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static schedule make(uint64_t seed)
{
    size_t shape = seed % SHAPES;
    schedule s = {.strategy = shapes[shape].strategy,
                  .workers = shapes[shape].workers,
                  .partitions = shapes[shape].partitions,
                  .tolerance = shapes[shape].tolerance,
                  .rounds = 6,
                  .seed = seed};
    s.stop_permille = seed / SHAPES % 2 ? 60 : 0;
    s.kill_permille = seed / SHAPES % 4 / 2 ? 4 : 0;
    s.erase_permille = seed / SHAPES % 8 / 4 ? 30 : 0;
    return s;
}

static const char *fault_of(const schedule_report *r)
{
    if (r->wrong)
        return "a wrong or stale sum";
    if (r->stuck)
        return "stuck while something was still owed";
    if (r->early)
        return "failed although the live workers could decode";
    if (r->extra_models || r->most_models > 1)
        return "a model for a worker that had not asked";
    if (r->most_controls > 4)
        return "control messages pile up";
    return NULL;
}

static void one_seed(uint64_t seed, int *finished, int *failed)
{
    schedule s = make(seed);
    schedule_report r;
    assert_true(schedule_run(&s, &r));
    *finished += r.finished;
    *failed += r.failed;
    const char *fault = fault_of(&r);
    if (fault)
        fail_msg("%s under %s; replay with: GDC_TEST_SEED=%llu ./test_random_schedules", fault, s.strategy,
                 (unsigned long long)seed);
}

static void every_schedule_is_exact_live_and_bounded(void **state)
{
    (void)state;
    int finished = 0, failed = 0;
    const char *replay = getenv("GDC_TEST_SEED");
    if (replay) {
        one_seed(strtoull(replay, NULL, 10), &finished, &failed);
        return;
    }
    for (uint64_t seed = 1; seed <= SCHEDULES; seed++)
        one_seed(seed, &finished, &failed);
    printf("%d schedules: %d rounds exact, %d rounds refused with a reason\n", SCHEDULES, finished, failed);
    assert_true(finished > 4 * SCHEDULES);
    assert_true(failed > 100);
}

static void a_round_without_faults_never_fails(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 800; seed++) {
        schedule s = make(seed);
        schedule_report r;
        s.stop_permille = s.kill_permille = s.erase_permille = 0;
        assert_true(schedule_run(&s, &r));
        assert_int_equal(r.finished, s.rounds);
        assert_null(fault_of(&r));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_schedule_is_exact_live_and_bounded),
        cmocka_unit_test(a_round_without_faults_never_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_dynamic_random.c - the dynamic strategy under seeded schedules with stops, late returns, deaths and erasures, on worlds too
 * large to be walked through. A failing seed prints the line that replays it.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gradcode/draw.h"
#include "policies/parts/dynamic.h"
#include "support/world.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SCHEDULES = 12000, SCHEDULES_FULL = 100000, ROUNDS = 5, ACTS_MAX = 20000 };

typedef struct schedule {
    uint64_t seed, drawn;
    char strategy[128];
    int workers, pieces, load;
    int stop, kill, erase, fail; /* per mille and act */
    world *w;
} schedule;

static int draw(schedule *s, int below)
{
    return (int)gdc_draw_below((gdc_key){.seed = s->seed, .purpose = 78, .a = s->drawn++}, (uint64_t)below);
}

static bool happens(schedule *s, int permille)
{
    return permille > 0 && draw(s, 1000) < permille;
}

static void make(schedule *s, uint64_t seed)
{
    static const char *const pools[] = {",pool=0", ",pool=1", ",pool=1000", ""};
    static const char *const kinds[] = {
        "", "", "", ",progress=0", ",reproducible=1", ",early=1", ",early=2,progress=0"};
    static const char *const places[] = {"ring", "group", "spread", "random"};
    static const char *const thetas[] = {"", "", ",theta=0,theta2=0", ",theta=.2,theta2=.1"};
    *s = (schedule){.seed = seed};
    s->workers = 1 + draw(s, 6);
    s->pieces = 1 + draw(s, 5);
    s->load = 1 + draw(s, s->workers);
    s->stop = draw(s, 2) ? 30 : 0;
    s->kill = draw(s, 4) ? 0 : 3;
    s->erase = draw(s, 3) ? 0 : 30;
    s->fail = draw(s, 4) ? 0 : 20;
    snprintf(s->strategy, sizeof s->strategy, "dynamic:load=%d,place=%s%s%s%s", s->load, places[draw(s, 4)],
             pools[draw(s, 4)], kinds[draw(s, 7)], thetas[draw(s, 4)]);
}

static void tell(const schedule *s, const char *what)
{
    fail_msg("%s: %d workers, %d pieces, %s; replay with: GDC_TEST_SEED=%llu ./test_dynamic_random", what, s->workers,
             s->pieces, s->strategy, (unsigned long long)s->seed);
}

/* ---- acting ---- */

static void do_to(schedule *s, world_kind kind, int worker)
{
    world_do(s->w, (world_act){(unsigned char)kind, (unsigned char)worker});
}

static void disturb(schedule *s)
{
    int w = draw(s, s->workers);
    const world_desk *k = &s->w->desk[w];
    if (k->dead)
        return;
    if (happens(s, s->kill))
        do_to(s, WORLD_KILL, w);
    else if (!k->stopped && happens(s, s->stop))
        do_to(s, WORLD_STOP, w);
    else if (k->stopped && happens(s, 3 * s->stop))
        do_to(s, WORLD_CONT, w);
}

/* Some shard is held by nobody who lives and has not failed twice, or by nobody who runs besides. */
static bool is_lost(const schedule *s, bool stopped_too)
{
    const gdc_plan *plan = s->w->parts.plan;
    const gdc_dynamic *d = s->w->parts.state;
    for (int shard = 0; shard < s->workers; shard++) {
        bool has_holder = false;
        for (int w = 0; w < s->workers; w++) {
            const world_desk *k = &s->w->desk[w];
            bool counts = !k->dead && !d->worker[w].has_quit && !(stopped_too && k->stopped);
            for (int i = 0; counts && i < gdc_plan_held(plan, w); i++)
                has_holder = has_holder || gdc_plan_walk(plan, w, i) == shard * s->pieces;
        }
        if (!has_holder)
            return true;
    }
    return false;
}

/* Only where somebody stands still who is needed. */
static bool wake_one(schedule *s)
{
    if (!is_lost(s, true))
        return false;
    for (int w = 0; w < s->workers; w++) {
        if (s->w->desk[w].stopped && !s->w->desk[w].dead) {
            do_to(s, WORLD_CONT, w);
            return true;
        }
    }
    return false;
}

/* Pieces take about a second, some workers are five times as slow. */
static void let_time_pass(schedule *s, world_act act)
{
    s->w->now_s += .02 * draw(s, 10);
    if (act.kind == WORLD_PIECE)
        s->w->desk[act.worker].piece_s = (.5 + .1 * draw(s, 10)) * (draw(s, 5) ? 1 : 5);
}

/* False when nothing can happen. */
static bool step(schedule *s)
{
    world_act acts[WORLD_ACTS_MAX];
    disturb(s);
    int count = world_acts(s->w, acts);
    if (count == 0)
        return wake_one(s);
    world_act act = acts[draw(s, count)];
    bool waits = (act.kind == WORLD_TICK || act.kind == WORLD_BEGIN) && count > 1 && draw(s, 4);
    if (waits) /* timers are slow, and between rounds the lines go on for a while */
        act = acts[draw(s, count)];
    let_time_pass(s, act);
    if (act.kind == WORLD_MESSAGE && world_may_erase(s->w, act.worker) && happens(s, s->erase))
        act.kind = WORLD_ERASED;
    if (act.kind == WORLD_PIECE && happens(s, s->fail))
        act.kind = WORLD_FAIL;
    world_do(s->w, act);
    return true;
}

/* ---- judging ---- */

static void judge(const schedule *s)
{
    const world_counts *c = &s->w->count;
    if (c->wrong_messages)
        tell(s, "a message is not what it says");
    if (c->wrong_rounds)
        tell(s, "a wrong or stale sum");
    if (c->most_models > 1)
        tell(s, "two models on their way to a worker");
    if (c->overflows)
        tell(s, "messages pile up");
    if (!gdc_pump_is_running(s->w->pump) && s->w->version > 0 && gdc_pump_result(s->w->pump, NULL) != GDC_OK &&
        !is_lost(s, false))
        tell(s, gdc_last_error());
}

static void run(uint64_t seed, int *finished, int *failed)
{
    schedule s;
    make(&s, seed);
    s.w = world_create(s.strategy, s.workers, s.pieces, seed);
    if (!s.w)
        fail_msg("%s: %s", s.strategy, gdc_last_error());
    int acts = 0;
    while (s.w->version < ROUNDS || gdc_pump_is_running(s.w->pump)) {
        if (!step(&s))
            tell(&s, "stuck while something was still owed");
        if (++acts > ACTS_MAX)
            tell(&s, "goes on and on");
        judge(&s);
    }
    *finished += s.w->count.rounds;
    *failed += ROUNDS - s.w->count.rounds;
    world_destroy(s.w);
}

static void every_schedule_is_exact_live_and_bounded(void **state)
{
    int finished = 0, failed = 0;
    const char *replay = getenv("GDC_TEST_SEED");
    uint64_t schedules = getenv("GDC_TEST_FULL") ? SCHEDULES_FULL : SCHEDULES;
    (void)state;
    if (replay) {
        run(strtoull(replay, NULL, 10), &finished, &failed);
        return;
    }
    for (uint64_t seed = 1; seed <= schedules; seed++)
        run(seed, &finished, &failed);
    print_message("%d schedules: %d rounds exact, %d refused for shards that nobody was left to compute\n",
                  (int)schedules, finished, failed);
    assert_true(finished > 4 * (int)schedules);
    assert_true(failed > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_schedule_is_exact_live_and_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

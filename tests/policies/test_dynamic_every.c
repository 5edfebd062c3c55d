/* test_dynamic_every.c - the dynamic strategy under every interleaving of a small world: real master, worker machines and sums;
 * every order of deliveries, pieces, limits, rings and timers is tried, over several rounds, and no state twice.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A state is reached again by going its way again from the beginning: the machines need not be copied. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "policies/parts/dynamic.h"
#include "support/world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 400 };

typedef struct hunt {
    char strategy[128];
    int workers, pieces, load, rounds;
    int erasures, deaths, stops, failures; /* at most so many */
    world *w;
    world_act path[DEPTH_MAX];
    world_key on_path[DEPTH_MAX];
    int depth;
    world_key *seen; /* open addressing; {0, 0}: free */
    size_t seen_max, states, acts, ends;
} hunt;

/* ---- states ---- */

static uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static void add_policy(world_key *key, const gdc_dynamic *d, double now_s)
{
    for (int s = 0; s < d->workers; s++) {
        const gdc_dynamic_shard *x = &d->shard[s];
        const gdc_dynamic_worker *w = &d->worker[s];
        world_key_add(key, (uint64_t)((x->taken * 64 + x->done) * 64 + x->leased) * 64 + (uint64_t)x->ack);
        world_key_add(key, bits_of(now_s - x->heard_s));
        world_key_add(key, (uint64_t)(w->lease + 1) * 64 + (uint64_t)w->erased * 8 + x->is_left * 4u +
                               w->has_quit * 2u + w->asks);
    }
    for (int p = 0; p < d->workers * d->pieces; p++) {
        const gdc_dynamic_piece *x = &d->piece[p];
        int slot = x->state == GDC_PIECE_HELD ? x->slot : 0;
        bool is_leased = p % d->pieces >= d->shard[p / d->pieces].leased && x->state == GDC_PIECE_NONE;
        world_key_add(key, (uint64_t)slot * 4 + x->state);
        world_key_add(key, is_leased ? bits_of(now_s - x->overdue_s) : 0);
    }
    for (int w = d->idle.first; w >= 0; w = d->idle.next[w])
        world_key_add(key, (uint64_t)w);
    world_key_add(key, (uint64_t)(d->armed + 1));
    world_key_add(key, d->armed < 0 ? 0 : bits_of(now_s - d->armed_s));
}

static int happened(const hunt *h, world_kind kind)
{
    int count = 0;
    for (int i = 0; i < h->depth; i++)
        count += h->path[i].kind == kind;
    return count;
}

static world_key key_of(const hunt *h)
{
    world_key key = world_outer_key(h->w);
    if (gdc_pump_is_running(h->w->pump))
        add_policy(&key, h->w->parts.state, h->w->now_s);
    world_key_add(&key, (uint64_t)(happened(h, WORLD_ERASED) * 64 + happened(h, WORLD_FAIL)));
    return key;
}

static bool same(world_key x, world_key y)
{
    return x.a == y.a && x.b == y.b;
}

static void remember_all(hunt *h, const world_key *old, size_t old_max);

/* True if it is new. */
static bool remember(hunt *h, world_key key)
{
    if (2 * h->states >= h->seen_max) {
        world_key *old = h->seen;
        size_t old_max = h->seen_max;
        h->seen_max = old_max ? 2 * old_max : 1 << 16;
        h->seen = calloc(h->seen_max, sizeof *h->seen);
        h->states = 0;
        remember_all(h, old, old_max);
        free(old);
    }
    size_t at = key.a & (h->seen_max - 1);
    while (h->seen[at].a || h->seen[at].b) {
        if (same(h->seen[at], key))
            return false;
        at = (at + 1) & (h->seen_max - 1);
    }
    h->seen[at] = key;
    h->states++;
    return true;
}

static void remember_all(hunt *h, const world_key *old, size_t old_max)
{
    for (size_t i = 0; i < old_max; i++)
        if (old[i].a || old[i].b)
            remember(h, old[i]);
}

/* ---- the walk ---- */

static void tell(const hunt *h, const char *what)
{
    static const char *const words[] = {"message", "ERASED", "piece", "FAILS", "model", "work", "limit",
                                        "ring",    "tick",   "begin", "STOP",  "cont",  "KILL"};
    print_message("%s, %d workers, %d pieces: %s\n ", h->strategy, h->workers, h->pieces, what);
    for (int i = 0; i < h->depth; i++)
        print_message(" %s %d", words[h->path[i].kind], h->path[i].worker);
    print_message("\n");
    fail_msg("%s", what);
}

static void check(const hunt *h, int acts)
{
    const world_counts *c = &h->w->count;
    if (c->wrong_messages)
        tell(h, "a message is not what it says");
    if (c->wrong_rounds)
        tell(h, "a sum is wrong");
    if (c->most_models > 1 || c->overflows)
        tell(h, "two models on their way to a worker");
    if (acts == 0)
        tell(h, "stuck");
    if (!gdc_pump_is_running(h->w->pump) && h->w->version > 0 && h->deaths + h->failures < h->load &&
        gdc_pump_result(h->w->pump, NULL) != GDC_OK)
        tell(h, gdc_last_error());
}

static int choices(const hunt *h, world_act *acts)
{
    int count = world_acts(h->w, acts);
    bool erases = happened(h, WORLD_ERASED) < h->erasures, kills = happened(h, WORLD_KILL) < h->deaths;
    bool stops = happened(h, WORLD_STOP) < h->stops, fails = happened(h, WORLD_FAIL) < h->failures;
    for (int i = 0; i < h->workers; i++) {
        const world_desk *k = &h->w->desk[i];
        if (erases && world_may_erase(h->w, i))
            acts[count++] = (world_act){WORLD_ERASED, (unsigned char)i};
        if (kills && !k->dead)
            acts[count++] = (world_act){WORLD_KILL, (unsigned char)i};
        if (fails && k->computing && !k->stopped)
            acts[count++] = (world_act){WORLD_FAIL, (unsigned char)i};
        if (stops && !k->dead && !k->stopped)
            acts[count++] = (world_act){WORLD_STOP, (unsigned char)i};
    }
    return count;
}

static void go_back(hunt *h)
{
    world_restart(h->w);
    for (int i = 0; i < h->depth; i++)
        world_do(h->w, h->path[i]);
}

static bool is_end(const hunt *h)
{
    return !gdc_pump_is_running(h->w->pump) && h->w->version == (uint64_t)h->rounds;
}

static void walk(hunt *h)
{
    world_act acts[WORLD_ACTS_MAX];
    check(h, world_acts(h->w, acts));
    int count = choices(h, acts);
    if (is_end(h)) {
        h->ends++;
        return;
    }
    assert_true(h->depth < DEPTH_MAX);
    for (int i = 0; i < count; i++) {
        if (i > 0)
            go_back(h);
        h->path[h->depth++] = acts[i];
        h->acts++;
        world_do(h->w, acts[i]);
        world_key key = key_of(h);
        for (int j = 0; j < h->depth - 1; j++)
            if (same(h->on_path[j], key))
                tell(h, "back where it was: this may go on for ever");
        h->on_path[h->depth - 1] = key;
        if (remember(h, key))
            walk(h);
        h->depth--;
    }
}

typedef struct shape {
    const char *options;
    int workers, pieces, load, rounds, erasures, deaths, stops, failures;
} shape;

static void walk_shape(const shape *x)
{
    hunt h = {.workers = x->workers,
              .pieces = x->pieces,
              .load = x->load,
              .rounds = x->rounds,
              .erasures = x->erasures,
              .deaths = x->deaths,
              .stops = x->stops,
              .failures = x->failures};
    snprintf(h.strategy, sizeof h.strategy, "dynamic:load=%d,nominal=1,permute=0%s", x->load, x->options);
    h.w = world_create(h.strategy, x->workers, x->pieces, 1);
    if (!h.w)
        fail_msg("%s", gdc_last_error());
    walk(&h);
    print_message("%-58s n=%d M=%d, %d round%s%s%s%s%s: %zu states, %zu acts\n", h.strategy, x->workers, x->pieces,
                  x->rounds, x->rounds > 1 ? "s" : "", x->erasures ? ", 1 erasure" : "", x->deaths ? ", 1 death" : "",
                  x->stops ? ", 1 stop" : "", x->failures ? ", 1 failure" : "", h.states, h.acts);
    assert_true(h.ends > 0);
    world_destroy(h.w);
    free(h.seen);
}

static void walk_all(const shape *shapes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        walk_shape(&shapes[i]);
}
#define WALK(...)                                                                                                      \
    do {                                                                                                               \
        const shape shapes[] = {__VA_ARGS__};                                                                          \
        walk_all(shapes, sizeof shapes / sizeof *shapes);                                                              \
    } while (0)

/* theta=0: whatever was begun may at once be leased once more; else after a timer, which may fire at any moment. */
static const char *const variants[] = {",pool=0,theta=0,theta2=0",
                                       ",pool=1,theta=0,theta2=0",
                                       ",pool=100,theta=0,theta2=0",
                                       ",pool=0",
                                       ",pool=1",
                                       ",pool=100"};
enum { VARIANTS = sizeof variants / sizeof *variants };

static void every_interleaving_of_a_round_is_exact_and_ends(void **state)
{
    (void)state;
    for (int v = 0; v < VARIANTS; v++)
        WALK({variants[v], 1, 3, 1, .rounds = 1}, {variants[v], 2, 1, 1, .rounds = 1},
             {variants[v], 2, 1, 2, .rounds = 1}, {variants[v], 2, 2, 2, .rounds = 1},
             {variants[v], 2, 3, 1, .rounds = 1}, {variants[v], 2, 3, 2, .rounds = 1});
    WALK({variants[1], 3, 1, 2, .rounds = 1}, {variants[4], 3, 1, 2, .rounds = 1}, {variants[1], 3, 1, 3, .rounds = 1});
}

static void what_is_left_over_does_not_disturb_the_next_round(void **state)
{
    (void)state;
    WALK({variants[3], 2, 1, 2, .rounds = 2}, {variants[4], 2, 1, 2, .rounds = 2}, {variants[1], 2, 2, 2, .rounds = 2});
}

static void an_erased_vector_or_a_death_changes_nothing(void **state)
{
    (void)state;
    for (int v = 0; v < VARIANTS; v++)
        WALK({variants[v], 1, 3, 1, .rounds = 2, .erasures = 1},
             {variants[v], 2, 2, 2, .rounds = 1, .erasures = 1, .deaths = 1},
             {variants[v], 2, 2, 1, .rounds = 1, .erasures = 1, .deaths = 1});
    WALK({variants[1], 3, 1, 2, .rounds = 1, .erasures = 1}, {variants[1], 3, 1, 2, .rounds = 1, .deaths = 1});
}

static void the_round_ends_whoever_stands_still(void **state)
{
    (void)state;
    for (int v = 0; v < VARIANTS; v++)
        WALK({variants[v], 2, 2, 2, .rounds = 1, .stops = 1}, {variants[v], 2, 1, 2, .rounds = 2, .stops = 1});
    WALK({variants[4], 2, 2, 2, .rounds = 1, .erasures = 1, .stops = 1},
         {variants[4], 3, 1, 2, .rounds = 1, .stops = 1}, {",reproducible=1", 2, 2, 2, .rounds = 1, .stops = 1},
         {",progress=0", 2, 2, 2, .rounds = 1, .stops = 1}, {",early=1", 2, 2, 2, .rounds = 1, .stops = 1});
}

static void a_failed_piece_changes_nothing(void **state)
{
    (void)state;
    WALK({variants[1], 1, 3, 1, .rounds = 2, .failures = 1}, {variants[4], 2, 2, 2, .rounds = 1, .failures = 1},
         {variants[1], 2, 2, 2, .rounds = 1, .erasures = 1, .failures = 1},
         {variants[1], 3, 1, 2, .rounds = 1, .failures = 1}, {",early=1", 2, 2, 2, .rounds = 1, .failures = 1},
         {",reproducible=1", 2, 2, 2, .rounds = 1, .failures = 1});
}

static void all_kinds_of_messages_are_exact(void **state)
{
    (void)state;
    WALK({",reproducible=1", 2, 3, 2, .rounds = 1},
         {",reproducible=1,theta=0,theta2=0", 2, 2, 2, .rounds = 1, .erasures = 1, .deaths = 1},
         {",progress=0", 2, 3, 2, .rounds = 1}, {",progress=0", 2, 2, 2, .rounds = 1, .erasures = 1, .deaths = 1},
         {",early=1", 2, 2, 2, .rounds = 1}, {",early=1,theta=0,theta2=0", 2, 2, 2, .rounds = 1, .deaths = 1});
}

/* All worlds of at most 4 workers and 6 pieces: minutes. */
static void larger_worlds_are_no_different(void **state)
{
    (void)state;
    if (!getenv("GDC_TEST_FULL"))
        return;
    for (int v = 0; v < VARIANTS; v++)
        WALK({variants[v], 1, 6, 1, .rounds = 2, .erasures = 1}, {variants[v], 3, 2, 1, .rounds = 1},
             {variants[v], 3, 2, 2, .rounds = 1}, {variants[v], 2, 2, 2, .rounds = 2},
             {variants[v], 2, 3, 2, .rounds = 1, .erasures = 1, .deaths = 1},
             {variants[v], 2, 3, 2, .rounds = 1, .stops = 1}, {variants[v], 2, 3, 2, .rounds = 1, .failures = 1});
    for (int v = 1; v < VARIANTS; v += 3) /* a pool of one, both kinds of theta */
        WALK({variants[v], 3, 2, 3, .rounds = 1}, {variants[v], 4, 1, 1, .rounds = 1},
             {variants[v], 4, 1, 2, .rounds = 1}, {variants[v], 4, 1, 3, .rounds = 1},
             {variants[v], 2, 3, 2, .rounds = 2}, {variants[v], 3, 1, 3, .rounds = 1},
             {variants[v], 3, 1, 2, .rounds = 1, .erasures = 1, .deaths = 1},
             {variants[v], 3, 1, 3, .rounds = 1, .stops = 1, .failures = 1});
    WALK({variants[1], 4, 1, 4, .rounds = 1}, {variants[1], 3, 1, 2, .rounds = 2}, {",early=1", 2, 3, 2, .rounds = 1},
         {",early=2", 2, 3, 2, .rounds = 1}, {",early=1,reproducible=1", 2, 3, 2, .rounds = 1},
         {",early=1", 2, 2, 2, .rounds = 1, .erasures = 1, .failures = 1},
         {",early=1,theta=0,theta2=0", 2, 2, 2, .rounds = 1, .failures = 1}, {",reproducible=1", 3, 2, 2, .rounds = 1});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_interleaving_of_a_round_is_exact_and_ends),
        cmocka_unit_test(what_is_left_over_does_not_disturb_the_next_round),
        cmocka_unit_test(an_erased_vector_or_a_death_changes_nothing),
        cmocka_unit_test(the_round_ends_whoever_stands_still),
        cmocka_unit_test(a_failed_piece_changes_nothing),
        cmocka_unit_test(all_kinds_of_messages_are_exact),
        cmocka_unit_test(larger_worlds_are_no_different),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

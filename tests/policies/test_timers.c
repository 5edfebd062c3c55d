/* test_timers.c - timers of parked workers: set by the answer, moved later by the policy.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/coordinator.h"
#include "gradcode/draw.h"

#include <limits.h>
#include <math.h>

enum { N = 6 };

/* Everybody has the model and is parked; the test says when each wants to be asked again. */
typedef struct desk {
    double again_s[N];
    int asked[N * 8], count;
} desk;

static void begin(void *state, const gdc_scene *scene)
{
    (void)state;
    (void)scene;
}

static gdc_answer ready(void *state, const gdc_scene *scene, int worker)
{
    desk *d = state;
    if (scene->assigned[worker] != scene->version)
        return (gdc_answer){.give = GDC_GIVE_MODEL, .hint = {.limit = INT_MAX, .nominal_s = NAN}};
    d->asked[d->count++] = worker;
    return (gdc_answer){.give = GDC_PARK, .again_s = d->again_s[worker]};
}

/* A report moves the timer of the worker that its ack names to its done. */
static gdc_verdict arrival(void *state, const gdc_scene *scene, const gdc_arrival *a)
{
    (void)state;
    if (!a->ready)
        gdc_ask_again(scene, a->ack, a->done);
    return (gdc_verdict){.fate = GDC_DISCARD};
}

static bool over(void *state, const gdc_scene *scene)
{
    (void)state;
    (void)scene;
    return false;
}

static bool can_finish(void *state, const gdc_scene *scene, const bool *gone, unsigned char *missing)
{
    (void)state;
    (void)scene;
    (void)gone;
    (void)missing;
    return true;
}

static const gdc_policy_ops ops = {
    .name = "desk", .begin = begin, .ready = ready, .arrival = arrival, .over = over, .can_finish = can_finish};

typedef struct bench {
    desk d;
    gdc_plan *plan;
    gdc_strategy_parts parts;
    gdc_coordinator *c;
} bench;

static void drain(bench *b)
{
    gdc_action a;
    while (gdc_coordinator_next(b->c, &a))
        continue;
}

static void says(bench *b, int worker, uint64_t version, bool is_ready, int whom, int at_s)
{
    const gdc_arrival a = {.worker = worker,
                           .index = GDC_BARE,
                           .version = version,
                           .sound = true,
                           .ready = is_ready,
                           .ack = whom,
                           .done = at_s};
    gdc_coordinator_message(b->c, &a, 0);
    drain(b);
}

/* The last worker stays busy: it moves the others' timers. */
static void open_bench(bench *b, const double *again_s)
{
    *b = (bench){.d = {.count = 0}};
    assert_int_equal(gdc_plan_create("uncoded:permute=0", N, N, 1, &b->plan), GDC_OK);
    b->parts = (gdc_strategy_parts){.ops = &ops, .state = &b->d, .plan = b->plan};
    assert_int_equal(gdc_coordinator_create(&b->parts, NULL, &b->c), GDC_OK);
    for (int w = 0; w < N; w++)
        says(b, w, 0, true, 0, 0);
    gdc_coordinator_begin(b->c, 1, 0);
    drain(b);
    for (int w = 0; w < N - 1; w++) {
        b->d.again_s[w] = again_s[w];
        says(b, w, 1, true, 0, 0);
    }
    b->d.count = 0;
}

static void close_bench(bench *b)
{
    gdc_coordinator_destroy(b->c);
    gdc_plan_destroy(b->plan);
}

static void who_is_due_is_asked_and_nobody_else(void **state)
{
    const double again_s[N] = {5, 3, 4, 3, 0};
    bench b;
    (void)state;
    open_bench(&b, again_s);
    for (int w = 0; w < N; w++)
        b.d.again_s[w] = 0; /* once */
    assert_true(gdc_coordinator_deadline(b.c) == 3);
    gdc_coordinator_tick(b.c, 2.9);
    assert_int_equal(b.d.count, 0);
    gdc_coordinator_tick(b.c, 4);
    assert_int_equal(b.d.count, 3);
    for (int i = 0; i < 3; i++)
        assert_true(b.d.asked[i] >= 1 && b.d.asked[i] <= 3 && (i == 0 || b.d.asked[i] != b.d.asked[i - 1]));
    assert_true(gdc_coordinator_deadline(b.c) == 5);
    gdc_coordinator_tick(b.c, 5);
    assert_true(isinf(gdc_coordinator_deadline(b.c)));
    close_bench(&b);
}

static void a_policy_moves_the_timers_of_others(void **state)
{
    const double again_s[N] = {5, 0, 0, 0, 0};
    bench b;
    (void)state;
    open_bench(&b, again_s);
    says(&b, N - 1, 1, false, 2, 4);
    assert_true(gdc_coordinator_deadline(b.c) == 4);
    says(&b, N - 1, 1, false, 2, 9); /* later */
    assert_true(gdc_coordinator_deadline(b.c) == 5);
    says(&b, N - 1, 1, false, 0, 0); /* none */
    assert_true(gdc_coordinator_deadline(b.c) == 9);
    says(&b, N - 1, 1, false, N - 1, 1); /* a busy one has no timer */
    assert_true(gdc_coordinator_deadline(b.c) == 9);
    b.d.again_s[0] = 0; /* after a death all are asked */
    gdc_coordinator_dead(b.c, 2, 0);
    assert_true(isinf(gdc_coordinator_deadline(b.c)));
    close_bench(&b);
}

static void one_tick_asks_nobody_twice(void **state)
{
    const double again_s[N] = {1, 1, 1, 0, 0};
    bench b;
    (void)state;
    open_bench(&b, again_s); /* each wants to be asked at 1 s for ever */
    gdc_coordinator_tick(b.c, 1);
    assert_true(b.d.count >= 1 && b.d.count <= 3);
    close_bench(&b);
}

static void the_deadline_is_that_of_a_search(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        double again_s[N] = {0}, least = 0;
        bench b;
        open_bench(&b, again_s);
        for (uint64_t i = 0; i < 60; i++) {
            int whom = (int)gdc_draw_below((gdc_key){seed, 1, i, 0, 0}, N - 1);
            int at_s = (int)gdc_draw_below((gdc_key){seed, 2, i, 0, 0}, 6);
            says(&b, N - 1, 1, false, whom, at_s);
            again_s[whom] = at_s;
            least = INFINITY;
            for (int w = 0; w < N - 1; w++)
                least = again_s[w] > 0 ? fmin(least, again_s[w]) : least;
            assert_true(gdc_coordinator_deadline(b.c) == least);
        }
        close_bench(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_is_due_is_asked_and_nobody_else),
        cmocka_unit_test(a_policy_moves_the_timers_of_others),
        cmocka_unit_test(one_tick_asks_nobody_twice),
        cmocka_unit_test(the_deadline_is_that_of_a_search),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

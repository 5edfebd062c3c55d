/* test_contract.c - the parts of the contract that policies which hand out work need: WORK, spans, folding on
 * arrival, limits, timers. A policy of the test's own hands out single partitions to whoever is idle.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/coordinator.h"
#include "engine/worker.h"
#include "support/scheduler.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

enum { N = 4, M = 3, K = N * M };

typedef struct handout {
    enum { FREE, LEASED, DONE } piece[K];
    int holder[K];
    int done;
} handout;

static gdc_status handout_open(const void *values, const gdc_plan *plan, bool can_cut, void **state, gdc_traits *traits)
{
    (void)values;
    (void)plan;
    (void)can_cut;
    *state = calloc(1, sizeof(handout));
    traits->slots = 0;
    return *state ? GDC_OK : gdc_fail(GDC_ENOMEM, "handout");
}

static void handout_begin(void *state, const gdc_scene *scene)
{
    (void)scene;
    *(handout *)state = (handout){0};
}

static gdc_answer handout_ready(void *state, const gdc_scene *scene, int worker)
{
    handout *h = state;
    const gdc_hint hint = {.limit = INT_MAX, .nominal_s = NAN};
    if (scene->assigned[worker] != scene->version)
        return (gdc_answer){.give = GDC_GIVE_MODEL, .hint = hint};
    for (int p = 0; p < K; p++) {
        bool lost = h->piece[p] == LEASED && (scene->dead[h->holder[p]] || h->holder[p] == worker);
        if (h->piece[p] != FREE && !lost)
            continue;
        h->piece[p] = LEASED;
        h->holder[p] = worker;
        return (gdc_answer){.give = GDC_GIVE_WORK, .work = {p, 1}};
    }
    return (gdc_answer){.give = GDC_PARK};
}

static gdc_verdict handout_arrival(void *state, const gdc_scene *scene, const gdc_arrival *a)
{
    handout *h = state;
    (void)scene;
    if (a->index != GDC_SPAN || h->piece[a->span.first] == DONE)
        return (gdc_verdict){.fate = GDC_DISCARD};
    h->piece[a->span.first] = a->sound ? DONE : FREE;
    h->done += a->sound;
    return (gdc_verdict){.fate = GDC_FOLD, .weight = 1};
}

static bool handout_over(void *state, const gdc_scene *scene)
{
    (void)scene;
    return ((handout *)state)->done == K;
}

static bool handout_can_finish(void *state, const gdc_scene *scene, const bool *gone, unsigned char *missing)
{
    handout *h = state;
    bool any = false;
    for (int w = 0; w < scene->plan->workers; w++)
        any = any || !gone[w];
    for (int p = 0; missing && p < K; p++)
        missing[p] = h->piece[p] != DONE;
    return any || h->done == K;
}

static gdc_status handout_finish(void *state, const gdc_scene *scene, gdc_outcome *outcome)
{
    (void)state;
    (void)scene;
    *outcome = (gdc_outcome){.used = K, .scale = 1, .amplification = NAN};
    return GDC_OK;
}

static gdc_step handout_next(const void *state, void *half, const gdc_boundary *at)
{
    (void)state;
    (void)half;
    (void)at;
    return (gdc_step){.kind = GDC_REPORT, .ready = true};
}

static const gdc_policy_ops ops = {
    .name = "handout",
    .traits = {.cancels = true, .exact = true},
    .open = handout_open,
    .close = free,
    .begin = handout_begin,
    .ready = handout_ready,
    .arrival = handout_arrival,
    .over = handout_over,
    .can_finish = handout_can_finish,
    .finish = handout_finish,
    .next = handout_next,
};

static void handed_out_work_is_exact_and_live(void **state)
{
    int failed = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= 2000; seed++) {
        schedule s = {
            .strategy = "uncoded:load=4", .ops = &ops, .workers = N, .partitions = M, .rounds = 5, .seed = seed};
        s.stop_permille = seed % 2 ? 60 : 0;
        s.kill_permille = seed % 4 / 2 ? 5 : 0;
        s.erase_permille = seed % 8 / 4 ? 30 : 0;
        schedule_report r;
        assert_true(schedule_run(&s, &r));
        if (r.wrong || r.stuck || r.early || r.extra_models)
            fail_msg("seed %llu: wrong %d, stuck %d, early %d, extra models %d", (unsigned long long)seed, r.wrong,
                     r.stuck, r.early, r.extra_models);
        if (s.kill_permille == 0)
            assert_int_equal(r.finished, 5);
        failed += r.failed;
    }
    assert_true(failed > 0); /* with everybody dead */
}

/* ---- the machine, step by step ---- */

typedef struct machine {
    gdc_plan *plan;
    gdc_worker *worker;
} machine;

static const gdc_policy_ops walks = {.name = "walks"};

static machine make_machine(const char *code)
{
    machine m;
    assert_int_equal(gdc_plan_create(code, N, K, 1, &m.plan), GDC_OK);
    assert_int_equal(gdc_worker_create(&walks, NULL, m.plan, 1, &m.worker), GDC_OK);
    return m;
}

static void free_machine(machine *m)
{
    gdc_worker_destroy(m->worker);
    gdc_plan_destroy(m->plan);
}

static const gdc_hint no_hint = {.limit = INT_MAX, .nominal_s = NAN};

static void the_default_walk_sends_each_row_when_due(void **state)
{
    machine m = make_machine("uncoded:load=2,message=1,permute=0");
    (void)state;
    gdc_step step = gdc_worker_next(m.worker, 0);
    assert_true(step.kind == GDC_REPORT && step.ready);
    assert_int_equal(gdc_worker_next(m.worker, 0).kind, GDC_WAIT);
    gdc_worker_model(m.worker, 1, no_hint, 0);
    for (int i = 0; i < 2 * M; i++) {
        step = gdc_worker_next(m.worker, i);
        assert_int_equal(step.kind, GDC_COMPUTE);
        assert_int_equal(step.partition, gdc_plan_walk(m.plan, 1, i));
        assert_int_equal(gdc_worker_next(m.worker, i).kind, GDC_WAIT);
        gdc_worker_computed(m.worker, i + 1);
        step = gdc_worker_next(m.worker, i + 1);
        assert_int_equal(step.kind, GDC_SEND);
        assert_int_equal(step.index, i);
        assert_int_equal(step.done, i + 1);
        assert_int_equal(step.ready, i == 2 * M - 1);
    }
    assert_int_equal(gdc_worker_next(m.worker, 9).kind, GDC_WAIT);
    free_machine(&m);
}

static void a_ring_is_obeyed_at_the_boundary_and_only_for_its_version(void **state)
{
    machine m = make_machine("uncoded:load=2,permute=0");
    (void)state;
    gdc_worker_next(m.worker, 0);
    gdc_worker_ring(m.worker, 2); /* overtakes the model */
    gdc_worker_model(m.worker, 1, no_hint, 0);
    assert_true(gdc_worker_is_over(m.worker)); /* a ring for 2 speaks of 1 too */
    gdc_step step = gdc_worker_next(m.worker, 0);
    assert_true(step.kind == GDC_REPORT && step.ready);
    assert_true(gdc_worker_take_abandoned(m.worker));
    gdc_worker_model(m.worker, 3, no_hint, 0);
    assert_int_equal(gdc_worker_next(m.worker, 0).kind, GDC_COMPUTE);
    gdc_worker_ring(m.worker, 2); /* of an older version: ignored */
    gdc_worker_computed(m.worker, 1);
    assert_int_equal(gdc_worker_next(m.worker, 1).kind, GDC_COMPUTE);
    gdc_worker_ring(m.worker, 3);
    gdc_worker_computed(m.worker, 2);
    step = gdc_worker_next(m.worker, 2);
    assert_true(step.kind == GDC_REPORT && step.ready);
    assert_int_equal(gdc_worker_finished(m.worker), 2);
    free_machine(&m);
}

static void every_work_owes_one_ready_also_a_rung_one(void **state)
{
    machine m = make_machine("uncoded:permute=0");
    (void)state;
    gdc_worker_next(m.worker, 0);
    gdc_worker_model(m.worker, 1, no_hint, 0);
    for (int i = 0; i < M; i++) {
        assert_int_equal(gdc_worker_next(m.worker, 0).kind, GDC_COMPUTE);
        gdc_worker_computed(m.worker, 1);
    }
    assert_true(gdc_worker_next(m.worker, 1).ready);
    gdc_worker_work(m.worker, (gdc_span){7, 2});
    assert_int_equal(gdc_worker_next(m.worker, 1).partition, 7);
    gdc_worker_computed(m.worker, 2);
    assert_int_equal(gdc_worker_next(m.worker, 2).partition, 8);
    assert_int_equal(gdc_worker_started(m.worker), M + 2);
    gdc_worker_computed(m.worker, 3);
    gdc_step step = gdc_worker_next(m.worker, 3);
    assert_true(step.kind == GDC_SEND && step.index == GDC_SPAN && step.ready);
    assert_true(step.span.first == 7 && step.span.count == 2);
    gdc_worker_ring(m.worker, 1);
    gdc_worker_work(m.worker, (gdc_span){0, 1});
    step = gdc_worker_next(m.worker, 4);
    assert_true(step.kind == GDC_REPORT && step.ready);
    free_machine(&m);
}

static void a_failed_piece_ends_the_part_in_the_round(void **state)
{
    machine m = make_machine("uncoded:load=2,permute=0");
    (void)state;
    gdc_worker_next(m.worker, 0);
    gdc_worker_model(m.worker, 1, no_hint, 0);
    gdc_worker_next(m.worker, 0);
    gdc_worker_failed(m.worker, 1);
    gdc_step step = gdc_worker_next(m.worker, 1);
    assert_true(step.kind == GDC_REPORT && step.ready);
    assert_true(gdc_worker_take_abandoned(m.worker));
    gdc_worker_model(m.worker, 2, no_hint, 2);
    assert_int_equal(gdc_worker_next(m.worker, 2).kind, GDC_COMPUTE);
    free_machine(&m);
}

static int limit_seen;

static gdc_step watches_next(const void *state, void *half, const gdc_boundary *at)
{
    (void)state;
    (void)half;
    limit_seen = at->hint.limit;
    return (gdc_step){.kind = GDC_COMPUTE, .partition = 0};
}

static void a_limit_waits_for_its_version_and_only_falls(void **state)
{
    static const gdc_policy_ops watches = {.name = "watches", .next = watches_next};
    gdc_plan *plan;
    gdc_worker *w;
    (void)state;
    assert_int_equal(gdc_plan_create("uncoded", N, K, 1, &plan), GDC_OK);
    assert_int_equal(gdc_worker_create(&watches, NULL, plan, 0, &w), GDC_OK);
    gdc_worker_next(w, 0);
    gdc_worker_limit(w, 2, 5); /* for a later version: kept */
    gdc_worker_model(w, 1, no_hint, 0);
    gdc_worker_next(w, 0);
    assert_int_equal(limit_seen, INT_MAX);
    gdc_worker_failed(w, 0);
    gdc_worker_next(w, 0);
    gdc_worker_model(w, 2, no_hint, 0);
    gdc_worker_next(w, 0);
    assert_int_equal(limit_seen, 5);
    gdc_worker_limit(w, 2, 8); /* never up again */
    gdc_worker_limit(w, 1, 1); /* of an earlier version: dropped */
    gdc_worker_computed(w, 1);
    gdc_worker_next(w, 1);
    assert_int_equal(limit_seen, 5);
    gdc_worker_destroy(w);
    gdc_plan_destroy(plan);
}

/* ---- the coordinator's timers ---- */

static gdc_answer later_ready(void *state, const gdc_scene *scene, int worker)
{
    (void)state;
    if (scene->assigned[worker] != scene->version && scene->now_s >= scene->began_s + 1 + worker)
        return (gdc_answer){.give = GDC_GIVE_MODEL, .hint = no_hint};
    return (gdc_answer){.give = GDC_PARK, .again_s = scene->began_s + 1 + worker};
}

static void parked_workers_are_asked_again_at_their_time(void **state)
{
    gdc_policy_ops timed = ops;
    gdc_plan *plan;
    gdc_coordinator *c;
    gdc_action a;
    handout h = {0};
    (void)state;
    timed.ready = later_ready;
    assert_int_equal(gdc_plan_create("uncoded", N, K, 1, &plan), GDC_OK);
    const gdc_strategy_parts parts = {.ops = &timed, .state = &h, .plan = plan};
    assert_int_equal(gdc_coordinator_create(&parts, NULL, &c), GDC_OK);
    for (int w = 0; w < N; w++)
        gdc_coordinator_message(c, &(gdc_arrival){.worker = w, .index = GDC_BARE, .ready = true, .sound = true}, 0);
    gdc_coordinator_begin(c, 1, 10);
    assert_false(gdc_coordinator_next(c, &a));
    for (int w = 0; w < N; w++) {
        assert_true(gdc_coordinator_deadline(c) == 11 + w);
        gdc_coordinator_tick(c, 11 + w);
        assert_true(gdc_coordinator_next(c, &a));
        assert_int_equal(a.kind, GDC_DO_MODEL);
        assert_int_equal(a.worker, w);
        assert_false(gdc_coordinator_next(c, &a));
    }
    assert_true(isinf(gdc_coordinator_deadline(c)));
    gdc_coordinator_destroy(c);
    gdc_plan_destroy(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(handed_out_work_is_exact_and_live),
        cmocka_unit_test(the_default_walk_sends_each_row_when_due),
        cmocka_unit_test(a_ring_is_obeyed_at_the_boundary_and_only_for_its_version),
        cmocka_unit_test(every_work_owes_one_ready_also_a_rung_one),
        cmocka_unit_test(a_failed_piece_ends_the_part_in_the_round),
        cmocka_unit_test(a_limit_waits_for_its_version_and_only_falls),
        cmocka_unit_test(parked_workers_are_asked_again_at_their_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

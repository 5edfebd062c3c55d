/* coordinator.c - the master's state machine: events, answers, the end of a round.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "engine/coordinator_state.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <string.h>

/* ---- actions ---- */

bool gdc_coordinator_next(gdc_coordinator *c, gdc_action *action)
{
    if (!gdc_actions_pop(&c->actions, action))
        return false;
    if (action->kind == GDC_DO_FAILED)
        gdc_fail(action->status, "%s", c->reason.text);
    return true;
}

void gdc_tell_limit(const gdc_scene *scene, int worker, int limit)
{
    gdc_coordinator *c = scene->self;
    if (c->busy[worker] && c->assigned[worker] == scene->version)
        gdc_actions_push_advice(&c->actions, (gdc_action){.kind = GDC_DO_LIMIT,
                                                          .worker = worker,
                                                          .version = scene->version,
                                                          .hint = {.limit = limit, .nominal_s = NAN}});
}

void gdc_fold_slot(const gdc_scene *scene, int slot, double weight)
{
    gdc_fold_block(scene, slot, 0, weight);
}

void gdc_fold_block(const gdc_scene *scene, int slot, int block, double weight)
{
    gdc_actions_push(&scene->self->actions,
                     (gdc_action){.kind = GDC_DO_FOLD_SLOT, .slot = slot, .block = block, .weight = weight});
}

void gdc_free_slot(const gdc_scene *scene, int slot)
{
    gdc_actions_push(&scene->self->actions, (gdc_action){.kind = GDC_DO_FREE_SLOT, .slot = slot});
}

void gdc_scale_sum(const gdc_scene *scene, double factor)
{
    gdc_actions_push(&scene->self->actions, (gdc_action){.kind = GDC_DO_SCALE_SUM, .weight = factor});
}

/* ---- the end of a round ---- */

static void ring_the_rest(gdc_coordinator *c)
{
    for (int w = 0; w < c->plan->workers; w++) {
        if (!c->busy[w] || c->assigned[w] == 0 || c->rung[w] >= c->assigned[w])
            continue;
        c->rung[w] = c->scene.version;
        gdc_actions_push(&c->actions, (gdc_action){.kind = GDC_DO_RING, .worker = w, .version = c->scene.version});
    }
}

static void end_round(gdc_coordinator *c, gdc_status status)
{
    c->running = false;
    if (c->traits.cancels)
        ring_the_rest(c);
    if (status == GDC_OK) {
        status = c->ops->finish(c->state, &c->scene, &c->outcome);
        if (status != GDC_OK)
            gdc_reason_set(&c->reason, "round %llu: %s", (unsigned long long)c->scene.version, gdc_last_error());
    }
    if (status == GDC_OK)
        gdc_actions_push(&c->actions, (gdc_action){.kind = GDC_DO_DONE, .version = c->scene.version});
    else
        gdc_actions_push(&c->actions,
                         (gdc_action){.kind = GDC_DO_FAILED, .version = c->scene.version, .status = status});
}

/* The round cannot end without the workers in `gone`: names them and what only they could give. */
static void fail_without(gdc_coordinator *c, gdc_status status, const char *what, const bool *gone)
{
    memset(c->missing, 0, (size_t)c->plan->partitions);
    c->ops->can_finish(c->state, &c->scene, gone, c->missing);
    gdc_reason_set(&c->reason, "round %llu: %s", (unsigned long long)c->scene.version, what);
    gdc_reason_add_list(&c->reason, " worker", gone, c->plan->workers);
    gdc_reason_add_missing(&c->reason, c->missing, c->plan->partitions);
    if (c->ops->explain)
        c->ops->explain(c->state, &c->scene, gone, &c->reason);
    end_round(c, status);
}

static void fail_by_dead(gdc_coordinator *c)
{
    fail_without(c, GDC_EUNRECOVERABLE, "the gradient cannot be recovered without the lost", c->dead);
}

/* Nobody owes anything and no timer runs, yet the round is open: what came was erased, or was never sent. */
static void fail_by_silence(gdc_coordinator *c)
{
    bool any = false;
    for (int w = 0; w < c->plan->workers; w++) {
        c->gone[w] = c->dead[w] || c->erased[w] == c->scene.version;
        any = any || c->gone[w];
    }
    if (!any)
        for (int w = 0; w < c->plan->workers; w++)
            c->gone[w] = !c->busy[w];
    fail_without(c, GDC_EUNRECOVERABLE,
                 "nothing more will come, after the loss or erasure (not finite, bad checksum, failed) of", c->gone);
}

/* ---- answering ---- */

static void set_timer(gdc_coordinator *c, int worker, double at_s)
{
    bool had = c->again_s[worker] > 0, has = at_s > 0;
    if (has && !had)
        gdc_parking_append(&c->timed, worker);
    else if (had && !has)
        gdc_parking_remove(&c->timed, worker);
    c->again_s[worker] = at_s;
}

void gdc_ask_again(const gdc_scene *scene, int worker, double at_s)
{
    gdc_coordinator *c = scene->self;
    if (!c->busy[worker] && !c->dead[worker])
        set_timer(c, worker, at_s);
}

static void unpark(gdc_coordinator *c, int worker)
{
    gdc_parking_remove(&c->parked, worker);
    set_timer(c, worker, 0);
}

static void set_busy(gdc_coordinator *c, int worker, bool busy)
{
    c->live_busy += busy - c->busy[worker];
    c->busy[worker] = busy;
}

static void give_model(gdc_coordinator *c, int worker, gdc_hint hint)
{
    assert(c->assigned[worker] != c->scene.version);
    c->assigned[worker] = c->scene.version;
    gdc_actions_push(&c->actions,
                     (gdc_action){.kind = GDC_DO_MODEL, .worker = worker, .version = c->scene.version, .hint = hint});
}

static void give_work(gdc_coordinator *c, int worker, gdc_span work)
{
    assert(c->assigned[worker] == c->scene.version);
    gdc_actions_push(&c->actions,
                     (gdc_action){.kind = GDC_DO_WORK, .worker = worker, .version = c->scene.version, .span = work});
}

static gdc_answer model_once(const gdc_scene *scene, int worker)
{
    gdc_answer answer = {.give = GDC_PARK, .hint = {.limit = INT_MAX, .nominal_s = NAN}};
    if (scene->assigned[worker] != scene->version)
        answer.give = GDC_GIVE_MODEL;
    return answer;
}

static void answer(gdc_coordinator *c, int worker)
{
    gdc_answer a = c->ops->ready ? c->ops->ready(c->state, &c->scene, worker) : model_once(&c->scene, worker);
    if (a.give == GDC_PARK) {
        set_timer(c, worker, a.again_s);
        return;
    }
    unpark(c, worker);
    set_busy(c, worker, true);
    if (a.give == GDC_GIVE_MODEL)
        give_model(c, worker, a.hint);
    else
        give_work(c, worker, a.work);
}

static void answer_all(gdc_coordinator *c)
{
    for (int w = c->parked.first, next; w >= 0; w = next) {
        next = c->parked.next[w];
        answer(c, w);
    }
}

static void settle(gdc_coordinator *c)
{
    if (!c->running)
        return;
    if (c->ops->over(c->state, &c->scene))
        end_round(c, GDC_OK);
    else if (c->live_busy == 0 && c->timed.first < 0)
        fail_by_silence(c);
}

/* ---- events ---- */

/* At begin the answer depends on the dead only: asked once per loss, not once per round. */
static bool can_begin(gdc_coordinator *c)
{
    if (c->dead_count == 0 || c->dead_count == c->dead_when_checked)
        return true;
    if (!c->ops->can_finish(c->state, &c->scene, c->dead, NULL))
        return false;
    c->dead_when_checked = c->dead_count;
    return true;
}

void gdc_coordinator_begin(gdc_coordinator *c, uint64_t version, double now_s)
{
    assert(!c->running && version > c->scene.version);
    c->running = true;
    c->scene.version = version;
    c->scene.now_s = c->scene.began_s = now_s;
    c->ops->begin(c->state, &c->scene);
    if (!can_begin(c)) {
        fail_by_dead(c);
        return;
    }
    answer_all(c);
    settle(c);
}

gdc_verdict gdc_coordinator_message(gdc_coordinator *c, const gdc_arrival *arrival, double now_s)
{
    gdc_verdict verdict = {.fate = GDC_DISCARD};
    int w = arrival->worker;
    if (c->dead[w])
        return verdict;
    c->scene.now_s = now_s;
    if (!arrival->sound)
        c->erased[w] = arrival->version;
    bool current = arrival->version == c->scene.version;
    if (c->running && (current || c->traits.counts_stale))
        verdict = c->ops->arrival(c->state, &c->scene, arrival);
    if (arrival->index == GDC_BARE || !arrival->sound)
        verdict.fate = GDC_DISCARD;
    bool ready = arrival->ready && c->busy[w]; /* a second READY is nonsense and costs nothing */
    if (ready) {
        set_busy(c, w, false);
        gdc_parking_append(&c->parked, w);
    }
    if (c->running && c->ops->over(c->state, &c->scene))
        end_round(c, GDC_OK);
    else if (c->running && ready)
        answer(c, w);
    settle(c);
    return verdict;
}

bool gdc_coordinator_wants(const gdc_coordinator *c, int worker, int index)
{
    if (c->dead[worker])
        return false;
    bool current = c->assigned[worker] == c->scene.version;
    if (!c->running || (!current && !c->traits.counts_stale))
        return false;
    return !c->ops->wants || c->ops->wants(c->state, &c->scene, worker, index);
}

void gdc_coordinator_tick(gdc_coordinator *c, double now_s)
{
    if (!c->running)
        return;
    c->scene.now_s = now_s;
    int most = c->plan->workers; /* whoever is given a timer meanwhile waits for the next tick */
    for (int w = c->timed.first, next; w >= 0 && most-- > 0; w = next) {
        next = c->timed.next[w];
        if (c->again_s[w] > 0 && c->again_s[w] <= now_s)
            answer(c, w);
    }
    settle(c);
}

void gdc_coordinator_dead(gdc_coordinator *c, int worker, double now_s)
{
    if (c->dead[worker])
        return;
    c->scene.now_s = now_s;
    if (c->busy[worker])
        set_busy(c, worker, false);
    else
        unpark(c, worker);
    c->dead[worker] = true;
    c->dead_count++;
    c->scene.live--;
    if (!c->running)
        return;
    if (c->ops->lost)
        c->ops->lost(c->state, &c->scene, worker);
    if (!c->ops->can_finish(c->state, &c->scene, c->dead, NULL)) {
        fail_by_dead(c);
        return;
    }
    answer_all(c);
    settle(c);
}

void gdc_coordinator_expire(gdc_coordinator *c, const bool *silent, double now_s)
{
    if (!c->running)
        return;
    c->scene.now_s = now_s;
    for (int w = 0; w < c->plan->workers; w++)
        c->gone[w] = c->dead[w] || silent[w];
    fail_without(c, GDC_ETIMEDOUT, "the deadline passed while waiting for the silent or lost", c->gone);
}

double gdc_coordinator_deadline(const gdc_coordinator *c)
{
    double due = INFINITY;
    for (int w = c->timed.first; c->running && w >= 0; w = c->timed.next[w])
        due = fmin(due, c->again_s[w]);
    return due;
}

/* coordinator.c - the master's state machine.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "engine/coordinator.h"

#include "engine/actions.h"
#include "engine/parking.h"
#include "engine/reason.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct gdc_coordinator {
    const gdc_policy_ops *ops;
    void *state;
    const gdc_plan *plan;
    gdc_scene scene;
    bool running;
    bool *busy, *dead;
    uint64_t *assigned; /* version last given */
    uint64_t *rung;     /* version last rung for */
    uint64_t *erased;   /* version of the last unsound arrival */
    double *again_s;    /* a parked worker's timer; 0: none */
    gdc_parking parked;
    int live_busy, timers, dead_count;
    int dead_when_checked;  /* can_finish held at begin with so many dead; -1: not asked */
    bool *gone;             /* scratch [n] */
    unsigned char *missing; /* scratch [k] */
    gdc_outcome outcome;
    gdc_reason reason;
    gdc_actions actions;
};

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
    gdc_actions_push(&scene->self->actions, (gdc_action){.kind = GDC_DO_FOLD_SLOT, .slot = slot, .weight = weight});
}

void gdc_free_slot(const gdc_scene *scene, int slot)
{
    gdc_actions_push(&scene->self->actions, (gdc_action){.kind = GDC_DO_FREE_SLOT, .slot = slot});
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
    if (c->ops->cancels)
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
    c->timers += (at_s > 0) - (c->again_s[worker] > 0);
    c->again_s[worker] = at_s;
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

static void answer(gdc_coordinator *c, int worker)
{
    gdc_answer a = c->ops->ready(c->state, &c->scene, worker);
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
    else if (c->live_busy == 0 && c->timers == 0)
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
    bool current = c->running && arrival->version == c->scene.version;
    if (current || c->ops->counts_stale)
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
    bool current = c->running && c->assigned[worker] == c->scene.version;
    if (!current && !c->ops->counts_stale)
        return false;
    return !c->ops->wants || c->ops->wants(c->state, &c->scene, worker, index);
}

void gdc_coordinator_tick(gdc_coordinator *c, double now_s)
{
    if (!c->running)
        return;
    c->scene.now_s = now_s;
    for (int w = c->parked.first, next; w >= 0; w = next) {
        next = c->parked.next[w];
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
    if (!c->running)
        return;
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
    if (!c->running || c->timers == 0)
        return due;
    for (int w = c->parked.first; w >= 0; w = c->parked.next[w])
        if (c->again_s[w] > 0 && c->again_s[w] < due)
            due = c->again_s[w];
    return due;
}

/* ---- questions ---- */

bool gdc_coordinator_can_finish_without(const gdc_coordinator *c, const bool *gone)
{
    return !c->running || c->ops->can_finish(c->state, &c->scene, gone, NULL);
}

bool gdc_coordinator_is_running(const gdc_coordinator *c)
{
    return c->running;
}

bool gdc_coordinator_is_busy(const gdc_coordinator *c, int worker)
{
    return c->busy[worker];
}

bool gdc_coordinator_is_dead(const gdc_coordinator *c, int worker)
{
    return c->dead[worker];
}

uint64_t gdc_coordinator_assigned(const gdc_coordinator *c, int worker)
{
    return c->assigned[worker];
}

const gdc_outcome *gdc_coordinator_outcome(const gdc_coordinator *c)
{
    return &c->outcome;
}

/* ---- life ---- */

static bool allocate(gdc_coordinator *c, int slots)
{
    size_t n = (size_t)c->plan->workers;
    c->busy = calloc(n, sizeof *c->busy);
    c->dead = calloc(n, sizeof *c->dead);
    c->gone = calloc(n, sizeof *c->gone);
    c->assigned = calloc(n, sizeof *c->assigned);
    c->rung = calloc(n, sizeof *c->rung);
    c->erased = calloc(n, sizeof *c->erased);
    c->again_s = calloc(n, sizeof *c->again_s);
    c->missing = calloc((size_t)c->plan->partitions, 1);
    return gdc_parking_init(&c->parked, c->plan->workers) && c->busy && c->dead && c->gone && c->assigned && c->rung &&
           c->erased && c->again_s && c->missing && gdc_actions_init(&c->actions, c->plan->workers, slots);
}

gdc_status gdc_coordinator_create(const gdc_policy_ops *ops, void *state, const gdc_plan *plan, const double *samples,
                                  int slots, gdc_coordinator **coordinator)
{
    gdc_coordinator *c = calloc(1, sizeof *c);
    if (!c)
        return gdc_fail(GDC_ENOMEM, "coordinator: out of memory");
    c->ops = ops;
    c->state = state;
    c->plan = plan;
    c->dead_when_checked = -1;
    if (!allocate(c, slots)) {
        gdc_coordinator_destroy(c);
        return gdc_fail(GDC_ENOMEM, "coordinator: out of memory for %d workers", plan->workers);
    }
    for (int w = 0; w < plan->workers; w++)
        c->busy[w] = true;
    c->live_busy = plan->workers;
    c->scene = (gdc_scene){.plan = plan, .samples = samples, .dead = c->dead, .assigned = c->assigned, .self = c};
    *coordinator = c;
    return GDC_OK;
}

void gdc_coordinator_destroy(gdc_coordinator *c)
{
    if (!c)
        return;
    free(c->busy);
    free(c->dead);
    free(c->gone);
    free(c->assigned);
    free(c->rung);
    free(c->erased);
    free(c->again_s);
    free(c->missing);
    gdc_actions_free(&c->actions);
    gdc_parking_free(&c->parked);
    free(c);
}

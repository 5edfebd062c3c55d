/* worker.c - the worker's state machine.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "engine/worker.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>

struct gdc_worker {
    const gdc_policy_ops *ops;
    const void *state;
    const gdc_plan *plan;
    void *half;
    enum { BORN, IDLE, WALKING, WORKING, COMPUTING, REDUCING } phase;
    enum { NOTHING, FAILED } accident; /* since the piece began */
    bool working;                      /* the running piece belongs to a WORK */
    bool abandoned;
    bool has_failed; /* a piece, on this model: the policy's half does not know what became of its sums */
    gdc_boundary boundary;
    double model_at_s, piece_at_s;
    uint64_t rung, limit_version;
    int limit;
    gdc_span work;
    int work_done, row; /* row: next row of the default walk */
    uint64_t started, finished;
};

gdc_status gdc_worker_create(const gdc_policy_ops *ops, const void *state, const gdc_plan *plan, int id,
                             gdc_worker **worker)
{
    gdc_worker *w = calloc(1, sizeof *w);
    void *half = calloc(1, ops->half_bytes + 1);
    if (!w || !half) {
        free(w);
        free(half);
        return gdc_fail(GDC_ENOMEM, "worker %d: out of memory", id);
    }
    w->ops = ops;
    w->state = state;
    w->plan = plan;
    w->half = half;
    w->boundary = (gdc_boundary){.worker = id, .plan = plan, .hint = {.limit = INT_MAX, .nominal_s = NAN}};
    *worker = w;
    return GDC_OK;
}

void gdc_worker_destroy(gdc_worker *w)
{
    if (!w)
        return;
    free(w->half);
    free(w);
}

/* ---- events ---- */

static void lower_limit(gdc_worker *w, int limit)
{
    if (limit < w->boundary.hint.limit)
        w->boundary.hint.limit = limit;
}

void gdc_worker_model(gdc_worker *w, uint64_t version, gdc_hint hint, double now_s)
{
    assert(w->phase == IDLE && version > w->boundary.version);
    w->boundary.version = version;
    w->boundary.hint = hint;
    if (w->limit_version == version)
        lower_limit(w, w->limit);
    w->boundary.done = 0;
    w->boundary.since_model_s = 0;
    w->boundary.piece_s = 0;
    w->model_at_s = now_s;
    w->row = 0;
    w->started = 0;
    w->abandoned = w->has_failed = false;
    w->accident = NOTHING;
    w->phase = WALKING;
    if (w->ops->start)
        w->ops->start(w->state, w->half, &w->boundary);
}

void gdc_worker_work(gdc_worker *w, gdc_span span)
{
    assert(w->phase == IDLE && w->boundary.version > 0);
    w->work = span;
    w->work_done = 0;
    w->abandoned = false;
    w->accident = NOTHING;
    bool is_seen_to = w->ops->work && !w->has_failed && w->ops->work(w->state, w->half, &w->boundary, span);
    w->phase = is_seen_to ? WALKING : WORKING;
}

void gdc_worker_ring(gdc_worker *w, uint64_t version)
{
    if (version > w->rung)
        w->rung = version;
}

void gdc_worker_limit(gdc_worker *w, uint64_t version, int limit)
{
    if (version == w->boundary.version) {
        lower_limit(w, limit);
    } else if (version > w->boundary.version && version >= w->limit_version) {
        w->limit_version = version;
        w->limit = limit;
    }
}

static void end_piece(gdc_worker *w, double now_s)
{
    assert(w->phase == COMPUTING);
    w->phase = w->working ? WORKING : WALKING;
    w->boundary.since_model_s = now_s - w->model_at_s;
}

void gdc_worker_computed(gdc_worker *w, double now_s)
{
    end_piece(w, now_s);
    w->finished++;
    w->boundary.piece_s = now_s - w->piece_at_s;
    w->boundary.done++;
    if (w->working)
        w->work_done++;
}

void gdc_worker_cut(gdc_worker *w, double now_s)
{
    end_piece(w, now_s);
}

void gdc_worker_failed(gdc_worker *w, double now_s)
{
    end_piece(w, now_s);
    w->accident = FAILED;
    w->has_failed = true;
}

void gdc_worker_reduced(gdc_worker *w)
{
    assert(w->phase == REDUCING);
    w->phase = IDLE;
}

/* ---- steps ---- */

bool gdc_worker_is_over(const gdc_worker *w)
{
    return w->boundary.version > 0 && w->rung >= w->boundary.version;
}

static gdc_step stamped(const gdc_worker *w, gdc_step step)
{
    step.done = w->boundary.done;
    return step;
}

static gdc_step report_ready(gdc_worker *w)
{
    w->phase = IDLE;
    return stamped(w, (gdc_step){.kind = GDC_REPORT, .ready = true});
}

static gdc_step start_piece(gdc_worker *w, gdc_step step, bool working, double now_s)
{
    w->phase = COMPUTING;
    w->working = working;
    w->piece_at_s = now_s;
    w->started++;
    return step;
}

/* The default half: walk the plan, send each due row, the last one READY. */
static gdc_step walk(gdc_worker *w)
{
    int id = w->boundary.worker, rows = gdc_plan_rows(w->plan, id);
    if (w->row == rows)
        return (gdc_step){.kind = GDC_REPORT, .ready = true};
    if (gdc_plan_row(w->plan, id, w->row)->after > w->boundary.done)
        return (gdc_step){.kind = GDC_COMPUTE, .partition = gdc_plan_walk(w->plan, id, w->boundary.done)};
    int row = w->row++;
    return (gdc_step){.kind = GDC_SEND, .index = row, .ready = row == rows - 1};
}

static gdc_step walking_step(gdc_worker *w, double now_s)
{
    w->boundary.since_model_s = now_s - w->model_at_s;
    gdc_step step = w->ops->next ? w->ops->next(w->state, w->half, &w->boundary) : stamped(w, walk(w));
    if (step.kind == GDC_COMPUTE)
        return start_piece(w, step, false, now_s);
    if (step.kind == GDC_REDUCE)
        w->phase = REDUCING;
    else if ((step.kind == GDC_SEND || step.kind == GDC_REPORT) && step.ready)
        w->phase = IDLE;
    return step;
}

static gdc_step working_step(gdc_worker *w, double now_s)
{
    if (w->work_done < w->work.count)
        return start_piece(w, (gdc_step){.kind = GDC_COMPUTE, .partition = w->work.first + w->work_done}, true, now_s);
    w->phase = IDLE;
    return stamped(w, (gdc_step){.kind = GDC_SEND, .index = GDC_SPAN, .span = w->work, .ready = true});
}

gdc_step gdc_worker_next(gdc_worker *w, double now_s)
{
    if (w->phase == BORN)
        return report_ready(w);
    if (w->phase != WALKING && w->phase != WORKING)
        return (gdc_step){.kind = GDC_WAIT};
    if (w->accident == FAILED || gdc_worker_is_over(w)) {
        w->abandoned = true;
        return report_ready(w);
    }
    return w->phase == WALKING ? walking_step(w, now_s) : working_step(w, now_s);
}

uint64_t gdc_worker_version(const gdc_worker *w)
{
    return w->boundary.version;
}

uint64_t gdc_worker_started(const gdc_worker *w)
{
    return w->started;
}

int gdc_worker_done(const gdc_worker *w)
{
    return w->boundary.done;
}

uint64_t gdc_worker_finished(const gdc_worker *w)
{
    return w->finished;
}

bool gdc_worker_take_abandoned(gdc_worker *w)
{
    bool was = w->abandoned;
    w->abandoned = false;
    return was;
}

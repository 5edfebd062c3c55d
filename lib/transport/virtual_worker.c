/* virtual_worker.c - workers on the virtual clock: pieces, rings, faults on purpose.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "transport/virtual.h"

#include <math.h>

/* ---- faults ---- */

static void kill_worker(gdc_virtual *v, int worker)
{
    v->worker[worker].is_dead = true;
    v->dead++;
    v->worker[worker].epoch++;
    gdc_virtual_push(v, (gdc_event){.at_s = v->now_s + v->options.latency_s, .kind = GDC_EV_DEAD, .worker = worker});
}

static void stop_worker(gdc_virtual *v, int worker, double for_s)
{
    gdc_virtual_worker *w = &v->worker[worker];
    w->is_stopped = true;
    w->stop_epoch++;
    w->resume_s = for_s > 0 ? v->now_s + for_s : INFINITY;
    v->stopped++;
    gdc_virtual_lost(v, worker, "stopped");
    if (for_s > 0)
        gdc_virtual_push(
            v, (gdc_event){.at_s = w->resume_s, .kind = GDC_EV_RESUME, .worker = worker, .number = w->stop_epoch});
}

static void strike(gdc_virtual *v, int worker, const gdc_fault *fault)
{
    if (fault->kind == GDC_FAULT_KILL)
        kill_worker(v, worker);
    else if (fault->kind == GDC_FAULT_STOP)
        stop_worker(v, worker, fault->for_s);
    else
        v->worker[worker].poison = true;
}

/* True if the worker can go on. */
static bool survives(gdc_virtual *v, int worker, gdc_fault_moment moment)
{
    gdc_virtual_worker *w = &v->worker[worker];
    for (int i = 0; i < v->options.fault_count; i++) {
        const gdc_fault *f = &v->faults[i];
        bool spoils = f->kind == GDC_FAULT_NAN || f->kind == GDC_FAULT_CORRUPT;
        bool now = spoils ? moment == GDC_AT_MODEL : f->at == moment;
        if (v->struck[i] || f->worker != worker || !now || gdc_worker_version(w->machine) < f->version)
            continue;
        v->struck[i] = true;
        strike(v, worker, f);
    }
    return !w->is_dead && !w->is_stopped;
}

/* ---- pieces ---- */

static bool can_cut(const gdc_virtual *v)
{
    return !isinf(v->options.poll_s);
}

static void start_piece(gdc_virtual *v, int worker, const gdc_step *step)
{
    gdc_virtual_worker *w = &v->worker[worker];
    uint64_t q = gdc_worker_started(w->machine) - 1;
    double takes_s = gdc_delay_draw(v->delay, worker, gdc_worker_version(w->machine), q);
    bool cut = step->cut_s > 0 && can_cut(v) && takes_s > step->cut_s;
    w->is_computing = true;
    w->piece_at_s = v->now_s;
    w->piece_end_s = v->now_s + (cut ? step->cut_s : takes_s);
    w->epoch++;
    gdc_virtual_push(v, (gdc_event){.at_s = w->piece_end_s,
                                    .kind = cut ? GDC_EV_CUT : GDC_EV_COMPUTED,
                                    .worker = worker,
                                    .number = w->epoch});
}

/* A rung piece is cut at the worker's next look. */
static void cut_piece(gdc_virtual *v, int worker)
{
    gdc_virtual_worker *w = &v->worker[worker];
    if (!w->is_computing || !can_cut(v) || !gdc_worker_is_over(w->machine))
        return;
    double poll_s = v->options.poll_s, at_s = v->now_s;
    if (poll_s > 0)
        at_s = fmax(at_s, w->piece_at_s + ceil((v->now_s - w->piece_at_s) / poll_s) * poll_s);
    if (at_s >= w->piece_end_s)
        return;
    w->piece_end_s = at_s;
    w->epoch++;
    gdc_virtual_push(v, (gdc_event){.at_s = at_s, .kind = GDC_EV_CUT, .worker = worker, .number = w->epoch});
}

static void end_piece(gdc_virtual *v, const gdc_event *event)
{
    gdc_virtual_worker *w = &v->worker[event->worker];
    if (event->number != w->epoch || !w->is_computing)
        return;
    w->is_computing = false;
    if (event->kind == GDC_EV_CUT) {
        gdc_worker_cut(w->machine, v->now_s);
    } else {
        w->last_piece_s = v->now_s - w->piece_at_s;
        w->piece_s += w->last_piece_s;
        gdc_watch_piece(&v->watch, event->worker, gdc_worker_done(w->machine), w->last_piece_s);
        gdc_worker_computed(w->machine, v->now_s);
    }
    gdc_virtual_drive(v, event->worker);
}

/* ---- steps ---- */

static void reduce(gdc_virtual *v, int worker)
{
    v->worker[worker].has_reduced = true;
    v->reducing++;
}

void gdc_virtual_drive(gdc_virtual *v, int worker)
{
    gdc_virtual_worker *w = &v->worker[worker];
    while (!w->is_dead && !w->is_stopped) {
        gdc_step step = gdc_worker_next(w->machine, v->now_s);
        gdc_worker_take_abandoned(w->machine);
        if (step.kind == GDC_LOCAL_STEP)
            continue; /* computed late, with the worker's mini-batches */
        if (step.kind == GDC_SEND || step.kind == GDC_REPORT) {
            gdc_virtual_send(v, worker, &step);
            bool first = step.kind == GDC_SEND && !w->sent_of_version;
            w->sent_of_version |= step.kind == GDC_SEND;
            if (first)
                survives(v, worker, GDC_AT_SENT);
            continue;
        }
        if (step.kind == GDC_COMPUTE) {
            start_piece(v, worker, &step);
            survives(v, worker, GDC_AT_COMPUTE);
        } else if (step.kind == GDC_REDUCE) {
            reduce(v, worker);
        }
        return;
    }
}

/* ---- events ---- */

static void accept_model(gdc_virtual *v, const gdc_event *event)
{
    gdc_virtual_worker *w = &v->worker[event->worker];
    gdc_virtual_drop_version(v, w->model);
    w->model = event->model;
    w->sent_of_version = false;
    gdc_worker_model(w->machine, event->model->number, event->hint, v->now_s);
    if (survives(v, event->worker, GDC_AT_MODEL))
        gdc_virtual_drive(v, event->worker);
}

static void resume(gdc_virtual *v, const gdc_event *event)
{
    gdc_virtual_worker *w = &v->worker[event->worker];
    if (!w->is_stopped || event->number != w->stop_epoch)
        return;
    w->is_stopped = false;
    v->stopped--;
    gdc_worker_stats *stats = gdc_pump_stats(v->pump, event->worker);
    stats->health = GDC_ALIVE;
    stats->returned = 1;
    gdc_virtual_drive(v, event->worker);
}

/* What happens to a worker that stands still waits for it. */
static bool is_put_off(gdc_virtual *v, const gdc_event *event)
{
    const gdc_virtual_worker *w = &v->worker[event->worker];
    if (!w->is_stopped || event->kind == GDC_EV_RESUME)
        return false;
    gdc_event later = *event;
    later.at_s = w->resume_s;
    if (isinf(w->resume_s))
        gdc_virtual_drop_version(v, event->model);
    else
        gdc_virtual_push(v, later);
    return true;
}

bool gdc_virtual_worker_event(gdc_virtual *v, const gdc_event *event)
{
    if (event->kind > GDC_EV_LIMIT && event->kind != GDC_EV_RESUME)
        return false;
    gdc_virtual_worker *w = &v->worker[event->worker];
    if (w->is_dead) {
        gdc_virtual_drop_version(v, event->model);
        return true;
    }
    if (is_put_off(v, event))
        return true;
    switch (event->kind) {
    case GDC_EV_COMPUTED:
    case GDC_EV_CUT:
        end_piece(v, event);
        break;
    case GDC_EV_MODEL:
        accept_model(v, event);
        break;
    case GDC_EV_WORK:
        gdc_worker_work(w->machine, event->span);
        gdc_virtual_drive(v, event->worker);
        break;
    case GDC_EV_RING:
        gdc_worker_ring(w->machine, event->number);
        cut_piece(v, event->worker);
        break;
    case GDC_EV_LIMIT:
        gdc_worker_limit(w->machine, event->number, event->hint.limit);
        break;
    default:
        resume(v, event);
        break;
    }
    return true;
}

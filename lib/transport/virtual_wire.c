/* virtual_wire.c - messages on the virtual clock: models and control out, vectors in, the master's link between.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "transport/virtual.h"

#include "engine/sums.h"
#include "kernels/vector.h"

#include <math.h>
#include <stdlib.h>

enum { LOST_AFTER = 3 }; /* failed rounds in a row that lose a worker */

/* ---- out ---- */

/* When so many bytes are through one direction of the master's link, busy until *link_s. */
static double through_link(gdc_virtual *v, size_t bytes, double *link_s)
{
    if (isinf(v->options.bandwidth))
        return v->now_s;
    *link_s = fmax(v->now_s, *link_s) + (double)bytes / v->options.bandwidth;
    return *link_s;
}

static void release(void *self, void *vector)
{
    gdc_virtual *v = self;
    if (v->pooled == v->pool_size) {
        int size = 2 * v->pool_size + 16;
        void **pool = realloc(v->pool, (size_t)size * sizeof *pool);
        if (!pool) {
            free(vector);
            return;
        }
        v->pool = pool;
        v->pool_size = size;
    }
    v->pool[v->pooled++] = vector;
}

static void send_model(void *self, int worker, uint64_t version, gdc_hint hint)
{
    gdc_virtual *v = self;
    (void)version;
    v->current->refs++;
    size_t bytes = gdc_virtual_model_bytes(v);
    gdc_pump_stats(v->pump, worker)->bytes += bytes;
    gdc_virtual_push(v, (gdc_event){.at_s = through_link(v, bytes, &v->link_out_s) + v->options.latency_s,
                                    .kind = GDC_EV_MODEL,
                                    .worker = worker,
                                    .model = v->current,
                                    .hint = hint});
}

static gdc_event control(const gdc_virtual *v, gdc_event_kind kind, int worker)
{
    return (gdc_event){.at_s = v->now_s + v->options.latency_s, .kind = kind, .worker = worker};
}

static void send_work(void *self, int worker, uint64_t version, gdc_span span)
{
    gdc_event event = control(self, GDC_EV_WORK, worker);
    event.number = version;
    event.span = span;
    gdc_virtual_push(self, event);
}

static void send_ring(void *self, int worker, uint64_t version)
{
    gdc_event event = control(self, GDC_EV_RING, worker);
    event.number = version;
    gdc_virtual_push(self, event);
}

static void send_limit(void *self, int worker, uint64_t version, int limit)
{
    gdc_event event = control(self, GDC_EV_LIMIT, worker);
    event.number = version;
    event.hint.limit = limit;
    gdc_virtual_push(self, event);
}

void gdc_virtual_send(gdc_virtual *v, int worker, const gdc_step *step)
{
    gdc_virtual_worker *w = &v->worker[worker];
    bool has_vector = step->kind == GDC_SEND;
    gdc_arrival a = {.worker = worker,
                     .index = has_vector ? step->index : GDC_BARE,
                     .version = gdc_worker_version(w->machine),
                     .span = step->span,
                     .done = step->done,
                     .ack = step->ack,
                     .ready = step->ready,
                     .sound = !(has_vector && w->poison),
                     .finished = gdc_worker_finished(w->machine),
                     .piece_s = gdc_worker_finished(w->machine) > 0 ? w->last_piece_s : NAN,
                     .loss = NAN,
                     .norm2 = NAN};
    if (v->parts->ops->collective)
        return; /* a birth cry; nobody is there to hear it */
    if (has_vector) {
        w->poison = false;
        w->model->refs++;
    }
    gdc_virtual_push(v, (gdc_event){.at_s = v->now_s + v->options.latency_s,
                                    .kind = GDC_EV_ARRIVE,
                                    .worker = worker,
                                    .arrival = a,
                                    .has_vector = has_vector,
                                    .model = has_vector ? w->model : NULL});
}

/* ---- in ---- */

static void count_failure(gdc_virtual *v, const gdc_arrival *a, int code)
{
    gdc_virtual_worker *w = &v->worker[a->worker];
    gdc_pump_stats(v->pump, a->worker)->error = code;
    if (w->failed_version == a->version)
        return;
    w->failed_version = a->version;
    if (++w->failed_rounds < LOST_AFTER || w->is_dead)
        return;
    w->is_dead = true;
    v->dead++;
    w->epoch++;
    gdc_virtual_push(v, (gdc_event){.at_s = v->now_s, .kind = GDC_EV_DEAD, .worker = a->worker});
}

static int encode(gdc_virtual *v, const gdc_event *event, void *out, gdc_told *told)
{
    const gdc_arrival *a = &event->arrival;
    gdc_task task = {
        .size = sizeof task, .version = a->version, .worker = a->worker, .model = event->model->model, .loss = NAN};
    if (a->index == GDC_SPAN)
        return gdc_encode_span(a->span, v->options.dtype, v->options.dimension, v->partial, v->context, &task,
                               v->scratch, out, told);
    return gdc_encode_row(v->parts->plan, a->worker, a->index, v->options.dtype, v->options.dimension, v->partial,
                          v->context, &task, v->scratch, out, told);
}

/* The vector of an arrival that may be wanted; NULL if it is an erasure, which arrival->sound then says. */
static void *compute_vector(gdc_virtual *v, gdc_event *event)
{
    void *vector = gdc_virtual_take_vector(v);
    if (!vector)
        return NULL;
    gdc_told told = {.norms = v->options.norms != 0};
    int code = encode(v, event, vector, &told);
    event->arrival.loss = told.loss;
    event->arrival.norm2 = told.norm2;
    bool f32 = v->options.dtype == GDC_F32;
    bool finite = gdc_all_finite(f32, gdc_plan_length(v->parts->plan, v->options.dimension), vector);
    if (code == 0 && finite) {
        v->worker[event->worker].failed_rounds = 0;
        return vector;
    }
    if (code != 0)
        count_failure(v, &event->arrival, code);
    event->arrival.sound = false;
    release(v, vector);
    return NULL;
}

void gdc_virtual_deliver(gdc_virtual *v, gdc_event *event)
{
    const gdc_arrival *a = &event->arrival;
    void *vector = NULL;
    if (event->has_vector)
        gdc_pump_stats(v->pump, a->worker)->bytes += gdc_virtual_vector_bytes(v);
    if (event->has_vector && v->partial && a->sound &&
        gdc_coordinator_wants(gdc_pump_coordinator(v->pump), a->worker, a->index))
        vector = compute_vector(v, event);
    bool kept = gdc_pump_message(v->pump, a, event->has_vector, vector, v->now_s);
    if (vector && !kept)
        release(v, vector);
    gdc_virtual_drop_version(v, event->model);
}

void gdc_virtual_arrive(gdc_virtual *v, gdc_event *event)
{
    double at_s = event->has_vector ? through_link(v, gdc_virtual_vector_bytes(v), &v->link_in_s) : v->now_s;
    if (at_s <= v->now_s) {
        gdc_virtual_deliver(v, event);
        return;
    }
    event->at_s = at_s;
    event->kind = GDC_EV_DELIVER;
    gdc_virtual_push(v, *event);
}

gdc_wire gdc_virtual_wire(gdc_virtual *v)
{
    return (gdc_wire){
        .self = v, .model = send_model, .work = send_work, .ring = send_ring, .limit = send_limit, .release = release};
}

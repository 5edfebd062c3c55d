/* virtual.c - the virtual transport: the master's side, the clock, rounds.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "transport/virtual.h"

#include "kernels/vector.h"
#include "transport/transport.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- memory ---- */

size_t gdc_virtual_model_bytes(const gdc_virtual *v)
{
    return v->options.dimension * gdc_element_bytes(v->options.dtype == GDC_F32);
}

size_t gdc_virtual_vector_bytes(const gdc_virtual *v)
{
    return gdc_plan_length(v->parts->plan, v->options.dimension) * gdc_element_bytes(v->options.dtype == GDC_F32);
}

void gdc_virtual_push(gdc_virtual *v, gdc_event event)
{
    if (!gdc_events_push(&v->events, event))
        v->out_of_memory = true;
}

void *gdc_virtual_take_vector(gdc_virtual *v)
{
    if (v->pooled > 0)
        return v->pool[--v->pooled];
    void *vector = malloc(gdc_virtual_vector_bytes(v) + 1);
    if (!vector)
        v->out_of_memory = true;
    return vector;
}

gdc_version *gdc_virtual_new_version(gdc_virtual *v, uint64_t number, const void *model)
{
    gdc_version *version = v->free_versions;
    if (version)
        v->free_versions = version->next_free;
    else
        version = calloc(1, sizeof *version);
    if (version && v->partial && !version->model)
        version->model = malloc(gdc_virtual_model_bytes(v) + 1);
    if (!version || (v->partial && !version->model)) {
        free(version);
        v->out_of_memory = true;
        return NULL;
    }
    version->number = number;
    version->refs = 1;
    version->next_free = NULL;
    if (v->partial)
        memcpy(version->model, model, gdc_virtual_model_bytes(v));
    return version;
}

void gdc_virtual_drop_version(gdc_virtual *v, gdc_version *version)
{
    if (!version || --version->refs > 0)
        return;
    version->next_free = v->free_versions;
    v->free_versions = version;
}

/* ---- losses ---- */

void gdc_virtual_lost(gdc_virtual *v, int worker, const char *how)
{
    gdc_worker_stats *stats = gdc_pump_stats(v->pump, worker);
    stats->health = how[0] == 'd' ? GDC_DEAD : GDC_SUSPECT;
    stats->lost = how;
    stats->returned = 0;
    stats->lost_version = v->current ? v->current->number : 0;
}

/* What is still in the link counts first. */
static void dead(gdc_virtual *v, gdc_event *event)
{
    if (!isinf(v->options.bandwidth) && v->link_in_s > v->now_s) {
        event->at_s = v->link_in_s;
        gdc_virtual_push(v, *event);
        return;
    }
    gdc_virtual_lost(v, event->worker, "dead");
    if (!v->parts->ops->collective)
        gdc_pump_dead(v->pump, event->worker, v->now_s);
}

/* The deadline runs while only workers that stand still could complete the round. */
static void watch_deadline(gdc_virtual *v)
{
    if (v->stopped == 0) {
        v->expire_s = INFINITY;
        return;
    }
    const gdc_coordinator *c = gdc_pump_coordinator(v->pump);
    for (int w = 0; w < v->workers; w++)
        v->silent[w] = v->worker[w].is_stopped || gdc_coordinator_is_dead(c, w);
    if (gdc_coordinator_can_finish_without(c, v->silent))
        v->expire_s = INFINITY;
    else if (isinf(v->expire_s))
        v->expire_s = v->now_s + v->options.round_deadline_s;
}

/* ---- rounds ---- */

static void handle(gdc_virtual *v, gdc_event *event)
{
    if (event->at_s > v->now_s)
        v->now_s = event->at_s;
    if (gdc_virtual_worker_event(v, event))
        return;
    if (event->kind == GDC_EV_ARRIVE)
        gdc_virtual_arrive(v, event);
    else if (event->kind == GDC_EV_DELIVER)
        gdc_virtual_deliver(v, event);
    else
        dead(v, event);
}

static void expire(gdc_virtual *v)
{
    v->expire_s = INFINITY;
    gdc_pump_expire(v->pump, v->silent, v->now_s);
}

/* One thing happens: an event, a timer, or a deadline. */
static void step(gdc_virtual *v)
{
    double event_s = gdc_events_next(&v->events);
    double timer_s = gdc_coordinator_deadline(gdc_pump_coordinator(v->pump));
    gdc_event event;
    if (isinf(event_s) && isinf(timer_s) && isinf(v->expire_s))
        v->expire_s = v->now_s + v->options.round_deadline_s; /* only those who stand still for ever are left */
    double due_s = fmin(timer_s, v->expire_s);
    if (due_s < event_s) {
        v->now_s = fmax(v->now_s, due_s);
        if (due_s == timer_s)
            gdc_pump_tick(v->pump, v->now_s);
        else
            expire(v);
    } else if (gdc_events_pop(&v->events, &event)) {
        handle(v, &event);
    }
    watch_deadline(v);
}

static gdc_status star_round(gdc_virtual *v, uint64_t number, void *gradient, gdc_round *round)
{
    v->expire_s = INFINITY;
    gdc_pump_begin(v->pump, number, gradient, v->now_s);
    watch_deadline(v);
    while (gdc_pump_is_running(v->pump) && !v->out_of_memory)
        step(v);
    if (v->out_of_memory)
        return gdc_fail(GDC_ENOMEM, "virtual: out of memory in round %llu", (unsigned long long)number);
    return gdc_pump_result(v->pump, round);
}

static gdc_status virtual_round(void *self, uint64_t number, const void *model, void *gradient, gdc_round *round)
{
    gdc_virtual *v = self;
    gdc_version *version = gdc_virtual_new_version(v, number, model);
    if (!version)
        return gdc_fail(GDC_ENOMEM, "virtual: no memory for a model of %zu bytes", gdc_virtual_model_bytes(v));
    gdc_virtual_drop_version(v, v->current);
    v->current = version;
    if (v->parts->ops->collective)
        return gdc_virtual_reduce_round(v, gradient, round);
    return star_round(v, number, gradient, round);
}

/* ---- questions and life ---- */

static gdc_status virtual_finish(void *self, const void *model)
{
    (void)self;
    (void)model;
    return GDC_OK;
}

static int virtual_is_over(const void *self)
{
    (void)self;
    return 0;
}

static const void *virtual_final_model(const void *self)
{
    (void)self;
    return NULL;
}

static double virtual_now(const void *self)
{
    return ((const gdc_virtual *)self)->now_s;
}

static gdc_status virtual_stats(const void *self, int worker, gdc_worker_stats *stats)
{
    const gdc_virtual *v = self;
    *stats = *gdc_pump_stats(v->pump, worker);
    stats->pieces = gdc_worker_finished(v->worker[worker].machine);
    stats->piece_s = v->worker[worker].piece_s;
    return GDC_OK;
}

static void free_versions(gdc_version *version)
{
    while (version) {
        gdc_version *next = version->next_free;
        free(version->model);
        free(version);
        version = next;
    }
}

static gdc_status virtual_close(void *self, int *missing)
{
    gdc_virtual *v = self;
    gdc_event event;
    int lost = 0;
    while (gdc_events_pop(&v->events, &event))
        gdc_virtual_drop_version(v, event.model);
    for (int w = 0; v->worker && w < v->workers; w++) {
        lost += v->worker[w].is_dead || v->worker[w].is_stopped;
        gdc_virtual_drop_version(v, v->worker[w].model);
        gdc_worker_destroy(v->worker[w].machine);
    }
    gdc_virtual_drop_version(v, v->current);
    free_versions(v->free_versions);
    while (v->pooled > 0)
        free(v->pool[--v->pooled]);
    gdc_pump_destroy(v->pump);
    gdc_events_free(&v->events);
    gdc_delay_destroy(v->own_delay);
    free(v->pool);
    free(v->worker);
    free(v->faults);
    free(v->struck);
    free(v->scratch);
    free(v->silent);
    free(v->local);
    gdc_watch_close(&v->watch);
    free(v);
    if (missing)
        *missing = lost;
    return GDC_OK;
}

static bool allocate(gdc_virtual *v)
{
    size_t faults = (size_t)v->options.fault_count;
    v->worker = calloc((size_t)v->workers, sizeof *v->worker);
    v->faults = calloc(faults + 1, sizeof *v->faults);
    v->struck = calloc(faults + 1, sizeof *v->struck);
    v->scratch = malloc(gdc_virtual_model_bytes(v) + 1);
    v->silent = calloc((size_t)v->workers, sizeof *v->silent);
    bool steps = v->parts->traits.local_steps && v->partial;
    v->local = steps ? malloc(gdc_virtual_vector_bytes(v) + 1) : NULL;
    if (!v->worker || !v->faults || !v->struck || !v->scratch || !v->silent || (steps && !v->local))
        return false;
    if (faults)
        memcpy(v->faults, v->options.faults, faults * sizeof *v->faults);
    return true;
}

static gdc_status build(gdc_virtual *v)
{
    if (!allocate(v))
        return gdc_fail(GDC_ENOMEM, "virtual: no memory for %d workers", v->workers);
    gdc_status status = gdc_pump_create(v->parts, &v->options, &v->wire, !v->partial, &v->pump);
    if (status == GDC_OK)
        status = gdc_watch_open(&v->watch, v->parts);
    if (status == GDC_OK && !v->options.delay) {
        status = gdc_delay_create(NULL, 0, v->options.seed, v->workers, v->options.partitions, &v->own_delay);
        v->delay = v->own_delay;
    }
    for (int w = 0; status == GDC_OK && w < v->workers; w++)
        status = gdc_worker_create(v->parts->ops, v->parts->state, v->parts->plan, w, &v->worker[w].machine);
    for (int w = 0; status == GDC_OK && w < v->workers; w++)
        gdc_virtual_drive(v, w);
    return status;
}

gdc_status gdc_virtual_create(const gdc_options *options, int workers, const gdc_strategy_parts *parts,
                              gdc_partial_fn partial, void *context, void **self)
{
    gdc_virtual *v = calloc(1, sizeof *v);
    if (!v)
        return gdc_fail(GDC_ENOMEM, "virtual: out of memory");
    v->options = *options;
    v->parts = parts;
    v->workers = workers;
    v->partial = partial;
    v->context = context;
    v->delay = options->delay;
    v->expire_s = INFINITY;
    v->wire = gdc_virtual_wire(v);
    gdc_status status = build(v);
    if (status != GDC_OK) {
        virtual_close(v, NULL);
        return status;
    }
    *self = v;
    return GDC_OK;
}

const gdc_transport_ops gdc_virtual_ops = {
    .name = "virtual",
    .round = virtual_round,
    .finish = virtual_finish,
    .is_over = virtual_is_over,
    .final_model = virtual_final_model,
    .now = virtual_now,
    .stats = virtual_stats,
    .close = virtual_close,
};

/* virtual_reduce.c - the all-reduce family on the virtual clock: no master, the reduction is a service of the
 * transport.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "transport/virtual.h"

#include "engine/norms.h"
#include "engine/samples.h"
#include "engine/sums.h"
#include "kernels/vector.h"

#include <math.h>
#include <string.h>

/* 2(n-1)/n of the vector through each link, 2 ceil(log2 n) messages one after the other. */
static double reduction_s(const gdc_virtual *v)
{
    double n = v->workers, wire_s = 0;
    if (!isinf(v->options.bandwidth))
        wire_s = 2 * (n - 1) / n * (double)gdc_virtual_vector_bytes(v) / v->options.bandwidth;
    return wire_s + 2 * ceil(log2(n)) * v->options.latency_s;
}

static void start_workers(gdc_virtual *v)
{
    gdc_hint hint = {.limit = v->options.partitions, .nominal_s = NAN};
    v->reducing = 0;
    for (int w = 0; w < v->workers; w++) {
        v->worker[w].has_reduced = false;
        v->current->refs++;
        gdc_virtual_push(
            v, (gdc_event){.at_s = v->now_s, .kind = GDC_EV_MODEL, .worker = w, .model = v->current, .hint = hint});
    }
}

static bool is_lost(const gdc_virtual *v, int worker)
{
    return v->worker[worker].is_dead || v->worker[worker].is_stopped;
}

/* A lost rank keeps the others waiting until their deadline; slow ones may take as long as they like. */
static bool waits_for_lost(const gdc_virtual *v)
{
    bool waits = false;
    for (int w = 0; w < v->workers && (v->stopped > 0 || v->dead > 0); w++)
        waits = waits || (is_lost(v, w) && !v->worker[w].has_reduced);
    return waits && v->reducing > 0;
}

static void watch_deadline(gdc_virtual *v)
{
    if (!waits_for_lost(v))
        v->expire_s = INFINITY;
    else if (isinf(v->expire_s))
        v->expire_s = v->now_s + v->options.round_deadline_s;
}

static gdc_status time_out(gdc_virtual *v, uint64_t number)
{
    int lost = 0, first = -1;
    for (int w = v->workers - 1; w >= 0; w--) {
        if (is_lost(v, w) && !v->worker[w].has_reduced) {
            lost++;
            first = w;
        }
    }
    v->broken =
        gdc_fail(GDC_ETIMEDOUT,
                 "round %llu: the all-reduce waited %g s for %d lost worker%s (worker %d%s); it needs every worker",
                 (unsigned long long)number, v->options.round_deadline_s, lost, lost == 1 ? "" : "s", first,
                 lost == 1 ? "" : " and others");
    return v->broken;
}

static gdc_status wait_for_all(gdc_virtual *v, uint64_t number)
{
    gdc_event event;
    while (v->reducing < v->workers) {
        watch_deadline(v);
        double event_s = gdc_events_next(&v->events);
        if (isinf(event_s) && isinf(v->expire_s))
            v->expire_s = v->now_s + v->options.round_deadline_s; /* nobody has come, and nobody will */
        if (v->expire_s < event_s) {
            v->now_s = v->expire_s;
            return time_out(v, number);
        }
        gdc_events_pop(&v->events, &event);
        v->now_s = fmax(v->now_s, event.at_s);
        if (!gdc_virtual_worker_event(v, &event) && event.kind == GDC_EV_DEAD)
            gdc_virtual_lost(v, event.worker, "dead");
        if (v->out_of_memory)
            return gdc_fail(GDC_ENOMEM, "virtual: out of memory in round %llu", (unsigned long long)number);
    }
    return GDC_OK;
}

/* ---- sums ---- */

/* gradient += a mini-batch at `model`: `pieces` partitions of the shard, its q-th time. vector: that mini-batch alone. */
static gdc_status add_batch(gdc_virtual *v, int worker, int q, int pieces, const void *model, void *vector,
                            void *gradient, gdc_norms *norms)
{
    static const double one = 1;
    const void *in = vector;
    bool f32 = v->options.dtype == GDC_F32;
    gdc_span span = {gdc_own_piece(v->parts->plan, worker, q * v->options.partitions), pieces};
    gdc_task task = {.size = sizeof task, .version = v->current->number, .worker = worker, .model = model, .loss = NAN};
    gdc_told told = {.norms = v->options.norms && !v->local};
    int code = gdc_encode_span(span, v->options.dtype, v->options.dimension, v->partial, v->context, &task, v->scratch,
                               vector, &told);
    if (code != 0)
        return gdc_fail(GDC_ENUMERIC, "round %llu: the callback of worker %d failed with code %d",
                        (unsigned long long)task.version, worker, code);
    if (v->worker[worker].poison || !gdc_all_finite(f32, v->options.dimension, vector))
        return gdc_fail(GDC_ENUMERIC,
                        "round %llu: the sum of worker %d is not finite; an all-reduce cannot do without it",
                        (unsigned long long)task.version, worker);
    gdc_combine(f32, v->options.dimension, 1, &one, &in, worker > 0 || q > 0, gradient);
    gdc_norms_add_span(norms, v->parts->plan, gdc_pump_samples(v->pump), span, told.norm2);
    return GDC_OK;
}

/* The worker's own model moves by the mean gradient of its mini-batch. */
static void step_locally(gdc_virtual *v, int worker, const void *vector)
{
    double samples = gdc_own_samples(v->parts->plan, worker, gdc_pump_samples(v->pump), v->options.partitions);
    double weight = -v->options.local_rate / samples;
    gdc_combine(v->options.dtype == GDC_F32, v->options.dimension, 1, &weight, &vector, true, v->local);
}

/* gradient += what a worker brings, in the order of workers. */
static gdc_status add_worker(gdc_virtual *v, int worker, void *vector, void *gradient, gdc_norms *norms)
{
    int left = gdc_worker_done(v->worker[worker].machine), M = v->options.partitions;
    const void *model = v->current->model;
    gdc_status status = GDC_OK;
    if (v->local) {
        memcpy(v->local, model, gdc_virtual_vector_bytes(v));
        model = v->local;
    }
    for (int q = 0; status == GDC_OK && (q == 0 || left > 0); q++, left -= M) {
        status = add_batch(v, worker, q, left < M ? left : M, model, vector, gradient, norms);
        if (status == GDC_OK && v->local && left > M)
            step_locally(v, worker, vector);
    }
    return status;
}

static gdc_status add_up(gdc_virtual *v, void *gradient, gdc_norms *norms)
{
    if (!v->partial)
        return GDC_OK;
    void *vector = gdc_virtual_take_vector(v);
    if (!vector)
        return gdc_fail(GDC_ENOMEM, "virtual: no memory for a vector");
    gdc_status status = GDC_OK;
    for (int w = 0; status == GDC_OK && w < v->workers; w++)
        status = add_worker(v, w, vector, gradient, norms);
    v->wire.release(v, vector);
    return status;
}

static void keep_books(gdc_virtual *v)
{
    uint64_t bytes = 2 * ((uint64_t)v->workers - 1) * gdc_virtual_vector_bytes(v);
    for (int w = 0; w < v->workers; w++) {
        gdc_worker_stats *stats = gdc_pump_stats(v->pump, w);
        int done = gdc_worker_done(v->worker[w].machine);
        stats->messages++;
        stats->used += done;
        stats->home_used += done;
        stats->bytes += bytes / (uint64_t)v->workers + ((uint64_t)w < bytes % (uint64_t)v->workers);
        v->worker[w].poison = false;
        gdc_worker_reduced(v->worker[w].machine);
    }
}

/* ---- rounds ---- */

static gdc_status learn(gdc_virtual *v)
{
    if (!gdc_watch_is_full(&v->watch))
        return GDC_OK;
    gdc_profile_set_wall(v->watch.profile, v->now_s - v->watch.began_s);
    return gdc_watch_learn(&v->watch);
}

static gdc_round outcome(const gdc_virtual *v)
{
    double kept = 0, wanted = 0;
    for (int w = 0; w < v->workers; w++) {
        const double *samples = gdc_pump_samples(v->pump);
        kept += gdc_own_samples(v->parts->plan, w, samples, gdc_worker_done(v->worker[w].machine));
        wanted += gdc_own_samples(v->parts->plan, w, samples, v->options.partitions);
    }
    gdc_outcome reduced = v->parts->ops->reduced(v->parts->state, kept, wanted);
    return (gdc_round){.size = sizeof(gdc_round),
                       .version = v->current->number,
                       .exact = reduced.exact,
                       .scale = reduced.scale,
                       .used = kept / wanted,
                       .amplification = NAN,
                       .messages = v->workers,
                       .vectors = (uint64_t)v->workers,
                       .fresh = (uint64_t)v->workers,
                       .loss = NAN,
                       .samples = kept};
}

/* The sum over all workers, scaled; then nobody waits in the reduction any more. */
static gdc_status reduce(gdc_virtual *v, double scale, void *gradient, gdc_norms *norms)
{
    v->now_s += reduction_s(v);
    gdc_status status = add_up(v, gradient, norms);
    if (status == GDC_OK && v->partial && scale != 1)
        gdc_scale(v->options.dtype == GDC_F32, v->options.dimension, scale, gradient);
    if (status == GDC_OK)
        gdc_watch_reduced(&v->watch);
    keep_books(v);
    return status;
}

gdc_status gdc_virtual_reduce_round(gdc_virtual *v, void *gradient, gdc_round *round)
{
    uint64_t number = v->current->number;
    double began_s = v->now_s;
    if (v->broken != GDC_OK)
        return gdc_fail(v->broken, "round %llu: an earlier all-reduce lost a worker; there are no further rounds",
                        (unsigned long long)number);
    gdc_status status = learn(v);
    if (status != GDC_OK)
        return status;
    v->expire_s = INFINITY;
    gdc_watch_begin(&v->watch, v->now_s);
    start_workers(v);
    status = wait_for_all(v, number);
    if (status != GDC_OK)
        return status;
    gdc_round result = outcome(v);
    gdc_norms norms = {.parts = 0};
    status = reduce(v, result.scale, gradient, &norms);
    gdc_norms_tell(&norms, &result);
    result.began_s = began_s;
    result.ended_s = v->now_s;
    if (status == GDC_OK && round)
        *round = result;
    return status;
}

/* pump.c - the master's loop, written once for every transport.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "transport/pump.h"

#include "kernels/vector.h"
#include "transport/tally.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct held { /* a kept vector and what it is */
    void *vector;     /* NULL: none */
    gdc_arrival arrival;
    bool is_used; /* it enters the sum */
} held;

typedef struct fold { /* FOLD_SLOT actions collected until the end of the round */
    int count;
    int *end; /* [blocks]: those of block v end here and begin where those of v - 1 end */
    double *weight;
    const void **in;
} fold;

struct gdc_pump {
    const gdc_strategy_parts *parts;
    gdc_options options; /* what create was given; strings and arrays stay the caller's */
    const gdc_wire *wire;
    bool timing_only, f32;
    gdc_coordinator *coordinator;
    gdc_worker_stats *stats; /* [n] */
    double *samples;         /* [k] copy of the options'; NULL: none */
    held *slot;              /* [slots] */
    fold fold;
    double scale; /* of what was folded on arrival */
    void *sum;
    bool sum_is_set; /* something was folded on arrival */
    gdc_tally tally;
    gdc_round round;
    gdc_status status;
};

/* ---- life ---- */

static bool allocate(gdc_pump *p)
{
    size_t n = (size_t)p->parts->plan->workers, slots = (size_t)p->parts->traits.slots + 1;
    size_t blocks = (size_t)p->parts->plan->blocks;
    p->stats = calloc(n, sizeof *p->stats);
    p->slot = calloc(slots, sizeof *p->slot);
    p->fold.end = calloc(blocks, sizeof *p->fold.end);
    p->fold.weight = calloc(blocks * slots, sizeof *p->fold.weight);
    p->fold.in = calloc(blocks * slots, sizeof *p->fold.in);
    return p->stats && p->slot && p->fold.end && p->fold.weight && p->fold.in;
}

static bool copy_samples(gdc_pump *p)
{
    size_t k = (size_t)p->parts->plan->partitions;
    if (!p->options.samples)
        return true;
    p->samples = calloc(k, sizeof *p->samples);
    if (p->samples)
        memcpy(p->samples, p->options.samples, k * sizeof *p->samples);
    return p->samples != NULL;
}

gdc_status gdc_pump_create(const gdc_strategy_parts *parts, const gdc_options *options, const gdc_wire *wire,
                           bool timing_only, gdc_pump **pump)
{
    gdc_pump *p = calloc(1, sizeof *p);
    if (!p)
        return gdc_fail(GDC_ENOMEM, "pump: out of memory");
    p->parts = parts;
    p->options = *options;
    p->wire = wire;
    p->timing_only = timing_only;
    p->f32 = options->dtype == GDC_F32;
    gdc_status status = allocate(p) && copy_samples(p)
                            ? GDC_OK
                            : gdc_fail(GDC_ENOMEM, "pump: no memory for %d workers", parts->plan->workers);
    if (status == GDC_OK && !parts->ops->collective)
        status = gdc_coordinator_create(parts, p->samples, &p->coordinator);
    if (status != GDC_OK) {
        gdc_pump_destroy(p);
        return status;
    }
    for (int w = 0; w < parts->plan->workers; w++)
        p->stats[w].size = sizeof *p->stats;
    p->tally = (gdc_tally){.parts = parts, .samples = p->samples, .stats = p->stats};
    *pump = p;
    return GDC_OK;
}

void gdc_pump_destroy(gdc_pump *p)
{
    if (!p)
        return;
    gdc_coordinator_destroy(p->coordinator);
    free(p->stats);
    free(p->samples);
    free(p->slot);
    free(p->fold.end);
    free(p->fold.weight);
    free(p->fold.in);
    free(p);
}

/* ---- slots ---- */

static void free_slot(gdc_pump *p, int slot)
{
    if (p->slot[slot].vector && !p->timing_only)
        p->wire->release(p->wire->self, p->slot[slot].vector);
    p->slot[slot].vector = NULL;
}

/* ---- vectors ---- */

static bool keep(gdc_pump *p, const gdc_arrival *a, int slot, void *vector)
{
    assert(slot >= 0 && slot < p->parts->traits.slots && !p->slot[slot].vector);
    p->slot[slot] = (held){.vector = vector, .arrival = *a};
    if (p->timing_only)
        p->slot[slot].vector = p; /* a mark */
    return !p->timing_only;
}

static void add(gdc_pump *p, double weight, const void *vector)
{
    assert(p->parts->plan->blocks == 1); /* a policy that takes several keeps, and folds them block by block */
    if (p->timing_only)
        return;
    gdc_combine(p->f32, p->options.dimension, 1, &weight, &vector, p->sum_is_set, p->sum);
    p->sum_is_set = true;
}

static void fold_now(gdc_pump *p, const gdc_arrival *a, double weight, const void *vector)
{
    gdc_tally_vector(&p->tally, a, &p->round);
    add(p, weight, vector);
}

/* In the middle of a round the slot must be free again at once; at its end the vectors are collected, so that they are added in
 * one pass over memory. */
static void fold_slot(gdc_pump *p, int slot, int block, double weight)
{
    held *h = &p->slot[slot];
    assert(h->vector && (block + 1 == p->parts->plan->blocks || p->fold.end[block + 1] == 0));
    if (!h->is_used)
        gdc_tally_vector(&p->tally, &h->arrival, &p->round);
    h->is_used = true;
    if (gdc_coordinator_is_running(p->coordinator)) {
        add(p, weight, h->vector);
        free_slot(p, slot);
        return;
    }
    p->fold.weight[p->fold.count] = weight;
    p->fold.in[p->fold.count] = h->vector;
    p->fold.end[block] = ++p->fold.count;
}

static void add_up(gdc_pump *p)
{
    if (p->sum_is_set && p->scale != 1 && !p->timing_only)
        gdc_scale(p->f32, p->options.dimension, p->scale, p->sum);
    const gdc_plan *plan = p->parts->plan;
    for (int v = 0, from = 0; v < plan->blocks && !p->timing_only; v++) {
        size_t first, count = gdc_plan_block(plan, p->options.dimension, v, &first);
        int folds = p->fold.end[v] > from ? p->fold.end[v] - from : 0;
        unsigned char *block = (unsigned char *)p->sum + first * gdc_element_bytes(p->f32);
        gdc_combine(p->f32, count, folds, p->fold.weight + from, p->fold.in + from, p->sum_is_set, block);
        from += folds;
    }
}

static void forget_folds(gdc_pump *p)
{
    p->fold.count = 0;
    memset(p->fold.end, 0, (size_t)p->parts->plan->blocks * sizeof *p->fold.end);
}

/* ---- the end of a round ---- */

static void finish_round(gdc_pump *p)
{
    const gdc_outcome *outcome = gdc_coordinator_outcome(p->coordinator);
    add_up(p);
    p->status = GDC_OK;
    p->round.exact = p->parts->traits.exact || outcome->exact;
    p->round.scale = outcome->scale;
    p->round.used = outcome->used / p->parts->plan->partitions;
    p->round.residual = outcome->residual;
    p->round.amplification = outcome->amplification;
    gdc_tally_end(&p->tally, p->coordinator, &p->round);
    if (!p->timing_only && !gdc_all_finite(p->f32, p->options.dimension, p->sum))
        p->status = gdc_fail(GDC_ENUMERIC, "round %llu: the decoded sum overflows its type",
                             (unsigned long long)p->round.version);
}

static void end_round(gdc_pump *p, gdc_status status, double now_s)
{
    if (status == GDC_OK)
        finish_round(p);
    else
        p->status = status;
    p->round.ended_s = now_s;
    forget_folds(p);
    for (int i = 0; i < p->parts->traits.slots; i++)
        free_slot(p, i);
}

static void drain(gdc_pump *p, double now_s)
{
    const gdc_wire *wire = p->wire;
    gdc_action a;
    while (gdc_coordinator_next(p->coordinator, &a)) {
        switch (a.kind) {
        case GDC_DO_MODEL:
            wire->model(wire->self, a.worker, a.version, a.hint);
            break;
        case GDC_DO_WORK:
            wire->work(wire->self, a.worker, a.version, a.span);
            break;
        case GDC_DO_RING:
            wire->ring(wire->self, a.worker, a.version);
            break;
        case GDC_DO_LIMIT:
            wire->limit(wire->self, a.worker, a.version, a.hint.limit);
            break;
        case GDC_DO_FOLD_SLOT:
            fold_slot(p, a.slot, a.block, a.weight);
            break;
        case GDC_DO_FREE_SLOT:
            free_slot(p, a.slot);
            break;
        case GDC_DO_SCALE_SUM:
            p->scale = a.weight;
            break;
        case GDC_DO_DONE:
            end_round(p, GDC_OK, now_s);
            break;
        case GDC_DO_FAILED:
            end_round(p, a.status, now_s);
            break;
        }
    }
}

/* ---- events ---- */

void gdc_pump_begin(gdc_pump *p, uint64_t version, void *sum, double now_s)
{
    p->sum = sum;
    p->sum_is_set = false;
    p->scale = 1;
    p->status = GDC_OK;
    p->round =
        (gdc_round){.size = sizeof p->round, .version = version, .scale = 1, .amplification = NAN, .began_s = now_s};
    gdc_tally_begin(&p->tally, &p->round);
    gdc_coordinator_begin(p->coordinator, version, now_s);
    drain(p, now_s);
}

static void note(gdc_pump *p, const gdc_arrival *a, gdc_verdict verdict, double now_s)
{
    static const gdc_fate fates[] = {
        [GDC_DISCARD] = GDC_FATE_DISCARDED, [GDC_KEEP] = GDC_FATE_KEPT, [GDC_FOLD] = GDC_FATE_FOLDED};
    if (!p->options.observe)
        return;
    gdc_arrival_note n = {.version = a->version, .worker = a->worker, .index = a->index, .arrival_s = now_s};
    n.fate = a->sound ? fates[verdict.fate] : GDC_FATE_ERASED;
    p->options.observe(p->options.observe_context, &n);
}

bool gdc_pump_message(gdc_pump *p, const gdc_arrival *arrival, bool has_vector, void *vector, double now_s)
{
    gdc_worker_stats *stats = &p->stats[arrival->worker];
    bool kept = false;
    if (arrival->finished > stats->pieces)
        stats->pieces = arrival->finished;
    stats->messages += has_vector;
    stats->erased += has_vector && !arrival->sound;
    bool counts = arrival->version == p->round.version || p->parts->traits.counts_stale;
    if (has_vector && counts && gdc_coordinator_is_running(p->coordinator))
        p->round.messages++;
    gdc_verdict verdict = gdc_coordinator_message(p->coordinator, arrival, now_s);
    if (!has_vector || (!vector && !p->timing_only))
        verdict.fate = GDC_DISCARD;
    if (verdict.fate == GDC_KEEP)
        kept = keep(p, arrival, verdict.slot, vector);
    else if (verdict.fate == GDC_FOLD)
        fold_now(p, arrival, verdict.weight, vector);
    if (has_vector)
        note(p, arrival, verdict, now_s);
    drain(p, now_s);
    return kept;
}

void gdc_pump_tick(gdc_pump *p, double now_s)
{
    gdc_coordinator_tick(p->coordinator, now_s);
    drain(p, now_s);
}

void gdc_pump_dead(gdc_pump *p, int worker, double now_s)
{
    gdc_coordinator_dead(p->coordinator, worker, now_s);
    drain(p, now_s);
}

void gdc_pump_expire(gdc_pump *p, const bool *silent, double now_s)
{
    gdc_coordinator_expire(p->coordinator, silent, now_s);
    drain(p, now_s);
}

/* ---- questions ---- */

bool gdc_pump_is_running(const gdc_pump *p)
{
    return gdc_coordinator_is_running(p->coordinator);
}

gdc_status gdc_pump_result(const gdc_pump *p, gdc_round *round)
{
    if (round && p->status == GDC_OK) {
        size_t size = round->size && round->size < sizeof *round ? round->size : sizeof *round;
        memcpy(round, &p->round, size);
        round->size = size;
    }
    return p->status;
}

const double *gdc_pump_samples(const gdc_pump *p)
{
    return p->samples;
}

gdc_coordinator *gdc_pump_coordinator(gdc_pump *p)
{
    return p->coordinator;
}

gdc_worker_stats *gdc_pump_stats(gdc_pump *p, int worker)
{
    return &p->stats[worker];
}

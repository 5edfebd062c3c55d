/* pump.h - the master's loop, written once for every transport: event -> coordinator -> verdict -> actions -> deliver.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The pump owns the coordinator, the sum, the slots and the books about workers; the wire moves messages. */
#ifndef GDC_TRANSPORT_PUMP_H
#define GDC_TRANSPORT_PUMP_H

#include "engine/coordinator.h"
#include "gradcode/round.h"

/* What a transport does for the pump. */
typedef struct gdc_wire {
    void *self;
    void (*model)(void *self, int worker, uint64_t version, gdc_hint hint);
    void (*work)(void *self, int worker, uint64_t version, gdc_span span);
    void (*ring)(void *self, int worker, uint64_t version);
    void (*limit)(void *self, int worker, uint64_t version, int limit);
    void (*release)(void *self, void *vector); /* a vector that the pump had kept goes back to the transport's pool */
} gdc_wire;

typedef struct gdc_pump gdc_pump;

/* options supply dtype, dimension, samples (copied), observe. Keeps pointers to parts and wire. timing_only: no vectors at
 * all. */
gdc_status gdc_pump_create(const gdc_strategy_parts *parts, const gdc_options *options, const gdc_wire *wire,
                           bool timing_only, gdc_pump **pump);
void gdc_pump_destroy(gdc_pump *pump); /* accepts NULL; does not release kept vectors to the wire */

/* sum [d]: overwritten by the gradient by the time the round is done; not used if timing only. */
void gdc_pump_begin(gdc_pump *pump, uint64_t version, void *sum, double now_s);
/* Judges an arrival. vector: its payload, NULL if it has none, was not wanted, or timing only (then has_vector says whether
 * it would have). Returns true iff the pump has kept the vector: it comes back by wire->release. */
bool gdc_pump_message(gdc_pump *pump, const gdc_arrival *arrival, bool has_vector, void *vector, double now_s);
void gdc_pump_tick(gdc_pump *pump, double now_s);
void gdc_pump_dead(gdc_pump *pump, int worker, double now_s);
void gdc_pump_expire(gdc_pump *pump, const bool *silent, double now_s);

bool gdc_pump_is_running(const gdc_pump *pump); /* the round has neither ended nor failed */
/* After the end: fills round and returns the round's status. */
gdc_status gdc_pump_result(const gdc_pump *pump, gdc_round *round);
gdc_coordinator *gdc_pump_coordinator(gdc_pump *pump);

/* The copy [k] of the options' samples; NULL: all partitions count as equal. */
const double *gdc_pump_samples(const gdc_pump *pump);

/* The books: one record per worker, written by pump (pieces, used, home_used, messages) and transport (the rest). */
gdc_worker_stats *gdc_pump_stats(gdc_pump *pump, int worker);

#endif

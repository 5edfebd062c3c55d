/* coordinator.h - the master's state machine: events in, actions out. Does no I/O and reads no clock.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * After every event: execute the verdict, then drain gdc_coordinator_next(); then gdc_coordinator_deadline()
 * says when tick() is due.
 *
 * A worker is BUSY while it owes a READY (also before its first), else PARKED; dead is final. Order at the
 * end of a round: RING to the busy ones, FOLD_SLOT ..., DONE or FAILED. Nobody is answered between the end
 * and the next begin(); then all parked workers are asked, oldest first. Watchdog: no live worker is busy, no
 * timer is set, the round is not over: FAILED, so no policy keeps books about erasures to stay live. */
#ifndef GDC_ENGINE_COORDINATOR_H
#define GDC_ENGINE_COORDINATOR_H

#include "engine/policy.h"

typedef struct gdc_action {
    enum {
        GDC_DO_MODEL,     /* worker, version, hint: answers its READY */
        GDC_DO_WORK,      /* worker, version, span: answers its READY */
        GDC_DO_RING,      /* worker, version: what it does for versions <= this is not wanted any more */
        GDC_DO_LIMIT,     /* worker, version, hint.limit */
        GDC_DO_FOLD_SLOT, /* slot, block, weight */
        GDC_DO_FREE_SLOT, /* slot */
        GDC_DO_SCALE_SUM, /* weight: factor of what was folded on arrival */
        GDC_DO_DONE,      /* the round is over; outcome by gdc_coordinator_outcome */
        GDC_DO_FAILED,    /* the round is over; status, with its sentence in gdc_last_error() */
    } kind;
    int worker, slot, block;
    uint64_t version;
    gdc_span span;
    gdc_hint hint;
    double weight;
    gdc_status status;
} gdc_action;

typedef struct gdc_coordinator gdc_coordinator;

/* Keeps pointers to what parts names and to samples ([k] or NULL). ENOMEM. */
gdc_status gdc_coordinator_create(const gdc_strategy_parts *parts, const double *samples,
                                  gdc_coordinator **coordinator);
void gdc_coordinator_destroy(gdc_coordinator *coordinator); /* accepts NULL */

/* Not while a round is running. Versions start at 1 and rise. */
void gdc_coordinator_begin(gdc_coordinator *coordinator, uint64_t version, double now_s);
/* arrival->version: of the model that the sender worked on (0: none yet), checked by the transport against
 * assigned. Between rounds a vector is of no use to anybody: where stale ones count it is held back until the
 * next begin(), or it would be lost. */
gdc_verdict gdc_coordinator_message(gdc_coordinator *coordinator, const gdc_arrival *arrival, double now_s);
/* Before receiving: could the vector of this message be kept or folded? False only if certainly not. */
bool gdc_coordinator_wants(const gdc_coordinator *coordinator, int worker, int index);
void gdc_coordinator_tick(gdc_coordinator *coordinator, double now_s);
/* Final; after its last deliverable message. */
void gdc_coordinator_dead(gdc_coordinator *coordinator, int worker, double now_s);
/* The transport's deadline passed: ends a running round with GDC_ETIMEDOUT, naming the workers with silent[w]
 * and the partitions that only they could give. */
void gdc_coordinator_expire(gdc_coordinator *coordinator, const bool *silent, double now_s);

bool gdc_coordinator_next(gdc_coordinator *coordinator, gdc_action *action);
/* When tick() is due; INFINITY: never. */
double gdc_coordinator_deadline(const gdc_coordinator *coordinator);

/* Could the running round end without the workers with gone[w]? */
bool gdc_coordinator_can_finish_without(const gdc_coordinator *coordinator, const bool *gone);
bool gdc_coordinator_is_running(const gdc_coordinator *coordinator);
bool gdc_coordinator_is_busy(const gdc_coordinator *coordinator, int worker);
bool gdc_coordinator_is_dead(const gdc_coordinator *coordinator, int worker);
uint64_t gdc_coordinator_assigned(const gdc_coordinator *coordinator, int worker); /* version last given; 0: none */
const gdc_outcome *gdc_coordinator_outcome(const gdc_coordinator *coordinator);    /* of the last DONE */

#endif

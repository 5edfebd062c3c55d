/* worker.h - the worker's state machine: events in, one step at a time out. Does no I/O and reads no clock.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 *   born -> REPORT ready -> idle -> MODEL: walking | WORK: working -> ... READY -> idle
 *
 * Ask gdc_worker_next() until it says COMPUTE, REDUCE or WAIT; COMPUTE is answered by computed, cut or
 * failed; REDUCE by reduced; WAIT by model, work or ring. While a piece runs next() says WAIT. Every MODEL
 * and WORK owes exactly one READY, also one that is rung. The version's q of the delay key = pieces STARTED
 * since its MODEL, those of WORK included. */
#ifndef GDC_ENGINE_WORKER_H
#define GDC_ENGINE_WORKER_H

#include "engine/policy.h"

typedef struct gdc_worker gdc_worker;

/* Keeps pointers to ops, state and plan. ENOMEM. */
gdc_status gdc_worker_create(const gdc_policy_ops *ops, const void *state, const gdc_plan *plan, int id,
                             gdc_worker **worker);
void gdc_worker_destroy(gdc_worker *worker); /* accepts NULL */

void gdc_worker_model(gdc_worker *worker, uint64_t version, gdc_hint hint, double now_s);
/* Compute the span in order, send it as one SPAN with READY. */
void gdc_worker_work(gdc_worker *worker, gdc_span span);
/* Keeps the highest; may come before the MODEL it speaks of. Obeyed at the next boundary: REPORT ready. */
void gdc_worker_ring(gdc_worker *worker, uint64_t version);
/* For a later version it is kept until that MODEL comes; for an earlier one dropped. */
void gdc_worker_limit(gdc_worker *worker, uint64_t version, int limit);
void gdc_worker_computed(gdc_worker *worker, double now_s);
/* The running piece is lost: rung with a poll finer than a piece, or cut_s. */
void gdc_worker_cut(gdc_worker *worker, double now_s);
/* The callback failed: its part in the round ends, REPORT ready. */
void gdc_worker_failed(gdc_worker *worker, double now_s);
void gdc_worker_reduced(gdc_worker *worker);

/* Rung for what it holds: gdc_poll's answer; also leaves a wait for a free send buffer. */
bool gdc_worker_is_over(const gdc_worker *worker);
gdc_step gdc_worker_next(gdc_worker *worker, double now_s);

uint64_t gdc_worker_version(const gdc_worker *worker);  /* of the model it holds; 0: none */
uint64_t gdc_worker_started(const gdc_worker *worker);  /* q of the next piece: pieces started since its MODEL */
int gdc_worker_done(const gdc_worker *worker);          /* pieces finished on that model */
uint64_t gdc_worker_finished(const gdc_worker *worker); /* pieces finished since the start */
/* True from the REPORT or SEND that abandoned open sums until the next MODEL or WORK: what is open must be
 * thrown away. The transport asks after each step. Cleared by the question. */
bool gdc_worker_take_abandoned(gdc_worker *worker);

#endif

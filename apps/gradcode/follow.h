/* follow.h - what a worker rank does with a strategy under mpirun, and how rank 0 observes an all-reduce.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef APPS_GRADCODE_FOLLOW_H
#define APPS_GRADCODE_FOLLOW_H

#include "session.h"

/* One handle per strategy, opened together at start-up. Exactly one of the two is used on a rank; rank 0 has
 * no drop. */
typedef struct handle {
    gdc_engine *engine;
    struct gdc_drop *drop;
} handle;

/* Star: serves the root. */
void follow_star(const run *r, handle *h, note *n);
/* All-reduce: every worker computes, reduces, and takes the same step. rec: readings, sent on by worker 0. */
void follow_reduce(const run *r, const entry *e, session *s, handle *h, record *rec, note *n);

/* Rank 0: the notes of an all-reduce as the books of the workers; then the readings of worker 0. */
gdc_status observe_reduce(session *s, record *rec);

#endif

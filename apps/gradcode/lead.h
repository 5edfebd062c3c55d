/* lead.h - the loop of whoever has the engine: the same on the virtual clock and at the root under mpirun.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef APPS_GRADCODE_LEAD_H
#define APPS_GRADCODE_LEAD_H

#include "record.h"
#include "trainer.h"

/* Warm-up, reset, measured rounds. A round that fails ends the strategy, its sentence is in rec. */
void lead(run *r, const entry *e, gdc_engine *engine, trainer *t, record *rec);

/* Mean of the first so many measured rounds of the same strategy, seed, delays, plan, poll and versions on the virtual
 * clock: no latency, no faults, free communication, timing only. NaN where pieces have no drawn durations, or the
 * strategy cannot finish. */
double ideal_round_s(const run *r, const entry *e, size_t rounds);

/* A whole entry on the virtual clock, judged into s. */
gdc_status run_virtual(run *r, const entry *e, result_strategy *s);

#endif

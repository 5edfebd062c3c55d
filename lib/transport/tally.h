/* tally.h - what entered a round: whose work, how stale, at what loss.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GDC_TRANSPORT_TALLY_H
#define GDC_TRANSPORT_TALLY_H

#include "engine/coordinator.h"
#include "engine/norms.h"
#include "gradcode/round.h"

typedef struct gdc_tally {
    const gdc_strategy_parts *parts;
    const double *samples;     /* [k]; NULL: all partitions count as equal */
    gdc_worker_stats *stats;   /* [n]: used and home_used are written */
    double loss, loss_samples; /* of the round: sums over the partials that are new in their message */
    gdc_norms norms;           /* of the same partials */
} gdc_tally;

/* At the beginning of a round, which is ready to be added to. */
void gdc_tally_begin(gdc_tally *tally, gdc_round *round);
/* A vector enters the round. */
void gdc_tally_vector(gdc_tally *tally, const gdc_arrival *arrival, gdc_round *round);
/* The round's gradient is made, by a strategy with a master. */
void gdc_tally_end(gdc_tally *tally, const gdc_coordinator *coordinator, gdc_round *round);

#endif

/* watch.h - the rounds that a policy of the all-reduce family watches before it chooses its parameters. No I/O.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Per round: begin, piece ... of the workers at hand, reduced if the reduction succeeded (else the round is watched again). When
 * is_full, before the next begin: the transport shares the table if it has only a slice of it, then learn. */
#ifndef GDC_ENGINE_WATCH_H
#define GDC_ENGINE_WATCH_H

#include "engine/policy.h"

typedef struct gdc_watch {
    const gdc_strategy_parts *parts;
    gdc_lesson lesson;
    gdc_profile *profile; /* NULL: nothing to learn, or learnt */
    int seen;             /* rounds that were reduced */
    double began_s;       /* of the first one that is profiled */
} gdc_watch;

/* Keeps parts. EINVAL: the table would be too large. ENOMEM. */
gdc_status gdc_watch_open(gdc_watch *watch, const gdc_strategy_parts *parts);
void gdc_watch_close(gdc_watch *watch);

void gdc_watch_begin(gdc_watch *watch, double now_s);
/* piece: from 0 in this round. */
void gdc_watch_piece(gdc_watch *watch, int worker, int piece, double seconds);
void gdc_watch_reduced(gdc_watch *watch);
bool gdc_watch_is_full(const gdc_watch *watch);
/* The policy chooses; the watch is over. now_s - began_s, if this is worker 0's or everybody's clock, was to be written into
 * the table before. */
gdc_status gdc_watch_learn(gdc_watch *watch);

#endif

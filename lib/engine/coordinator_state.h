/* coordinator_state.h - the inside of the master's state machine.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GDC_ENGINE_COORDINATOR_STATE_H
#define GDC_ENGINE_COORDINATOR_STATE_H

#include "engine/actions.h"
#include "engine/parking.h"
#include "engine/reason.h"

struct gdc_coordinator {
    const gdc_policy_ops *ops;
    void *state;
    gdc_traits traits;
    const gdc_plan *plan;
    gdc_scene scene;
    bool running;
    bool *busy, *dead;
    uint64_t *assigned;        /* version last given */
    uint64_t *rung;            /* version last rung for */
    uint64_t *erased;          /* version of the last unsound arrival */
    double *again_s;           /* a parked worker's timer; 0: none */
    gdc_parking parked, timed; /* timed: those of the parked that have a timer */
    int live_busy, dead_count;
    int dead_when_checked;  /* can_finish held at begin with so many dead; -1: not asked */
    bool *gone;             /* scratch [n] */
    unsigned char *missing; /* scratch [k] */
    gdc_outcome outcome;
    gdc_reason reason;
    gdc_actions actions;
};

#endif

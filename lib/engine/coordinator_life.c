/* coordinator_life.c - the master's state machine: its making, its end, and what may be asked of it.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "engine/coordinator_state.h"

#include <stdlib.h>

/* ---- questions ---- */

bool gdc_coordinator_can_finish_without(const gdc_coordinator *c, const bool *gone)
{
    return !c->running || c->ops->can_finish(c->state, &c->scene, gone, NULL);
}

bool gdc_coordinator_is_running(const gdc_coordinator *c)
{
    return c->running;
}

bool gdc_coordinator_is_busy(const gdc_coordinator *c, int worker)
{
    return c->busy[worker];
}

bool gdc_coordinator_is_dead(const gdc_coordinator *c, int worker)
{
    return c->dead[worker];
}

uint64_t gdc_coordinator_assigned(const gdc_coordinator *c, int worker)
{
    return c->assigned[worker];
}

const gdc_outcome *gdc_coordinator_outcome(const gdc_coordinator *c)
{
    return &c->outcome;
}

/* ---- life ---- */

/* folds: words about slots, one for each block that a slot may enter */
static bool allocate(gdc_coordinator *c, int folds)
{
    size_t n = (size_t)c->plan->workers;
    c->busy = calloc(n, sizeof *c->busy);
    c->dead = calloc(n, sizeof *c->dead);
    c->gone = calloc(n, sizeof *c->gone);
    c->assigned = calloc(n, sizeof *c->assigned);
    c->rung = calloc(n, sizeof *c->rung);
    c->erased = calloc(n, sizeof *c->erased);
    c->again_s = calloc(n, sizeof *c->again_s);
    c->missing = calloc((size_t)c->plan->partitions, 1);
    return gdc_parking_init(&c->parked, c->plan->workers) && gdc_parking_init(&c->timed, c->plan->workers) && c->busy &&
           c->dead && c->gone && c->assigned && c->rung && c->erased && c->again_s && c->missing &&
           gdc_actions_init(&c->actions, c->plan->workers, folds);
}

gdc_status gdc_coordinator_create(const gdc_strategy_parts *parts, const double *samples, gdc_coordinator **coordinator)
{
    const gdc_plan *plan = parts->plan;
    gdc_coordinator *c = calloc(1, sizeof *c);
    if (!c)
        return gdc_fail(GDC_ENOMEM, "coordinator: out of memory");
    c->ops = parts->ops;
    c->state = parts->state;
    c->traits = parts->traits;
    c->plan = plan;
    c->dead_when_checked = -1;
    if (!allocate(c, parts->traits.slots * plan->blocks)) {
        gdc_coordinator_destroy(c);
        return gdc_fail(GDC_ENOMEM, "coordinator: out of memory for %d workers", plan->workers);
    }
    for (int w = 0; w < plan->workers; w++)
        c->busy[w] = true;
    c->live_busy = plan->workers;
    c->scene = (gdc_scene){
        .plan = plan, .samples = samples, .dead = c->dead, .live = plan->workers, .assigned = c->assigned, .self = c};
    *coordinator = c;
    return GDC_OK;
}

void gdc_coordinator_destroy(gdc_coordinator *c)
{
    if (!c)
        return;
    free(c->busy);
    free(c->dead);
    free(c->gone);
    free(c->assigned);
    free(c->rung);
    free(c->erased);
    free(c->again_s);
    free(c->missing);
    gdc_actions_free(&c->actions);
    gdc_parking_free(&c->parked);
    gdc_parking_free(&c->timed);
    free(c);
}

/* actions.h - the coordinator's words that wait to be drained.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GDC_ENGINE_ACTIONS_H
#define GDC_ENGINE_ACTIONS_H

#include "engine/coordinator.h"

typedef struct gdc_actions { /* a ring buffer; nothing is allocated after init */
    gdc_action *queue;
    size_t capacity, head, count;
    size_t reserved; /* room that only must-be-said words may use */
} gdc_actions;

/* Room for what is said between two drains: an answer and a ring per worker, two words per fold, a scale, an end; advisory
 * limits get what is left. False: out of memory. */
bool gdc_actions_init(gdc_actions *actions, int workers, int folds);
void gdc_actions_free(gdc_actions *actions);
void gdc_actions_push(gdc_actions *actions, gdc_action action);
/* Dropped where room is short. */
void gdc_actions_push_advice(gdc_actions *actions, gdc_action action);
bool gdc_actions_pop(gdc_actions *actions, gdc_action *action);

#endif

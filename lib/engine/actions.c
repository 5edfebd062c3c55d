/* actions.c - the coordinator's words that wait to be drained.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "engine/actions.h"

#include <assert.h>
#include <stdlib.h>

bool gdc_actions_init(gdc_actions *a, int workers, int folds)
{
    size_t n = (size_t)workers;
    a->reserved = 3 * n + 2 * (size_t)folds + 16;
    a->capacity = a->reserved + n;
    a->queue = calloc(a->capacity, sizeof *a->queue);
    return a->queue != NULL;
}

void gdc_actions_free(gdc_actions *a)
{
    free(a->queue);
}

void gdc_actions_push(gdc_actions *a, gdc_action action)
{
    assert(a->count < a->capacity);
    a->queue[(a->head + a->count) % a->capacity] = action;
    a->count++;
}

void gdc_actions_push_advice(gdc_actions *a, gdc_action action)
{
    if (a->count + a->reserved < a->capacity)
        gdc_actions_push(a, action);
}

bool gdc_actions_pop(gdc_actions *a, gdc_action *action)
{
    if (a->count == 0)
        return false;
    *action = a->queue[a->head];
    a->head = (a->head + 1) % a->capacity;
    a->count--;
    return true;
}

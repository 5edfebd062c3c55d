/* events.c - the event queue of the virtual clock, a binary heap.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "transport/events.h"

#include <math.h>
#include <stdlib.h>

static bool before(const gdc_event *a, const gdc_event *b)
{
    return a->at_s < b->at_s || (a->at_s == b->at_s && a->order < b->order);
}

static bool grow(gdc_events *q)
{
    size_t capacity = q->capacity ? 2 * q->capacity : 256;
    gdc_event *heap = realloc(q->heap, capacity * sizeof *heap);
    if (!heap)
        return false;
    q->heap = heap;
    q->capacity = capacity;
    return true;
}

bool gdc_events_push(gdc_events *q, gdc_event event)
{
    if (q->count == q->capacity && !grow(q))
        return false;
    event.order = q->pushed++;
    size_t at = q->count++;
    while (at > 0 && before(&event, &q->heap[(at - 1) / 2])) {
        q->heap[at] = q->heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    q->heap[at] = event;
    return true;
}

bool gdc_events_pop(gdc_events *q, gdc_event *event)
{
    if (q->count == 0)
        return false;
    *event = q->heap[0];
    gdc_event last = q->heap[--q->count];
    size_t at = 0;
    for (size_t child = 1; child < q->count; child = 2 * at + 1) {
        if (child + 1 < q->count && before(&q->heap[child + 1], &q->heap[child]))
            child++;
        if (!before(&q->heap[child], &last))
            break;
        q->heap[at] = q->heap[child];
        at = child;
    }
    q->heap[at] = last;
    return true;
}

double gdc_events_next(const gdc_events *q)
{
    return q->count ? q->heap[0].at_s : INFINITY;
}

void gdc_events_free(gdc_events *q)
{
    free(q->heap);
    *q = (gdc_events){0};
}

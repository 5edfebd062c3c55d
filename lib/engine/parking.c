/* parking.c - the queue of parked workers.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "engine/parking.h"

#include <stdlib.h>

bool gdc_parking_init(gdc_parking *p, int workers)
{
    p->first = p->last = -1;
    p->next = calloc((size_t)workers, sizeof *p->next);
    p->previous = calloc((size_t)workers, sizeof *p->previous);
    return p->next && p->previous;
}

void gdc_parking_free(gdc_parking *p)
{
    free(p->next);
    free(p->previous);
}

void gdc_parking_append(gdc_parking *p, int worker)
{
    p->next[worker] = -1;
    p->previous[worker] = p->last;
    if (p->last >= 0)
        p->next[p->last] = worker;
    else
        p->first = worker;
    p->last = worker;
}

void gdc_parking_remove(gdc_parking *p, int worker)
{
    int before = p->previous[worker], after = p->next[worker];
    if (before >= 0)
        p->next[before] = after;
    else
        p->first = after;
    if (after >= 0)
        p->previous[after] = before;
    else
        p->last = before;
}

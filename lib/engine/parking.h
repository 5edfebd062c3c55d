/* parking.h - the queue of parked workers: oldest first, removal from the middle in O(1).
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GDC_ENGINE_PARKING_H
#define GDC_ENGINE_PARKING_H

#include <stdbool.h>

typedef struct gdc_parking {
    int first, last; /* -1: empty */
    int *next, *previous;
} gdc_parking;

bool gdc_parking_init(gdc_parking *parking, int workers); /* false: out of memory */
void gdc_parking_free(gdc_parking *parking);
void gdc_parking_append(gdc_parking *parking, int worker);
void gdc_parking_remove(gdc_parking *parking, int worker); /* must be in it */

#endif

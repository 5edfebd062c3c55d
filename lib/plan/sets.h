/* sets.h - straggler sets of a size: all of them where there are few, else seeded ones.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 *     gdc_sets_begin(&sets, size);
 *     while (gdc_sets_next(&sets))      sets.out[w]: worker w is in the set
 */
#ifndef GDC_PLAN_SETS_H
#define GDC_PLAN_SETS_H

#include "gradcode/status.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct gdc_sets {
    int n;              /* workers */
    int limit;          /* at most so many sets of a size */
    uint64_t seed;      /* the same sets for every plan of n workers */
    int size;           /* of the current sets */
    bool all;           /* every set of that size is tried */
    int next;           /* number of the next set */
    int *member;        /* [n] the current set, ascending, if all are tried */
    unsigned char *out; /* [n] worker is in the current set */
} gdc_sets;

/* limit below 1 counts as 1. ENOMEM. */
gdc_status gdc_sets_create(int n, int limit, uint64_t seed, gdc_sets *sets);
void gdc_sets_free(gdc_sets *sets); /* accepts a zeroed struct */

void gdc_sets_begin(gdc_sets *sets, int size);
/* False when there is none. */
bool gdc_sets_next(gdc_sets *sets);

#endif

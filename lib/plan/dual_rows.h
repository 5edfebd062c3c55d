/* dual_rows.h - rows of dual codes: coefficients of the owners of every stretch, the best of several draws.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * C is a random r x n matrix, r the owners of a partition. The coefficients D of the owners O of a stretch solve
 * C[:, O] D = E (plan/dual_decode.h), whoever they are. A factor of a column of C goes into the row of that worker, upside down:
 * it is chosen such that the largest coefficient of every row is 1. Of `tries` seeded draws the one with the least worst
 * amplification over straggler sets of the largest size is taken. */
#ifndef GDC_PLAN_DUAL_ROWS_H
#define GDC_PLAN_DUAL_ROWS_H

#include "plan/owners.h"

typedef struct gdc_dual_rows {
    double *c;           /* [r x n]; a column of zeros: a worker that owns nothing */
    double *coefficient; /* [stretches x r x blocks] of each owner */
} gdc_dual_rows;

/* blocks below the owners of a partition, or as many. ENUMERIC: no draw can be decoded. ENOMEM. */
gdc_status gdc_dual_rows_find(const gdc_owners *owners, int blocks, int tries, uint64_t seed, gdc_dual_rows *rows);
void gdc_dual_rows_free(gdc_dual_rows *rows); /* accepts a zeroed struct */

#endif

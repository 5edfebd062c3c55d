/* rank.h - the incremental rank test of a dense component: is the all-ones vector in the span of the rows so far? For plans of
 * several blocks: are those of all blocks?
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Keeps an orthonormal basis of the rows and what is left of all-ones when its projection on them is taken away. A
 * row costs O(cells * rank). The test only NOMINATES. Let the part of a new row outside the span so far be delta
 * times the row. Rounding moves the new basis vector by about DBL_EPSILON/delta, and what is left of all-ones by as
 * much, so a tolerance near the gate would depend on the order of arrival. Instead the two questions are asked with
 * wide margins: a row extends the span if delta > 1e-12 (smaller ones would need weights beyond 1e12, whose rounding
 * alone breaks the gate), and all-ones counts as spanned when what is left is below 1e-3 on every partition. Every
 * nomination is then confirmed by the decoder, which solves for the weights and measures their residual on the rows:
 * that depends on the set alone, and the gate decides. */
#ifndef GDC_PLAN_RANK_H
#define GDC_PLAN_RANK_H

#include "plan/cells.h"

typedef struct gdc_rank {
    int columns, rank, most; /* most: the highest rank that there can be */
    int blocks;
    bool spanned;
    double *basis; /* [most x columns], `rank` rows used */
    double *row;   /* [columns] */
    double *left;  /* [blocks x columns]: of all-ones */
} gdc_rank;

gdc_status gdc_rank_create(const gdc_plan *plan, const gdc_cells *cells, int component, gdc_rank *rank);
void gdc_rank_free(gdc_rank *rank); /* accepts a zeroed struct */

void gdc_rank_reset(gdc_rank *rank, const gdc_cells *cells, int component);
/* Returns true if all-ones seems to be spanned now. */
bool gdc_rank_add(gdc_rank *rank, const gdc_plan *plan, const gdc_cells *cells, int component, int message);

#endif

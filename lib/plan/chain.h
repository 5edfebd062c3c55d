/* chain.h - decodes components in which every row is one span: no matrix, and exact.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A row c * [a, b) is c times the difference of the borders a and b. The span [first border, last border) is
 * a combination of rows iff the rows, as edges between borders, connect the two: completion is a union-find,
 * and a path gives the weights, 1/c where the path runs along the row and -1/c where it runs against it. The
 * path that covers the fewest partitions has the least amplification; a tiling, if there is one, has
 * amplification 1 and nothing is shorter. */
#ifndef GDC_PLAN_CHAIN_H
#define GDC_PLAN_CHAIN_H

#include "plan/cells.h"

#include <stdint.h>

typedef struct gdc_chains { /* all chains of a decoder; borders of component c begin at cell_at[c] + c */
    int *parent;            /* [cells + components] */
    int64_t *distance;      /* [cells + components] partitions covered by the best path to a border */
    int *via;               /* [cells + components] its last message */
} gdc_chains;

gdc_status gdc_chains_create(const gdc_cells *cells, gdc_chains *chains);
void gdc_chains_free(gdc_chains *chains); /* accepts a zeroed struct */

void gdc_chain_reset(gdc_chains *chains, const gdc_cells *cells, int component);
void gdc_chain_add(gdc_chains *chains, const gdc_cells *cells, int message);
bool gdc_chain_is_complete(gdc_chains *chains, const gdc_cells *cells, int component);
/* weight[message] of the component's messages; only for a complete one. */
void gdc_chain_weights(gdc_chains *chains, const gdc_plan *plan, const gdc_cells *cells, int component,
                       const unsigned char *accepted, double *weight);

#endif

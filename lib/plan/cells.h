/* cells.h - the shape of a plan's rows: cells, connected components, equal rows.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A CELL is a stretch of columns that no row tells apart: the cells are the common refinement of all spans
 * of all terms (and of the blocks), so every coefficient is constant on a cell. Columns are partitions, but for plans of several
 * blocks (gradcode/plan.h). Two cells belong together if a row covers both;
 * the connected COMPONENTS share neither cells nor rows and are decoded on their own. Decoding costs what the
 * largest component costs, whatever k is.
 *
 * A component is a CHAIN if each of its rows is one span and the plan has one block. Its cells are then neighbours, and a row joins the
 * border at which its span begins with the one at which it ends. Any other component is dense. */
#ifndef GDC_PLAN_CELLS_H
#define GDC_PLAN_CELLS_H

#include "plan/plan.h"

typedef struct gdc_cell_row {
    int component;
    int from, to; /* chain: the row's span is columns [from, to) of the component; dense: 0, 0 */
} gdc_cell_row;

typedef struct gdc_cells {
    int cells, components, rows;
    int stretches;  /* cells of a block: cell c of block u, u * stretches + c, are the same partitions in every block */
    int *start;     /* [cells + 1]: cell c is columns [start[c], start[c + 1]) */
    int *component; /* [cells] */
    int *column;    /* [cells]: the cell's place in its component */
    int *cell_at;   /* [components + 1] */
    int *cell;      /* [cells]: cells of component c are cell[cell_at[c]] .., in ascending order */
    int *row_at;    /* [components + 1] */
    int *row;       /* [rows]: messages of component c are row[row_at[c]] .., by `from`, then by number */
    unsigned char *dense; /* [components] */
    gdc_cell_row *of;     /* [rows] */
    int *twin;            /* [rows]: the least message that has the same row */
} gdc_cells;

/* ENOMEM. */
gdc_status gdc_cells_create(const gdc_plan *plan, gdc_cells *cells);
void gdc_cells_free(gdc_cells *cells); /* accepts a zeroed struct */

/* The cell that contains a column. O(log cells). */
int gdc_cells_find(const gdc_cells *cells, int column);
/* What block v wants of a cell: 1 if the cell is part of it, else 0. */
static inline int gdc_cells_target(const gdc_cells *cells, int cell, int v)
{
    return cell / cells->stretches == v;
}
/* The least number of workers that have a row on a cell; -1 if out of memory. */
int gdc_cells_least_cover(const gdc_plan *plan, const gdc_cells *cells);
static inline int gdc_cells_size(const gdc_cells *cells, int cell)
{
    return cells->start[cell + 1] - cells->start[cell];
}

#endif

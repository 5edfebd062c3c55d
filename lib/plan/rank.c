/* rank.c - orthonormal basis of the arrived rows, and the rest of the all-ones vector.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "plan/rank.h"

#include "kernels/dense.h"
#include "plan/fit.h"

#include <math.h>
#include <stdlib.h>

static const double dependent = 1e-12; /* relative norm below which a row adds nothing */
static const double spanned = 1e-3;    /* what may be left of all-ones, per partition */

gdc_status gdc_rank_create(const gdc_plan *plan, const gdc_cells *cells, int component, gdc_rank *rank)
{
    int columns = cells->cell_at[component + 1] - cells->cell_at[component];
    int rows = cells->row_at[component + 1] - cells->row_at[component];
    gdc_rank made = {.columns = columns, .most = rows < columns ? rows : columns, .blocks = plan->blocks};
    size_t c = (size_t)columns, r = (size_t)made.most;
    if (r <= SIZE_MAX / sizeof(double) / c)
        made.basis = malloc(r * c * sizeof(double));
    made.row = malloc(c * sizeof(double));
    made.left = malloc((size_t)made.blocks * c * sizeof(double));
    if (made.basis == NULL || made.row == NULL || made.left == NULL) {
        gdc_rank_free(&made);
        return gdc_fail(GDC_ENOMEM, "decoder: no memory for the rank test of %d cells (%.0f bytes)", columns,
                        (double)r * (double)c * sizeof(double));
    }
    *rank = made;
    gdc_rank_reset(rank, cells, component);
    return GDC_OK;
}

void gdc_rank_free(gdc_rank *rank)
{
    free(rank->basis);
    free(rank->row);
    free(rank->left);
    *rank = (gdc_rank){0};
}

void gdc_rank_reset(gdc_rank *rank, const gdc_cells *cells, int component)
{
    const int *cell = cells->cell + cells->cell_at[component];
    for (int v = 0; v < rank->blocks; v++)
        for (int c = 0; c < rank->columns; c++)
            rank->left[v * rank->columns + c] =
                gdc_cells_target(cells, cell[c], v) * sqrt(gdc_cells_size(cells, cell[c]));
    rank->rank = 0;
    rank->spanned = false;
}

static double dot(int n, const double *x, const double *y)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

static bool is_spanned(const gdc_rank *rank, const gdc_cells *cells, int component)
{
    const int *cell = cells->cell + cells->cell_at[component];
    for (int v = 0; v < rank->blocks; v++)
        for (int c = 0; c < rank->columns; c++)
            if (fabs(rank->left[v * rank->columns + c]) > spanned * sqrt(gdc_cells_size(cells, cell[c])))
                return false;
    return true;
}

bool gdc_rank_add(gdc_rank *rank, const gdc_plan *plan, const gdc_cells *cells, int component, int message)
{
    int n = rank->columns;
    if (rank->rank == rank->most)
        return rank->spanned;
    gdc_fit_expand(plan, cells, component, message, 1, rank->row);
    if (!(gdc_orthogonalise(rank->rank, n, rank->basis, n, rank->row) > dependent))
        return rank->spanned;
    double *direction = rank->basis + (size_t)rank->rank * (size_t)n, norm = sqrt(dot(n, rank->row, rank->row));
    for (int c = 0; c < n; c++)
        direction[c] = rank->row[c] / norm;
    rank->rank++;
    for (int v = 0; v < rank->blocks; v++) {
        double *left = rank->left + (size_t)v * (size_t)n, along = dot(n, direction, left);
        for (int c = 0; c < n; c++)
            left[c] -= along * direction[c];
    }
    rank->spanned = is_spanned(rank, cells, component);
    return rank->spanned;
}

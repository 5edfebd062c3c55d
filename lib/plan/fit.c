/* fit.c - minimum-norm least squares over the cells of a component.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "plan/fit.h"

#include "kernels/dense.h"

#include <math.h>
#include <stdlib.h>

gdc_status gdc_fit_create(int columns, int messages, gdc_fit *fit)
{
    size_t c = (size_t)columns, m = (size_t)messages + 1;
    gdc_fit made = {columns, messages, NULL, NULL, NULL};
    if (m <= SIZE_MAX / sizeof(double) / (c + 1))
        made.matrix = malloc(c * m * sizeof(double));
    made.target = malloc((c + 1) * sizeof(double));
    made.solution = malloc(m * sizeof(double));
    if (made.matrix == NULL || made.target == NULL || made.solution == NULL) {
        gdc_fit_free(&made);
        return gdc_fail(GDC_ENOMEM, "decoder: no memory for least squares of %d cells by %d messages (%.0f bytes)",
                        columns, messages, (double)c * (double)m * sizeof(double));
    }
    *fit = made;
    return GDC_OK;
}

void gdc_fit_free(gdc_fit *fit)
{
    free(fit->matrix);
    free(fit->target);
    free(fit->solution);
    *fit = (gdc_fit){0};
}

void gdc_fit_expand(const gdc_plan *plan, const gdc_cells *cells, int component, int message, int stride, double *out)
{
    const gdc_row *row = &plan->row[message];
    int columns = cells->cell_at[component + 1] - cells->cell_at[component];
    for (int c = 0; c < columns; c++)
        out[(size_t)c * (size_t)stride] = 0;
    for (int t = 0; t < row->terms; t++) {
        gdc_span span = row->term[t].span;
        for (int c = gdc_cells_find(cells, span.first); cells->start[c] < span.first + span.count; c++)
            out[(size_t)cells->column[c] * (size_t)stride] = row->term[t].coefficient * sqrt(gdc_cells_size(cells, c));
    }
}

gdc_status gdc_fit_solve(gdc_fit *fit, const gdc_plan *plan, const gdc_cells *cells, int component,
                         const unsigned char *accepted, double *weight)
{
    const int *message = cells->row + cells->row_at[component], *cell = cells->cell + cells->cell_at[component];
    int messages = cells->row_at[component + 1] - cells->row_at[component], count = 0, i = 0;
    int columns = cells->cell_at[component + 1] - cells->cell_at[component];
    for (int m = 0; m < messages; m++)
        count += accepted[message[m]];
    for (int m = 0; m < messages; m++)
        if (accepted[message[m]])
            gdc_fit_expand(plan, cells, component, message[m], count, fit->matrix + i++);
    for (int c = 0; c < columns; c++)
        fit->target[c] = sqrt(gdc_cells_size(cells, cell[c]));
    gdc_status status = gdc_least_squares(columns, count, fit->matrix, fit->target, fit->solution, NULL);
    if (status != GDC_OK)
        return status;
    i = 0;
    for (int m = 0; m < messages; m++)
        weight[message[m]] = accepted[message[m]] ? fit->solution[i++] : 0;
    return GDC_OK;
}

/* fit.c - minimum-norm least squares over the cells of a component.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "plan/fit.h"

#include "kernels/dense.h"

#include <math.h>
#include <stdlib.h>

static const double refinable = 1e-3; /* residuals above it belong to sets that cannot be decoded */

gdc_status gdc_fit_create(int columns, int messages, gdc_fit *fit)
{
    size_t c = (size_t)columns, m = (size_t)messages + 1;
    gdc_fit made = {.columns = columns, .messages = messages};
    if (m <= SIZE_MAX / sizeof(double) / (c + 1))
        made.matrix = malloc(c * m * sizeof(double));
    made.target = malloc((c + 1) * sizeof(double));
    made.rest = malloc((c + 1) * sizeof(double));
    made.solution = malloc(m * sizeof(double));
    made.step = malloc(m * sizeof(double));
    if (made.matrix == NULL || made.target == NULL || made.rest == NULL || made.solution == NULL || made.step == NULL) {
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
    free(fit->rest);
    free(fit->solution);
    free(fit->step);
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

/* The matrix of the accepted messages of a component, and the target. */
typedef struct problem {
    const gdc_plan *plan;
    const gdc_cells *cells;
    const unsigned char *accepted;
    int component, columns, count;
    const int *message; /* of the component */
    int messages;
} problem;

static void fill_matrix(const problem *p, gdc_fit *fit)
{
    for (int m = 0, i = 0; m < p->messages; m++)
        if (p->accepted[p->message[m]])
            gdc_fit_expand(p->plan, p->cells, p->component, p->message[m], p->count, fit->matrix + i++);
}

/* rest = target - matrix * solution; returns the largest |rest| relative to all-ones. */
static double find_rest(const problem *p, gdc_fit *fit)
{
    const int *cell = p->cells->cell + p->cells->cell_at[p->component];
    double largest = 0;
    for (int c = 0; c < p->columns; c++) {
        const double *entry = fit->matrix + (size_t)c * (size_t)p->count;
        long double rest = fit->target[c];
        for (int i = 0; i < p->count; i++)
            rest -= (long double)entry[i] * fit->solution[i];
        fit->rest[c] = (double)rest;
        largest = fmax(largest, fabs(fit->rest[c]) / sqrt(gdc_cells_size(p->cells, cell[c])));
    }
    return largest;
}

static gdc_status refine(const problem *p, gdc_fit *fit)
{
    fill_matrix(p, fit); /* the first solution has overwritten it */
    double rest = find_rest(p, fit);
    if (rest == 0 || rest > refinable)
        return GDC_OK;
    gdc_status status = gdc_least_squares(p->columns, p->count, fit->matrix, fit->rest, fit->step, NULL);
    for (int i = 0; status == GDC_OK && i < p->count; i++)
        fit->solution[i] += fit->step[i];
    return status;
}

static gdc_status solve_block(const problem *p, gdc_fit *fit, int v, double *weight)
{
    const int *cell = p->cells->cell + p->cells->cell_at[p->component];
    for (int c = 0; c < p->columns; c++)
        fit->target[c] = gdc_cells_target(p->cells, cell[c], v) * sqrt(gdc_cells_size(p->cells, cell[c]));
    fill_matrix(p, fit);
    gdc_status status = gdc_least_squares(p->columns, p->count, fit->matrix, fit->target, fit->solution, NULL);
    if (status == GDC_OK)
        status = refine(p, fit);
    if (status != GDC_OK)
        return status;
    for (int m = 0, i = 0; m < p->messages; m++)
        weight[p->message[m]] = p->accepted[p->message[m]] ? fit->solution[i++] : 0;
    return GDC_OK;
}

gdc_status gdc_fit_solve(gdc_fit *fit, const gdc_plan *plan, const gdc_cells *cells, int component,
                         const unsigned char *accepted, double *weight)
{
    gdc_status status = GDC_OK;
    problem p = {.plan = plan,
                 .cells = cells,
                 .accepted = accepted,
                 .component = component,
                 .columns = cells->cell_at[component + 1] - cells->cell_at[component],
                 .message = cells->row + cells->row_at[component],
                 .messages = cells->row_at[component + 1] - cells->row_at[component]};
    for (int m = 0; m < p.messages; m++)
        p.count += accepted[p.message[m]];
    for (int v = 0; status == GDC_OK && v < plan->blocks; v++)
        status = solve_block(&p, fit, v, weight + (size_t)v * (size_t)cells->rows);
    return status;
}

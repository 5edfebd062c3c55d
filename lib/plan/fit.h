/* fit.h - weights of a component by least squares: the generic decode, and the referee of all others.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Minimises ||a^T R - 1||_2 over partitions (a cell counts with its size) and, among the best, ||a||_2; block by block where the
 * plan has several. Depends only on the
 * set of accepted messages. Where the residual is small, one step of refinement with residuals in long double takes away
 * what the factorisation's rounding left: in double precision that would else be the largest part of a decode's error. */
#ifndef GDC_PLAN_FIT_H
#define GDC_PLAN_FIT_H

#include "plan/cells.h"

typedef struct gdc_fit {
    int columns, messages; /* room */
    double *matrix;        /* [columns x messages] */
    double *target;        /* [columns] */
    double *rest;          /* [columns] of the target */
    double *solution;      /* [messages] */
    double *step;          /* [messages] */
} gdc_fit;

gdc_status gdc_fit_create(int columns, int messages, gdc_fit *fit);
void gdc_fit_free(gdc_fit *fit); /* accepts a zeroed struct */

/* Writes weight[v * messages + message] of the component's accepted messages in every block v. ENUMERIC, ENOMEM. */
gdc_status gdc_fit_solve(gdc_fit *fit, const gdc_plan *plan, const gdc_cells *cells, int component,
                         const unsigned char *accepted, double *weight);

/* out[column * stride] = coefficient of a message on the component's cells times sqrt(cell size), 0
 * elsewhere. */
void gdc_fit_expand(const gdc_plan *plan, const gdc_cells *cells, int component, int message, int stride, double *out);

#endif

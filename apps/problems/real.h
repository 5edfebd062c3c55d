/* real.h - float or double behind one name, through CBLAS: the only place that looks at the type.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef APPS_PROBLEMS_REAL_H
#define APPS_PROBLEMS_REAL_H

#include "data/data.h"
#include "gradcode/round.h"

/* One thread for all products and decodes from now on, unless OPENBLAS_NUM_THREADS says otherwise: they are small, a worker has one
 * core, and bits would depend on the number of cores. */
void real_single_thread(void);

/* Counts are at most INT_MAX, as CBLAS wants them. */
size_t real_bytes(gdc_dtype dtype);
void *real_at(gdc_dtype dtype, void *vector, size_t index);
const void *real_from(gdc_dtype dtype, const void *vector, size_t index);
void real_load(gdc_dtype dtype, size_t count, const void *from, double *to);
void real_store(gdc_dtype dtype, size_t count, const double *from, void *to);

/* Samples [first, first + count) as rows [count x features]. */
void real_rows(gdc_dtype dtype, const data *set, size_t first, size_t count, void *rows);
/* [count] of 1; NULL: no memory. Caller frees. */
void *real_ones(gdc_dtype dtype, size_t count);

void real_axpy(gdc_dtype dtype, size_t count, double alpha, const void *x, void *y); /* y += alpha x */
void real_scale(gdc_dtype dtype, size_t count, double alpha, void *x);               /* x *= alpha */
double real_dot(gdc_dtype dtype, size_t count, const void *x, const void *y);

/* Row-major matrices: x [rows x features], w [outputs x features], s [rows x outputs]. */
typedef struct real_shape {
    size_t rows, features, outputs;
} real_shape;
/* s += x w^T */
void real_forward(gdc_dtype dtype, real_shape shape, const void *x, const void *w, void *s);
/* x = s w */
void real_inward(gdc_dtype dtype, real_shape shape, const void *s, const void *w, void *x);
/* w += alpha s^T x */
void real_backward(gdc_dtype dtype, real_shape shape, double alpha, const void *s, const void *x, void *w);

#endif

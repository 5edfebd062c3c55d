/* dense.c - small dense algebra over LAPACKE and CBLAS.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A row-major matrix is the transpose of a column-major one, so gdc_solve factors the transpose and solves
 * with the transpose of that: nothing is copied. LAPACKE's own test for NaN is not enough, as it lets Inf
 * through. */
#include "kernels/dense.h"
#include "kernels/vector.h"

#include <cblas.h>
#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static gdc_status no_memory(const char *what, int m, int n)
{
    return gdc_fail(GDC_ENOMEM, "%s: no memory for the workspace of a %d x %d system", what, m, n);
}

/* A negative info other than LAPACKE's codes of memory would be a wrong argument of ours, or a NaN. */
static gdc_status refuse(const char *what, const char *routine, int m, int n, lapack_int info)
{
    if (info == LAPACK_WORK_MEMORY_ERROR || info == LAPACK_TRANSPOSE_MEMORY_ERROR)
        return no_memory(what, m, n);
    return gdc_fail(GDC_ENUMERIC, "%s: %s of a %d x %d system ended with info=%d", what, routine, m, n, (int)info);
}

static bool is_finite_system(size_t entries, const double *a, size_t length, const double *b)
{
    return gdc_all_finite_f64(entries, a) && gdc_all_finite_f64(length, b);
}

/* ---- square systems ---- */

static gdc_status factor(int n, double *a, lapack_int *pivot)
{
    double norm = LAPACKE_dlange(LAPACK_COL_MAJOR, 'I', n, n, a, n), condition = 0;
    lapack_int info = LAPACKE_dgetrf(LAPACK_COL_MAJOR, n, n, a, n, pivot);
    if (info > 0)
        return gdc_fail(GDC_ENUMERIC, "solve: the %d x %d matrix is singular (pivot %d is 0)", n, n, (int)info);
    if (info < 0)
        return refuse("solve", "dgetrf", n, n, info);
    info = LAPACKE_dgecon(LAPACK_COL_MAJOR, 'I', n, a, n, norm, &condition);
    if (info != 0)
        return refuse("solve", "dgecon", n, n, info);
    if (!(condition >= n * DBL_EPSILON))
        return gdc_fail(GDC_ENUMERIC,
                        "solve: the %d x %d matrix is singular to working precision: reciprocal condition "
                        "%.3g, want at least %.3g",
                        n, n, condition, n * DBL_EPSILON);
    return GDC_OK;
}

static gdc_status solve(int n, double *a, const double *b, lapack_int *pivot, double *x)
{
    gdc_status status = factor(n, a, pivot);
    if (status != GDC_OK)
        return status;
    memcpy(x, b, (size_t)n * sizeof *x);
    lapack_int info = LAPACKE_dgetrs(LAPACK_COL_MAJOR, 'T', n, 1, a, n, pivot, x, n);
    if (info != 0)
        return refuse("solve", "dgetrs", n, n, info);
    if (!gdc_all_finite_f64((size_t)n, x))
        return gdc_fail(GDC_ENUMERIC, "solve: the solution of the %d x %d system overflows", n, n);
    return GDC_OK;
}

gdc_status gdc_solve(int n, double *a, double *b)
{
    size_t length = (size_t)n;
    if (n == 0)
        return GDC_OK;
    if (!is_finite_system(length * length, a, length, b))
        return gdc_fail(GDC_ENUMERIC, "solve: the %d x %d system has an entry that is not finite", n, n);
    lapack_int *pivot = malloc(length * sizeof *pivot);
    double *x = malloc(length * sizeof *x);
    gdc_status status = pivot != NULL && x != NULL ? solve(n, a, b, pivot, x) : no_memory("solve", n, n);
    if (status == GDC_OK)
        memcpy(b, x, length * sizeof *b);
    free(pivot);
    free(x);
    return status;
}

/* ---- least squares ---- */

/* both [max(m, n)]: b on entry, x on return. pivot [n]: all 0, so that every column may be exchanged. */
static gdc_status complete_orthogonal(int m, int n, double *a, double *both, lapack_int *pivot, lapack_int *rank)
{
    double tolerance = (m > n ? m : n) * DBL_EPSILON;
    lapack_int info = LAPACKE_dgelsy(LAPACK_ROW_MAJOR, m, n, 1, a, n, both, 1, pivot, tolerance, rank);
    if (info != 0)
        return refuse("least squares", "dgelsy", m, n, info);
    if (!gdc_all_finite_f64((size_t)n, both))
        return gdc_fail(GDC_ENUMERIC, "least squares: the solution of the %d x %d system overflows", m, n);
    return GDC_OK;
}

gdc_status gdc_least_squares(int m, int n, double *a, const double *b, double *x, int *rank)
{
    size_t rows = (size_t)m, columns = (size_t)n, longer = rows > columns ? rows : columns;
    lapack_int found = 0;
    if (!is_finite_system(rows * columns, a, rows, b))
        return gdc_fail(GDC_ENUMERIC, "least squares: the %d x %d system has an entry that is not finite", m, n);
    double *both = calloc(longer + 1, sizeof *both);
    lapack_int *pivot = calloc(columns + 1, sizeof *pivot);
    gdc_status status = both != NULL && pivot != NULL ? GDC_OK : no_memory("least squares", m, n);
    if (status == GDC_OK && m > 0 && n > 0) {
        memcpy(both, b, rows * sizeof *both);
        status = complete_orthogonal(m, n, a, both, pivot, &found);
    }
    if (status == GDC_OK) {
        if (n > 0)
            memcpy(x, both, columns * sizeof *x);
        if (rank != NULL)
            *rank = (int)found;
    }
    free(both);
    free(pivot);
    return status;
}

/* ---- orthogonalisation ---- */

double gdc_orthogonalise(int rows, int n, const double *q, int ldq, double *v)
{
    double before = cblas_dnrm2(n, v, 1);
    if (before == 0)
        return 0;
    for (int pass = 0; pass < 2;
         pass++) { /* the second pass removes what rounding left of the first: twice is enough */
        for (int i = 0; i < rows; i++) {
            const double *row = q + (size_t)i * (size_t)ldq;
            cblas_daxpy(n, -cblas_ddot(n, row, 1, v, 1), row, 1, v, 1);
        }
    }
    return cblas_dnrm2(n, v, 1) / before;
}

/* dense.h - small dense algebra over LAPACKE and CBLAS. Matrices are row-major; every LAPACK return is checked.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GDC_KERNELS_DENSE_H
#define GDC_KERNELS_DENSE_H

#include "gradcode/status.h"

#include <stddef.h>

/* Solves A x = b, A [n x n] (overwritten), b [n] overwritten by x, by LU with partial pivoting. ENUMERIC: singular to working
 * precision (reciprocal condition below n * DBL_EPSILON). ENOMEM. */
gdc_status gdc_solve(int n, double *a, double *b);

/* Minimum-norm least-squares solution of A x = b for any rank, A [m x n] (overwritten), b [m], x [n]. Zero rows and columns, and
 * m or n = 0, are allowed (x = 0). Complete orthogonal factorisation (gelsy) with rank tolerance max(m, n) * DBL_EPSILON.
 * *rank may be NULL. ENUMERIC: not finite. ENOMEM. */
gdc_status gdc_least_squares(int m, int n, double *a, const double *b, double *x, int *rank);

/* Orthogonalises v [n] against the `rows` orthonormal rows of q [rows x ldq] (modified twice-applied Gram-Schmidt), in place.
 * Returns the norm of what is left relative to the norm of v before (0 for v = 0). */
double gdc_orthogonalise(int rows, int n, const double *q, int ldq, double *v);

#endif

/* dual_decode.h - the structured decode of dual codes: a matrix C with C B = E, whatever the placement.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * n workers, r owners per partition, m blocks, s = r - m. C is r x n. Column j of B, the coefficients of partition j's owners,
 * solves C[:, O_j] D_j = E, E r x m: entry (i, u) is 1 where i mod m = u, else 0 (m = 1: all ones). For stragglers Z, |Z| <= s,
 * every lambda with lambda C[:, Z] = 0 and lambda E = e_v gives weights a = lambda C of block v with a_Z = 0; the a of least norm
 * is taken. O(r^3 + m r n), whatever k is. */
#ifndef GDC_PLAN_DUAL_DECODE_H
#define GDC_PLAN_DUAL_DECODE_H

#include "gradcode/status.h"

#include <stdbool.h>

typedef struct gdc_dual {
    int n, r, m;
    double *column; /* [n x r] of worker w in an orthonormal basis of the rows of C, in which |lambda| = |a| */
    double *target; /* [m x r] columns of E in that basis */
    double *basis;  /* [r x r] orthonormal, of the conditions */
    double *lambda; /* [r] */
    int *straggler; /* [r] Z */
} gdc_dual;

/* c [r x n], copied. ENUMERIC: its rows are dependent. ENOMEM. */
gdc_status gdc_dual_create(int n, int r, int m, const double *c, gdc_dual *dual);
void gdc_dual_free(gdc_dual *dual); /* accepts a zeroed struct */

/* weight [m x n]: of worker w in block v at v * n + w. out [n]: 1 for each straggler; a worker of a zero column cannot be missed.
 * False: more than s of them, or conditions that depend on each other. */
bool gdc_dual_solve(gdc_dual *dual, const unsigned char *out, double *weight);

/* Entry (i, u) of E. */
static inline double gdc_dual_entry(int m, int i, int u)
{
    return i % m == u ? 1 : 0;
}

#endif

/* dual_decode.c - least-norm weights a = lambda C under the conditions of a straggler set (ICDCS 2019, heterogeneity-aware
 * gradient coding; blocks: arXiv 1802.03475).
 * SPDX-License-Identifier: BSD-3-Clause */
#include "plan/dual_decode.h"

#include "kernels/dense.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double dependent = 1e-14; /* relative norm below which a condition adds nothing */

static double dot(int n, const double *x, const double *y)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

/* What is left of v outside the first `rows` rows of q becomes a unit vector. */
static bool normalise(int rows, int n, const double *q, double *v)
{
    if (!(gdc_orthogonalise(rows, n, q, n, v) > dependent))
        return false;
    double norm = sqrt(dot(n, v, v));
    for (int i = 0; i < n; i++)
        v[i] /= norm;
    return true;
}

/* ---- the matrix: C = L Q with orthonormal rows of Q; conditions on lambda L instead of lambda ---- */

/* target = L^-1 E, by forward substitution; row i of L is that of C along the rows of Q. */
static void place_targets(const gdc_dual *d, const double *c, const double *q)
{
    size_t n = (size_t)d->n, r = (size_t)d->r;
    for (int i = 0; i < d->r; i++) {
        const double *row = c + (size_t)i * n;
        for (int u = 0; u < d->m; u++)
            d->target[(size_t)u * r + (size_t)i] = gdc_dual_entry(d->m, i, u);
        for (int t = 0; t <= i; t++) {
            double along = dot(d->n, row, q + (size_t)t * n);
            for (int u = 0; u < d->m; u++) {
                double *target = d->target + (size_t)u * r;
                if (t < i)
                    target[i] -= along * target[t];
                else
                    target[i] /= along;
            }
        }
    }
}

static gdc_status factor(gdc_dual *d, const double *c, double *q)
{
    size_t n = (size_t)d->n, r = (size_t)d->r;
    memcpy(q, c, r * n * sizeof *q);
    for (int i = 0; i < d->r; i++)
        if (!normalise(i, d->n, q, q + (size_t)i * n))
            return gdc_fail(GDC_ENUMERIC, "dual: row %d of a %d x %d matrix depends on the others", i, d->r, d->n);
    place_targets(d, c, q);
    for (size_t w = 0; w < n; w++)
        for (size_t i = 0; i < r; i++)
            d->column[w * r + i] = q[i * n + w];
    return GDC_OK;
}

gdc_status gdc_dual_create(int n, int r, int m, const double *c, gdc_dual *dual)
{
    size_t workers = (size_t)n, rows = (size_t)r;
    gdc_dual made = {.n = n, .r = r, .m = m};
    double *q = calloc(rows * workers, sizeof *q);
    made.column = calloc(workers * rows, sizeof *made.column);
    made.target = calloc((size_t)m * rows, sizeof *made.target);
    made.basis = calloc(rows * rows, sizeof *made.basis);
    made.lambda = calloc(rows, sizeof *made.lambda);
    made.straggler = calloc(rows, sizeof *made.straggler);
    gdc_status status = q != NULL && made.column != NULL && made.target != NULL && made.basis != NULL &&
                                made.lambda != NULL && made.straggler != NULL
                            ? factor(&made, c, q)
                            : gdc_fail(GDC_ENOMEM, "dual: no memory to decode %d workers", n);
    free(q);
    if (status == GDC_OK)
        *dual = made;
    else
        gdc_dual_free(&made);
    return status;
}

void gdc_dual_free(gdc_dual *dual)
{
    free(dual->column);
    free(dual->target);
    free(dual->basis);
    free(dual->lambda);
    free(dual->straggler);
    *dual = (gdc_dual){0};
}

/* ---- a straggler set ---- */

static const double *column_of(const gdc_dual *d, int worker)
{
    return d->column + (size_t)worker * (size_t)d->r;
}

static bool is_zero(int n, const double *x)
{
    for (int i = 0; i < n; i++)
        if (x[i] != 0)
            return false;
    return true;
}

/* Returns how many are missing; more than s are not listed. */
static int find_stragglers(gdc_dual *d, const unsigned char *out)
{
    int missing = 0;
    for (int w = 0; w < d->n; w++) {
        if (!out[w] || is_zero(d->r, column_of(d, w)))
            continue;
        if (missing < d->r - d->m)
            d->straggler[missing] = w;
        missing++;
    }
    return missing;
}

/* Condition i: those of the stragglers first, then those of the blocks. */
static const double *condition(const gdc_dual *d, int stragglers, int i)
{
    return i < stragglers ? column_of(d, d->straggler[i]) : d->target + (size_t)(i - stragglers) * (size_t)d->r;
}

static bool orthonormalise(gdc_dual *d, int stragglers)
{
    size_t r = (size_t)d->r;
    for (int i = 0; i < stragglers + d->m; i++) {
        double *row = d->basis + (size_t)i * r;
        memcpy(row, condition(d, stragglers, i), r * sizeof *row);
        if (!normalise(i, d->r, d->basis, row))
            return false;
    }
    return true;
}

/* Each condition is orthogonal to the later rows of the basis, so that what they add leaves it alone. The second pass takes away
 * what rounding left. */
static void solve_block(gdc_dual *d, int stragglers, int v)
{
    memset(d->lambda, 0, (size_t)d->r * sizeof *d->lambda);
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < stragglers + d->m; i++) {
            const double *wanted = condition(d, stragglers, i), *row = d->basis + (size_t)i * (size_t)d->r;
            double value = i == stragglers + v ? 1 : 0;
            double step = (value - dot(d->r, wanted, d->lambda)) / dot(d->r, wanted, row);
            for (int c = 0; c < d->r; c++)
                d->lambda[c] += step * row[c];
        }
}

bool gdc_dual_solve(gdc_dual *d, const unsigned char *out, double *weight)
{
    int stragglers = find_stragglers(d, out);
    if (stragglers > d->r - d->m || !orthonormalise(d, stragglers))
        return false;
    for (int v = 0; v < d->m; v++) {
        double *block = weight + (size_t)v * (size_t)d->n;
        solve_block(d, stragglers, v);
        for (int w = 0; w < d->n; w++)
            block[w] = dot(d->r, column_of(d, w), d->lambda);
        for (int i = 0; i < stragglers; i++)
            block[d->straggler[i]] = 0;
    }
    return true;
}

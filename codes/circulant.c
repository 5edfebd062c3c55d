/* circulant.c - cyclic MDS gradient codes with a structured decode (arXiv 1707.03858).
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * All rows are shifts of the coefficients of g(x), the product of x - w^f over s consecutive frequencies f around n/2
 * (w = exp(2 pi i/n), s = load - 1). The frequencies are whole numbers iff n - s is odd; g is then real and palindromic,
 * and any n - s shifts span all-ones. By the q-binomial theorem
 *
 *     g_t = product over j = 1 .. t of sin(pi (s + 1 - j)/n) / sin(pi j/n):
 *
 * all positive, so neither these coefficients nor g(1) suffer from cancellation.
 *
 * Decode. B has the rows; a_0 = 1/g(1) for everybody solves a^T B = 1^T. Waves of the frequencies f solve a^T B = 0, so all
 * solutions are a_0 + N z with the real waves as columns of N [n x s], orthogonal and of one length. With stragglers Z the
 * least of them has
 * the minimum-norm z of N_Z z = -a_0. It is found row by row: the orthonormal rows of N_Z turn the system into forward
 * substitution. O(s^3 + n s), whatever k is. */
#include "plan/code.h"

#include "kernels/dense.h"
#include "plan/ring.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct circulant_options {
    int load, permute;
} circulant_options;

static const gdc_option rows[] = {
    {"load", GDC_INT, offsetof(circulant_options, load), "2", 1, INT_MAX, NULL,
     "shards held per worker, 1 or any that leaves workers - load even; load - 1 stragglers are survived", 0},
    {"permute", GDC_INT, offsetof(circulant_options, permute), "1", 0, 1, NULL,
     "1: a seeded permutation puts workers on the ring; 0: in order of rank", 0},
    {.key = NULL},
};

static const double pi = 3.14159265358979323846;

/* ---- rows ---- */

static gdc_status check_load(int load, int n)
{
    gdc_status status = gdc_code_check_load("circulant", load, n);
    if (status != GDC_OK || load == 1 || (n - load) % 2 == 0)
        return status;
    return gdc_fail(
        GDC_EINVAL,
        "circulant: load=%d with %d workers: want workers - load even, or load=1; nearest are load=%d, which "
        "survives one straggler more, and load=%d",
        load, n, load + 1, load - 1);
}

/* sin(pi j/n), the same number for j and n - j */
static double sine(int j, int n)
{
    int least = 2 * j <= n ? j : n - j;
    return sin(pi * least / n);
}

/* g [s + 1]; the second half mirrors the first. */
static void find_shape(int n, int s, double *g)
{
    g[0] = g[s] = 1;
    for (int t = 1; 2 * t <= s; t++)
        g[t] = g[s - t] = g[t - 1] * sine(s + 1 - t, n) / sine(t, n);
}

static gdc_status circulant_build(const void *options, int n, int k, uint64_t seed, gdc_plan **plan)
{
    const circulant_options *o = options;
    gdc_status status = check_load(o->load, n);
    if (status != GDC_OK)
        return status;
    size_t load = (size_t)o->load;
    double *coefficient = calloc((size_t)n * load, sizeof *coefficient);
    if (coefficient == NULL)
        return gdc_fail(GDC_ENOMEM, "circulant: no memory for rows of %d shards", o->load);
    find_shape(n, o->load - 1, coefficient);
    for (int i = 1; i < n; i++)
        memcpy(coefficient + (size_t)i * load, coefficient, load * sizeof *coefficient);
    status = gdc_ring_build(n, k, o->load, o->permute != 0, seed, coefficient, plan);
    free(coefficient);
    return status;
}

/* ---- decode ---- */

typedef struct decode {
    int n, s;
    double equal;   /* a_0 */
    double *wave;   /* [n x s] N, by worker */
    double *basis;  /* [s x s] orthonormal rows of N_Z */
    double *z;      /* [s] */
    int *straggler; /* [s] Z */
} decode;

static void circulant_release(void *prepared)
{
    decode *d = prepared;
    if (d == NULL)
        return;
    free(d->wave);
    free(d->basis);
    free(d->z);
    free(d->straggler);
    free(d);
}

static double dot(int n, const double *x, const double *y)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

/* Two columns for each frequency below n/2, one for n/2; all of length sqrt(n), which makes those of n/2 whole numbers. */
static void fill_waves(int n, int s, int position, double *wave)
{
    int lowest = (n - s + 1) / 2;
    for (int c = 0; c < s / 2; c++) {
        int phase = (int)((int64_t)(lowest + c) * position % n);
        wave[2 * c] = sqrt(2) * cos(2 * pi * phase / n);
        wave[2 * c + 1] = sqrt(2) * sin(2 * pi * phase / n);
    }
    if (s % 2 == 1)
        wave[s - 1] = position % 2 == 0 ? 1 : -1;
}

static gdc_status circulant_prepare(const gdc_plan *plan, void **prepared)
{
    int n = plan->workers, s = gdc_row_support(&plan->row[0]) / (plan->partitions / n) - 1;
    size_t columns = (size_t)s;
    decode *d = calloc(1, sizeof *d);
    if (d == NULL)
        return gdc_fail(GDC_ENOMEM, "circulant: out of memory");
    *d = (decode){.n = n, .s = s};
    d->wave = calloc((size_t)n * columns + 1, sizeof *d->wave);
    d->basis = calloc(columns * columns + 1, sizeof *d->basis);
    d->z = calloc(columns + 1, sizeof *d->z);
    d->straggler = calloc(columns + 1, sizeof *d->straggler);
    if (d->wave == NULL || d->basis == NULL || d->z == NULL || d->straggler == NULL) {
        circulant_release(d);
        return gdc_fail(GDC_ENOMEM, "circulant: no memory to decode %d workers", n);
    }
    d->equal = 1 / (gdc_row_norm1(&plan->row[0]) / (plan->partitions / n));
    for (int w = 0; w < n; w++)
        fill_waves(n, s, gdc_ring_position(plan, w), d->wave + (size_t)w * columns);
    *prepared = d;
    return GDC_OK;
}

/* Returns how many workers are missing; more than s are not listed. */
static int find_stragglers(decode *d, const unsigned char *accepted)
{
    int missing = 0;
    for (int w = 0; w < d->n; w++) {
        if (accepted[w])
            continue;
        if (missing < d->s)
            d->straggler[missing] = w;
        missing++;
    }
    return missing;
}

static bool orthonormalise(decode *d, int stragglers)
{
    size_t s = (size_t)d->s;
    for (int i = 0; i < stragglers; i++) {
        double *row = d->basis + (size_t)i * s;
        memcpy(row, d->wave + (size_t)d->straggler[i] * s, s * sizeof *row);
        if (!(gdc_orthogonalise(i, d->s, d->basis, d->s, row) > 1e-14))
            return false;
        double norm = sqrt(dot(d->s, row, row));
        for (int c = 0; c < d->s; c++)
            row[c] /= norm;
    }
    return true;
}

/* z += the minimum-norm solution of N_Z x = -a_0 - N_Z z. Row i of N_Z is orthogonal to all later rows of the basis, so
 * that what they add leaves equation i alone. */
static void solve(decode *d, int stragglers)
{
    size_t s = (size_t)d->s;
    for (int i = 0; i < stragglers; i++) {
        const double *wave = d->wave + (size_t)d->straggler[i] * s, *row = d->basis + (size_t)i * s;
        double step = (-d->equal - dot(d->s, wave, d->z)) / dot(d->s, wave, row);
        for (int c = 0; c < d->s; c++)
            d->z[c] += step * row[c];
    }
}

static bool circulant_weights(const gdc_plan *plan, void *prepared, const unsigned char *accepted, double *weight)
{
    decode *d = prepared;
    int stragglers = find_stragglers(d, accepted);
    (void)plan;
    if (d->s == d->n - 1) /* all rows are the sum of everything: one of them with weight 1 is exact */
        return false;
    if (stragglers > d->s || !orthonormalise(d, stragglers))
        return false;
    memset(d->z, 0, (size_t)d->s * sizeof *d->z);
    for (int pass = 0; pass < 2; pass++) /* the second one takes away what rounding left */
        solve(d, stragglers);
    for (int w = 0; w < d->n; w++)
        weight[w] = d->equal + dot(d->s, d->wave + (size_t)w * (size_t)d->s, d->z);
    for (int i = 0; i < stragglers; i++)
        weight[d->straggler[i]] = 0;
    return true;
}

const gdc_code_ops gdc_code_circulant = {
    .name = "circulant",
    .help =
        "cyclic combinations of fixed shape, one message per worker: survives load - 1 stragglers, small amplification",
    .options = rows,
    .options_bytes = sizeof(circulant_options),
    .build = circulant_build,
    .weights = circulant_weights,
    .prepare = circulant_prepare,
    .release = circulant_release,
};

/* dual_rows.c - draws the matrix of a dual code, solves for the owners' coefficients, keeps the best draw.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "plan/dual_rows.h"

#include "gradcode/draw.h"
#include "kernels/dense.h"
#include "plan/dual_decode.h"
#include "plan/sets.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MATRIX_PURPOSE = 0x6475616c };

/* ---- a draw ---- */

typedef struct search {
    int n, load, blocks;
    const gdc_owners *owners;
    uint64_t seed;
    gdc_dual_rows now, best;
    double *system; /* [load x load] */
    double *wanted; /* [load] */
    double *size;   /* [n]: the row's largest coefficient, then its sum of magnitudes */
    double *weight; /* [blocks x n] */
    gdc_sets sets;
} search;

static size_t matrix_size(const search *f)
{
    return (size_t)f->load * (size_t)f->n;
}

static size_t coefficients(const search *f)
{
    return (size_t)f->owners->count * (size_t)f->load * (size_t)f->blocks;
}

void gdc_dual_rows_free(gdc_dual_rows *rows)
{
    free(rows->c);
    free(rows->coefficient);
    *rows = (gdc_dual_rows){0};
}

static void free_search(search *f)
{
    gdc_dual_rows_free(&f->now);
    gdc_dual_rows_free(&f->best);
    free(f->system);
    free(f->wanted);
    free(f->size);
    free(f->weight);
    gdc_sets_free(&f->sets);
}

/* How many straggler sets each draw is judged by: all, or as many as keep the search well below a second. */
static int sets_per_draw(const search *f)
{
    double load = f->load, sets = 2e7 / (load * load * load + load * f->n * f->blocks);
    return sets > 1000 ? 1000 : sets < 8 ? 8 : (int)sets;
}

static gdc_status make_search(const gdc_owners *owners, int blocks, uint64_t seed, search *f)
{
    *f = (search){.n = owners->workers, .load = owners->each, .blocks = blocks, .owners = owners, .seed = seed};
    size_t n = (size_t)f->n, load = (size_t)f->load;
    f->now.c = calloc(matrix_size(f), sizeof(double));
    f->best.c = calloc(matrix_size(f), sizeof(double));
    f->now.coefficient = calloc(coefficients(f), sizeof(double));
    f->best.coefficient = calloc(coefficients(f), sizeof(double));
    f->system = calloc(load * load, sizeof(double));
    f->wanted = calloc(load, sizeof(double));
    f->size = calloc(n, sizeof(double));
    f->weight = calloc(n * (size_t)blocks, sizeof(double));
    gdc_status status = gdc_sets_create(f->n, sets_per_draw(f), seed, &f->sets);
    if (status == GDC_OK &&
        (f->now.c == NULL || f->best.c == NULL || f->now.coefficient == NULL || f->best.coefficient == NULL ||
         f->system == NULL || f->wanted == NULL || f->size == NULL || f->weight == NULL))
        status = gdc_fail(GDC_ENOMEM, "dual: no memory for a random %d x %d matrix", f->load, f->n);
    if (status != GDC_OK)
        free_search(f);
    return status;
}

static void draw_matrix(search *f, int number)
{
    for (int i = 0; i < f->load; i++)
        for (int w = 0; w < f->n; w++) {
            gdc_key key = {f->seed, MATRIX_PURPOSE, (uint64_t)number, (uint64_t)i, (uint64_t)w};
            f->now.c[(size_t)i * (size_t)f->n + (size_t)w] = gdc_draw_normal(key);
        }
}

static const int *owners_of(const search *f, int stretch)
{
    return f->owners->worker + (size_t)stretch * (size_t)f->load;
}

/* [load x blocks]: of each owner of a stretch. */
static double *coefficients_of(const search *f, const gdc_dual_rows *d, int stretch)
{
    return d->coefficient + (size_t)stretch * (size_t)f->load * (size_t)f->blocks;
}

/* Block u of the coefficients of a stretch: C[:, O] w = E[:, u]. */
static gdc_status solve_owners(search *f, int stretch, int u)
{
    const int *owner = owners_of(f, stretch);
    double *coefficient = coefficients_of(f, &f->now, stretch);
    for (int i = 0; i < f->load; i++) {
        for (int o = 0; o < f->load; o++)
            f->system[i * f->load + o] = f->now.c[(size_t)i * (size_t)f->n + (size_t)owner[o]];
        f->wanted[i] = gdc_dual_entry(f->blocks, i, u);
    }
    gdc_status status = gdc_solve(f->load, f->system, f->wanted);
    for (int o = 0; status == GDC_OK && o < f->load; o++)
        coefficient[o * f->blocks + u] = f->wanted[o];
    return status;
}

/* The largest coefficient of every row becomes 1. */
static void scale_rows(search *f)
{
    int stretches = f->owners->count, each = f->load * f->blocks;
    memset(f->size, 0, (size_t)f->n * sizeof *f->size);
    for (int t = 0; t < stretches; t++)
        for (int i = 0; i < each; i++) {
            double *largest = &f->size[owners_of(f, t)[i / f->blocks]], value = coefficients_of(f, &f->now, t)[i];
            *largest = fabs(value) > fabs(*largest) ? value : *largest;
        }
    for (int t = 0; t < stretches; t++)
        for (int i = 0; i < each; i++)
            coefficients_of(f, &f->now, t)[i] /= f->size[owners_of(f, t)[i / f->blocks]];
    for (int i = 0; i < f->load; i++)
        for (int w = 0; w < f->n; w++)
            f->now.c[(size_t)i * (size_t)f->n + (size_t)w] *= f->size[w];
}

static gdc_status make_draw(search *f, int number)
{
    gdc_status status = GDC_OK;
    draw_matrix(f, number);
    for (int t = 0; status == GDC_OK && t < f->owners->count; t++)
        for (int u = 0; status == GDC_OK && u < f->blocks; u++)
            status = solve_owners(f, t, u);
    if (status == GDC_OK)
        scale_rows(f);
    return status;
}

/* ---- which draw ---- */

static void measure_rows(search *f)
{
    memset(f->size, 0, (size_t)f->n * sizeof *f->size);
    for (int t = 0; t < f->owners->count; t++)
        for (int i = 0; i < f->load * f->blocks; i++)
            f->size[owners_of(f, t)[i / f->blocks]] +=
                fabs(coefficients_of(f, &f->now, t)[i]) * f->owners->span[t].count;
}

/* sum_i |a_i| ||row_i||_1 / k of the worst block */
static double amplify(const search *f)
{
    double most = 0;
    for (int v = 0; v < f->blocks; v++) {
        double sum = 0;
        for (int w = 0; w < f->n; w++)
            sum += fabs(f->weight[(size_t)v * (size_t)f->n + (size_t)w]) * f->size[w];
        most = fmax(most, sum / f->owners->partitions);
    }
    return most;
}

/* The worst amplification over straggler sets of the largest size; gives up above `limit`. */
static gdc_status judge(search *f, double limit, double *worst)
{
    gdc_dual dual;
    gdc_status status = gdc_dual_create(f->n, f->load, f->blocks, f->now.c, &dual);
    if (status != GDC_OK)
        return status;
    double most = 0;
    measure_rows(f);
    gdc_sets_begin(&f->sets, f->load - f->blocks);
    while (most <= limit && gdc_sets_next(&f->sets))
        most = fmax(most, gdc_dual_solve(&dual, f->sets.out, f->weight) ? amplify(f) : INFINITY);
    gdc_dual_free(&dual);
    *worst = most;
    return GDC_OK;
}

static gdc_status find_best(search *f, int tries)
{
    double least = INFINITY;
    for (int number = 0; number < tries; number++) {
        double worst = INFINITY;
        gdc_status status = make_draw(f, number);
        if (status == GDC_OK)
            status = judge(f, least, &worst);
        if (status != GDC_OK && status != GDC_ENUMERIC)
            return status;
        if (worst < least) {
            gdc_dual_rows better = f->now;
            f->now = f->best;
            f->best = better;
            least = worst;
        }
    }
    if (isfinite(least))
        return GDC_OK;
    return gdc_fail(
        GDC_ENUMERIC,
        "dual: load=%d with %d workers: none of %d draws can be decoded in double precision: want a smaller load, "
        "or fractional",
        f->load, f->n, tries);
}

gdc_status gdc_dual_rows_find(const gdc_owners *owners, int blocks, int tries, uint64_t seed, gdc_dual_rows *rows)
{
    search f;
    gdc_status status = make_search(owners, blocks, seed, &f);
    if (status != GDC_OK)
        return status;
    status = find_best(&f, tries);
    if (status == GDC_OK) {
        *rows = f.best;
        f.best = (gdc_dual_rows){0};
    }
    free_search(&f);
    return status;
}

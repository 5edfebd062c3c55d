/* cyclic_rows.c - draws the rows of cyclic codes and keeps the best of several draws.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "plan/cyclic_rows.h"

#include "gradcode/draw.h"
#include "kernels/dense.h"
#include "plan/plan.h"
#include "plan/quality.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MATRIX_PURPOSE = 0x6379636c };

typedef struct search {
    int n, s;
    uint64_t seed, stream;
    double *h;      /* [s x n] */
    double *system; /* [s x s] */
    double *drawn;  /* [n x (s + 1)] coefficients of the current draw */
    gdc_term *term; /* [s + 1] */
} search;

static void free_search(search *f)
{
    free(f->h);
    free(f->system);
    free(f->drawn);
    free(f->term);
}

static gdc_status make_search(int n, int s, uint64_t seed, uint64_t stream, search *f)
{
    size_t load = (size_t)s + 1;
    *f = (search){.n = n, .s = s, .seed = seed, .stream = stream};
    f->h = calloc(load * (size_t)n, sizeof *f->h);
    f->system = calloc(load * load, sizeof *f->system);
    f->drawn = calloc(load * (size_t)n, sizeof *f->drawn);
    f->term = calloc(load, sizeof *f->term);
    if (f->h != NULL && f->system != NULL && f->drawn != NULL && f->term != NULL)
        return GDC_OK;
    free_search(f);
    return gdc_fail(GDC_ENOMEM, "plan: no memory for a random %d x %d matrix", s, n);
}

static void draw_matrix(search *f, int draw)
{
    for (int row = 0; row < f->s; row++) {
        double *h = f->h + (size_t)row * (size_t)f->n, sum = 0;
        for (int c = 0; c + 1 < f->n; c++) {
            gdc_key key = {f->seed, MATRIX_PURPOSE + f->stream, (uint64_t)draw, (uint64_t)row, (uint64_t)c};
            h[c] = gdc_draw_normal(key);
            sum += h[c];
        }
        h[f->n - 1] = -sum;
    }
}

/* Coefficients of shards i .. i + s of row i, the first being 1. */
static gdc_status solve_row(const search *f, int i, double *coefficient)
{
    int n = f->n, s = f->s;
    for (int row = 0; row < s; row++) {
        const double *h = f->h + (size_t)row * (size_t)n;
        for (int c = 0; c < s; c++)
            f->system[row * s + c] = h[(i + 1 + c) % n];
        coefficient[row + 1] = -h[i];
    }
    coefficient[0] = 1;
    return gdc_solve(s, f->system, coefficient + 1);
}

static gdc_status solve_rows(const search *f)
{
    gdc_status status = GDC_OK;
    for (int i = 0; status == GDC_OK && i < f->n; i++)
        status = solve_row(f, i, f->drawn + (size_t)i * ((size_t)f->s + 1));
    return status;
}

/* ---- which draw ---- */

/* A plan of the drawn rows alone, one partition per shard, for the judge. */
static gdc_status write_rows(const search *f, gdc_plan **plan)
{
    gdc_plan_writer *writer;
    gdc_status status = gdc_plan_writer_create(f->n, f->n, &writer);
    if (status != GDC_OK)
        return status;
    for (int i = 0; i < f->n; i++) {
        for (int t = 0; t <= f->s; t++)
            f->term[t] = (gdc_term){{(i + t) % f->n, 1}, f->drawn[(size_t)i * ((size_t)f->s + 1) + (size_t)t]};
        gdc_plan_add_leg(writer, (gdc_span){0, f->n}, false);
        gdc_plan_add_row(writer, f->n, f->s + 1, f->term);
        gdc_plan_end_worker(writer);
    }
    return gdc_plan_writer_finish(writer, plan);
}

/* How many straggler sets each draw is judged by: all, or as many as keep the search well below a second. */
static int sets_per_draw(int n)
{
    double sets = 1e7 / ((double)n * n * n);
    return sets > 1000 ? 1000 : sets < 8 ? 8 : (int)sets;
}

static gdc_status judge(const search *f, double limit, double *worst)
{
    gdc_plan *plan;
    gdc_status status = write_rows(f, &plan);
    if (status != GDC_OK)
        return status;
    status = gdc_plan_worst(plan, f->s, sets_per_draw(f->n), f->seed, limit, worst, NULL);
    gdc_plan_destroy(plan);
    return status;
}

static gdc_status find_best(search *f, int tries, double *coefficient, bool *found)
{
    double least = INFINITY;
    *found = false;
    for (int draw = 0; draw < tries; draw++) {
        double worst = INFINITY;
        draw_matrix(f, draw);
        gdc_status status = solve_rows(f);
        if (status == GDC_OK)
            status = judge(f, least, &worst);
        if (status != GDC_OK && status != GDC_ENUMERIC)
            return status;
        if (worst < least) {
            memcpy(coefficient, f->drawn, (size_t)f->n * ((size_t)f->s + 1) * sizeof *coefficient);
            least = worst;
            *found = true;
        }
    }
    return GDC_OK;
}

gdc_status gdc_cyclic_rows(const char *code, int n, int load, int tries, uint64_t seed, uint64_t stream,
                           double *coefficient)
{
    search f;
    bool found;
    if (load == 1 || load == n) { /* unit vectors; or a null space that is the line of all ones */
        for (size_t i = 0; i < (size_t)n * (size_t)load; i++)
            coefficient[i] = 1;
        return GDC_OK;
    }
    gdc_status status = make_search(n, load - 1, seed, stream, &f);
    if (status != GDC_OK)
        return status;
    status = find_best(&f, tries, coefficient, &found);
    free_search(&f);
    if (status == GDC_OK && !found)
        return gdc_fail(GDC_ENUMERIC,
                        "%s: rows over %d of %d shards: none of %d draws can be decoded in double precision: want a "
                        "smaller load, or fractional",
                        code, load, n, tries);
    return status;
}

/* cyclic.c - cyclic gradient codes from a random matrix (arXiv 1612.03301, section 5).
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * H is s x n Gaussian with H 1 = 0. The row of position i is supported on shards i .. i + s (mod n) and lies
 * in the null space of H, which has dimension n - s and contains the all-ones vector: any n - s rows span it.
 * How well depends on luck: of `tries` seeded draws the one with the least worst amplification over a fixed
 * collection of straggler sets is taken. */
#include "plan/code.h"

#include "gradcode/draw.h"
#include "kernels/dense.h"
#include "plan/quality.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

enum { MATRIX_PURPOSE = 0x6379636c };

typedef struct cyclic_options {
    int load, tries, permute;
} cyclic_options;

static const gdc_option rows[] = {
    {"load", GDC_INT, offsetof(cyclic_options, load), "2", 1, INT_MAX, NULL,
     "shards held per worker; load - 1 stragglers are survived", 0},
    {"tries", GDC_INT, offsetof(cyclic_options, tries), "20", 1, 10000, NULL,
     "seeded draws of which the one with the least worst amplification is taken", 0},
    {"permute", GDC_INT, offsetof(cyclic_options, permute), "1", 0, 1, NULL,
     "1: a seeded permutation puts workers on the ring; 0: in order of rank", 0},
    {.key = NULL},
};

typedef struct recipe {
    int n, k, s;
    const int *position_of; /* [n] */
    double *h;              /* [s x n] */
    double *system;         /* [s x s] */
    double *solution;       /* [s] */
    gdc_term *term;         /* [s + 1] */
} recipe;

static void free_recipe(recipe *r)
{
    free(r->h);
    free(r->system);
    free(r->solution);
    free(r->term);
}

static gdc_status make_recipe(int n, int k, int s, const int *position_of, recipe *r)
{
    size_t rows_h = (size_t)s + 1;
    *r = (recipe){.n = n, .k = k, .s = s, .position_of = position_of};
    r->h = calloc(rows_h * (size_t)n, sizeof *r->h);
    r->system = calloc(rows_h * rows_h, sizeof *r->system);
    r->solution = calloc(rows_h, sizeof *r->solution);
    r->term = calloc(rows_h, sizeof *r->term);
    if (r->h != NULL && r->system != NULL && r->solution != NULL && r->term != NULL)
        return GDC_OK;
    free_recipe(r);
    return gdc_fail(GDC_ENOMEM, "cyclic: no memory for a %d x %d matrix", s, n);
}

static void draw_matrix(recipe *r, uint64_t seed, int draw)
{
    for (int row = 0; row < r->s; row++) {
        double *h = r->h + (size_t)row * (size_t)r->n, sum = 0;
        for (int c = 0; c + 1 < r->n; c++) {
            h[c] = gdc_draw_normal((gdc_key){seed, MATRIX_PURPOSE, (uint64_t)draw, (uint64_t)row, (uint64_t)c});
            sum += h[c];
        }
        h[r->n - 1] = -sum;
    }
}

/* Coefficients of shards i+1 .. i+s of the row of position i, that of shard i being 1. */
static gdc_status solve_row(recipe *r, int i)
{
    int n = r->n, s = r->s;
    for (int row = 0; row < s; row++) {
        const double *h = r->h + (size_t)row * (size_t)n;
        for (int c = 0; c < s; c++)
            r->system[row * s + c] = h[(i + 1 + c) % n];
        r->solution[row] = -h[i];
    }
    if (s < n - 1)
        return s == 0 ? GDC_OK : gdc_solve(s, r->system, r->solution);
    for (int c = 0; c < s; c++) /* the null space is the line of all ones: no need for rounding */
        r->solution[c] = 1;
    return GDC_OK;
}

/* Shards i .. i+s of the ring: one leg, or two around its end. */
static void add_walk(gdc_plan_writer *writer, const recipe *r, int i)
{
    int shard = r->k / r->n, first = i * shard, held = (r->s + 1) * shard;
    int straight = held < r->k - first ? held : r->k - first;
    gdc_plan_add_leg(writer, (gdc_span){first, straight}, false);
    if (straight < held)
        gdc_plan_add_leg(writer, (gdc_span){0, held - straight}, false);
}

static gdc_status build_draw(recipe *r, uint64_t seed, int draw, gdc_plan **plan)
{
    gdc_plan_writer *writer;
    gdc_status status = gdc_plan_writer_create(r->n, r->k, &writer);
    if (status != GDC_OK)
        return status;
    draw_matrix(r, seed, draw);
    for (int w = 0; w < r->n; w++) {
        int i = r->position_of[w];
        status = solve_row(r, i);
        if (status != GDC_OK) {
            gdc_plan_writer_destroy(writer);
            return status;
        }
        r->term[0] = (gdc_term){gdc_shard(r->n, r->k, i), 1};
        for (int c = 0; c < r->s; c++)
            r->term[c + 1] = (gdc_term){gdc_shard(r->n, r->k, (i + 1 + c) % r->n), r->solution[c]};
        add_walk(writer, r, i);
        gdc_plan_add_row(writer, (r->s + 1) * (r->k / r->n), r->s + 1, r->term);
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

static gdc_status best_draw(recipe *r, uint64_t seed, int tries, gdc_plan **plan)
{
    gdc_plan *best = NULL;
    double least = INFINITY;
    for (int draw = 0; draw < tries; draw++) {
        gdc_plan *drawn;
        double worst;
        gdc_status status = build_draw(r, seed, draw, &drawn);
        if (status == GDC_ENUMERIC)
            continue;
        if (status == GDC_OK) {
            status = gdc_plan_worst(drawn, r->s, sets_per_draw(r->n), seed, least, &worst);
            if (status != GDC_OK)
                gdc_plan_destroy(drawn);
        }
        if (status != GDC_OK) {
            gdc_plan_destroy(best);
            return status;
        }
        bool better = worst < least;
        gdc_plan_destroy(better ? best : drawn);
        best = better ? drawn : best;
        least = better ? worst : least;
    }
    if (best == NULL)
        return gdc_fail(GDC_ENUMERIC,
                        "cyclic: load=%d with %d workers: none of %d draws can be decoded in double precision: want a "
                        "smaller load, or fractional",
                        r->s + 1, r->n, tries);
    *plan = best;
    return GDC_OK;
}

static gdc_status cyclic_build(const void *options, int n, int k, uint64_t seed, gdc_plan **plan)
{
    const cyclic_options *o = options;
    gdc_status status = gdc_code_check_load("cyclic", o->load, n);
    if (status != GDC_OK)
        return status;
    int *position_of;
    recipe r;
    status = gdc_code_placement(o->permute != 0, n, seed, NULL, &position_of);
    if (status != GDC_OK)
        return status;
    status = make_recipe(n, k, o->load - 1, position_of, &r);
    if (status == GDC_OK) {
        bool lucky = r.s > 0 && r.s < n - 1; /* else every draw gives the same rows */
        status = best_draw(&r, seed, lucky ? o->tries : 1, plan);
        free_recipe(&r);
    }
    free(position_of);
    return status;
}

const gdc_code_ops gdc_code_cyclic = {
    .name = "cyclic",
    .help = "random cyclic combinations, one message per worker: survives any load - 1 stragglers at any n",
    .options = rows,
    .options_bytes = sizeof(cyclic_options),
    .build = cyclic_build,
};

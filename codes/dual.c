/* dual.c - heterogeneity-aware gradient coding (ICDCS 2019): any placement, loads in proportion to speeds, any n - load + 1 workers.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * C is a random load x n matrix. Every partition has `load` owners O, whoever they are, and their coefficients w solve
 * C[:, O] w = 1 (plan/dual_rows.h): then C B = 1 for the matrix B of all rows, and weights a = lambda C that leave the stragglers
 * out decode (plan/dual_decode.h). With shorten=m the gradient is cut into m blocks, messages are one block long, and the
 * coefficients of a partition's blocks solve C[:, O] D = E (Communication-Computation Efficient Gradient Coding, arXiv
 * 1802.03475; Gaussian instead of its Vandermonde matrices, which lose all accuracy past 20 workers). Where all
 * coefficients are 1 (whole groups, load 1, load n), the generic decoder's weights are 0 and 1. */
#include "plan/code.h"

#include "plan/dual_decode.h"
#include "plan/dual_rows.h"

#include <limits.h>
#include <stdlib.h>

typedef struct dual_options {
    int load, shorten, place, tries, permute;
    gdc_ints speeds;
} dual_options;

static const gdc_option rows[] = {
    {"load", GDC_INT, offsetof(dual_options, load), "2", 1, INT_MAX, NULL,
     "owners of every partition, shards held per worker on average; load - shorten stragglers are survived", 0},
    {"shorten", GDC_INT, offsetof(dual_options, shorten), "1", 1, INT_MAX, NULL,
     "messages are so many times shorter than the gradient, and as many fewer stragglers are survived: load - shorten",
     0},
    {"speeds", GDC_INTS, offsetof(dual_options, speeds), "", 1, 1000000, NULL,
     "relative speeds of all workers, for example 1+1+2+4: work is shared out in proportion; none given: equal", 0},
    {"place", GDC_WORD, offsetof(dual_options, place), "ring", 0, 0, GDC_PLACE_WORDS,
     "whose shards a worker holds: of the next ones, of its group, at spread distances, or at random", 0},
    {"tries", GDC_INT, offsetof(dual_options, tries), "20", 1, 10000, NULL,
     "seeded draws of which the one with the least worst amplification is taken", 0},
    {"permute", GDC_INT, offsetof(dual_options, permute), "1", 0, 1, NULL,
     "1: a seeded permutation decides who is whose neighbour; 0: in order of rank", 0},
    {.key = NULL},
};

/* ---- what may be asked for ---- */

/* A worker as fast as sum/load holds everything once; a faster one would have to hold some of it twice. */
static gdc_status check_speeds(const gdc_ints *speeds, int load, int n)
{
    long long sum = 0;
    int fastest = 0;
    if (speeds->count != n)
        return gdc_fail(GDC_EINVAL, "dual: speeds has %d numbers for %d workers: want %d, one for each", speeds->count,
                        n, n);
    for (int w = 0; w < n; w++) {
        sum += speeds->value[w];
        if (speeds->value[w] > speeds->value[fastest])
            fastest = w;
    }
    int speed = speeds->value[fastest];
    if ((long long)speed * load <= sum)
        return GDC_OK;
    return gdc_fail(
        GDC_EINVAL,
        "dual: speeds gives worker %d the value %d of %lld with load=%d: want at most %lld beside these others "
        "(the sum over load)",
        fastest, speed, sum, load, (sum - speed) / (load - 1));
}

static gdc_status check_options(const dual_options *o, int n)
{
    static const char *const words[] = {"ring", "group", "spread", "random"};
    gdc_status status = gdc_code_check_load("dual", o->load, n);
    if (status == GDC_OK && o->shorten > o->load)
        status = gdc_fail(GDC_EINVAL, "dual: shorten=%d with load=%d: want 1 to %d, nearest is %d", o->shorten, o->load,
                          o->load, o->load);
    if (status != GDC_OK || o->speeds.count == 0)
        return status;
    if (o->place != GDC_PLACE_RING)
        return gdc_fail(GDC_EINVAL,
                        "dual: place=%s with speeds: want place=ring, as shares by speed are no whole shards",
                        words[o->place]);
    return check_speeds(&o->speeds, o->load, n);
}

/* ---- the plan ---- */

typedef struct recipe {
    const gdc_owners *owners;
    gdc_dual_rows rows;
    int blocks;
    gdc_term *term; /* [stretches * blocks] */
} recipe;

static void add_terms(const recipe *r, int stretch, int w, int *terms)
{
    const gdc_owners *own = r->owners;
    size_t owner = (size_t)stretch * (size_t)own->each, blocks = (size_t)r->blocks;
    for (size_t o = owner; o < owner + (size_t)own->each; o++)
        for (size_t u = 0; own->worker[o] == w && u < blocks; u++) {
            gdc_span span = own->span[stretch];
            span.first += (int)u * own->partitions;
            r->term[(*terms)++] = (gdc_term){span, r->rows.coefficient[o * blocks + u]};
        }
}

static void add_worker(gdc_plan_writer *writer, const recipe *r, int w)
{
    const gdc_owners *own = r->owners;
    int held = 0, terms = 0;
    for (int l = own->leg_at[w]; l < own->leg_at[w + 1]; l++) {
        gdc_plan_add_leg(writer, own->leg[l], false);
        held += own->leg[l].count;
    }
    for (int t = 0; t < own->count; t++)
        add_terms(r, t, w, &terms);
    if (terms > 0)
        gdc_plan_add_row(writer, held, terms, r->term);
    gdc_plan_end_worker(writer);
}

/* The plan takes over the matrix. */
static gdc_status write_plan(recipe *r, gdc_plan **plan)
{
    const gdc_owners *own = r->owners;
    gdc_plan_writer *writer;
    r->term = calloc((size_t)own->count * (size_t)r->blocks, sizeof *r->term);
    if (r->term == NULL)
        return gdc_fail(GDC_ENOMEM, "dual: no memory for rows of %d stretches", own->count);
    gdc_status status = gdc_plan_writer_create(own->workers, own->partitions, &writer);
    if (status != GDC_OK)
        return status;
    gdc_plan_set_blocks(writer, r->blocks);
    for (int w = 0; w < own->workers; w++)
        add_worker(writer, r, w);
    status = gdc_plan_writer_finish(writer, plan);
    if (status != GDC_OK)
        return status;
    (*plan)->kept = r->rows.c;
    (*plan)->kept_count = (size_t)own->each * (size_t)own->workers;
    r->rows.c = NULL;
    return GDC_OK;
}

static gdc_status find_owners(const dual_options *o, int n, int k, uint64_t seed, gdc_owners *owners)
{
    const gdc_placing placing = {o->place, 1, o->load, o->permute != 0, seed};
    if (o->speeds.count > 0)
        return gdc_owners_by_speed(o->speeds.value, n, k, o->load, o->permute != 0, seed, owners);
    return gdc_owners_by_place(&placing, n, k, owners);
}

static gdc_status dual_build(const void *options, int n, int k, uint64_t seed, gdc_plan **plan)
{
    const dual_options *o = options;
    gdc_owners owners;
    gdc_status status = check_options(o, n);
    if (status == GDC_OK)
        status = find_owners(o, n, k, seed, &owners);
    if (status != GDC_OK)
        return status;
    recipe r = {.owners = &owners, .blocks = o->shorten};
    status = gdc_dual_rows_find(&owners, r.blocks, o->tries, seed, &r.rows);
    if (status == GDC_OK)
        status = write_plan(&r, plan);
    gdc_dual_rows_free(&r.rows);
    free(r.term);
    gdc_owners_free(&owners);
    return status;
}

/* ---- decode ---- */

typedef struct decode {
    gdc_dual dual;
    unsigned char *out; /* [n] */
    double *weight;     /* [blocks x n] by worker */
} decode;

static void dual_release(void *prepared)
{
    decode *d = prepared;
    if (d == NULL)
        return;
    gdc_dual_free(&d->dual);
    free(d->out);
    free(d->weight);
    free(d);
}

static bool is_all_ones(const gdc_plan *plan)
{
    if (plan->blocks > 1)
        return false;
    for (int r = 0; r < gdc_plan_messages(plan); r++)
        for (int t = 0; t < plan->row[r].terms; t++)
            if (plan->row[r].term[t].coefficient != 1)
                return false;
    return true;
}

static gdc_status dual_prepare(const gdc_plan *plan, void **prepared)
{
    int n = plan->workers, load = (int)(plan->kept_count / (size_t)n);
    if (is_all_ones(plan))
        return GDC_OK;
    decode *d = calloc(1, sizeof *d);
    if (d == NULL)
        return gdc_fail(GDC_ENOMEM, "dual: out of memory");
    d->out = calloc((size_t)n, sizeof *d->out);
    d->weight = calloc((size_t)n * (size_t)plan->blocks, sizeof *d->weight);
    gdc_status status = d->out != NULL && d->weight != NULL
                            ? gdc_dual_create(n, load, plan->blocks, plan->kept, &d->dual)
                            : gdc_fail(GDC_ENOMEM, "dual: no memory to decode %d workers", n);
    if (status == GDC_OK)
        *prepared = d;
    else
        dual_release(d);
    return status;
}

static bool dual_weights(const gdc_plan *plan, void *prepared, const unsigned char *accepted, double *weight)
{
    decode *d = prepared;
    if (d == NULL)
        return false;
    for (int w = 0; w < plan->workers; w++) /* who holds nothing sends nothing, and is not missed */
        d->out[w] = plan->row_at[w] < plan->row_at[w + 1] && !accepted[plan->row_at[w]];
    if (!gdc_dual_solve(&d->dual, d->out, d->weight))
        return false;
    int n = plan->workers, messages = plan->row_at[n];
    for (int v = 0; v < plan->blocks; v++)
        for (int w = 0; w < n; w++)
            if (plan->row_at[w] < plan->row_at[w + 1])
                weight[v * messages + plan->row_at[w]] = d->weight[v * n + w];
    return true;
}

const gdc_code_ops gdc_code_dual = {
    .name = "dual",
    .help =
        "random combinations on any placement, loads by speed, one message per worker: survives load - 1 stragglers",
    .options = rows,
    .options_bytes = sizeof(dual_options),
    .build = dual_build,
    .weights = dual_weights,
    .prepare = dual_prepare,
    .release = dual_release,
};

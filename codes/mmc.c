/* mmc.c - gradient coding with clustering and multi-message communication (arXiv 1903.01974; general form derived).
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The workers fall into clusters of l that own l shards together. A worker walks `load` neighbours on the ring of these
 * shards, and after m of them, for each m in `orders`, sends a row over those m. Rows of order m
 * are an (l, m) cyclic code: any l - m + 1 of them give the cluster's sum. Orders mix: the decoder's rank test says when
 * messages of different orders together suffice, in each cluster by itself, since clusters share no partition. */
#include "plan/code.h"

#include "plan/cyclic_rows.h"
#include "plan/ring.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct mmc_options {
    int load, clusters, tries, permute;
    gdc_ints orders;
} mmc_options;

static const gdc_option rows[] = {
    {"load", GDC_INT, offsetof(mmc_options, load), "2", 1, INT_MAX, NULL, "shards held per worker", 0},
    {"clusters", GDC_INT, offsetof(mmc_options, clusters), "1", 1, INT_MAX, NULL,
     "number of clusters, a divisor of the number of workers", 0},
    {"orders", GDC_INTS, offsetof(mmc_options, orders), "", 1, INT_MAX, NULL,
     "a message is sent after each of so many shards, for example 2+3; none given: after the last", 0},
    {"tries", GDC_INT, offsetof(mmc_options, tries), "20", 1, 10000, NULL,
     "seeded draws per order of which the one with the least worst amplification is taken", 0},
    {"permute", GDC_INT, offsetof(mmc_options, permute), "1", 0, 1, NULL,
     "1: a seeded permutation puts workers into clusters; 0: in order of rank", 0},
    {.key = NULL},
};

/* ---- orders ---- */

static int compare_ints(const void *left, const void *right)
{
    int a = *(const int *)left, b = *(const int *)right;
    return (a > b) - (a < b);
}

/* Sorts the orders; none given means {load}. */
static gdc_status settle_orders(gdc_ints *orders, int load)
{
    if (orders->count == 0)
        orders->value[orders->count++] = load;
    qsort(orders->value, (size_t)orders->count, sizeof *orders->value, compare_ints);
    int highest = orders->value[orders->count - 1];
    if (highest > load)
        return gdc_fail(GDC_EINVAL, "mmc: orders=%d with load=%d: want 1 to %d, nearest is %d", highest, load, load,
                        load);
    for (int i = 1; i < orders->count; i++)
        if (orders->value[i] == orders->value[i - 1])
            return gdc_fail(GDC_EINVAL, "mmc: orders has %d twice: want each order once", orders->value[i]);
    return GDC_OK;
}

/* ---- rows ---- */

typedef struct recipe {
    int n, k, size; /* size: l */
    int load;
    const gdc_ints *orders;
    const int *position_of;            /* [n] */
    double *coefficient[GDC_INTS_MAX]; /* of each order m: [l * m] */
    gdc_term *term;                    /* [load] */
} recipe;

static void free_recipe(recipe *r)
{
    for (int i = 0; i < r->orders->count; i++)
        free(r->coefficient[i]);
    free(r->term);
}

/* Every order has its own draws, or rows of different orders would lie in one null space and mixing them be worth less. */
static gdc_status draw_rows(recipe *r, int tries, uint64_t seed)
{
    gdc_status status = GDC_OK;
    r->term = calloc((size_t)r->load, sizeof *r->term);
    for (int i = 0; status == GDC_OK && i < r->orders->count; i++) {
        int m = r->orders->value[i];
        r->coefficient[i] = calloc((size_t)r->size * (size_t)m, sizeof(double));
        if (r->coefficient[i] == NULL || r->term == NULL)
            return gdc_fail(GDC_ENOMEM, "mmc: no memory for rows of %d shards", m);
        status = gdc_cyclic_rows("mmc", r->size, m, tries, seed, (uint64_t)m, r->coefficient[i]);
    }
    return status;
}

static void add_worker(gdc_plan_writer *writer, recipe *r, int w)
{
    int shard = r->k / r->n, position = r->position_of[w], in_cluster = position % r->size,
        first = position - in_cluster;
    gdc_ring_walk(writer, (gdc_span){first * shard, r->size * shard}, position * shard, r->load * shard);
    for (int t = 0; t < r->load; t++)
        r->term[t].span = gdc_shard(r->n, r->k, first + (in_cluster + t) % r->size);
    for (int i = 0; i < r->orders->count; i++) {
        int m = r->orders->value[i];
        for (int t = 0; t < m; t++)
            r->term[t].coefficient = r->coefficient[i][(size_t)in_cluster * (size_t)m + (size_t)t];
        gdc_plan_add_row(writer, m * shard, m, r->term);
    }
    gdc_plan_end_worker(writer);
}

static gdc_status write_plan(recipe *r, gdc_plan **plan)
{
    gdc_plan_writer *writer;
    gdc_status status = gdc_plan_writer_create(r->n, r->k, &writer);
    if (status != GDC_OK)
        return status;
    for (int w = 0; w < r->n; w++)
        add_worker(writer, r, w);
    return gdc_plan_writer_finish(writer, plan);
}

static gdc_status mmc_build(const void *options, int n, int k, uint64_t seed, gdc_plan **plan)
{
    const mmc_options *o = options;
    gdc_ints orders = o->orders;
    int *position_of;
    gdc_status status = gdc_code_check_clusters("mmc", o->clusters, o->load, n);
    if (status == GDC_OK)
        status = settle_orders(&orders, o->load);
    if (status == GDC_OK)
        status = gdc_code_placement(o->permute != 0, n, seed, NULL, &position_of);
    if (status != GDC_OK)
        return status;
    recipe r = {
        .n = n, .k = k, .size = n / o->clusters, .load = o->load, .orders = &orders, .position_of = position_of};
    status = draw_rows(&r, o->tries, seed);
    if (status == GDC_OK)
        status = write_plan(&r, plan);
    free_recipe(&r);
    free(position_of);
    return status;
}

const gdc_code_ops gdc_code_mmc = {
    .name = "mmc",
    .help = "clusters of cyclic codes, one message after each of several orders: coded multi-message",
    .options = rows,
    .options_bytes = sizeof(mmc_options),
    .build = mmc_build,
};

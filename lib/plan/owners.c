/* owners.c - stretches of partitions with their owners, from a placement of shards or from speeds.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "plan/owners.h"

#include "plan/code.h"

#include <stdlib.h>

static int compare_ints(const void *left, const void *right)
{
    int a = *(const int *)left, b = *(const int *)right;
    return (a > b) - (a < b);
}

static gdc_status allocate(int n, int k, int each, int stretches, int legs, gdc_owners *o)
{
    size_t count = (size_t)stretches, owners = (size_t)each;
    *o = (gdc_owners){.workers = n, .partitions = k, .each = each};
    o->span = calloc(count, sizeof *o->span);
    o->worker = calloc(count * owners, sizeof *o->worker);
    o->leg_at = calloc((size_t)n + 1, sizeof *o->leg_at);
    o->leg = calloc((size_t)n * (size_t)legs, sizeof *o->leg);
    if (o->span != NULL && o->worker != NULL && o->leg_at != NULL && o->leg != NULL)
        return GDC_OK;
    gdc_owners_free(o);
    return gdc_fail(GDC_ENOMEM, "plan: no memory for %d owners of each of %d partitions", each, k);
}

void gdc_owners_free(gdc_owners *owners)
{
    free(owners->span);
    free(owners->worker);
    free(owners->leg_at);
    free(owners->leg);
    *owners = (gdc_owners){0};
}

static int *owners_of(const gdc_owners *o, int stretch)
{
    return o->worker + (size_t)stretch * (size_t)o->each;
}

/* ---- by placement ---- */

static void take_shards(gdc_owners *o, const int *held, int *taken)
{
    int n = o->workers, each = o->each;
    o->count = n;
    for (int shard = 0; shard < n; shard++)
        o->span[shard] = gdc_shard(n, o->partitions, shard);
    for (int w = 0; w < n; w++) {
        for (int q = 0; q < each; q++) {
            int shard = held[(size_t)w * (size_t)each + (size_t)q];
            owners_of(o, shard)[taken[shard]++] = w;
            o->leg[(size_t)w * (size_t)each + (size_t)q] = o->span[shard];
        }
        o->leg_at[w + 1] = o->leg_at[w] + each;
    }
}

gdc_status gdc_owners_by_place(const gdc_placing *placing, int n, int k, gdc_owners *owners)
{
    int *held, *taken;
    gdc_status status = allocate(n, k, placing->load, n, placing->load, owners);
    if (status == GDC_OK)
        status = gdc_place_create(placing, n, &held);
    if (status != GDC_OK) {
        gdc_owners_free(owners);
        return status;
    }
    taken = calloc((size_t)n, sizeof *taken);
    if (taken != NULL) {
        take_shards(owners, held, taken);
    } else {
        gdc_owners_free(owners);
        status = gdc_fail(GDC_ENOMEM, "plan: no memory to place %d shards", n);
    }
    free(held);
    free(taken);
    return status;
}

/* ---- by speed ---- */

typedef struct arc { /* of the ring of partitions */
    int first, count;
} arc;

/* floor(total * part / whole) without forming the product */
static int64_t share(int64_t total, int64_t part, int64_t whole)
{
    return total / whole * part + total % whole * part / whole;
}

static void lay_arcs(const gdc_owners *o, const int *speed, const int *order, arc *arcs)
{
    int64_t total = (int64_t)o->partitions * o->each, whole = 0, before = 0;
    for (int w = 0; w < o->workers; w++)
        whole += speed[w];
    for (int p = 0; p < o->workers; p++) {
        int w = order[p];
        int64_t from = share(total, before, whole), to = share(total, before + speed[w], whole);
        arcs[w] = (arc){(int)(from % o->partitions), (int)(to - from)};
        before += speed[w];
    }
}

static void walk_arcs(gdc_owners *o, const arc *arcs)
{
    int legs = 0;
    for (int w = 0; w < o->workers; w++) {
        int left = o->partitions - arcs[w].first, straight = arcs[w].count < left ? arcs[w].count : left;
        if (straight > 0)
            o->leg[legs++] = (gdc_span){arcs[w].first, straight};
        if (straight < arcs[w].count)
            o->leg[legs++] = (gdc_span){0, arcs[w].count - straight};
        o->leg_at[w + 1] = legs;
    }
}

static void find_owners(const gdc_owners *o, const arc *arcs, int stretch)
{
    int *owner = owners_of(o, stretch), k = o->partitions;
    for (int w = 0; w < o->workers; w++) {
        int along = o->span[stretch].first - arcs[w].first;
        if ((along < 0 ? along + k : along) < arcs[w].count)
            *owner++ = w;
    }
}

/* Stretches lie between the beginnings of arcs; each arc ends where the next one begins. border [workers + 1]. */
static void cut_stretches(gdc_owners *o, const arc *arcs, int *border)
{
    int n = o->workers, k = o->partitions;
    border[n] = 0;
    for (int w = 0; w < n; w++)
        border[w] = arcs[w].first;
    qsort(border, (size_t)n + 1, sizeof *border, compare_ints);
    for (int i = 0; i <= n; i++) {
        int end = i < n ? border[i + 1] : k;
        if (end == border[i])
            continue;
        o->span[o->count] = (gdc_span){border[i], end - border[i]};
        find_owners(o, arcs, o->count++);
    }
}

gdc_status gdc_owners_by_speed(const int *speed, int n, int k, int each, bool permute, uint64_t seed,
                               gdc_owners *owners)
{
    size_t workers = (size_t)n;
    int *order = calloc(workers, sizeof *order), *border = calloc(workers + 1, sizeof *border);
    arc *arcs = calloc(workers, sizeof *arcs);
    gdc_status status = order != NULL && border != NULL && arcs != NULL
                            ? allocate(n, k, each, n + 1, 2, owners)
                            : gdc_fail(GDC_ENOMEM, "plan: no memory for the shares of %d workers", n);
    if (status == GDC_OK) {
        gdc_code_positions(permute, n, seed, order);
        lay_arcs(owners, speed, order, arcs);
        walk_arcs(owners, arcs);
        cut_stretches(owners, arcs, border);
    }
    free(order);
    free(border);
    free(arcs);
    return status;
}

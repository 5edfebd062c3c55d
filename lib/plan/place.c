/* place.c - placements of shards: rings, groups, spread offsets, random permutations.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "plan/place.h"

#include "gradcode/draw.h"
#include "plan/code.h"

#include <stdlib.h>

enum { PERMUTATION_PURPOSE = 0x706c7065, REPAIR_PURPOSE = 0x706c7265 };

typedef struct cluster {
    int size, load;
    int *held;       /* [size * load] positions whose shards a position holds */
    int *offset;     /* [load] of spread */
    int *difference; /* [size] of spread: 1: seen */
    int *match;      /* [size] of random: the shard that a position holds in this permutation; -1: none yet */
    int *owner;      /* [size] of random: whose match a shard is; -1: free */
    int *from;       /* [size] of random: the position that reached a shard; -1: none */
    int *queue;      /* [size] of random */
} cluster;

static void free_cluster(cluster *c)
{
    free(c->held);
    free(c->offset);
    free(c->difference);
    free(c->match);
    free(c->owner);
    free(c->from);
    free(c->queue);
}

static gdc_status make_cluster(int size, int load, cluster *c)
{
    size_t l = (size_t)size, r = (size_t)load;
    *c = (cluster){.size = size, .load = load};
    c->held = calloc(l * r, sizeof *c->held);
    c->offset = calloc(r, sizeof *c->offset);
    c->difference = calloc(l, sizeof *c->difference);
    c->match = calloc(l, sizeof *c->match);
    c->owner = calloc(l, sizeof *c->owner);
    c->from = calloc(l, sizeof *c->from);
    c->queue = calloc(l, sizeof *c->queue);
    if (c->held && c->offset && c->difference && c->match && c->owner && c->from && c->queue)
        return GDC_OK;
    free_cluster(c);
    return gdc_fail(GDC_ENOMEM, "plan: no memory to place %d shards on each of %d workers", load, size);
}

static int *place_of(const cluster *c, int position, int q)
{
    return &c->held[(size_t)position * (size_t)c->load + (size_t)q];
}

/* ---- ring and group ---- */

static void place_ring(const cluster *c)
{
    for (int p = 0; p < c->size; p++)
        for (int q = 0; q < c->load; q++)
            *place_of(c, p, q) = (p + q) % c->size;
}

static void place_groups(const cluster *c)
{
    int blocks = c->size / c->load;
    for (int b = 0; b < blocks; b++) {
        gdc_span block = gdc_shard(blocks, c->size, b);
        for (int i = 0; i < block.count; i++)
            for (int q = 0; q < c->load; q++)
                *place_of(c, block.first + i, q) = block.first + (i + q) % block.count;
    }
}

/* ---- spread ---- */

static bool has_new_differences(const cluster *c, int offset, int offsets)
{
    for (int i = 0; i < offsets; i++)
        if (c->difference[offset - c->offset[i]])
            return false;
    return true;
}

/* Returns how many offsets with distinct differences there are below the size. */
static int find_offsets(const cluster *c)
{
    int offsets = 1; /* 0 */
    for (int o = 1; o < c->size && offsets < c->load; o++) {
        if (!has_new_differences(c, o, offsets))
            continue;
        for (int i = 0; i < offsets; i++)
            c->difference[o - c->offset[i]] = 1;
        c->offset[offsets++] = o;
    }
    return offsets;
}

static void place_spread(const cluster *c)
{
    int offsets = find_offsets(c), distinct = offsets;
    for (int o = 1; offsets < c->load; o++) {
        bool is_used = false;
        for (int i = 0; i < distinct; i++)
            is_used = is_used || c->offset[i] == o;
        if (!is_used)
            c->offset[offsets++] = o;
    }
    for (int p = 0; p < c->size; p++)
        for (int q = 0; q < c->load; q++)
            *place_of(c, p, q) = (p + c->offset[q]) % c->size;
}

/* ---- random ---- */

static bool holds(const cluster *c, int position, int shard, int q)
{
    for (int i = 0; i < q; i++)
        if (*place_of(c, position, i) == shard)
            return true;
    return false;
}

/* Everybody on the path that ends in a free shard moves one shard along it. */
static void shift_along(const cluster *c, int shard, int position)
{
    for (int p = -1; p != position;) {
        p = c->from[shard];
        int left = c->match[p];
        c->match[p] = shard;
        c->owner[shard] = p;
        shard = left;
    }
}

/* Finds a shard for a position that drew one which it holds already, by a shortest augmenting path from a seeded start.
 * There is one: who does not hold what is a bipartite graph in which all degrees are equal. */
static void augment(const cluster *c, gdc_key key, int position, int q)
{
    int head = 0, tail = 0;
    key.purpose = REPAIR_PURPOSE;
    key.c = (uint64_t)position;
    int start = (int)gdc_draw_below(key, (uint64_t)c->size);
    for (int s = 0; s < c->size; s++)
        c->from[s] = -1;
    c->queue[tail++] = position;
    while (head < tail) {
        int p = c->queue[head++];
        for (int i = 0; i < c->size; i++) {
            int shard = (start + i) % c->size;
            if (c->from[shard] >= 0 || holds(c, p, shard, q))
                continue;
            c->from[shard] = p;
            if (c->owner[shard] < 0) {
                shift_along(c, shard, position);
                return;
            }
            c->queue[tail++] = c->owner[shard];
        }
    }
}

static void place_permutation(const cluster *c, gdc_key key, int q)
{
    gdc_draw_permutation(key, c->size, c->match);
    for (int s = 0; s < c->size; s++)
        c->owner[s] = -1;
    for (int p = 0; p < c->size; p++) {
        if (holds(c, p, c->match[p], q))
            c->match[p] = -1;
        else
            c->owner[c->match[p]] = p;
    }
    for (int p = 0; p < c->size; p++)
        if (c->match[p] < 0)
            augment(c, key, p, q);
    for (int p = 0; p < c->size; p++)
        *place_of(c, p, q) = c->match[p];
}

static void place_random(const cluster *c, uint64_t seed, int number)
{
    for (int p = 0; p < c->size; p++)
        *place_of(c, p, 0) = p;
    for (int q = 1; q < c->load; q++)
        place_permutation(c, (gdc_key){seed, PERMUTATION_PURPOSE, (uint64_t)number, (uint64_t)q, 0}, q);
}

/* ---- all clusters ---- */

static void place_cluster(const cluster *c, const gdc_placing *placing, int number)
{
    if (placing->place == GDC_PLACE_RANDOM)
        place_random(c, placing->seed, number);
    else if (number > 0)
        return; /* the others are as the first */
    else if (placing->place == GDC_PLACE_GROUP)
        place_groups(c);
    else if (placing->place == GDC_PLACE_SPREAD)
        place_spread(c);
    else
        place_ring(c);
}

static gdc_status place_all(const gdc_placing *placing, int n, cluster *c, int **held)
{
    size_t load = (size_t)placing->load;
    int *order = calloc((size_t)n, sizeof *order), *made = calloc((size_t)n * load, sizeof *made);
    if (order == NULL || made == NULL) {
        free(order);
        free(made);
        return gdc_fail(GDC_ENOMEM, "plan: no memory to place %d shards on each of %d workers", placing->load, n);
    }
    gdc_code_positions(placing->permute, n, placing->seed, order);
    for (int number = 0; number < placing->clusters; number++) {
        const int *worker = order + (size_t)number * (size_t)c->size; /* at each position of the cluster */
        place_cluster(c, placing, number);
        for (int p = 0; p < c->size; p++)
            for (int q = 0; q < c->load; q++)
                made[(size_t)worker[p] * load + (size_t)q] = worker[*place_of(c, p, q)];
    }
    free(order);
    *held = made;
    return GDC_OK;
}

gdc_status gdc_place_create(const gdc_placing *placing, int n, int **held)
{
    cluster c;
    gdc_status status = make_cluster(n / placing->clusters, placing->load, &c);
    if (status != GDC_OK)
        return status;
    status = place_all(placing, n, &c, held);
    free_cluster(&c);
    return status;
}

/* ranking.c - numbered things in order of their keys: an indexed heap.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "policies/parts/ranking.h"

#include <math.h>
#include <stdlib.h>

bool gdc_ranking_init(gdc_ranking *r, int count, bool ordered)
{
    size_t n = (size_t)count;
    *r = (gdc_ranking){.count = count, .key = calloc(n, sizeof *r->key)};
    if (ordered) {
        r->heap = calloc(n, sizeof *r->heap);
        r->place = calloc(n, sizeof *r->place);
    }
    if (!r->key || (ordered && (!r->heap || !r->place)))
        return false;
    gdc_ranking_clear(r);
    return true;
}

void gdc_ranking_free(gdc_ranking *r)
{
    free(r->key);
    free(r->heap);
    free(r->place);
}

void gdc_ranking_clear(gdc_ranking *r)
{
    for (int i = 0; i < r->count; i++) {
        r->key[i] = INFINITY;
        if (r->heap)
            r->heap[i] = r->place[i] = i;
    }
}

/* Equal keys stand in order of id, so that the order depends on nothing else. */
static bool before(const gdc_ranking *r, int a, int b)
{
    return r->key[a] < r->key[b] || (r->key[a] == r->key[b] && a < b);
}

static void put(gdc_ranking *r, int at, int id)
{
    r->heap[at] = id;
    r->place[id] = at;
}

void gdc_ranking_set(gdc_ranking *r, int id, double key)
{
    r->key[id] = key;
    if (!r->heap)
        return;
    int at = r->place[id];
    for (int up; at > 0 && before(r, id, r->heap[up = (at - 1) / 2]); at = up)
        put(r, at, r->heap[up]);
    for (int down; (down = 2 * at + 1) < r->count; at = down) {
        if (down + 1 < r->count && before(r, r->heap[down + 1], r->heap[down]))
            down++;
        if (!before(r, r->heap[down], id))
            break;
        put(r, at, r->heap[down]);
    }
    put(r, at, id);
}

static int best_of_heap(const gdc_ranking *r, int except)
{
    if (r->heap[0] != except)
        return r->heap[0];
    if (r->count < 3)
        return r->count < 2 ? -1 : r->heap[1];
    return before(r, r->heap[2], r->heap[1]) ? r->heap[2] : r->heap[1];
}

int gdc_ranking_best(const gdc_ranking *r, const int *among, int length, int except)
{
    int best = among ? -1 : best_of_heap(r, except);
    for (int i = 0; among && i < length; i++)
        if (among[i] != except && (best < 0 || r->key[among[i]] < r->key[best]))
            best = among[i];
    return best >= 0 && r->key[best] < INFINITY ? best : -1;
}

/* regular.c - regular graphs by exchanges of ends.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Drawing pairs of ends at random and rejecting what is not simple would need e^(degree^2/4) draws. Exchanging the ends of two
 * edges keeps all degrees, reaches every simple graph of these degrees, and as a symmetric chain tends to the uniform one. */
#include "plan/regular.h"

#include "gradcode/draw.h"
#include "plan/forest.h"

#include <stdlib.h>

enum { EXCHANGE_PURPOSE = 0x72656775, EXCHANGES_PER_EDGE = 20, MOST_PASSES = 100 };

typedef struct graph {
    int nodes, degree, edges;
    int *edge;      /* [2 edges] */
    int *neighbour; /* [nodes x degree], in no order */
    int *parent;    /* [nodes] of a union-find */
} graph;

static void fill_ring(const graph *g)
{
    int e = 0;
    for (int v = 0; v < g->nodes; v++)
        for (int step = 1; step <= g->degree / 2; step++, e++) {
            g->edge[2 * e] = v;
            g->edge[2 * e + 1] = (v + step) % g->nodes;
        }
    for (int v = 0; g->degree % 2 == 1 && v < g->nodes / 2; v++, e++) {
        g->edge[2 * e] = v;
        g->edge[2 * e + 1] = v + g->nodes / 2;
    }
}

/* ---- exchanges ---- */

/* The place of b among the neighbours of a; NULL if it is none. */
static int *find_neighbour(const graph *g, int a, int b)
{
    int *of = g->neighbour + (size_t)a * (size_t)g->degree;
    for (int i = 0; i < g->degree; i++)
        if (of[i] == b)
            return &of[i];
    return NULL;
}

static void fill_neighbours(const graph *g)
{
    for (size_t i = 0; i < (size_t)g->nodes * (size_t)g->degree; i++)
        g->neighbour[i] = -1;
    for (int e = 0; e < g->edges; e++) {
        int a = g->edge[2 * e], b = g->edge[2 * e + 1];
        *find_neighbour(g, a, -1) = b;
        *find_neighbour(g, b, -1) = a;
    }
}

/* a-b and c-d become a-d and c-b, unless a loop or a double edge would come of it. */
static void exchange(const graph *g, int *ab, int *cd, bool turned)
{
    int *b = ab + 1, *d = turned ? cd : cd + 1, *c = turned ? cd + 1 : cd;
    if (ab == cd || *ab == *d || *c == *b || find_neighbour(g, *ab, *d) || find_neighbour(g, *c, *b))
        return;
    *find_neighbour(g, *ab, *b) = *d;
    *find_neighbour(g, *c, *d) = *b;
    *find_neighbour(g, *b, *ab) = *c;
    *find_neighbour(g, *d, *c) = *ab;
    int kept = *b;
    *b = *d;
    *d = kept;
}

static void mix(const graph *g, uint64_t seed, int pass)
{
    for (uint64_t i = 0; i < EXCHANGES_PER_EDGE * (uint64_t)g->edges; i++) {
        gdc_key key = {seed, EXCHANGE_PURPOSE, (uint64_t)pass, i, 0};
        int one = (int)gdc_draw_below(key, (uint64_t)g->edges);
        key.c = 1;
        uint64_t other = gdc_draw_below(key, 2 * (uint64_t)g->edges);
        exchange(g, g->edge + 2 * one, g->edge + 2 * (other / 2), other % 2 == 1);
    }
}

static bool is_connected(const graph *g)
{
    int parts = g->nodes;
    for (int v = 0; v < g->nodes; v++)
        g->parent[v] = v;
    for (int e = 0; e < g->edges; e++) {
        int a = g->edge[2 * e], b = g->edge[2 * e + 1];
        parts -= gdc_forest_root(g->parent, a) != gdc_forest_root(g->parent, b);
        gdc_forest_join(g->parent, a, b);
    }
    return parts == 1;
}

static gdc_status mix_until_connected(const graph *g, uint64_t seed)
{
    fill_neighbours(g);
    for (int pass = 0; pass < MOST_PASSES; pass++) {
        mix(g, seed, pass);
        if (is_connected(g))
            return GDC_OK;
    }
    return gdc_fail(GDC_ENUMERIC, "graph: no connected graph of %d nodes of degree %d in %d draws of seed %llu",
                    g->nodes, g->degree, MOST_PASSES, (unsigned long long)seed);
}

gdc_status gdc_regular_graph(int nodes, int degree, bool random, uint64_t seed, int *edge)
{
    graph g = {.nodes = nodes, .degree = degree, .edges = nodes * degree / 2, .edge = edge};
    gdc_status status = GDC_OK;
    fill_ring(&g);
    if (!random || degree == 2)
        return GDC_OK;
    g.neighbour = calloc((size_t)nodes * (size_t)degree, sizeof *g.neighbour);
    g.parent = calloc((size_t)nodes, sizeof *g.parent);
    if (g.neighbour == NULL || g.parent == NULL)
        status = gdc_fail(GDC_ENOMEM, "graph: no memory for %d nodes of degree %d", nodes, degree);
    if (status == GDC_OK)
        status = mix_until_connected(&g, seed);
    free(g.neighbour);
    free(g.parent);
    return status;
}

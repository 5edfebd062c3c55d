/* graph.c - approximate gradient codes from graphs (Approximate Gradient Coding with Optimal Decoding, arXiv 2006.09638).
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A d-regular graph: its nodes are equal parts of the batch, its edges are the workers. A worker holds the parts of its two end
 * nodes and sends their sum. n workers make 2n/d nodes, so every part is on d workers and every worker holds d shards.
 *
 * Decode. The edges that have arrived fall into connected components. A part enters with the sum of the weights of its node's
 * edges. In a component with an odd cycle every node can get exactly 1. In a bipartite one the sides must get equal totals; the
 * least residual is left when the larger gets 1 - f and the smaller 1 + f, f = (difference of their sizes)/(their sum). One
 * breadth-first search per component finds the sides and a spanning tree. Edge weights follow from the leaves to the root; where
 * there is an odd cycle, one further edge that closes it takes what would be left at the root. O(n), and whole or half numbers
 * where all is exact. */
#include "plan/code.h"

#include "plan/regular.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct graph_options {
    int degree, permute;
} graph_options;

static const gdc_option rows[] = {
    {"degree", GDC_INT, offsetof(graph_options, degree), "2", 2, INT_MAX, NULL,
     "workers per partition and shards held per worker; n workers make 2n/degree nodes", 0},
    {"permute", GDC_INT, offsetof(graph_options, permute), "1", 0, 1, NULL,
     "1: a seeded random graph; 0: a ring in order of rank, each node joined to its nearest", 0},
    {.key = NULL},
};

/* ---- rows ---- */

static bool is_degree(int degree, int n, int shard)
{
    return 2LL * n % degree == 0 && 2LL * n / degree > degree && (degree % 2 == 0 || shard % 2 == 0);
}

/* At degree^2 < 2n the list ends. */
static gdc_status check_degree(int degree, int n, int shard)
{
    char list[160] = "";
    int nearest = 2, at = 0;
    if (n < 3 || n > INT_MAX / 2)
        return gdc_fail(GDC_EINVAL, "graph: %d workers: want 3 to %d, nearest is %d", n, INT_MAX / 2,
                        n < 3 ? 3 : INT_MAX / 2);
    if (is_degree(degree, n, shard))
        return GDC_OK;
    for (int d = 2; 1LL * d * d < 2LL * n; d++) {
        if (!is_degree(d, n, shard))
            continue;
        if (at < (int)sizeof list - 16)
            at += snprintf(list + at, sizeof list - (size_t)at, "%s%d", at > 0 ? ", " : "", d);
        nearest = abs(d - degree) < abs(nearest - degree) ? d : nearest;
    }
    return gdc_fail(GDC_EINVAL,
                    "graph: degree=%d with %d workers and %d partition%s per shard: want one that divides %d into more "
                    "nodes than it is, an odd one only where a shard can be halved: %s; nearest is %d",
                    degree, n, shard, shard == 1 ? "" : "s", 2 * n, list, nearest);
}

static void add_worker(gdc_plan_writer *writer, const int *edge, int part)
{
    int low = edge[0] < edge[1] ? edge[0] : edge[1], high = edge[0] < edge[1] ? edge[1] : edge[0];
    gdc_term term[2] = {{{low * part, part}, 1}, {{high * part, part}, 1}};
    gdc_plan_add_leg(writer, term[0].span, false);
    gdc_plan_add_leg(writer, term[1].span, false);
    gdc_plan_add_row(writer, 2 * part, 2, term);
    gdc_plan_end_worker(writer);
}

static gdc_status write_plan(int n, int k, int nodes, const int *position_of, const int *edge, gdc_plan **plan)
{
    gdc_plan_writer *writer;
    gdc_status status = gdc_plan_writer_create(n, k, &writer);
    if (status != GDC_OK)
        return status;
    for (int w = 0; w < n; w++)
        add_worker(writer, edge + 2 * (size_t)position_of[w], k / nodes);
    return gdc_plan_writer_finish(writer, plan);
}

static gdc_status graph_build(const void *options, int n, int k, uint64_t seed, gdc_plan **plan)
{
    const graph_options *o = options;
    int nodes = (int)(2LL * n / o->degree), *position_of = NULL;
    gdc_status status = check_degree(o->degree, n, k / n);
    if (status != GDC_OK)
        return status;
    int *edge = calloc(2 * (size_t)n, sizeof *edge);
    status = edge != NULL ? gdc_regular_graph(nodes, o->degree, o->permute != 0, seed, edge)
                          : gdc_fail(GDC_ENOMEM, "graph: no memory for %d edges", n);
    if (status == GDC_OK)
        status = gdc_code_placement(o->permute != 0, n, seed, NULL, &position_of);
    if (status == GDC_OK)
        status = write_plan(n, k, nodes, position_of, edge, plan);
    free(position_of);
    free(edge);
    return status;
}

/* ---- decode ---- */

typedef struct decode {
    int nodes;
    int *at;           /* [nodes + 1]: the edges of node v are incident[at[v]] .. */
    int *incident;     /* [2n] */
    int *end;          /* [2n]: the nodes of edge w are end[2w], end[2w + 1] */
    int *queue;        /* [nodes] of the search, component after component */
    int *up;           /* [nodes] edge towards the root; -1: a root */
    signed char *side; /* [nodes] 0 or 1; -1: not yet seen */
    double *rest;      /* [nodes] what the edges of a node have still to give */
} decode;

static void graph_release(void *prepared)
{
    decode *d = prepared;
    if (d == NULL)
        return;
    free(d->at);
    free(d->incident);
    free(d->end);
    free(d->queue);
    free(d->up);
    free(d->side);
    free(d->rest);
    free(d);
}

static void fill_edges(const gdc_plan *plan, decode *d)
{
    int part = plan->partitions / d->nodes;
    for (int w = 0; w < plan->workers; w++) {
        const gdc_row *row = &plan->row[w];
        gdc_span last = row->term[row->terms - 1].span;
        d->end[2 * w] = row->term[0].span.first / part;
        d->end[2 * w + 1] = (last.first + last.count - 1) / part;
        d->at[d->end[2 * w] + 1]++;
        d->at[d->end[2 * w + 1] + 1]++;
    }
    for (int v = 0; v < d->nodes; v++)
        d->at[v + 1] += d->at[v];
    for (int i = 0; i < 2 * plan->workers; i++)
        d->incident[d->at[d->end[i]]++] = i / 2;
    for (int v = d->nodes; v > 0; v--) /* each has moved to the beginning of the next */
        d->at[v] = d->at[v - 1];
    d->at[0] = 0;
}

static gdc_status graph_prepare(const gdc_plan *plan, void **prepared)
{
    size_t ends = 2 * (size_t)plan->workers;
    decode *d = calloc(1, sizeof *d);
    if (d == NULL)
        return gdc_fail(GDC_ENOMEM, "graph: out of memory");
    d->nodes = plan->partitions / (gdc_row_support(&plan->row[0]) / 2);
    size_t nodes = (size_t)d->nodes;
    d->at = calloc(nodes + 1, sizeof *d->at);
    d->incident = calloc(ends, sizeof *d->incident);
    d->end = calloc(ends, sizeof *d->end);
    d->queue = calloc(nodes, sizeof *d->queue);
    d->up = calloc(nodes, sizeof *d->up);
    d->side = calloc(nodes, sizeof *d->side);
    d->rest = calloc(nodes, sizeof *d->rest);
    if (d->at == NULL || d->incident == NULL || d->end == NULL || d->queue == NULL || d->up == NULL ||
        d->side == NULL || d->rest == NULL) {
        graph_release(d);
        return gdc_fail(GDC_ENOMEM, "graph: no memory to decode %d workers", plan->workers);
    }
    fill_edges(plan, d);
    *prepared = d;
    return GDC_OK;
}

static int across(const decode *d, int edge, int node)
{
    return d->end[2 * edge] == node ? d->end[2 * edge + 1] : d->end[2 * edge];
}

typedef struct component {
    int first, end; /* its nodes in the queue, the root first */
    int count[2];   /* nodes of each side */
    int odd;        /* an edge between two nodes of one side; -1: none */
} component;

static component search(decode *d, int root, int first, const unsigned char *accepted)
{
    component c = {.first = first, .end = first, .odd = -1};
    d->side[root] = 0;
    d->up[root] = -1;
    d->queue[c.end++] = root;
    for (int i = first; i < c.end; i++) {
        int v = d->queue[i];
        c.count[d->side[v]]++;
        for (int j = d->at[v]; j < d->at[v + 1]; j++) {
            int edge = d->incident[j], other = across(d, edge, v);
            if (!accepted[edge])
                continue;
            if (d->side[other] == d->side[v])
                c.odd = edge;
            if (d->side[other] >= 0)
                continue;
            d->side[other] = (signed char)(1 - d->side[v]);
            d->up[other] = edge;
            d->queue[c.end++] = other;
        }
    }
    return c;
}

/* rest = what each node shall get */
static void set_targets(const decode *d, const component *c)
{
    double fault = (double)(c->count[0] - c->count[1]) / (c->count[0] + c->count[1]);
    const double target[2] = {1 - fault, 1 + fault};
    for (int i = c->first; i < c->end; i++)
        d->rest[d->queue[i]] = c->odd >= 0 ? 1 : target[d->side[d->queue[i]]];
}

/* Targets that alternate in sign along the tree add up to what the root would lack: count[0] - count[1]. */
static void weigh_odd_edge(const decode *d, const component *c, double *weight)
{
    int u = d->end[2 * c->odd], v = d->end[2 * c->odd + 1];
    double half = (c->count[0] - c->count[1]) / 2.0;
    weight[c->odd] = d->side[u] == 0 ? half : -half;
    d->rest[u] -= weight[c->odd];
    d->rest[v] -= weight[c->odd];
}

static void weigh_tree(const decode *d, const component *c, double *weight)
{
    for (int i = c->end - 1; i > c->first; i--) {
        int v = d->queue[i], edge = d->up[v];
        weight[edge] = d->rest[v];
        d->rest[across(d, edge, v)] -= d->rest[v];
    }
}

static bool graph_weights(const gdc_plan *plan, void *prepared, const unsigned char *accepted, double *weight)
{
    decode *d = prepared;
    int seen = 0;
    for (int w = 0; w < plan->workers; w++)
        weight[w] = 0;
    for (int v = 0; v < d->nodes; v++)
        d->side[v] = -1;
    for (int v = 0; v < d->nodes; v++) {
        if (d->side[v] >= 0)
            continue;
        component c = search(d, v, seen, accepted);
        set_targets(d, &c);
        if (c.odd >= 0)
            weigh_odd_edge(d, &c, weight);
        weigh_tree(d, &c, weight);
        seen = c.end;
    }
    return true;
}

const gdc_code_ops gdc_code_graph = {
    .name = "graph",
    .help = "workers are the edges of a regular graph, one message per worker: nearly exact from most sets of workers",
    .options = rows,
    .options_bytes = sizeof(graph_options),
    .build = graph_build,
    .weights = graph_weights,
    .prepare = graph_prepare,
    .release = graph_release,
    .approximates = true,
};

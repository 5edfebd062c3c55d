/* chain.c - components of single spans: connected borders, shortest paths.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "plan/chain.h"

#include "plan/forest.h"

#include <stdlib.h>

static size_t border_at(const gdc_cells *cells, int component)
{
    return (size_t)cells->cell_at[component] + (size_t)component;
}

static int last_border(const gdc_cells *cells, int component)
{
    return cells->cell_at[component + 1] - cells->cell_at[component];
}

gdc_status gdc_chains_create(const gdc_cells *cells, gdc_chains *chains)
{
    size_t borders = (size_t)cells->cells + (size_t)cells->components;
    gdc_chains made = {
        .parent = malloc(borders * sizeof *made.parent),
        .distance = malloc(borders * sizeof *made.distance),
        .via = malloc(borders * sizeof *made.via),
    };
    if (made.parent == NULL || made.distance == NULL || made.via == NULL) {
        gdc_chains_free(&made);
        return gdc_fail(GDC_ENOMEM, "decoder: no memory for %zu borders of spans", borders);
    }
    *chains = made;
    for (int c = 0; c < cells->components; c++)
        gdc_chain_reset(chains, cells, c);
    return GDC_OK;
}

void gdc_chains_free(gdc_chains *chains)
{
    free(chains->parent);
    free(chains->distance);
    free(chains->via);
    *chains = (gdc_chains){0};
}

void gdc_chain_reset(gdc_chains *chains, const gdc_cells *cells, int component)
{
    int *parent = chains->parent + border_at(cells, component);
    for (int b = 0; b <= last_border(cells, component); b++)
        parent[b] = b;
}

void gdc_chain_add(gdc_chains *chains, const gdc_cells *cells, int message)
{
    const gdc_cell_row *row = &cells->of[message];
    gdc_forest_join(chains->parent + border_at(cells, row->component), row->from, row->to);
}

bool gdc_chain_is_complete(gdc_chains *chains, const gdc_cells *cells, int component)
{
    int *parent = chains->parent + border_at(cells, component);
    return gdc_forest_root(parent, last_border(cells, component)) == 0;
}

/* ---- paths ---- */

typedef struct path {
    const gdc_plan *plan;
    const gdc_cells *cells;
    const unsigned char *accepted;
    int64_t *distance;
    int *via;
    const int *message; /* of the component, by `from` */
    int messages;
} path;

static bool relax(const path *p, int message, int from, int to)
{
    if (p->distance[from] == INT64_MAX)
        return false;
    int64_t reached = p->distance[from] + p->plan->row[message].term[0].span.count;
    if (reached >= p->distance[to])
        return false;
    p->distance[to] = reached;
    p->via[to] = message;
    return true;
}

/* One pass along the rows, in the order of `from`: finds every tiling. */
static bool sweep_forward(const path *p)
{
    bool changed = false;
    for (int i = 0; i < p->messages; i++) {
        const gdc_cell_row *row = &p->cells->of[p->message[i]];
        if (p->accepted[p->message[i]] && relax(p, p->message[i], row->from, row->to))
            changed = true;
    }
    return changed;
}

static bool sweep_backward(const path *p)
{
    bool changed = false;
    for (int i = p->messages; i-- > 0;) {
        const gdc_cell_row *row = &p->cells->of[p->message[i]];
        if (p->accepted[p->message[i]] && relax(p, p->message[i], row->to, row->from))
            changed = true;
    }
    return changed;
}

static void find_path(const path *p, int last, int64_t length)
{
    for (int b = 0; b <= last; b++)
        p->distance[b] = INT64_MAX;
    p->distance[0] = 0;
    bool changed = sweep_forward(p);
    while (changed && p->distance[last] > length) {
        changed = sweep_backward(p);
        changed = sweep_forward(p) || changed;
    }
}

void gdc_chain_weights(gdc_chains *chains, const gdc_plan *plan, const gdc_cells *cells, int component,
                       const unsigned char *accepted, double *weight)
{
    int first = cells->row_at[component], last = last_border(cells, component);
    size_t at = border_at(cells, component);
    path p = {plan,
              cells,
              accepted,
              chains->distance + at,
              chains->via + at,
              cells->row + first,
              cells->row_at[component + 1] - first};
    int first_cell = cells->cell[cells->cell_at[component]];
    find_path(&p, last, cells->start[first_cell + last] - cells->start[first_cell]);
    for (int i = 0; i < p.messages; i++)
        weight[p.message[i]] = 0;
    for (int border = last; border != 0;) {
        int message = p.via[border];
        const gdc_cell_row *row = &cells->of[message];
        bool along = row->to == border;
        weight[message] = (along ? 1 : -1) / plan->row[message].term[0].coefficient;
        border = along ? row->from : row->to;
    }
}

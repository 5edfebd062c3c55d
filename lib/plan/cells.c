/* cells.c - refines the columns into cells and splits rows and cells into connected components.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "plan/cells.h"

#include "plan/forest.h"

#include <stdlib.h>

static int compare_ints(const void *left, const void *right)
{
    int a = *(const int *)left, b = *(const int *)right;
    return (a > b) - (a < b);
}

static size_t terms_of(const gdc_plan *plan)
{
    size_t terms = 0;
    for (int r = 0; r < gdc_plan_messages(plan); r++)
        terms += (size_t)plan->row[r].terms;
    return terms;
}

/* Borders of the partitions of all spans, sorted and unique; returns how many stretches lie between them, -1 if out of memory. */
static int find_borders(const gdc_plan *plan, int **borders)
{
    int k = plan->partitions, *border = malloc((2 * terms_of(plan) + 2) * sizeof *border);
    if (border == NULL)
        return -1;
    size_t count = 0;
    border[count++] = 0;
    border[count++] = k;
    for (int r = 0; r < gdc_plan_messages(plan); r++)
        for (int t = 0; t < plan->row[r].terms; t++) {
            gdc_span span = plan->row[r].term[t].span;
            border[count++] = span.first % k;
            border[count++] = span.first % k + span.count;
        }
    qsort(border, count, sizeof *border, compare_ints);
    int last = 0;
    for (size_t i = 1; i < count; i++)
        if (border[i] != border[last])
            border[++last] = border[i];
    *borders = border;
    return last;
}

static bool refine(const gdc_plan *plan, gdc_cells *cells)
{
    int *border = NULL, stretches = find_borders(plan, &border);
    if (stretches < 0)
        return false;
    cells->stretches = stretches;
    cells->cells = stretches * plan->blocks;
    cells->start = malloc(((size_t)cells->cells + 1) * sizeof *cells->start);
    for (int u = 0; cells->start != NULL && u < plan->blocks; u++)
        for (int i = 0; i <= stretches; i++)
            cells->start[u * stretches + i] = u * plan->partitions + border[i];
    free(border);
    return cells->start != NULL;
}

int gdc_cells_find(const gdc_cells *cells, int column)
{
    int low = 0, high = cells->cells;
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (cells->start[middle] <= column)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static bool allocate(const gdc_plan *plan, gdc_cells *cells)
{
    size_t c = (size_t)cells->cells, r = (size_t)gdc_plan_messages(plan) + 1;
    cells->rows = gdc_plan_messages(plan);
    cells->component = calloc(c, sizeof(int));
    cells->column = calloc(c, sizeof(int));
    cells->cell_at = calloc(c + 1, sizeof(int));
    cells->cell = calloc(c, sizeof(int));
    cells->row_at = calloc(c + 1, sizeof(int));
    cells->row = calloc(r, sizeof(int));
    cells->dense = calloc(c, sizeof(unsigned char));
    cells->of = calloc(r, sizeof *cells->of);
    cells->twin = calloc(r, sizeof(int));
    return cells->component != NULL && cells->column != NULL && cells->cell_at != NULL && cells->cell != NULL &&
           cells->row_at != NULL && cells->row != NULL && cells->dense != NULL && cells->of != NULL &&
           cells->twin != NULL;
}

/* ---- components ---- */

static void join_row(const gdc_cells *cells, const gdc_row *row, int *parent)
{
    int first = gdc_cells_find(cells, row->term[0].span.first);
    for (int t = 0; t < row->terms; t++) {
        gdc_span span = row->term[t].span;
        for (int c = gdc_cells_find(cells, span.first); cells->start[c] < span.first + span.count; c++)
            gdc_forest_join(parent, first, c);
    }
}

/* Numbers the components by their first cell; lists the cells of each. */
static void number_components(gdc_cells *cells, int *parent)
{
    for (int c = 0; c < cells->cells; c++) {
        int root = gdc_forest_root(parent, c);
        bool is_new = root == c; /* the least member is the root */
        cells->component[c] = is_new ? cells->components++ : cells->component[root];
        cells->column[c] = cells->cell_at[cells->component[c] + 1]++;
    }
    for (int i = 0; i < cells->components; i++)
        cells->cell_at[i + 1] += cells->cell_at[i];
    for (int c = 0; c < cells->cells; c++)
        cells->cell[cells->cell_at[cells->component[c]] + cells->column[c]] = c;
}

static bool find_components(const gdc_plan *plan, gdc_cells *cells)
{
    int *parent = malloc((size_t)cells->cells * sizeof *parent);
    if (parent == NULL)
        return false;
    for (int c = 0; c < cells->cells; c++)
        parent[c] = c;
    for (int r = 0; r < cells->rows; r++)
        join_row(cells, &plan->row[r], parent);
    number_components(cells, parent);
    free(parent);
    return true;
}

/* ---- rows of components ---- */

typedef struct sort_row {
    int component, from, row;
} sort_row;

static int compare_rows(const void *left, const void *right)
{
    const sort_row *a = left, *b = right;
    if (a->component != b->component)
        return a->component < b->component ? -1 : 1;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    return (a->row > b->row) - (a->row < b->row);
}

static void place_row(const gdc_plan *plan, gdc_cells *cells, int r)
{
    gdc_span span = plan->row[r].term[0].span;
    int first = gdc_cells_find(cells, span.first), last = gdc_cells_find(cells, span.first + span.count - 1);
    int component = cells->component[first];
    cells->of[r] = (gdc_cell_row){component, 0, 0};
    if (!cells->dense[component])
        cells->of[r] = (gdc_cell_row){component, cells->column[first], cells->column[last] + 1};
}

static bool sort_rows(const gdc_plan *plan, gdc_cells *cells)
{
    sort_row *list = malloc(((size_t)cells->rows + 1) * sizeof *list);
    if (list == NULL)
        return false;
    for (int r = 0; r < cells->rows; r++) {
        int component = cells->component[gdc_cells_find(cells, plan->row[r].term[0].span.first)];
        if (plan->row[r].terms > 1 || plan->blocks > 1)
            cells->dense[component] = 1;
    }
    for (int r = 0; r < cells->rows; r++) {
        place_row(plan, cells, r);
        list[r] = (sort_row){cells->of[r].component, cells->of[r].from, r};
        cells->row_at[cells->of[r].component + 1]++;
    }
    qsort(list, (size_t)cells->rows, sizeof *list, compare_rows);
    for (int r = 0; r < cells->rows; r++)
        cells->row[r] = list[r].row;
    for (int i = 0; i < cells->components; i++)
        cells->row_at[i + 1] += cells->row_at[i];
    free(list);
    return true;
}

/* ---- equal rows ---- */

static int compare_terms(const gdc_row *a, const gdc_row *b)
{
    if (a->terms != b->terms)
        return a->terms < b->terms ? -1 : 1;
    for (int t = 0; t < a->terms; t++) {
        const gdc_term *x = &a->term[t], *y = &b->term[t];
        if (x->span.first != y->span.first)
            return x->span.first < y->span.first ? -1 : 1;
        if (x->span.count != y->span.count)
            return x->span.count < y->span.count ? -1 : 1;
        if (x->coefficient != y->coefficient)
            return x->coefficient < y->coefficient ? -1 : 1;
    }
    return 0;
}

static int compare_row_pointers(const void *left, const void *right)
{
    const gdc_row *a = *(const gdc_row *const *)left, *b = *(const gdc_row *const *)right;
    int order = compare_terms(a, b);
    return order != 0 ? order : (a > b) - (a < b);
}

static bool find_twins(const gdc_plan *plan, gdc_cells *cells)
{
    const gdc_row **sorted = malloc(((size_t)cells->rows + 1) * sizeof *sorted);
    if (sorted == NULL)
        return false;
    for (int r = 0; r < cells->rows; r++)
        sorted[r] = &plan->row[r];
    qsort(sorted, (size_t)cells->rows, sizeof *sorted, compare_row_pointers);
    for (int i = 0; i < cells->rows; i++) {
        int r = (int)(sorted[i] - plan->row);
        bool equal = i > 0 && compare_terms(sorted[i - 1], sorted[i]) == 0;
        cells->twin[r] = equal ? cells->twin[sorted[i - 1] - plan->row] : r;
    }
    free(sorted);
    return true;
}

/* Counts worker w once on each cell that row r covers; last[cell] is the last worker counted there. */
static void cover(const gdc_cells *cells, const gdc_row *row, int w, int *last, int *workers)
{
    for (int t = 0; t < row->terms; t++) {
        gdc_span span = row->term[t].span;
        for (int c = gdc_cells_find(cells, span.first); cells->start[c] < span.first + span.count; c++) {
            workers[c] += last[c] != w + 1;
            last[c] = w + 1;
        }
    }
}

int gdc_cells_least_cover(const gdc_plan *plan, const gdc_cells *cells)
{
    int *last = calloc((size_t)cells->cells, sizeof *last), *workers = calloc((size_t)cells->cells, sizeof *workers);
    int least = -1;
    if (last != NULL && workers != NULL) {
        for (int w = 0; w < plan->workers; w++)
            for (int r = plan->row_at[w]; r < plan->row_at[w + 1]; r++)
                cover(cells, &plan->row[r], w, last, workers);
        least = workers[0];
        for (int c = 1; c < cells->cells; c++)
            least = workers[c] < least ? workers[c] : least;
    }
    free(last);
    free(workers);
    return least;
}

gdc_status gdc_cells_create(const gdc_plan *plan, gdc_cells *cells)
{
    gdc_cells made = {0};
    if (refine(plan, &made) && allocate(plan, &made) && find_components(plan, &made) && sort_rows(plan, &made) &&
        find_twins(plan, &made)) {
        *cells = made;
        return GDC_OK;
    }
    gdc_cells_free(&made);
    return gdc_fail(GDC_ENOMEM, "decoder: no memory for the cells of %d messages", gdc_plan_messages(plan));
}

void gdc_cells_free(gdc_cells *cells)
{
    free(cells->start);
    free(cells->component);
    free(cells->column);
    free(cells->cell_at);
    free(cells->cell);
    free(cells->row_at);
    free(cells->row);
    free(cells->dense);
    free(cells->of);
    free(cells->twin);
    *cells = (gdc_cells){0};
}

/* writer.c - writes a plan worker by worker and checks that it can be walked as it says.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "plan/plan.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct placed_leg { /* a leg and where the walk enters it */
    gdc_span span;
    int offset;
    bool backward;
} placed_leg;

struct gdc_plan_writer {
    gdc_plan *plan;
    gdc_status status; /* the first failure */
    int worker;        /* being written */
    int legs, rows, terms;
    int worker_terms; /* where its terms begin */
    int leg_room, row_room, term_room;
    placed_leg *placed; /* of the worker that is being closed, by first partition */
    int placed_room;
    int *begin; /* of its rows: step of the walk that begins them */
    int begin_room;
};

/* Makes room for `need` elements; NULL leaves the old array valid. */
static void *grown(void *array, int *room, int need, size_t bytes)
{
    if (need <= *room)
        return array;
    int want = need > INT_MAX / 2 ? INT_MAX : 2 * need + 16;
    void *wider = realloc(array, (size_t)want * bytes);
    if (wider != NULL)
        *room = want;
    return wider;
}

static bool reserve_legs(gdc_plan_writer *writer)
{
    gdc_plan *plan = writer->plan;
    gdc_leg *leg = writer->legs < INT_MAX ? grown(plan->leg, &writer->leg_room, writer->legs + 1, sizeof *leg) : NULL;
    if (leg == NULL)
        writer->status = gdc_fail(GDC_ENOMEM, "plan: no memory for %d legs of walks", writer->legs);
    else
        plan->leg = leg;
    return leg != NULL;
}

static bool reserve_rows(gdc_plan_writer *writer, int terms)
{
    gdc_plan *plan = writer->plan;
    gdc_row *row = writer->rows < INT_MAX ? grown(plan->row, &writer->row_room, writer->rows + 1, sizeof *row) : NULL;
    if (row != NULL)
        plan->row = row;
    gdc_term *term = writer->terms < INT_MAX - terms
                         ? grown(plan->term, &writer->term_room, writer->terms + terms + 1, sizeof *term)
                         : NULL;
    if (term != NULL)
        plan->term = term;
    if (row == NULL || term == NULL)
        writer->status =
            gdc_fail(GDC_ENOMEM, "plan: no memory for %d rows of %d terms together", writer->rows, writer->terms);
    return row != NULL && term != NULL;
}

gdc_status gdc_plan_writer_create(int workers, int partitions, gdc_plan_writer **writer)
{
    if (workers < 1 || partitions < 1)
        return gdc_fail(GDC_EINVAL, "plan: %d workers and %d partitions: want at least 1 of each", workers, partitions);
    gdc_plan_writer *made = calloc(1, sizeof *made);
    gdc_plan *plan = calloc(1, sizeof *plan);
    if (made == NULL || plan == NULL) {
        free(made);
        free(plan);
        return gdc_fail(GDC_ENOMEM, "plan: out of memory");
    }
    made->plan = plan;
    plan->workers = workers;
    plan->partitions = partitions;
    plan->blocks = 1;
    plan->leg_at = calloc((size_t)workers + 1, sizeof *plan->leg_at);
    plan->row_at = calloc((size_t)workers + 1, sizeof *plan->row_at);
    plan->most_open = calloc((size_t)workers, sizeof *plan->most_open);
    if (plan->leg_at == NULL || plan->row_at == NULL || plan->most_open == NULL) {
        gdc_plan_writer_destroy(made);
        return gdc_fail(GDC_ENOMEM, "plan: no memory for %d workers", workers);
    }
    *writer = made;
    return GDC_OK;
}

void gdc_plan_writer_destroy(gdc_plan_writer *writer)
{
    if (writer == NULL)
        return;
    gdc_plan_destroy(writer->plan);
    free(writer->placed);
    free(writer->begin);
    free(writer);
}

void gdc_plan_set_blocks(gdc_plan_writer *writer, int blocks)
{
    gdc_plan *plan = writer->plan;
    if (blocks < 1 || blocks > INT_MAX / plan->partitions)
        writer->status = gdc_fail(GDC_EINVAL, "plan: %d blocks of %d partitions: want 1 to %d", blocks,
                                  plan->partitions, INT_MAX / plan->partitions);
    else
        plan->blocks = blocks;
}

static bool is_inside(const gdc_plan *plan, gdc_span span)
{
    return span.first >= 0 && span.count >= 1 && span.count <= plan->partitions - span.first;
}

/* The partitions of a term of a row: where it lies in its block. */
static gdc_span partitions_of(const gdc_plan *plan, gdc_span columns)
{
    columns.first %= plan->partitions;
    return columns;
}

void gdc_plan_add_leg(gdc_plan_writer *writer, gdc_span span, bool backward)
{
    if (writer->status != GDC_OK)
        return;
    if (!is_inside(writer->plan, span)) {
        writer->status = gdc_fail(GDC_EINVAL, "plan: worker %d walks %d partitions from %d: want some of 0 to %d",
                                  writer->worker, span.count, span.first, writer->plan->partitions - 1);
        return;
    }
    if (reserve_legs(writer))
        writer->plan->leg[writer->legs++] = (gdc_leg){span, backward && span.count > 1};
}

/* ---- rows ---- */

static int compare_terms(const void *left, const void *right)
{
    const gdc_term *a = left, *b = right;
    return (a->span.first > b->span.first) - (a->span.first < b->span.first);
}

/* Drops zeros, sorts, merges equal neighbours in a block of k columns; returns how many terms are left. */
static int tidy_terms(int k, int terms, gdc_term *term)
{
    int kept = 0;
    for (int t = 0; t < terms; t++)
        if (term[t].coefficient != 0)
            term[kept++] = term[t];
    if (kept == 0)
        return 0;
    qsort(term, (size_t)kept, sizeof *term, compare_terms);
    int last = 0;
    for (int t = 1; t < kept; t++) {
        gdc_term *previous = &term[last];
        bool touch = previous->span.first + previous->span.count == term[t].span.first && term[t].span.first % k != 0;
        if (touch && previous->coefficient == term[t].coefficient)
            previous->span.count += term[t].span.count;
        else
            term[++last] = term[t];
    }
    return last + 1;
}

static gdc_status check_terms(const gdc_plan_writer *writer, int terms, const gdc_term *term)
{
    for (int t = 0; t < terms; t++) {
        gdc_span span = term[t].span;
        if (span.first >= gdc_plan_columns(writer->plan) || !is_inside(writer->plan, partitions_of(writer->plan, span)))
            return gdc_fail(GDC_EINVAL, "plan: a row of worker %d covers %d partitions from %d: want some of 0 to %d",
                            writer->worker, span.count, span.first, gdc_plan_columns(writer->plan) - 1);
        if (!isfinite(term[t].coefficient))
            return gdc_fail(GDC_EINVAL, "plan: a row of worker %d has the coefficient %g: want finite ones",
                            writer->worker, term[t].coefficient);
    }
    return GDC_OK;
}

static gdc_status check_overlap(const gdc_plan_writer *writer, int terms, const gdc_term *term)
{
    if (terms == 0)
        return gdc_fail(GDC_EINVAL, "plan: worker %d has a row of zeros: want at least one coefficient that is not 0",
                        writer->worker);
    for (int t = 1; t < terms; t++)
        if (term[t].span.first < term[t - 1].span.first + term[t - 1].span.count)
            return gdc_fail(GDC_EINVAL, "plan: a row of worker %d gives partition %d two coefficients: want one",
                            writer->worker, term[t].span.first);
    return GDC_OK;
}

void gdc_plan_add_row(gdc_plan_writer *writer, int after, int terms, const gdc_term *term)
{
    if (writer->status == GDC_OK)
        writer->status = check_terms(writer, terms, term);
    if (writer->status != GDC_OK || !reserve_rows(writer, terms))
        return;
    gdc_plan *plan = writer->plan;
    gdc_term *copy = plan->term + writer->terms;
    if (terms > 0)
        memcpy(copy, term, (size_t)terms * sizeof *copy);
    terms = tidy_terms(plan->partitions, terms, copy);
    writer->status = check_overlap(writer, terms, copy);
    plan->row[writer->rows++] = (gdc_row){after, terms, copy};
    writer->terms += terms;
}

/* ---- closing a worker ---- */

static int compare_placed(const void *left, const void *right)
{
    const placed_leg *a = left, *b = right;
    return (a->span.first > b->span.first) - (a->span.first < b->span.first);
}

/* Sorts the worker's legs by partition, so that a span finds its legs quickly. */
static gdc_status place_legs(gdc_plan_writer *writer, int *held)
{
    const gdc_plan *plan = writer->plan;
    int from = plan->leg_at[writer->worker], legs = writer->legs - from;
    placed_leg *placed = grown(writer->placed, &writer->placed_room, legs + 1, sizeof *placed);
    if (placed == NULL)
        return gdc_fail(GDC_ENOMEM, "plan: no memory for %d legs of worker %d", legs, writer->worker);
    writer->placed = placed;
    *held = 0;
    for (int l = 0; l < legs; l++) {
        const gdc_leg *leg = &plan->leg[from + l];
        placed[l] = (placed_leg){leg->span, *held, leg->backward};
        if (leg->span.count > plan->partitions - *held)
            return gdc_fail(GDC_EINVAL, "plan: worker %d walks more than all %d partitions", writer->worker,
                            plan->partitions);
        *held += leg->span.count;
    }
    qsort(placed, (size_t)legs, sizeof *placed, compare_placed);
    for (int l = 1; l < legs; l++)
        if (placed[l].span.first < placed[l - 1].span.first + placed[l - 1].span.count)
            return gdc_fail(GDC_EINVAL, "plan: worker %d walks partition %d twice", writer->worker,
                            placed[l].span.first);
    return GDC_OK;
}

/* The first placed leg that ends beyond a partition. */
static int first_leg(const placed_leg *placed, int legs, int partition)
{
    int low = 0, high = legs;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (placed[middle].span.first + placed[middle].span.count <= partition)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Steps [*begin, *end) of the walk around a span; returns how many of its partitions are walked at all. */
static int walk_of_span(const placed_leg *placed, int legs, gdc_span span, int *begin, int *end)
{
    int covered = 0, span_end = span.first + span.count;
    for (int l = first_leg(placed, legs, span.first); l < legs && placed[l].span.first < span_end; l++) {
        int leg_first = placed[l].span.first, leg_end = leg_first + placed[l].span.count;
        int from = span.first > leg_first ? span.first : leg_first;
        int to = span_end < leg_end ? span_end : leg_end;
        int step = placed[l].offset + (placed[l].backward ? leg_end - to : from - leg_first);
        covered += to - from;
        if (step < *begin)
            *begin = step;
        if (step + to - from > *end)
            *end = step + to - from;
    }
    return covered;
}

static gdc_status check_row(gdc_plan_writer *writer, int r, int held)
{
    const gdc_plan *plan = writer->plan;
    int legs = writer->legs - plan->leg_at[writer->worker], first_row = plan->row_at[writer->worker];
    const gdc_row *row = &plan->row[r];
    int begin = INT_MAX, end = 0, covered = 0;
    for (int t = 0; t < row->terms; t++)
        covered += walk_of_span(writer->placed, legs, partitions_of(plan, row->term[t].span), &begin, &end);
    if (covered < gdc_row_support(row) || end > row->after)
        return gdc_fail(GDC_EINVAL, "plan: row %d of worker %d is due after %d partitions, but needs others as well",
                        r - first_row, writer->worker, row->after);
    if (row->after > held || (r > first_row && row->after < plan->row[r - 1].after))
        return gdc_fail(GDC_EINVAL,
                        "plan: row %d of worker %d is due after %d of %d partitions: want rows in due order",
                        r - first_row, writer->worker, row->after, held);
    writer->begin[r - first_row] = begin;
    return GDC_OK;
}

static int compare_ints(const void *left, const void *right)
{
    int a = *(const int *)left, b = *(const int *)right;
    return (a > b) - (a < b);
}

/* Rows become open at begin[], in ascending order, and close at their `after`, which ascends as well. */
static int most_open(int rows, const int *begin, const gdc_row *row)
{
    int most = 0, closed = 0;
    for (int i = 0; i < rows; i++) {
        while (row[closed].after <= begin[i])
            closed++;
        if (i + 1 - closed > most)
            most = i + 1 - closed;
    }
    return most;
}

/* The terms have moved while they were written: points rows from `row` on at them, beginning with `term`. */
static void point_rows(gdc_plan_writer *writer, int row, int term)
{
    for (gdc_plan *plan = writer->plan; row < writer->rows; row++) {
        plan->row[row].term = plan->term + term;
        term += plan->row[row].terms;
    }
}

static gdc_status close_worker(gdc_plan_writer *writer)
{
    gdc_plan *plan = writer->plan;
    int w = writer->worker, first_row = plan->row_at[w], rows = writer->rows - first_row, held = 0;
    if (w >= plan->workers)
        return gdc_fail(GDC_EINVAL, "plan: more than %d workers are written", plan->workers);
    int *begin = grown(writer->begin, &writer->begin_room, rows + 1, sizeof *begin);
    if (begin == NULL)
        return gdc_fail(GDC_ENOMEM, "plan: no memory for %d rows of worker %d", rows, w);
    writer->begin = begin;
    point_rows(writer, first_row, writer->worker_terms);
    gdc_status status = place_legs(writer, &held);
    for (int r = first_row; status == GDC_OK && r < writer->rows; r++)
        status = check_row(writer, r, held);
    if (status != GDC_OK)
        return status;
    qsort(begin, (size_t)rows, sizeof *begin, compare_ints);
    plan->most_open[w] = most_open(rows, begin, plan->row + first_row);
    return GDC_OK;
}

void gdc_plan_end_worker(gdc_plan_writer *writer)
{
    if (writer->status == GDC_OK)
        writer->status = close_worker(writer);
    if (writer->status != GDC_OK)
        return;
    writer->worker++;
    writer->worker_terms = writer->terms;
    writer->plan->leg_at[writer->worker] = writer->legs;
    writer->plan->row_at[writer->worker] = writer->rows;
}

/* ---- finishing ---- */

static int compare_spans(const void *left, const void *right)
{
    const gdc_span *a = left, *b = right;
    return (a->first > b->first) - (a->first < b->first);
}

static gdc_status check_held(const gdc_plan_writer *writer)
{
    const gdc_plan *plan = writer->plan;
    gdc_span *span = malloc(((size_t)writer->legs + 1) * sizeof *span);
    if (span == NULL)
        return gdc_fail(GDC_ENOMEM, "plan: no memory for %d spans", writer->legs);
    for (int l = 0; l < writer->legs; l++)
        span[l] = plan->leg[l].span;
    qsort(span, (size_t)writer->legs, sizeof *span, compare_spans);
    int end = 0;
    for (int l = 0; l < writer->legs && span[l].first <= end; l++)
        if (span[l].first + span[l].count > end)
            end = span[l].first + span[l].count;
    free(span);
    if (end < plan->partitions)
        return gdc_fail(GDC_EINVAL, "plan: no worker holds partition %d", end);
    return GDC_OK;
}

gdc_status gdc_plan_writer_finish(gdc_plan_writer *writer, gdc_plan **plan)
{
    gdc_plan *made = writer->plan;
    gdc_status status = writer->status;
    if (status == GDC_OK && writer->worker != made->workers)
        status = gdc_fail(GDC_EINVAL, "plan: %d workers are written: want all %d", writer->worker, made->workers);
    if (status == GDC_OK)
        status = check_held(writer);
    if (status == GDC_OK) {
        point_rows(writer, 0, 0);
        writer->plan = NULL;
        *plan = made;
    }
    gdc_plan_writer_destroy(writer);
    return status;
}

/* sums.c - the vectors of one worker.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "engine/sums.h"

#include "kernels/vector.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct told { /* of partials: sums of their squared norms and of their losses */
    double norm2, loss;
} told;

struct gdc_sums {
    const gdc_plan *plan;
    int worker;
    bool rows, f32, measures;
    size_t d, vector_bytes; /* d: of a partial; vectors are shorter where the plan has several blocks */
    int vectors, free_count;
    void **all;                /* [vectors] */
    void **free_list;          /* [free_count] */
    int row_count, next_row;   /* rows before next_row have been taken */
    void **open;               /* ROWS: [row_count] vector of each open row, else NULL */
    void *scratch;             /* ROWS: where a partial goes that is in several rows */
    void *piece, *accumulator; /* SPANS */
    gdc_span piece_span, accumulator_span;
    int accumulated;                                         /* partials in the accumulator */
    told row_told, piece_told, accumulator_told, taken_told; /* row: of the partials new in the next one */
};

static const gdc_span nothing = {0, 0};
static const told nothing_told = {0, 0};

/* ---- memory ---- */

static void *new_vector(size_t bytes)
{
    size_t rounded = (bytes + 63) / 64 * 64 + (bytes == 0 ? 64 : 0);
    void *vector = aligned_alloc(64, rounded);
    if (vector)
        memset(vector, 0, rounded); /* touched now: a first round must not pay the page faults */
    return vector;
}

static void *take_free(gdc_sums *s)
{
    assert(s->free_count > 0);
    void *vector = s->free_list[--s->free_count];
    memset(vector, 0, s->vector_bytes);
    return vector;
}

void gdc_sums_give(gdc_sums *s, void *vector)
{
    assert(s->free_count < s->vectors);
    s->free_list[s->free_count++] = vector;
}

static bool allocate(gdc_sums *s, size_t buffer_bytes)
{
    size_t count = (size_t)s->vectors;
    s->all = calloc(count, sizeof *s->all);
    s->free_list = calloc(count, sizeof *s->free_list);
    s->open = calloc((size_t)s->row_count + 1, sizeof *s->open);
    s->scratch = s->rows ? new_vector(s->d * gdc_element_bytes(s->f32)) : NULL;
    if (!s->all || !s->free_list || !s->open || (s->rows && !s->scratch))
        return false;
    for (int i = 0; i < s->vectors; i++) {
        s->all[i] = new_vector(buffer_bytes);
        if (!s->all[i])
            return false;
        gdc_sums_give(s, s->all[i]);
    }
    return true;
}

gdc_status gdc_sums_create(const gdc_plan *plan, int worker, bool rows, gdc_dtype dtype, size_t d, size_t buffer_bytes,
                           int spare, bool norms, gdc_sums **sums)
{
    gdc_sums *s = calloc(1, sizeof *s);
    if (!s)
        return gdc_fail(GDC_ENOMEM, "worker %d: out of memory", worker);
    s->plan = plan;
    s->worker = worker;
    s->rows = rows;
    s->f32 = dtype == GDC_F32;
    s->measures = norms;
    s->d = d;
    s->vector_bytes = gdc_plan_length(plan, d) * gdc_element_bytes(s->f32);
    s->row_count = rows ? gdc_plan_rows(plan, worker) : 0;
    s->vectors = spare + (rows ? gdc_plan_most_open(plan, worker) : 2);
    if (!allocate(s, buffer_bytes)) {
        int vectors = s->vectors;
        gdc_sums_destroy(s);
        return gdc_fail(GDC_ENOMEM, "worker %d: no memory for %d vectors of %zu bytes", worker, vectors, buffer_bytes);
    }
    *sums = s;
    return GDC_OK;
}

void gdc_sums_destroy(gdc_sums *s)
{
    if (!s)
        return;
    for (int i = 0; s->all && i < s->vectors; i++)
        free(s->all[i]);
    free(s->all);
    free(s->free_list);
    free(s->open);
    free(s->scratch);
    free(s);
}

double gdc_sums_norm2(const gdc_sums *s)
{
    return s->measures ? s->taken_told.norm2 : NAN;
}

double gdc_sums_loss(const gdc_sums *s)
{
    return s->taken_told.loss;
}

/* ---- rows ---- */

static const gdc_row *row_of(const gdc_plan *plan, int worker, int i)
{
    return gdc_plan_row(plan, worker, i);
}

static bool open_rows(gdc_sums *s, int partition)
{
    int wanted = 0;
    for (int i = s->next_row; i < s->row_count; i++)
        wanted += !s->open[i] && gdc_row_has(s->plan, row_of(s->plan, s->worker, i), partition);
    if (wanted > s->free_count)
        return false;
    for (int i = s->next_row; wanted > 0 && i < s->row_count; i++) {
        if (!s->open[i] && gdc_row_has(s->plan, row_of(s->plan, s->worker, i), partition)) {
            s->open[i] = take_free(s);
            wanted--;
        }
    }
    return true;
}

static void add_scratch_to_rows(gdc_sums *s, int partition)
{
    for (int i = 0; i < s->row_count; i++)
        if (s->open[i])
            gdc_add_blocks(s->plan, row_of(s->plan, s->worker, i), partition, s->f32, s->d, s->scratch, s->open[i]);
}

static void measure(gdc_sums *s, int partition)
{
    int next = s->next_row;
    if (!s->rows)
        s->piece_told.norm2 = gdc_norm2(s->f32, s->d, s->piece);
    else if (next < s->row_count && gdc_row_has(s->plan, row_of(s->plan, s->worker, next), partition))
        s->row_told.norm2 += gdc_norm2(s->f32, s->d, s->scratch);
}

void *gdc_sums_take_row(gdc_sums *s, int index)
{
    void *vector = s->open[index];
    assert(vector);
    s->open[index] = NULL;
    s->next_row = index + 1;
    s->taken_told = s->row_told;
    s->row_told = nothing_told;
    return vector;
}

/* ---- spans ---- */

static bool same(gdc_span a, gdc_span b)
{
    return a.first == b.first && a.count == b.count;
}

/* Both together, where they are neighbours; else an empty span. */
static gdc_span joined(gdc_span a, gdc_span b)
{
    if (a.count == 0)
        return b;
    if (b.first == a.first + a.count)
        return (gdc_span){a.first, a.count + b.count};
    if (a.first == b.first + b.count)
        return (gdc_span){b.first, a.count + b.count};
    return nothing;
}

static void add_piece(gdc_sums *s)
{
    static const double one = 1;
    if (s->piece_span.count == 0)
        return;
    const void *in = s->piece;
    if (s->accumulator) {
        gdc_combine(s->f32, s->d, 1, &one, &in, true, s->accumulator);
        gdc_sums_give(s, s->piece);
    } else {
        s->accumulator = s->piece;
    }
    s->accumulator_span = joined(s->accumulator_span, s->piece_span);
    s->accumulator_told.norm2 += s->piece_told.norm2;
    s->accumulator_told.loss += s->piece_told.loss;
    s->piece_told = nothing_told;
    s->accumulated++;
    s->piece = NULL;
    s->piece_span = nothing;
}

static bool open_piece(gdc_sums *s)
{
    add_piece(s);
    if (s->piece)
        return true;
    if (s->free_count == 0)
        return false;
    s->piece = take_free(s);
    return true;
}

static void *take(gdc_sums *s, void **vector, gdc_span *span, told *of_it)
{
    void *out = *vector;
    *vector = NULL;
    *span = nothing;
    s->taken_told = *of_it;
    *of_it = nothing_told;
    return out;
}

void *gdc_sums_take_span(gdc_sums *s, gdc_span span)
{
    if (same(span, s->piece_span) && !same(span, s->accumulator_span))
        return take(s, &s->piece, &s->piece_span, &s->piece_told);
    if (!same(span, s->accumulator_span))
        add_piece(s);
    assert(same(span, s->accumulator_span));
    s->accumulated = 0;
    return take(s, &s->accumulator, &s->accumulator_span, &s->accumulator_told);
}

void *gdc_sums_take_all(gdc_sums *s, int *pieces)
{
    add_piece(s);
    if (!s->accumulator)
        s->accumulator = s->piece ? take(s, &s->piece, &s->piece_span, &s->piece_told) : take_free(s);
    *pieces = s->accumulated;
    s->accumulated = 0;
    return take(s, &s->accumulator, &s->accumulator_span, &s->accumulator_told);
}

/* ---- both ---- */

bool gdc_sums_open(gdc_sums *s, int partition)
{
    return s->rows ? open_rows(s, partition) : open_piece(s);
}

void *gdc_sums_target(gdc_sums *s, int partition, double *scale)
{
    *scale = 1;
    if (!s->rows) {
        s->piece_span = (gdc_span){partition, 0};
        return s->piece;
    }
    int row = s->measures ? -1 : gdc_direct_row(s->plan, s->worker, partition);
    if (row >= 0) {
        *scale = gdc_row_coefficient(row_of(s->plan, s->worker, row), partition);
        return s->open[row];
    }
    memset(s->scratch, 0, s->d * gdc_element_bytes(s->f32));
    return s->scratch;
}

void gdc_sums_added(gdc_sums *s, int partition)
{
    if (s->measures)
        measure(s, partition);
    if (!s->rows)
        s->piece_span = (gdc_span){partition, 1};
    else if (s->measures || gdc_direct_row(s->plan, s->worker, partition) < 0)
        add_scratch_to_rows(s, partition);
}

void gdc_sums_tell_loss(gdc_sums *s, double loss)
{
    (s->rows ? &s->row_told : &s->piece_told)->loss += loss;
}

static void drop_vector(gdc_sums *s, void **vector)
{
    if (*vector)
        gdc_sums_give(s, *vector);
    *vector = NULL;
}

void gdc_sums_abandon(gdc_sums *s)
{
    for (int i = 0; i < s->row_count; i++)
        drop_vector(s, &s->open[i]);
    s->next_row = 0;
    drop_vector(s, &s->piece);
    drop_vector(s, &s->accumulator);
    s->piece_span = s->accumulator_span = nothing;
    s->accumulated = 0;
    s->row_told = s->piece_told = s->accumulator_told = nothing_told;
}

void gdc_sums_cut(gdc_sums *s)
{
    if (s->rows) {
        gdc_sums_abandon(s);
        return;
    }
    drop_vector(s, &s->piece);
    s->piece_span = nothing;
    s->piece_told = nothing_told;
}

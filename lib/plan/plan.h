/* plan.h - the inside of a plan: stretches, not lists, so that big plans stay cheap.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * n = 1024 workers that hold everything are 2,048 legs, not 12 million partitions. */
#ifndef GDC_PLAN_PLAN_H
#define GDC_PLAN_PLAN_H

#include "gradcode/plan.h"

#include <stdbool.h>

typedef struct gdc_leg { /* part of a walk */
    gdc_span span;
    bool backward; /* walked from its last partition to its first; false for a single partition */
} gdc_leg;

struct gdc_code_ops;

/* Compressed rows: legs of worker w are leg[leg_at[w]] .. leg[leg_at[w + 1] - 1], rows likewise. Legs also
 * say who HOLDS what. The global number of message (w, i) is row_at[w] + i; i is its index on the wire. */
struct gdc_plan {
    int workers, partitions, blocks;
    int *leg_at; /* [workers + 1] */
    gdc_leg *leg;
    int *row_at; /* [workers + 1] */
    gdc_row *row;
    gdc_term *term; /* the terms of all rows, one after another */
    int *most_open; /* [workers] */
    const struct gdc_code_ops *code;
    double *kept; /* [kept_count] what the code's fast path wants and the rows do not say; NULL: nothing */
    size_t kept_count;
};

/* ---- for codes: a plan is written worker by worker, in order ---- */

typedef struct gdc_plan_writer gdc_plan_writer;

gdc_status gdc_plan_writer_create(int workers, int partitions, gdc_plan_writer **writer);
void gdc_plan_writer_destroy(gdc_plan_writer *writer); /* accepts NULL */
/* Gradients are cut into so many blocks (1 unless said here): before any row. */
void gdc_plan_set_blocks(gdc_plan_writer *writer, int blocks);
/* A failure of these is remembered and reported by finish. */
void gdc_plan_add_leg(gdc_plan_writer *writer, gdc_span span, bool backward);
/* term[terms] is copied; zero coefficients are dropped, neighbours with equal coefficients merged, spans
 * sorted. */
void gdc_plan_add_row(gdc_plan_writer *writer, int after, int terms, const gdc_term *term);
void gdc_plan_end_worker(gdc_plan_writer *writer); /* closes worker 0, 1, ... */
/* Checks the plan (every partition held; rows due in order, not past the end of the walk, over walked
 * partitions only; an assert for codes of the library, EINVAL for rows from files) and hands it over.
 * Destroys the writer in every case. */
gdc_status gdc_plan_writer_finish(gdc_plan_writer *writer, gdc_plan **plan);

/* ---- questions ---- */

/* Rows of all workers. */
static inline int gdc_plan_messages(const gdc_plan *plan)
{
    return plan->row_at[plan->workers];
}

/* Partitions of shard c of n: [c*k/n, (c+1)*k/n). */
gdc_span gdc_shard(int workers, int partitions, int shard);
/* The coefficient of a column in a row; 0 outside its support. O(log terms). */
double gdc_row_coefficient(const gdc_row *row, int column);
/* Does a row of the plan have any block of a partition? */
bool gdc_row_has(const gdc_plan *plan, const gdc_row *row, int partition);
/* Number of columns in the support. */
int gdc_row_support(const gdc_row *row);
/* sum_j |row_j| */
double gdc_row_norm1(const gdc_row *row);
/* k*m, the length of a row. */
int gdc_plan_columns(const gdc_plan *plan);
/* Coordinates [*first, *first + returned) of a vector of d numbers are block v; block 0 is the longest, as long as a message. */
size_t gdc_plan_block(const gdc_plan *plan, size_t d, int v, size_t *first);
/* Numbers in a message. */
size_t gdc_plan_length(const gdc_plan *plan, size_t d);
/* The most rows of a worker that are open at once while it walks (begun and not yet due). */
int gdc_plan_most_open(const gdc_plan *plan, int worker);

#endif

/* plan.c - questions to a finished plan.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "plan/plan.h"

#include "gradcode/draw.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DIGEST_PURPOSE = 0x64696765 };

void gdc_plan_destroy(gdc_plan *plan)
{
    if (plan == NULL)
        return;
    free(plan->leg_at);
    free(plan->leg);
    free(plan->row_at);
    free(plan->row);
    free(plan->term);
    free(plan->most_open);
    free(plan->kept);
    free(plan);
}

int gdc_plan_workers(const gdc_plan *plan)
{
    return plan->workers;
}

int gdc_plan_partitions(const gdc_plan *plan)
{
    return plan->partitions;
}

int gdc_plan_blocks(const gdc_plan *plan)
{
    return plan->blocks;
}

int gdc_plan_columns(const gdc_plan *plan)
{
    return plan->partitions * plan->blocks;
}

size_t gdc_plan_length(const gdc_plan *plan, size_t d)
{
    size_t m = (size_t)plan->blocks;
    return d / m + (d % m != 0);
}

size_t gdc_plan_block(const gdc_plan *plan, size_t d, int v, size_t *first)
{
    size_t length = gdc_plan_length(plan, d), begin = (size_t)v * length;
    *first = begin < d ? begin : d;
    return length < d - *first ? length : d - *first;
}

static bool is_worker(const gdc_plan *plan, int worker)
{
    return worker >= 0 && worker < plan->workers;
}

int gdc_plan_held(const gdc_plan *plan, int worker)
{
    if (!is_worker(plan, worker))
        return 0;
    int held = 0;
    for (int i = plan->leg_at[worker]; i < plan->leg_at[worker + 1]; i++)
        held += plan->leg[i].span.count;
    return held;
}

int gdc_plan_walk(const gdc_plan *plan, int worker, int i)
{
    if (!is_worker(plan, worker) || i < 0)
        return -1;
    for (int l = plan->leg_at[worker]; l < plan->leg_at[worker + 1]; l++) {
        const gdc_leg *leg = &plan->leg[l];
        if (i < leg->span.count)
            return leg->span.first + (leg->backward ? leg->span.count - 1 - i : i);
        i -= leg->span.count;
    }
    return -1;
}

int gdc_plan_rows(const gdc_plan *plan, int worker)
{
    return is_worker(plan, worker) ? plan->row_at[worker + 1] - plan->row_at[worker] : 0;
}

const gdc_row *gdc_plan_row(const gdc_plan *plan, int worker, int i)
{
    if (i < 0 || i >= gdc_plan_rows(plan, worker))
        return NULL;
    return &plan->row[plan->row_at[worker] + i];
}

int gdc_plan_most_open(const gdc_plan *plan, int worker)
{
    return is_worker(plan, worker) ? plan->most_open[worker] : 0;
}

gdc_span gdc_shard(int workers, int partitions, int shard)
{
    int first = (int)((int64_t)shard * partitions / workers);
    int end = (int)(((int64_t)shard + 1) * partitions / workers);
    return (gdc_span){first, end - first};
}

double gdc_row_coefficient(const gdc_row *row, int column)
{
    int low = 0, high = row->terms;
    while (low < high) {
        int middle = low + (high - low) / 2;
        gdc_span span = row->term[middle].span;
        if (column < span.first)
            high = middle;
        else if (column >= span.first + span.count)
            low = middle + 1;
        else
            return row->term[middle].coefficient;
    }
    return 0;
}

bool gdc_row_has(const gdc_plan *plan, const gdc_row *row, int partition)
{
    for (int u = 0; u < plan->blocks; u++)
        if (gdc_row_coefficient(row, u * plan->partitions + partition) != 0)
            return true;
    return false;
}

int gdc_row_support(const gdc_row *row)
{
    int support = 0;
    for (int t = 0; t < row->terms; t++)
        support += row->term[t].span.count;
    return support;
}

double gdc_row_norm1(const gdc_row *row)
{
    double norm = 0;
    for (int t = 0; t < row->terms; t++)
        norm += fabs(row->term[t].coefficient) * row->term[t].span.count;
    return norm;
}

/* ---- digest: the generator chained over every number of the plan ---- */

static uint64_t chain(uint64_t digest, int64_t a, int64_t b, uint64_t c)
{
    uint64_t bits[4];
    gdc_draw_bits((gdc_key){digest, DIGEST_PURPOSE, (uint64_t)a, (uint64_t)b, c}, bits);
    return bits[0];
}

static uint64_t chain_row(uint64_t digest, const gdc_row *row)
{
    digest = chain(digest, row->after, row->terms, 0);
    for (int t = 0; t < row->terms; t++) {
        const gdc_term *term = &row->term[t];
        uint64_t bits;
        memcpy(&bits, &term->coefficient, sizeof bits);
        digest = chain(digest, term->span.first, term->span.count, bits);
    }
    return digest;
}

uint64_t gdc_plan_digest(const gdc_plan *plan)
{
    uint64_t digest = chain(0, plan->workers, plan->partitions, (uint64_t)plan->blocks - 1);
    for (int w = 0; w < plan->workers; w++) {
        digest = chain(digest, plan->leg_at[w + 1], plan->row_at[w + 1], 0);
        for (int l = plan->leg_at[w]; l < plan->leg_at[w + 1]; l++)
            digest = chain(digest, plan->leg[l].span.first, plan->leg[l].span.count, plan->leg[l].backward);
        for (int r = plan->row_at[w]; r < plan->row_at[w + 1]; r++)
            digest = chain_row(digest, &plan->row[r]);
    }
    return digest;
}

/* tally.c - what entered a round: whose work, how stale, at what loss.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "transport/tally.h"

#include "engine/samples.h"

#include <math.h>

void gdc_tally_begin(gdc_tally *t, gdc_round *round)
{
    t->loss = t->loss_samples = 0;
    t->norms = (gdc_norms){.parts = 0};
    round->loss = NAN;
}

/* ---- whose work ---- */

/* share: how much of each partition enters */
static void fill_homes(gdc_tally *t, gdc_span span, double share)
{
    const gdc_plan *plan = t->parts->plan;
    int shard = plan->partitions / plan->workers, begin = span.first % plan->partitions, end = begin + span.count;
    for (int first = begin, next; first < end; first = next) {
        int home = first / shard;
        next = end < (home + 1) * shard ? end : (home + 1) * shard;
        t->stats[home].home_used += share * (next - first);
    }
}

static void fill_entered(gdc_tally *t, const unsigned char *entered)
{
    for (int p = 0; p < t->parts->plan->partitions; p++)
        if (entered[p])
            fill_homes(t, (gdc_span){p, 1}, 1);
}

/* A column is one block of a partition. */
static void count_used(gdc_tally *t, const gdc_arrival *a)
{
    const gdc_plan *plan = t->parts->plan;
    const gdc_row *row = a->index == GDC_SPAN ? NULL : gdc_plan_row(plan, a->worker, a->index);
    const gdc_term whole = {a->span, 1};
    const gdc_term *term = row ? row->term : &whole;
    int terms = row ? row->terms : 1;
    t->stats[a->worker].used += row ? (double)gdc_row_support(row) / plan->blocks : a->span.count;
    if (t->parts->traits.exact || t->parts->traits.overlaps) /* it does not matter who sent them: see gdc_tally_end */
        return;
    for (int i = 0; i < terms; i++)
        fill_homes(t, term[i].span, 1.0 / plan->blocks);
}

/* ---- at what loss ---- */

/* Samples of what was computed for this message and for none before it. */
static double new_samples(const gdc_tally *t, const gdc_arrival *a)
{
    const gdc_plan *plan = t->parts->plan;
    if (a->index == GDC_SPAN)
        return gdc_samples_in(t->samples, plan->partitions, a->span);
    const gdc_row *row = gdc_plan_row(plan, a->worker, a->index);
    double sum = 0;
    for (int i = a->index > 0 ? gdc_plan_row(plan, a->worker, a->index - 1)->after : 0; i < row->after; i++) {
        gdc_span one = {gdc_plan_walk(plan, a->worker, i), 1};
        if (gdc_row_has(plan, row, one.first))
            sum += gdc_samples_in(t->samples, plan->partitions, one);
    }
    return sum;
}

static void count_loss(gdc_tally *t, const gdc_arrival *a)
{
    t->loss += a->loss;
    if (!isnan(t->loss))
        t->loss_samples += new_samples(t, a);
}

/* ---- of what length ---- */

static void count_norms(gdc_tally *t, const gdc_arrival *a)
{
    if (a->index == GDC_SPAN)
        gdc_norms_add_span(&t->norms, t->parts->plan, t->samples, a->span, a->norm2);
    else
        gdc_norms_add_row(&t->norms, t->parts->plan, t->samples, a->worker, a->index, a->norm2);
}

/* ---- how stale ---- */

void gdc_tally_vector(gdc_tally *t, const gdc_arrival *a, gdc_round *round)
{
    count_used(t, a);
    count_loss(t, a);
    count_norms(t, a);
    round->vectors++;
    round->fresh += a->version == round->version;
    round->staleness += round->version - a->version;
}

/* Of those that are still at work: one more than the rounds since their model was new, if they came next. */
static uint64_t age_in_flight(const gdc_coordinator *c, int workers, uint64_t version)
{
    uint64_t sum = 0;
    for (int w = 0; w < workers; w++) {
        uint64_t assigned = gdc_coordinator_assigned(c, w);
        if (gdc_coordinator_is_busy(c, w) && assigned > 0)
            sum += version + 1 - assigned;
    }
    return sum;
}

void gdc_tally_end(gdc_tally *t, const gdc_coordinator *c, gdc_round *round)
{
    const gdc_plan *plan = t->parts->plan;
    if (t->parts->traits.exact)
        fill_homes(t, (gdc_span){0, plan->partitions}, 1);
    else if (t->parts->traits.overlaps)
        fill_entered(t, gdc_coordinator_outcome(c)->entered);
    if (t->parts->traits.counts_stale)
        round->in_flight = age_in_flight(c, plan->workers, round->version);
    if (t->loss_samples > 0)
        round->loss = t->loss / t->loss_samples;
    round->samples = round->used * gdc_samples_in(t->samples, plan->partitions, (gdc_span){0, plan->partitions});
    if (round->fresh < round->vectors) /* of several models: they are no samples of one gradient's noise */
        t->norms = (gdc_norms){.parts = 0};
    gdc_norms_tell(&t->norms, round);
}

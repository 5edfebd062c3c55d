/* quality.c - tolerance and amplification by trying straggler sets with the decoder.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "plan/quality.h"

#include "gradcode/statistics.h"
#include "plan/cells.h"
#include "plan/decoder.h"
#include "plan/early.h"
#include "plan/fixed.h"
#include "plan/plan.h"
#include "plan/sets.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ORDERS = 1000 };

typedef struct trial {
    const gdc_plan *plan;
    gdc_decoder *decoder;
    gdc_sets sets;
    double *weight; /* [blocks x messages] */
} trial;

static void end_trial(trial *t)
{
    gdc_decoder_destroy(t->decoder);
    gdc_sets_free(&t->sets);
    free(t->weight);
}

static gdc_status begin_trial(const gdc_plan *plan, int sets, uint64_t seed, trial *t)
{
    size_t messages = (size_t)gdc_plan_messages(plan) * (size_t)plan->blocks;
    *t = (trial){.plan = plan};
    gdc_status status = gdc_decoder_create(plan, &t->decoder);
    if (status == GDC_OK)
        status = gdc_sets_create(plan->workers, sets, seed, &t->sets);
    t->weight = calloc(messages + 1, sizeof *t->weight);
    if (status == GDC_OK && t->weight == NULL)
        status = gdc_fail(GDC_ENOMEM, "plan: no memory to try sets of stragglers: %zu weights", messages);
    if (status != GDC_OK)
        end_trial(t);
    return status;
}

/* ---- one set ---- */

static bool can_decode(trial *t)
{
    const gdc_plan *plan = t->plan;
    gdc_decoder_reset(t->decoder);
    for (int w = 0; w < plan->workers; w++)
        if (!t->sets.out[w])
            for (int r = plan->row_at[w]; r < plan->row_at[w + 1]; r++)
                gdc_decoder_take(t->decoder, r);
    return gdc_decoder_complete(t->decoder);
}

/* *amplification of the current set with everything that the others send; INFINITY if it cannot be decoded.
 */
static gdc_status amplify(trial *t, double *amplification)
{
    gdc_decode decode = {.size = sizeof decode};
    gdc_status status = can_decode(t) ? gdc_decoder_weights(t->decoder, t->weight, NULL, &decode) : GDC_ENUMERIC;
    if (status != GDC_OK && status != GDC_ENUMERIC)
        return status;
    *amplification = status == GDC_OK ? decode.amplification : INFINITY;
    return GDC_OK;
}

gdc_status gdc_plan_worst(const gdc_plan *plan, int size, int sets, uint64_t seed, double limit, double *worst,
                          unsigned char *straggler)
{
    trial t;
    double most = 0, one;
    gdc_status status = begin_trial(plan, sets, seed, &t);
    if (status != GDC_OK)
        return status;
    gdc_sets_begin(&t.sets, size);
    while (status == GDC_OK && most <= limit && gdc_sets_next(&t.sets)) {
        status = amplify(&t, &one);
        if (status != GDC_OK || !(one > most))
            continue;
        most = one;
        if (straggler != NULL)
            memcpy(straggler, t.sets.out, (size_t)plan->workers);
    }
    end_trial(&t);
    if (status == GDC_OK)
        *worst = most;
    return status;
}

/* ---- all sizes ---- */

typedef struct record { /* amplifications of the sets of all sizes up to the tolerance */
    double *value;
    size_t count, room;
} record;

static gdc_status append(record *r, double value)
{
    if (r->count == r->room) {
        size_t room = 2 * r->room + 256;
        double *wider = realloc(r->value, room * sizeof *wider);
        if (wider == NULL)
            return gdc_fail(GDC_ENOMEM, "plan: no memory for %zu amplifications", room);
        r->value = wider;
        r->room = room;
    }
    r->value[r->count++] = value;
    return GDC_OK;
}

/* Sizes above the tolerance only ask whether, not how well. */
static gdc_status try_size(trial *t, bool tolerated, record *r, double *recoverable)
{
    int decoded = 0;
    while (gdc_sets_next(&t->sets)) {
        double one = INFINITY;
        gdc_status status = tolerated ? amplify(t, &one) : GDC_OK;
        if (status == GDC_OK && tolerated && isfinite(one))
            status = append(r, one);
        if (status != GDC_OK)
            return status;
        decoded += tolerated ? isfinite(one) : can_decode(t);
    }
    *recoverable = (double)decoded / t->sets.next;
    return GDC_OK;
}

/* The least number of workers whose rows cover a partition: those, or all but fewer than m of them where there are m blocks to be
 * told apart, are a set that is never survived, and sampling would hardly ever hit it. */
static gdc_status least_cover(const gdc_plan *plan, int *least)
{
    gdc_cells cells;
    gdc_status status = gdc_cells_create(plan, &cells);
    if (status != GDC_OK)
        return status;
    *least = gdc_cells_least_cover(plan, &cells);
    gdc_cells_free(&cells);
    return *least < 0 ? gdc_fail(GDC_ENOMEM, "plan: out of memory") : GDC_OK;
}

static gdc_status try_sizes(trial *t, record *r, gdc_quality *q)
{
    bool tolerated = true, none = false;
    int least = 0;
    gdc_status known = least_cover(t->plan, &least);
    if (known != GDC_OK)
        return known;
    q->tolerance = -1;
    q->exhaustive = 1;
    for (int size = 0; size < q->sizes && !none; size++) {
        size_t count = r->count;
        gdc_sets_begin(&t->sets, size);
        tolerated = tolerated && size <= least - t->plan->blocks;
        gdc_status status = try_size(t, tolerated, r, &q->recoverable[size]);
        if (status != GDC_OK)
            return status;
        if (size <= q->tolerance + 1 && !t->sets.all)
            q->exhaustive = 0;
        if (tolerated && q->recoverable[size] < 1) {
            tolerated = false;
            r->count = count;
        }
        if (tolerated)
            q->tolerance = size;
        none = t->sets.all && q->recoverable[size] == 0; /* then larger sets are lost as well */
    }
    if (tolerated)
        q->exhaustive = 0;
    return GDC_OK;
}

gdc_status gdc_plan_quality(const gdc_plan *plan, int sets, uint64_t seed, gdc_quality *quality)
{
    trial t;
    record r = {0};
    gdc_quality q = {.sizes = (plan->workers < GDC_QUALITY_MAX - 1 ? plan->workers : GDC_QUALITY_MAX - 1) + 1};
    gdc_status status = begin_trial(plan, sets, seed, &t);
    if (status != GDC_OK)
        return status;
    status = try_sizes(&t, &r, &q);
    if (status == GDC_OK)
        status = gdc_plan_early(plan, t.sets.limit < MOST_ORDERS ? t.sets.limit : MOST_ORDERS, seed, &q.early_worst,
                                &q.early_median, NULL);
    end_trial(&t);
    if (status == GDC_OK) {
        q.worst = gdc_quantile(r.value, r.count, 1);
        q.median = gdc_median(r.value, r.count);
        *quality = q;
    }
    free(r.value);
    return status;
}

/* ---- what approximate decoding leaves ---- */

typedef struct squares { /* of residuals, mean over sets */
    double optimal, fixed;
} squares;

/* one: weight of every message that arrives; 0: there are no fixed weights. */
static gdc_status add_squares(trial *t, double one, squares *sum)
{
    const gdc_plan *plan = t->plan;
    gdc_decode decode = {.size = sizeof decode};
    gdc_status status = can_decode(t) ? GDC_OK : gdc_decoder_weights(t->decoder, t->weight, NULL, &decode);
    if (status != GDC_OK)
        return status;
    sum->optimal += decode.residual_rms * decode.residual_rms; /* 0 of what is decodable: rounding is no residual */
    for (int w = 0; w < plan->workers; w++)
        for (int r = plan->row_at[w]; r < plan->row_at[w + 1]; r++)
            t->weight[r] = t->sets.out[w] ? 0 : one;
    decode = gdc_decoder_measure(t->decoder, t->weight);
    sum->fixed += one > 0 ? decode.residual_rms * decode.residual_rms : NAN;
    return GDC_OK;
}

static gdc_status average(trial *t, int size, double one, squares *mean)
{
    squares sum = {0, 0};
    int arrived = t->plan->workers - size;
    gdc_sets_begin(&t->sets, size);
    while (gdc_sets_next(&t->sets)) {
        double share = (double)arrived / t->plan->workers;
        gdc_status status = add_squares(t, arrived > 0 ? one / share : one, &sum);
        if (status != GDC_OK)
            return status;
    }
    *mean = (squares){sum.optimal / t->sets.next, sum.fixed / t->sets.next};
    return GDC_OK;
}

gdc_status gdc_plan_residual(const gdc_plan *plan, int sets, uint64_t seed, int sizes, double *optimal, double *fixed)
{
    trial t;
    double one = 0;
    gdc_status status = begin_trial(plan, sets, seed, &t);
    if (status != GDC_OK)
        return status;
    if (!gdc_fixed_weight(plan, t.decoder, t.weight, &one))
        one = 0;
    for (int size = 0; status == GDC_OK && size < sizes && size <= plan->workers; size++) {
        squares mean = {0, 0};
        status = average(&t, size, one, &mean);
        optimal[size] = sqrt(mean.optimal);
        fixed[size] = sqrt(mean.fixed);
    }
    end_trial(&t);
    return status;
}

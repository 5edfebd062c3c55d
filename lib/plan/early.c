/* early.c - ends rounds of seeded arrival orders at their first decodable moment.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "plan/early.h"

#include "gradcode/draw.h"
#include "gradcode/statistics.h"
#include "plan/decoder.h"
#include "plan/plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SPEED_PURPOSE = 0x6561726c };

typedef struct arrival {
    double at;
    int worker, index;
} arrival;

typedef struct rounds {
    const gdc_plan *plan;
    gdc_decoder *decoder;
    int messages;
    uint64_t seed;
    arrival *arrival;     /* [messages] of one round */
    unsigned char *given; /* [messages] accepted in it */
    double *weight;       /* [blocks x messages] */
    double *value;        /* [orders] amplifications */
} rounds;

static void end_rounds(rounds *r)
{
    gdc_decoder_destroy(r->decoder);
    free(r->arrival);
    free(r->given);
    free(r->weight);
    free(r->value);
}

static gdc_status begin_rounds(const gdc_plan *plan, int orders, uint64_t seed, rounds *r)
{
    *r = (rounds){.plan = plan, .messages = gdc_plan_messages(plan), .seed = seed};
    size_t messages = (size_t)r->messages + 1;
    gdc_status status = gdc_decoder_create(plan, &r->decoder);
    if (status != GDC_OK)
        return status;
    r->arrival = calloc(messages, sizeof *r->arrival);
    r->given = calloc(messages, sizeof *r->given);
    r->weight = calloc(messages * (size_t)plan->blocks, sizeof *r->weight);
    r->value = calloc((size_t)orders + 1, sizeof *r->value);
    if (r->arrival != NULL && r->given != NULL && r->weight != NULL && r->value != NULL)
        return GDC_OK;
    end_rounds(r);
    return gdc_fail(GDC_ENOMEM, "plan: no memory to try arrival orders of %d messages", r->messages);
}

static int compare_arrivals(const void *left, const void *right)
{
    const arrival *a = left, *b = right;
    if (a->at != b->at)
        return a->at < b->at ? -1 : 1;
    return a->worker != b->worker ? a->worker - b->worker : a->index - b->index;
}

static void draw_arrivals(rounds *r, int order)
{
    int count = 0;
    for (int w = 0; w < r->plan->workers; w++) {
        double piece = gdc_draw_exponential((gdc_key){r->seed, SPEED_PURPOSE, (uint64_t)order, (uint64_t)w, 0});
        for (int i = 0; i < gdc_plan_rows(r->plan, w); i++)
            r->arrival[count++] = (arrival){piece * gdc_plan_row(r->plan, w, i)->after, w, i};
    }
    qsort(r->arrival, (size_t)count, sizeof *r->arrival, compare_arrivals);
}

/* *amplification is NAN if all messages together cannot be decoded. */
static gdc_status end_early(rounds *r, double *amplification)
{
    gdc_decode decode = {.size = sizeof decode};
    gdc_decoder_reset(r->decoder);
    memset(r->given, 0, (size_t)r->messages);
    for (int i = 0; i < r->messages && !gdc_decoder_complete(r->decoder); i++) {
        const arrival *a = &r->arrival[i];
        r->given[r->plan->row_at[a->worker] + a->index] =
            (unsigned char)gdc_decoder_offer(r->decoder, a->worker, a->index);
    }
    *amplification = NAN;
    if (!gdc_decoder_complete(r->decoder))
        return GDC_OK;
    gdc_status status = gdc_decoder_weights(r->decoder, r->weight, NULL, &decode);
    if (status == GDC_OK)
        *amplification = decode.amplification;
    return status == GDC_ENUMERIC ? GDC_OK : status;
}

gdc_status gdc_plan_early(const gdc_plan *plan, int orders, uint64_t seed, double *worst, double *median,
                          unsigned char *given)
{
    rounds r;
    double most = 0;
    size_t count = 0;
    gdc_status status = begin_rounds(plan, orders, seed, &r);
    if (status != GDC_OK)
        return status;
    for (int order = 0; status == GDC_OK && order < orders; order++) {
        double one;
        draw_arrivals(&r, order);
        status = end_early(&r, &one);
        if (status != GDC_OK || isnan(one))
            continue;
        r.value[count++] = one;
        if (given != NULL && one > most)
            memcpy(given, r.given, (size_t)r.messages);
        most = fmax(most, one);
    }
    if (status == GDC_OK) {
        *worst = gdc_quantile(r.value, count, 1);
        *median = gdc_median(r.value, count);
    }
    end_rounds(&r);
    return status;
}

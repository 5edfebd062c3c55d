/* gc.c - gradient coding: the full gradient from the first decodable set of coded messages (arXiv 1612.03301; with
 * several messages per worker and clusters: arXiv 1903.01974). Any code; gc:code=uncoded waits for all through the
 * master.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "engine/policy.h"
#include "gradcode/decoder.h"
#include "plan/code.h"

#include <math.h>
#include <stdlib.h>

typedef struct gc_state {
    const gdc_plan *plan;
    gdc_decoder *decoder;
    gdc_decoder *probe;   /* asks what-if questions, so that the round's decoder is left alone */
    unsigned char *heard; /* [rows] of the round, see below */
    double *weight;       /* [blocks x rows] */
} gc_state;

enum { AWAITED, ACCEPTED, SPENT }; /* SPENT: came for nothing, was erased, or its worker is done without it */

typedef struct gc_options {
    const char *code;
} gc_options;

static const gdc_option options[] = {
    {.key = "code",
     .type = GDC_TEXT,
     .offset = offsetof(gc_options, code),
     .fallback = "fractional",
     .help = "the code; all other keys are the code's"},
    {.key = NULL},
};

static void gc_close(void *state)
{
    gc_state *s = state;
    if (!s)
        return;
    gdc_decoder_destroy(s->decoder);
    gdc_decoder_destroy(s->probe);
    free(s->heard);
    free(s->weight);
    free(s);
}

/* A code that leaves something open when everybody has sent everything would fail every round. */
static gdc_status check_decodable(gc_state *s)
{
    gdc_decode decode = {.size = sizeof decode};
    for (int w = 0; w < s->plan->workers; w++)
        for (int i = 0; i < gdc_plan_rows(s->plan, w); i++)
            gdc_decoder_offer(s->probe, w, i);
    if (gdc_decoder_complete(s->probe))
        return GDC_OK;
    gdc_status status = gdc_decoder_weights(s->probe, s->weight, NULL, &decode);
    if (status != GDC_OK)
        return status;
    const char *code = s->plan->code ? s->plan->code->name : "?";
    return gdc_fail(
        GDC_EINVAL,
        "gc: code=%s: all messages of all workers together leave %d of %d partitions wrong (residual %.3g): want a "
        "code, or approx:code=%s, which makes do with the nearest",
        code, decode.missing, s->plan->partitions, decode.residual_rms, code);
}

static gdc_status gc_open(const void *values, const gdc_plan *plan, bool can_cut, void **state, gdc_traits *traits)
{
    (void)values;
    (void)can_cut;
    size_t rows = (size_t)gdc_plan_messages(plan);
    gc_state *s = calloc(1, sizeof *s);
    if (!s)
        return gdc_fail(GDC_ENOMEM, "gc: out of memory");
    s->plan = plan;
    s->heard = calloc(rows + 1, 1);
    s->weight = calloc((size_t)plan->blocks * rows + 1, sizeof *s->weight);
    gdc_status status = s->heard && s->weight ? GDC_OK : gdc_fail(GDC_ENOMEM, "gc: no memory for %zu rows", rows);
    if (status == GDC_OK)
        status = gdc_decoder_create(plan, &s->decoder);
    if (status == GDC_OK)
        status = gdc_decoder_create(plan, &s->probe);
    if (status == GDC_OK)
        status = check_decodable(s);
    if (status != GDC_OK) {
        gc_close(s);
        return status;
    }
    *state = s;
    traits->slots = (int)rows;
    return GDC_OK;
}

static void gc_begin(void *state, const gdc_scene *scene)
{
    gc_state *s = state;
    (void)scene;
    gdc_decoder_reset(s->decoder);
    for (int i = 0; i < gdc_plan_messages(s->plan); i++)
        s->heard[i] = AWAITED;
}

static gdc_verdict judge(gc_state *s, const gdc_arrival *arrival)
{
    int slot = s->plan->row_at[arrival->worker] + arrival->index;
    if (arrival->index < 0 || s->heard[slot] != AWAITED)
        return (gdc_verdict){.fate = GDC_DISCARD};
    s->heard[slot] = SPENT;
    if (!arrival->sound || !gdc_decoder_offer(s->decoder, arrival->worker, arrival->index))
        return (gdc_verdict){.fate = GDC_DISCARD};
    s->heard[slot] = ACCEPTED;
    return (gdc_verdict){.fate = GDC_KEEP, .slot = slot};
}

/* A worker that says READY sends nothing more in this round. */
static gdc_verdict gc_arrival(void *state, const gdc_scene *scene, const gdc_arrival *arrival)
{
    gc_state *s = state;
    (void)scene;
    gdc_verdict verdict = judge(s, arrival);
    if (arrival->ready)
        for (int i = s->plan->row_at[arrival->worker]; i < s->plan->row_at[arrival->worker + 1]; i++)
            if (s->heard[i] == AWAITED)
                s->heard[i] = SPENT;
    return verdict;
}

static bool gc_over(void *state, const gdc_scene *scene)
{
    (void)scene;
    return gdc_decoder_complete(((gc_state *)state)->decoder);
}

static bool gc_can_finish(void *state, const gdc_scene *scene, const bool *gone, unsigned char *missing)
{
    gc_state *s = state;
    (void)scene;
    gdc_decoder_reset(s->probe);
    for (int w = 0; w < s->plan->workers; w++)
        for (int i = s->plan->row_at[w]; i < s->plan->row_at[w + 1]; i++)
            if (s->heard[i] == ACCEPTED || (s->heard[i] == AWAITED && !gone[w]))
                gdc_decoder_offer(s->probe, w, i - s->plan->row_at[w]);
    bool can = gdc_decoder_complete(s->probe);
    if (!can && missing)
        gdc_decoder_weights(s->probe, s->weight, missing, NULL);
    return can;
}

static gdc_status gc_finish(void *state, const gdc_scene *scene, gdc_outcome *outcome)
{
    gc_state *s = state;
    gdc_decode quality = {.size = sizeof quality};
    gdc_status status = gdc_decoder_weights(s->decoder, s->weight, NULL, &quality);
    if (status != GDC_OK)
        return status;
    int rows = gdc_plan_messages(s->plan);
    for (int v = 0; v < s->plan->blocks; v++)
        for (int i = 0; i < rows; i++)
            if (s->weight[v * rows + i] != 0)
                gdc_fold_block(scene, i, v, s->weight[v * rows + i]);
    *outcome = (gdc_outcome){.used = s->plan->partitions,
                             .scale = 1,
                             .residual = quality.residual_rms,
                             .amplification = quality.amplification};
    return GDC_OK;
}

static bool gc_wants(void *state, const gdc_scene *scene, int worker, int index)
{
    (void)scene;
    return index >= 0 && gdc_decoder_wants(((gc_state *)state)->decoder, worker, index);
}

const gdc_policy_ops gdc_policy_gc = {
    .name = "gc",
    .help = "gradient coding: exact from the first decodable messages, through the master",
    .options = options,
    .options_bytes = sizeof(gc_options),
    .code = "fractional",
    .takes_blocks = true,
    .traits = {.cancels = true, .exact = true},
    .open = gc_open,
    .close = gc_close,
    .begin = gc_begin,
    .arrival = gc_arrival,
    .over = gc_over,
    .can_finish = gc_can_finish,
    .finish = gc_finish,
    .wants = gc_wants,
};

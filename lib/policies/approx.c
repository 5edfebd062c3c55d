/* approx.c - approximate gradient coding: what the first m workers give, weighted so that as little as possible is wrong with it
 * (optimal decoding, arXiv 2006.09638), or by fixed weights that are right on average (arXiv 1905.05383). With erasurehead: the
 * sum of the groups that answered (arXiv 1901.09671).
 *
 * A round ends when `wait` workers have given all their messages; with fewer that still can, when those have. Optimal decoding
 * ends it earlier if the full gradient is decodable. Fixed weights do not look at what arrived, so neither does the end: else
 * they would not be right on average any more.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "engine/policy.h"
#include "engine/samples.h"
#include "plan/code.h"
#include "plan/fixed.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { OWN, OPTIMAL, FIXED };
enum { AWAITED, ACCEPTED, SPENT }; /* SPENT: came for nothing, was erased, or its worker is done without it */

typedef struct approx_options {
    const char *code;
    int wait, decode;
} approx_options;

static const gdc_option options[] = {
    {.key = "code",
     .type = GDC_TEXT,
     .offset = offsetof(approx_options, code),
     .fallback = "erasurehead",
     .help = "the code; all other keys are the code's"},
    {.key = "wait",
     .type = GDC_INT,
     .offset = offsetof(approx_options, wait),
     .min = 1,
     .max = INT_MAX,
     .help = "workers that are waited for, at most all"},
    {.key = "decode",
     .type = GDC_WORD,
     .offset = offsetof(approx_options, decode),
     .fallback = "own",
     .words = "own|optimal|fixed",
     .help = "weights: the least residual; one for all messages, right on average if anybody may be missing; own: what "
             "the code is "
             "made for, for stochastic adding up, else optimal"},
    {.key = NULL},
};

typedef struct approx_state {
    const gdc_plan *plan;
    gdc_decoder *decoder;
    gdc_decoder *probe; /* asks what-if questions */
    int wait;
    double fixed;           /* weight of every message if nobody is missing; 0: optimal */
    bool scales_up;         /* it grows with the number of those who are */
    int given;              /* workers that gave all */
    int kept;               /* messages of the round that may enter */
    int checked;            /* workers 0 .. checked - 1 can give nothing more */
    int *came;              /* [n] sound messages of the round */
    bool *done;             /* [n] nothing more comes */
    unsigned char *heard;   /* [rows] of the round */
    double *weight;         /* [blocks x rows] */
    int *begun;             /* [k + 1] spans that enter: begin minus end at each partition */
    unsigned char *entered; /* [k] */
} approx_state;

/* ---- life ---- */

static void approx_close(void *state)
{
    approx_state *s = state;
    if (!s)
        return;
    gdc_decoder_destroy(s->decoder);
    gdc_decoder_destroy(s->probe);
    free(s->came);
    free(s->done);
    free(s->heard);
    free(s->weight);
    free(s->begun);
    free(s->entered);
    free(s);
}

static gdc_status allocate(approx_state *s)
{
    size_t n = (size_t)s->plan->workers, rows = (size_t)gdc_plan_messages(s->plan) + 1;
    s->came = calloc(n, sizeof *s->came);
    s->done = calloc(n, sizeof *s->done);
    s->heard = calloc(rows, 1);
    s->weight = calloc((size_t)s->plan->blocks * rows, sizeof *s->weight);
    s->begun = calloc((size_t)s->plan->partitions + 1, sizeof *s->begun);
    s->entered = calloc((size_t)s->plan->partitions, 1);
    if (!s->came || !s->done || !s->heard || !s->weight || !s->begun || !s->entered)
        return gdc_fail(GDC_ENOMEM, "approx: no memory for %zu rows", rows);
    gdc_status status = gdc_decoder_create(s->plan, &s->decoder);
    return status == GDC_OK ? gdc_decoder_create(s->plan, &s->probe) : status;
}

static gdc_status choose_decode(approx_state *s, int decode)
{
    double one;
    if (decode == OWN && s->plan->code && s->plan->code->adds)
        s->fixed = 1;
    if (decode != FIXED)
        return GDC_OK;
    if (!gdc_fixed_weight(s->plan, s->probe, s->weight, &one))
        return gdc_fail(GDC_EINVAL,
                        "approx: decode=fixed with code=%s: its rows do not add up to the same on every partition: "
                        "want decode=optimal, or a code as graph, stochastic, erasurehead",
                        s->plan->code ? s->plan->code->name : "?");
    s->fixed = one;
    s->scales_up = true;
    return GDC_OK;
}

static gdc_status approx_open(const void *values, const gdc_plan *plan, bool can_cut, void **state, gdc_traits *traits)
{
    const approx_options *given = values;
    int n = plan->workers;
    (void)can_cut;
    if (given->wait > n)
        return gdc_fail(GDC_EINVAL, "approx: wait=%d with %d workers: want 1 to %d, nearest is %d", given->wait, n, n,
                        n);
    approx_state *s = calloc(1, sizeof *s);
    if (!s)
        return gdc_fail(GDC_ENOMEM, "approx: out of memory");
    *s = (approx_state){.plan = plan, .wait = given->wait};
    gdc_status status = allocate(s);
    if (status == GDC_OK)
        status = choose_decode(s, given->decode);
    if (status != GDC_OK) {
        approx_close(s);
        return status;
    }
    *state = s;
    traits->slots = gdc_plan_messages(plan);
    return GDC_OK;
}

/* ---- rounds ---- */

static void approx_begin(void *state, const gdc_scene *scene)
{
    approx_state *s = state;
    size_t n = (size_t)s->plan->workers;
    (void)scene;
    gdc_decoder_reset(s->decoder);
    s->given = s->kept = s->checked = 0;
    memset(s->came, 0, n * sizeof *s->came);
    memset(s->done, 0, n * sizeof *s->done);
    memset(s->heard, AWAITED, (size_t)gdc_plan_messages(s->plan));
}

/* Fixed weights take every message; optimal ones those that tell something new. */
static bool is_news(const approx_state *s, int worker, int index)
{
    return s->fixed != 0 || gdc_decoder_wants(s->decoder, worker, index);
}

static gdc_verdict judge(approx_state *s, const gdc_arrival *arrival)
{
    int slot = s->plan->row_at[arrival->worker] + arrival->index;
    if (arrival->index < 0 || s->heard[slot] != AWAITED)
        return (gdc_verdict){.fate = GDC_DISCARD};
    s->heard[slot] = SPENT;
    if (!arrival->sound)
        return (gdc_verdict){.fate = GDC_DISCARD};
    s->came[arrival->worker]++;
    if (!is_news(s, arrival->worker, arrival->index))
        return (gdc_verdict){.fate = GDC_DISCARD};
    gdc_decoder_offer(s->decoder, arrival->worker, arrival->index);
    s->heard[slot] = ACCEPTED;
    s->kept++;
    return (gdc_verdict){.fate = GDC_KEEP, .slot = slot};
}

/* A worker that says READY sends nothing more in this round. */
static gdc_verdict approx_arrival(void *state, const gdc_scene *scene, const gdc_arrival *arrival)
{
    approx_state *s = state;
    int w = arrival->worker;
    (void)scene;
    gdc_verdict verdict = judge(s, arrival);
    bool all = s->came[w] == gdc_plan_rows(s->plan, w);
    if (!s->done[w] && (all || arrival->ready)) {
        s->done[w] = true;
        s->given += all;
    }
    return verdict;
}

/* Nobody can give anything more. Workers only ever leave those that can: each is passed by once in a round. */
static bool is_exhausted(approx_state *s, const gdc_scene *scene)
{
    while (s->checked < s->plan->workers && (s->done[s->checked] || scene->dead[s->checked]))
        s->checked++;
    return s->checked == s->plan->workers;
}

/* Fixed weights count whole workers only: of one that is not done, more might still come. */
static bool has_anything(const approx_state *s)
{
    return s->fixed != 0 ? s->given > 0 : s->kept > 0;
}

static bool approx_over(void *state, const gdc_scene *scene)
{
    approx_state *s = state;
    if (s->given >= s->wait || (s->fixed == 0 && gdc_decoder_complete(s->decoder)))
        return true;
    return has_anything(s) && is_exhausted(s, scene);
}

/* ---- could it end? ---- */

static bool can_decode(approx_state *s, const bool *gone)
{
    gdc_decoder_reset(s->probe);
    for (int w = 0; w < s->plan->workers; w++)
        for (int i = s->plan->row_at[w]; i < s->plan->row_at[w + 1]; i++)
            if (s->heard[i] == ACCEPTED || (s->heard[i] == AWAITED && !s->done[w] && !gone[w]))
                gdc_decoder_offer(s->probe, w, i - s->plan->row_at[w]);
    return gdc_decoder_complete(s->probe);
}

/* Whoever is dead is not waited for; whoever is merely gone for now is. */
static bool approx_can_finish(void *state, const gdc_scene *scene, const bool *gone, unsigned char *missing)
{
    approx_state *s = state;
    int reachable = s->given, possible = s->given;
    for (int w = 0; w < s->plan->workers; w++) {
        reachable += !s->done[w] && !gone[w];
        possible += !s->done[w] && !scene->dead[w];
    }
    bool any = has_anything(s) || reachable > s->given;
    if (missing)
        memset(missing, !any, (size_t)s->plan->partitions);
    if (any && (reachable >= s->wait || reachable >= possible))
        return true;
    return any && s->fixed == 0 && can_decode(s, gone);
}

/* ---- the end ---- */

/* What makes up for the missing: n / wait, and n / (those who gave) where no more could. */
static double scale_of(const approx_state *s)
{
    return s->scales_up && s->given > 0 ? (double)s->plan->workers / s->given : 1;
}

static gdc_status fill_weights(approx_state *s, gdc_decode *quality)
{
    if (s->fixed == 0)
        return gdc_decoder_weights(s->decoder, s->weight, NULL, quality);
    double weight = s->fixed * scale_of(s);
    for (int w = 0; w < s->plan->workers; w++)
        for (int i = s->plan->row_at[w]; i < s->plan->row_at[w + 1]; i++)
            s->weight[i] = s->came[w] == gdc_plan_rows(s->plan, w) ? weight : 0;
    *quality = gdc_decoder_measure(s->decoder, s->weight);
    return GDC_OK;
}

static bool enters(const approx_state *s, int row)
{
    for (int v = 0; v < s->plan->blocks; v++)
        if (s->weight[v * gdc_plan_messages(s->plan) + row] != 0)
            return true;
    return false;
}

static void mark_spans(approx_state *s)
{
    int k = s->plan->partitions;
    memset(s->begun, 0, ((size_t)k + 1) * sizeof *s->begun);
    for (int i = 0; i < gdc_plan_messages(s->plan); i++)
        for (int t = 0; t < s->plan->row[i].terms && enters(s, i); t++) {
            gdc_span span = s->plan->row[i].term[t].span;
            s->begun[span.first % k]++;
            s->begun[span.first % k + span.count]--;
        }
}

/* The share of samples in partitions of which anything entered, whatever the factor. */
static double share_used(approx_state *s, const double *samples)
{
    int k = s->plan->partitions, open = 0;
    double used = 0;
    mark_spans(s);
    for (int p = 0; p < k; p++) {
        open += s->begun[p];
        s->entered[p] = open > 0;
        used += open > 0 ? gdc_samples_in(samples, k, (gdc_span){p, 1}) : 0;
    }
    return used / gdc_samples_in(samples, k, (gdc_span){0, k});
}

static gdc_status approx_finish(void *state, const gdc_scene *scene, gdc_outcome *outcome)
{
    approx_state *s = state;
    gdc_decode quality = {.size = sizeof quality};
    gdc_status status = fill_weights(s, &quality);
    if (status != GDC_OK)
        return status;
    int rows = gdc_plan_messages(s->plan);
    for (int v = 0; v < s->plan->blocks; v++)
        for (int i = 0; i < rows; i++)
            if (s->weight[v * rows + i] != 0)
                gdc_fold_block(scene, i, v, s->weight[v * rows + i]);
    *outcome = (gdc_outcome){.used = s->plan->partitions * share_used(s, scene->samples),
                             .exact = quality.missing == 0,
                             .scale = quality.missing == 0 ? 1 : scale_of(s),
                             .residual = quality.residual_rms,
                             .amplification = quality.amplification,
                             .entered = s->entered};
    return GDC_OK;
}

static bool approx_wants(void *state, const gdc_scene *scene, int worker, int index)
{
    (void)scene;
    return index >= 0 && is_news(state, worker, index);
}

const gdc_policy_ops gdc_policy_approx = {
    .name = "approx",
    .help = "approximate gradient coding: the best, or a fixed, combination of the first `wait` workers, through the "
            "master",
    .options = options,
    .options_bytes = sizeof(approx_options),
    .code = "erasurehead",
    .takes_blocks = true,
    .traits = {.cancels = true, .overlaps = true},
    .open = approx_open,
    .close = approx_close,
    .begin = approx_begin,
    .arrival = approx_arrival,
    .over = approx_over,
    .can_finish = approx_can_finish,
    .finish = approx_finish,
    .wants = approx_wants,
};

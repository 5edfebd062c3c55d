/* drop.c - DropCompute: micro-batches past a threshold of the worker's own clock are dropped, then all workers all-reduce
 * (arXiv 2306.10598). check=piece is cooperative: the micro-batch that crosses tau counts, so at least one always does.
 * check=poll cuts the running one at tau and loses it. With tau=auto nothing is dropped until the threshold was chosen from
 * profiled rounds.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "engine/policy.h"
#include "engine/samples.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { BY_MAX, BY_KEPT };
enum { RESAMPLE_NONE, RESAMPLE_STEPS, RESAMPLE_BATCH };
/* The first rounds are not like the others; a round takes at most so many times its batch. */
enum { WARMUP = 5, PROFILE = 20, PROFILE_MOST = 1000, BATCH_MOST = 4 };

typedef struct drop_options {
    double tau;                               /* NaN: auto */
    int norm, check, profile, resample, most; /* profile, most: INT_MIN: auto */
} drop_options;

static const gdc_option options[] = {
    {.key = "tau",
     .type = GDC_REAL,
     .offset = offsetof(drop_options, tau),
     .min = 1e-9,
     .max = INFINITY,
     .words = "auto",
     .positional = 1,
     .help = "threshold in seconds since the model was updated; inf drops nothing; auto: chosen after 5 rounds and a "
             "profile"},
    {.key = "norm",
     .type = GDC_WORD,
     .offset = offsetof(drop_options, norm),
     .fallback = "by-max",
     .words = "by-max|by-kept",
     .help = "divide by all samples of the batch, or by those kept over all workers"},
    {.key = "check",
     .type = GDC_WORD,
     .offset = offsetof(drop_options, check),
     .fallback = "piece",
     .words = "piece|poll", /* as gdc_check */
     .help = "look at the clock after each micro-batch, or cut the running one"},
    {.key = "profile",
     .type = GDC_INT,
     .offset = offsetof(drop_options, profile),
     .fallback = "auto",
     .min = 1,
     .max = PROFILE_MOST,
     .words = "auto",
     .help = "rounds that tau=auto (or resample=batch) is chosen from, nothing dropped; auto: 20 with tau=auto"},
    {.key = "resample",
     .type = GDC_WORD,
     .offset = offsetof(drop_options, resample),
     .fallback = "none",
     .words = "none|steps|batch",
     .help =
         "make up for dropped samples: by more rounds (the tool: until as many samples were used, at most 4 times the "
         "rounds), or by more micro-batches per round while tau lasts (M M / E[kept], at most 4 M; a chosen tau grows "
         "with them)"},
    {.key = "most",
     .type = GDC_INT,
     .offset = offsetof(drop_options, most),
     .fallback = "auto",
     .min = 1,
     .max = INT_MAX,
     .words = "auto",
     .help = "resample=batch with a given tau: micro-batches per worker and round, M to 4 M; auto: from the profile"},
    {.key = NULL},
};

typedef struct drop_state {
    drop_options given;
    gdc_lesson lesson;
    double tau;
    int pieces, most; /* M; micro-batches per worker and round */
    char chosen[80];
} drop_state;

static gdc_status check_batch(const drop_options *o, int pieces)
{
    bool is_auto = isnan(o->tau), is_profiled = o->profile != INT_MIN, is_given = o->most != INT_MIN;
    bool enlarges = o->resample == RESAMPLE_BATCH;
    if (is_given && (!enlarges || is_auto || is_profiled))
        return gdc_fail(GDC_EINVAL,
                        "drop: most=%d goes with resample=batch and a tau in seconds, without profile=", o->most);
    if (is_given && (o->most < pieces || o->most > BATCH_MOST * (double)pieces))
        return gdc_fail(GDC_EINVAL, "drop: most=%d: want %d to %d with %d micro-batches per shard", o->most, pieces,
                        BATCH_MOST * pieces, pieces);
    if (enlarges && !is_auto && !is_profiled && !is_given)
        return gdc_fail(GDC_EINVAL,
                        "drop: resample=batch must know how much tau=%g keeps: want profile=1 to %d or most=%d to %d "
                        "beside it, or tau=auto",
                        o->tau, PROFILE_MOST, pieces, BATCH_MOST * pieces);
    if (!enlarges && !is_auto && is_profiled)
        return gdc_fail(GDC_EINVAL,
                        "drop: profile=%d has nothing to choose with tau=%g: want tau=auto or resample=batch",
                        o->profile, o->tau);
    return GDC_OK;
}

static gdc_status check_options(drop_options *o, int pieces, bool can_cut)
{
    if (o->check == GDC_CHECK_POLL && !can_cut)
        return gdc_fail(GDC_EINVAL,
                        "drop: check=poll cuts a running micro-batch, which needs poll_s (--poll) in seconds");
    gdc_status status = check_batch(o, pieces);
    if (o->profile == INT_MIN)
        o->profile = isnan(o->tau) ? PROFILE : 0;
    if (o->most == INT_MIN)
        o->most = pieces;
    return status;
}

static gdc_status drop_open(const void *values, const gdc_plan *plan, bool can_cut, void **state, gdc_traits *traits)
{
    drop_options given = *(const drop_options *)values;
    (void)traits;
    if (given.resample == RESAMPLE_BATCH && plan->partitions > INT_MAX / BATCH_MOST)
        return gdc_fail(GDC_EINVAL, "drop: resample=batch with %d partitions in a batch: want at most %d of them",
                        plan->partitions, INT_MAX / BATCH_MOST);
    gdc_status status = check_options(&given, gdc_plan_held(plan, 0), can_cut);
    if (status != GDC_OK)
        return status;
    drop_state *s = calloc(1, sizeof *s);
    if (!s)
        return gdc_fail(GDC_ENOMEM, "drop: out of memory");
    s->given = given;
    s->lesson = (gdc_lesson){.warmup = given.profile > 0 ? WARMUP : 0, .rounds = given.profile};
    s->tau = given.profile > 0 ? INFINITY : given.tau;
    s->pieces = gdc_plan_held(plan, 0);
    s->most = given.most;
    *state = s;
    return GDC_OK;
}

static void drop_close(void *state)
{
    free(state);
}

/* ---- learning ---- */

static gdc_lesson drop_lesson(const void *state)
{
    return ((const drop_state *)state)->lesson;
}

static gdc_status drop_learn(void *state, const gdc_profile *profile)
{
    drop_state *s = state;
    gdc_threshold t;
    gdc_check check = (gdc_check)s->given.check;
    bool is_given = !isnan(s->given.tau);
    gdc_status status =
        is_given ? gdc_profile_judge(profile, s->given.tau, check, &t) : gdc_profile_choose(profile, check, 0, &t);
    if (status != GDC_OK)
        return status;
    if (s->given.resample == RESAMPLE_BATCH)
        gdc_profile_enlarge(profile, check, is_given, &t, &s->most);
    s->tau = t.tau_s;
    int written = snprintf(s->chosen, sizeof s->chosen, "tau=%.9g", s->tau);
    if (s->given.resample == RESAMPLE_BATCH)
        snprintf(s->chosen + written, sizeof s->chosen - (size_t)written, ",most=%d", s->most);
    return GDC_OK;
}

static const char *drop_chosen(const void *state)
{
    return ((const drop_state *)state)->chosen;
}

/* ---- rounds ---- */

/* Nothing kept has nothing to be scaled up. With extra micro-batches the number kept no longer says which. */
static gdc_outcome drop_reduced(const void *state, double kept, double wanted)
{
    const drop_state *s = state;
    double scale = s->given.norm == BY_KEPT && kept > 0 ? wanted / kept : 1;
    return (gdc_outcome){.exact = kept == wanted && s->most == s->pieces, .scale = scale};
}

typedef struct drop_half {
    int asked; /* pieces asked for on this model: more than done after a cut */
} drop_half;

static void drop_start(const void *state, void *half, const gdc_boundary *at)
{
    (void)state;
    (void)at;
    ((drop_half *)half)->asked = 0;
}

static gdc_step drop_next(const void *state, void *half, const gdc_boundary *at)
{
    const drop_state *s = state;
    drop_half *h = half;
    const gdc_step reduce = {.kind = GDC_REDUCE};
    bool was_cut = h->asked > at->done;
    if (at->done >= s->most || was_cut)
        return reduce;
    gdc_step compute = {.kind = GDC_COMPUTE, .partition = gdc_own_piece(at->plan, at->worker, at->done)};
    if (s->given.check == GDC_CHECK_PIECE && at->done > 0 && at->since_model_s > s->tau)
        return reduce;
    if (s->given.check == GDC_CHECK_POLL && !isinf(s->tau)) {
        compute.cut_s = s->tau - at->since_model_s;
        if (compute.cut_s <= 0)
            return reduce;
    }
    h->asked++;
    return compute;
}

const gdc_policy_ops gdc_policy_drop = {
    .name = "drop",
    .help = "DropCompute: drops micro-batches past tau, then one all-reduce",
    .options = options,
    .options_bytes = sizeof(drop_options),
    .collective = true,
    .half_bytes = sizeof(drop_half),
    .open = drop_open,
    .close = drop_close,
    .reduced = drop_reduced,
    .lesson = drop_lesson,
    .learn = drop_learn,
    .chosen = drop_chosen,
    .start = drop_start,
    .next = drop_next,
};

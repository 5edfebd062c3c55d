/* drop.c - DropCompute: micro-batches past a threshold of the worker's own clock are dropped, then all workers all-reduce
 * (arXiv 2306.10598). check=piece is cooperative: the micro-batch that crosses tau counts, so at least one always does.
 * check=poll cuts the running one at tau and loses it.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "engine/policy.h"

#include <math.h>
#include <stdlib.h>

enum { BY_MAX, BY_KEPT };
enum { CHECK_PIECE, CHECK_POLL };

typedef struct drop_options {
    double tau;
    int norm, check;
} drop_options;

static const gdc_option options[] = {
    {.key = "tau",
     .type = GDC_REAL,
     .offset = offsetof(drop_options, tau),
     .min = 1e-9,
     .max = INFINITY,
     .positional = 1,
     .help = "threshold in seconds since the model was updated; inf drops nothing"},
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
     .words = "piece|poll",
     .help = "look at the clock after each micro-batch, or cut the running one"},
    {.key = NULL},
};

static gdc_status drop_open(const void *values, const gdc_plan *plan, bool can_cut, void **state, gdc_traits *traits)
{
    const drop_options *given = values;
    (void)plan;
    if (given->check == CHECK_POLL && !can_cut)
        return gdc_fail(GDC_EINVAL,
                        "drop: check=poll cuts a running micro-batch, which needs poll_s (--poll) in seconds");
    drop_options *s = malloc(sizeof *s);
    if (!s)
        return gdc_fail(GDC_ENOMEM, "drop: out of memory");
    *s = *given;
    *state = s;
    (void)traits;
    return GDC_OK;
}

static void drop_close(void *state)
{
    free(state);
}

/* Nothing kept has nothing to be scaled up. */
static double drop_scale(const void *state, double kept, double wanted)
{
    const drop_options *s = state;
    return s->norm == BY_KEPT && kept > 0 ? wanted / kept : 1;
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
    const drop_options *s = state;
    drop_half *h = half;
    const gdc_step reduce = {.kind = GDC_REDUCE};
    gdc_step compute = {.kind = GDC_COMPUTE, .partition = gdc_plan_walk(at->plan, at->worker, at->done)};
    bool was_cut = h->asked > at->done;
    if (compute.partition < 0 || was_cut)
        return reduce;
    if (s->check == CHECK_PIECE && at->done > 0 && at->since_model_s > s->tau)
        return reduce;
    if (s->check == CHECK_POLL && !isinf(s->tau)) {
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
    .scale = drop_scale,
    .start = drop_start,
    .next = drop_next,
};

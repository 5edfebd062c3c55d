/* local.c - local SGD (arXiv 1805.09767): H steps on a model of one's own, each on a mini-batch of one shard's share, then
 * the models are averaged by one all-reduce of the summed gradients. With tau the local steps are DropCompute's accumulations (arXiv
 * 2306.10598): after each of them a worker looks at its clock, the step that crosses tau counts, missing ones count as zero.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "engine/policy.h"
#include "engine/samples.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

enum { STEPS_MOST = 1000 };

typedef struct local_options {
    int steps;
    double tau;
} local_options;

static const gdc_option options[] = {
    {.key = "steps",
     .type = GDC_INT,
     .offset = offsetof(local_options, steps),
     .min = 1,
     .max = STEPS_MOST,
     .positional = 1,
     .help = "H, local steps per round, by the plain learning rate, each on a further mini-batch of the own shard"},
    {.key = "tau",
     .type = GDC_REAL,
     .offset = offsetof(local_options, tau),
     .fallback = "inf",
     .min = 1e-9,
     .max = INFINITY,
     .help = "threshold in seconds since the model was updated, looked at after each local step; inf: all steps"},
    {.key = NULL},
};

static gdc_status local_open(const void *values, const gdc_plan *plan, bool can_cut, void **state, gdc_traits *traits)
{
    int steps = ((const local_options *)values)->steps, most = INT_MAX / plan->partitions;
    (void)can_cut;
    if (steps > most)
        return gdc_fail(GDC_EINVAL, "local: steps=%d with %d partitions in a batch: want 1 to %d, nearest is %d", steps,
                        plan->partitions, most, most);
    local_options *s = malloc(sizeof *s);
    if (!s)
        return gdc_fail(GDC_ENOMEM, "local: out of memory");
    *s = *(const local_options *)values;
    traits->exact = s->steps == 1;
    traits->local_steps = s->steps > 1;
    *state = s;
    return GDC_OK;
}

static void local_close(void *state)
{
    free(state);
}

static gdc_outcome local_reduced(const void *state, double kept, double wanted)
{
    const local_options *s = state;
    return (gdc_outcome){.exact = s->steps == 1 && kept == wanted, .scale = 1};
}

typedef struct local_half {
    int steps; /* taken on this model */
} local_half;

static void local_start(const void *state, void *half, const gdc_boundary *at)
{
    (void)state;
    (void)at;
    ((local_half *)half)->steps = 0;
}

/* The last step is not taken: its gradient goes straight into the reduction. */
static gdc_step local_next(const void *state, void *half, const gdc_boundary *at)
{
    const local_options *s = state;
    local_half *h = half;
    int complete = at->done / gdc_plan_held(at->plan, at->worker);
    if (complete == s->steps || (complete > h->steps && at->since_model_s > s->tau))
        return (gdc_step){.kind = GDC_REDUCE};
    if (complete > h->steps) {
        h->steps = complete;
        return (gdc_step){.kind = GDC_LOCAL_STEP};
    }
    return (gdc_step){.kind = GDC_COMPUTE, .partition = gdc_own_piece(at->plan, at->worker, at->done)};
}

const gdc_policy_ops gdc_policy_local = {
    .name = "local",
    .help = "local SGD: H steps on an own model, then one all-reduce averages the models",
    .options = options,
    .options_bytes = sizeof(local_options),
    .collective = true,
    .half_bytes = sizeof(local_half),
    .open = local_open,
    .close = local_close,
    .reduced = local_reduced,
    .start = local_start,
    .next = local_next,
};

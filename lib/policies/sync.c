/* sync.c - plain synchronous descent: every worker computes its own shard, then all-reduces. The baseline
 * (against asynchronous descent: arXiv 1604.00981).
 * SPDX-License-Identifier: BSD-3-Clause */
#include "engine/policy.h"

#include <math.h>

static const gdc_option options[] = {{.key = NULL}};

static gdc_status sync_open(const void *values, const gdc_plan *plan, bool can_cut, void **state, gdc_traits *traits)
{
    (void)values;
    (void)plan;
    (void)can_cut;
    (void)traits;
    *state = NULL;
    return GDC_OK;
}

static void sync_close(void *state)
{
    (void)state;
}

static gdc_outcome sync_reduced(const void *state, double kept, double wanted)
{
    (void)state;
    return (gdc_outcome){.exact = kept == wanted, .scale = 1};
}

static gdc_step sync_next(const void *state, void *half, const gdc_boundary *at)
{
    (void)state;
    (void)half;
    int partition = gdc_plan_walk(at->plan, at->worker, at->done);
    if (partition < 0)
        return (gdc_step){.kind = GDC_REDUCE};
    return (gdc_step){.kind = GDC_COMPUTE, .partition = partition};
}

const gdc_policy_ops gdc_policy_sync = {
    .name = "sync",
    .help = "plain synchronous: all workers, one all-reduce (the baseline)",
    .options = options,
    .options_bytes = 1,
    .collective = true,
    .traits = {.exact = true},
    .open = sync_open,
    .close = sync_close,
    .reduced = sync_reduced,
    .next = sync_next,
};

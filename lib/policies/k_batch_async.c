/* k_batch_async.c - K-batch-async: an update takes the first K mini-batches, however old their models; no worker
 * is ever idle (arXiv 1803.01113).
 * SPDX-License-Identifier: BSD-3-Clause */
#include "policies/parts/first_k.h"

static const gdc_option options[] = {
    {.key = "k",
     .type = GDC_INT,
     .offset = offsetof(gdc_first_k_options, k),
     .positional = 1,
     .help = "mini-batches per update: 1 to 1000 n"},
    {.key = "cancel",
     .type = GDC_INT,
     .offset = offsetof(gdc_first_k_options, cancel),
     .fallback = "0",
     .min = 0,
     .max = 1,
     .help = "1: those at work at an update are told to give up; 0: they go on, and what they bring counts"},
    {.key = "step",
     .type = GDC_WORD,
     .offset = offsetof(gdc_first_k_options, step),
     .fallback = "fixed",
     .words = "fixed|adaptive|drop",
     .help = "a gradient staler than the number b of live workers: factor 1, b / staleness, or 0"},
    {.key = NULL},
};

static gdc_status k_batch_async_open(const void *values, const gdc_plan *plan, bool can_cut, void **state,
                                     gdc_traits *traits)
{
    static const gdc_first_k_kind kind = {.name = "k-batch-async", .any = true, .stale = true};
    (void)can_cut;
    return gdc_first_k_open(&kind, values, plan, state, traits);
}

const gdc_policy_ops gdc_policy_k_batch_async = {
    .name = "k-batch-async",
    .help = "the first k mini-batches, stale ones too; no worker is ever idle",
    .options = options,
    .options_bytes = sizeof(gdc_first_k_options),
    .traits = {.counts_stale = true},
    .open = k_batch_async_open,
    .close = gdc_first_k_close,
    .begin = gdc_first_k_begin,
    .ready = gdc_first_k_ready,
    .arrival = gdc_first_k_arrival,
    .over = gdc_first_k_over,
    .can_finish = gdc_first_k_can_finish,
    .finish = gdc_first_k_finish,
    .next = gdc_first_k_next,
};

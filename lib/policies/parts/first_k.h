/* first_k.h - the machine of the K family: an update takes the first K mini-batches (arXiv 2003.10579, 1803.01113).
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A mini-batch is one shard's share of the batch. Two switches make four policies:
 *
 *                    one from each worker   any (a pusher goes on with another mini-batch at once)
 *     current model  k-sync                 k-batch-sync
 *     any model      k-async                k-batch-async
 *
 * One from each: a worker that has given waits for the update, and only those who have given, were cancelled or are new get
 * the new model. Any: a worker that says READY gets the newest model, or, if it has that, its q-th extra mini-batch
 * {shard.first + q*k, M}, q = 1, 2, ... counted here. Current model: what was computed on an older one is discarded.
 * cancel=1 rings all that are at work when an update is made; a vector that crosses the ring still counts where stale ones do.
 *
 * The sum is scaled by samples wanted / samples received. An asynchronous policy may weigh stale gradients (step=, arXiv
 * 2103.02351): with b live workers, a gradient of staleness tau > b has the factor b / tau (adaptive) or 0 (drop), so that
 * the largest step size that is safe at delay b, 1/(4 L b), becomes min(., 1/(4 L tau)); it counts as received all the same.
 *
 * One from each: vectors are kept, and folded in the order of workers (same set, same bits). Any: folded on arrival, so that
 * memory does not grow with K, and the order of arrival shows in the last bits.
 *
 * An erased or failed mini-batch does not count; its worker gives nothing more on the same model. */
#ifndef GDC_POLICIES_PARTS_FIRST_K_H
#define GDC_POLICIES_PARTS_FIRST_K_H

#include "engine/policy.h"

enum { GDC_STEP_FIXED, GDC_STEP_ADAPTIVE, GDC_STEP_DROP };

typedef struct gdc_first_k_kind {
    const char *name;
    bool any;   /* else one mini-batch from each worker */
    bool stale; /* mini-batches of older models count */
} gdc_first_k_kind;

typedef struct gdc_first_k_options {
    int k, cancel, step;
} gdc_first_k_options;

typedef struct gdc_first_k gdc_first_k;

/* For a table whose options are gdc_first_k_options; also writes traits. EINVAL: k out of range. */
gdc_status gdc_first_k_open(const gdc_first_k_kind *kind, const gdc_first_k_options *options, const gdc_plan *plan,
                            void **state, gdc_traits *traits);
void gdc_first_k_close(void *state);

void gdc_first_k_begin(void *state, const gdc_scene *scene);
gdc_answer gdc_first_k_ready(void *state, const gdc_scene *scene, int worker);
gdc_verdict gdc_first_k_arrival(void *state, const gdc_scene *scene, const gdc_arrival *arrival);
bool gdc_first_k_over(void *state, const gdc_scene *scene);
bool gdc_first_k_can_finish(void *state, const gdc_scene *scene, const bool *gone, unsigned char *missing);
gdc_status gdc_first_k_finish(void *state, const gdc_scene *scene, gdc_outcome *outcome);

/* The worker's half: walk the own shard, send its sum. Has no state. */
gdc_step gdc_first_k_next(const void *state, void *half, const gdc_boundary *at);

/* For a policy that chooses K anew for each round, before begin. With fewer live workers than k, but not than least, one
 * from each of them is enough. */
void gdc_first_k_want(gdc_first_k *machine, int k, int least);
int gdc_first_k_received(const gdc_first_k *machine); /* in this round */
double gdc_first_k_loss(const gdc_first_k *machine);  /* mean per sample of what was received; NaN: not told */

#endif

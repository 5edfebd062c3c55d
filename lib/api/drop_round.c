/* drop_round.c - rounds of the all-reduce family.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * One buffer of d + 1 numbers travels (with norms d + 5, see drop_norms.c): the gradient and, behind it, the samples that
 * were LEFT OUT. Not those kept: where nothing was left out the sum is exactly 0 in every type, so that sync, tau = inf and
 * a round that nobody cut get a factor of exactly 1. In float32 a count above 2^24 is rounded: `used` and the factor of by-
 * kept are then good to about 1e-7, as is the gradient. */
#include "gradcode/drop.h"

#include "api/drop_handle.h"
#include "engine/samples.h"
#include "kernels/vector.h"

#include <limits.h>
#include <math.h>
#include <string.h>

/* Once: all ranks get the same table, so all choose the same, or none goes on: one may lack memory. Each times its own
 * pieces, rank 0 the rounds. */
static gdc_status learn(gdc_drop *drop)
{
    size_t count = 0;
    gdc_watch *watch = &drop->watch;
    if (!gdc_watch_is_full(watch)) {
        return GDC_OK;
    }
    if (drop->id == 0) {
        gdc_profile_set_wall(watch->profile, gdc_drop_now(drop) - watch->began_s);
    }
    const double *mine = gdc_profile_raw(watch->profile, &count);
    gdc_status status = gdc_reducer_share(&drop->reducer, mine, gdc_profile_raw(drop->shared, &count), (int)count);
    if (status == GDC_OK) {
        gdc_profile_destroy(watch->profile);
        watch->profile = drop->shared;
        drop->shared = NULL;
        status = gdc_reducer_agree(&drop->reducer, gdc_watch_learn(watch));
    }
    drop->broken = status; /* whoever has not learnt would go on by another threshold */
    return status;
}

gdc_status gdc_drop_begin(gdc_drop *drop)
{
    if (drop->broken != GDC_OK) {
        return gdc_fail(drop->broken, "an earlier all-reduce failed; there are no further rounds");
    }
    if (drop->is_open) {
        return gdc_fail(GDC_EINVAL, "gdc_drop_begin: round %llu was not reduced yet",
                        (unsigned long long)drop->round.version);
    }
    gdc_status status = learn(drop);
    if (status != GDC_OK) {
        return gdc_fail(status, "before round %llu: %s", (unsigned long long)drop->next_version, gdc_last_error());
    }
    gdc_hint hint = {.limit = INT_MAX, .nominal_s = NAN};
    double now_s = gdc_drop_now(drop);
    drop->is_open = true;
    drop->steps = 0;
    gdc_watch_begin(&drop->watch, now_s);
    drop->is_at_reduce = drop->wants_cut = drop->can_cut_pieces = drop->has_failed = false;
    drop->round = (gdc_round){.size = sizeof drop->round,
                              .version = drop->next_version++,
                              .amplification = NAN,
                              .began_s = now_s,
                              .loss = NAN};
    gdc_worker_model(drop->machine, drop->round.version, hint, now_s);
    gdc_drop_strike(drop, GDC_AT_MODEL);
    return GDC_OK;
}

/* What comes next, as gdc_drop_more says it. */
static int next_thing(gdc_drop *drop)
{
    if (drop->is_at_reduce) {
        return GDC_DROP_REDUCE;
    }
    gdc_step step = gdc_worker_next(drop->machine, gdc_drop_now(drop));
    if (step.kind == GDC_COMPUTE) {
        gdc_drop_start_piece(drop, &step);
        return GDC_DROP_PIECE;
    }
    if (step.kind == GDC_LOCAL_STEP) {
        return GDC_DROP_STEP;
    }
    drop->is_at_reduce = true;
    if (step.kind == GDC_REDUCE) {
        gdc_worker_reduced(drop->machine);
    }
    return GDC_DROP_REDUCE;
}

int gdc_drop_more(gdc_drop *drop, int *partition)
{
    if (!drop->is_open) {
        return GDC_DROP_REDUCE;
    }
    if (drop->has_piece) {
        gdc_drop_end_piece(drop);
    }
    int what = next_thing(drop);
    if (what != GDC_DROP_REDUCE) {
        *partition = what == GDC_DROP_PIECE ? drop->partition : -1;
    }
    return what;
}

static void put_last(const gdc_drop *drop, void *vector, double value)
{
    size_t d = drop->reducer.link.dimension;
    if (drop->reducer.link.f32) {
        ((float *)vector)[d] = (float)value;
    } else {
        ((double *)vector)[d] = value;
    }
}

static double last_of(const gdc_drop *drop, const void *vector)
{
    size_t d = drop->reducer.link.dimension;
    return drop->reducer.link.f32 ? (double)((const float *)vector)[d] : ((const double *)vector)[d];
}

static void poison(const gdc_drop *drop, void *vector)
{
    if (drop->reducer.link.f32) {
        *(float *)vector = NAN;
    } else {
        *(double *)vector = NAN;
    }
}

/* Samples of this rank's shard that do not count; negative where it did more than its shard. */
static double left_out(const gdc_drop *drop)
{
    const gdc_plan *plan = drop->parts.plan;
    int done = gdc_worker_done(drop->machine), shard = drop->options.partitions;
    double sum = 0;
    for (int i = done; i < shard; i++) {
        sum += drop->samples[gdc_own_piece(plan, drop->id, i)];
    }
    for (int i = shard; i < done; i++) {
        sum -= drop->samples[gdc_own_piece(plan, drop->id, i) % gdc_plan_partitions(plan)];
    }
    return sum;
}

/* A rounded count must not turn "nothing was kept" into a tiny number. */
static double kept_samples(const gdc_drop *drop, double dropped)
{
    double kept = drop->wanted - dropped;
    return kept > drop->wanted * (drop->reducer.link.f32 ? 1e-6 : 1e-12) ? kept : 0;
}

static void count_round(gdc_drop *drop)
{
    const gdc_link *link = &drop->reducer.link;
    uint64_t n = (uint64_t)link->ranks, bytes = 2 * (n - 1) * (uint64_t)link->payload_bytes;
    drop->stats.messages++;
    drop->stats.bytes += bytes / n + ((uint64_t)link->rank < bytes % n ? 1 : 0);
    drop->stats.used += gdc_worker_done(drop->machine);
    drop->stats.home_used += gdc_worker_done(drop->machine);
}

static void started(void *context)
{
    gdc_drop_strike(context, GDC_AT_SENT);
}

/* part [reducer.count]: what is behind the gradient is written here. norm2: of the partials in it; NaN: not known. */
static gdc_status reduce(gdc_drop *drop, void *part, double norm2, void *gradient)
{
    const gdc_link *link = &drop->reducer.link;
    put_last(drop, part, left_out(drop));
    gdc_drop_put_norms(drop, norm2, part);
    if (drop->has_failed || gdc_drop_spoils(drop)) {
        poison(drop, part);
    }
    long slack = gdc_slack_enter();
    gdc_status status = gdc_reducer_sum(&drop->reducer, part, drop->reduced, started, drop);
    gdc_slack_leave(slack);
    drop->is_open = false;
    if (drop->reducer.is_broken) {
        drop->broken = status;
    }
    if (status != GDC_OK) {
        return gdc_fail(status, "round %llu: %s", (unsigned long long)drop->round.version, gdc_last_error());
    }
    gdc_watch_reduced(&drop->watch);
    double kept = kept_samples(drop, last_of(drop, drop->reduced));
    gdc_outcome outcome = drop->parts.ops->reduced(drop->parts.state, kept, drop->wanted);
    drop->round.exact = outcome.exact;
    drop->round.used = kept / drop->wanted;
    drop->round.scale = outcome.scale;
    drop->round.messages = link->ranks;
    drop->round.vectors = drop->round.fresh = (uint64_t)link->ranks;
    drop->round.samples = kept;
    gdc_drop_take_norms(drop, drop->reduced, &drop->round);
    memcpy(gradient, drop->reduced, link->payload_bytes);
    if (drop->round.scale != 1) {
        gdc_scale(link->f32, link->dimension, drop->round.scale, gradient);
    }
    count_round(drop);
    drop->round.ended_s = gdc_drop_now(drop);
    return GDC_OK;
}

static void hand_over(const gdc_drop *drop, gdc_round *round)
{
    if (round) {
        size_t size = round->size > 0 && round->size < sizeof *round ? round->size : sizeof *round;
        memcpy(round, &drop->round, size);
        round->size = size;
    }
}

gdc_status gdc_drop_reduce(gdc_drop *drop, void *gradient, gdc_round *round)
{
    if (!drop->is_open) {
        return gdc_fail(GDC_EINVAL, "gdc_drop_reduce: gdc_drop_begin comes first");
    }
    if (!drop->is_at_reduce) {
        return gdc_fail(GDC_EINVAL, "gdc_drop_reduce: gdc_drop_more has not said 0 yet");
    }
    if (drop->wants_cut) {
        drop->is_open = false;
        return gdc_fail(GDC_EINVAL,
                        "%s: micro-batches of an own loop cannot be cut: want check=piece, or gdc_drop_gradient",
                        drop->options.strategy);
    }
    if (gradient != drop->own) {
        memcpy(drop->own, gradient, drop->reducer.link.payload_bytes);
    }
    gdc_status status = reduce(drop, drop->own, NAN, gradient);
    if (status == GDC_OK) {
        hand_over(drop, round);
    }
    return status;
}

void *gdc_drop_buffer(gdc_drop *drop)
{
    return drop->own;
}

/* ---- through a callback -------------------------------------------------------------------------- */

/* The own model moves by the mean gradient of the mini-batch, which is added to those before it. */
static void step_locally(gdc_drop *drop)
{
    static const double one = 1;
    const gdc_link *link = &drop->reducer.link;
    int pieces = 0;
    void *batch = gdc_sums_take_all(drop->sums, &pieces);
    const void *in = batch;
    double samples = gdc_own_samples(drop->parts.plan, drop->id, drop->samples, drop->options.partitions);
    double weight = -drop->options.local_rate / samples;
    gdc_combine(link->f32, link->dimension, 1, &weight, &in, true, drop->local);
    gdc_combine(link->f32, link->dimension, 1, &one, &in, drop->steps++ > 0, drop->total);
    gdc_sums_give(drop->sums, batch);
}

/* The last mini-batch and those that were stepped on. */
static void *take_sum(gdc_drop *drop)
{
    static const double one = 1;
    const gdc_link *link = &drop->reducer.link;
    int pieces = 0;
    void *sum = gdc_sums_take_all(drop->sums, &pieces);
    const void *in = drop->total;
    if (drop->steps > 0) {
        gdc_combine(link->f32, link->dimension, 1, &one, &in, true, sum);
    }
    return sum;
}

static int compute(gdc_drop *drop, const void *model, gdc_partial_fn partial, void *context)
{
    gdc_task task = {.size = sizeof task,
                     .version = drop->round.version,
                     .worker = drop->id,
                     .partition = drop->partition,
                     .model = model,
                     .loss = NAN};
    gdc_sums_open(drop->sums, drop->partition); /* nothing is out, so there is room */
    void *sum = gdc_sums_target(drop->sums, drop->partition, &task.scale);
    return partial(context, &task, sum);
}

/* The others wait in the reduction: a rank that has failed takes part with a sum that is no number, which names it. */
static void fail_piece(gdc_drop *drop, int code)
{
    drop->has_piece = false;
    drop->has_failed = true;
    drop->stats.error = code;
    gdc_sums_abandon(drop->sums);
    gdc_worker_failed(drop->machine, gdc_drop_now(drop));
}

static void run_piece(gdc_drop *drop, const void *model, gdc_partial_fn partial, void *context)
{
    int code = compute(drop, model, partial, context);
    if (code != 0) {
        fail_piece(drop, code);
        return;
    }
    gdc_sums_added(drop->sums, drop->partition);
    if (!gdc_drop_end_piece(drop)) {
        gdc_sums_cut(drop->sums);
    }
}

gdc_status gdc_drop_gradient(gdc_drop *drop, const void *model, gdc_partial_fn partial, void *context, void *gradient,
                             gdc_round *round)
{
    gdc_status status = gdc_drop_begin(drop);
    if (status != GDC_OK) {
        return status;
    }
    drop->can_cut_pieces = isfinite(drop->options.poll_s);
    if (drop->local) {
        memcpy(drop->local, model, drop->reducer.link.payload_bytes);
        model = drop->local;
    }
    for (int what; (what = next_thing(drop)) != GDC_DROP_REDUCE;) {
        if (what == GDC_DROP_STEP) {
            step_locally(drop);
        } else {
            run_piece(drop, model, partial, context);
        }
    }
    void *vector = take_sum(drop);
    bool has_failed = drop->has_failed;
    /* norms of local steps are taken at models of their own: they say nothing about this one */
    status = reduce(drop, vector, drop->local ? NAN : gdc_sums_norm2(drop->sums), gradient);
    if (!drop->reducer.is_broken) {
        gdc_sums_give(drop->sums, vector);
    }
    if (status != GDC_OK) {
        return has_failed
                   ? gdc_fail(status, "%s (here the callback failed with code %d)", gdc_last_error(), drop->stats.error)
                   : status;
    }
    hand_over(drop, round);
    return GDC_OK;
}

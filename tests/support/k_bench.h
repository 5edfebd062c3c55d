/* k_bench.h - a virtual engine whose gradients say who computed what on which model, for tests of the K family.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A partition p of shard w at version v gives 1, v, and 1 at coordinate 2 + w; its loss is v per sample. */
#ifndef TESTS_SUPPORT_K_BENCH_H
#define TESTS_SUPPORT_K_BENCH_H

#include "gradcode/round.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { K_N = 6, K_M = 3, K_D = K_N + 2, K_PARTITIONS = K_N * K_M, K_IDS = 64 * K_PARTITIONS, K_NOTES = 256 };

typedef struct k_problem {
    const double *samples;
    uint64_t seen[K_IDS];  /* version in which a partition was last computed */
    bool doubled;          /* a partition, extra ones included, was computed twice at one version */
    uint64_t version[K_N]; /* of what a worker computed last */
    int extra[K_N];        /* its q */
    bool skipped;          /* a worker's mini-batches at one version were not q = 0, 1, 2, ... */
    uint64_t mute_version; /* from this version on no loss is told; 0: always */
    int nan_worker;        /* what this worker gives is not finite; -1: nobody's, -2: everybody's */
} k_problem;

typedef struct k_bench {
    gdc_options options;
    gdc_delay *delay;
    gdc_engine *engine;
    k_problem problem;
    double samples[K_PARTITIONS], gradient[K_D];
    gdc_round round;
    uint64_t stale_so_far;
    gdc_arrival_note note[K_NOTES]; /* of the last round */
    int notes;
} k_bench;

static inline void near(double value, double wanted)
{
    if (!(fabs(value - wanted) <= 1e-9 * (1 + fabs(wanted))))
        fail_msg("%.12g instead of %.12g", value, wanted);
}

static inline void follow_extras(k_problem *p, const gdc_task *task)
{
    int *last = &p->extra[task->worker], q = task->partition / K_PARTITIONS;
    bool is_new = p->version[task->worker] != task->version;
    p->skipped = p->skipped || (is_new ? q != 0 : q != *last && q != *last + 1);
    p->version[task->worker] = task->version;
    *last = q;
}

static inline int k_partial(void *context, gdc_task *task, void *sum)
{
    k_problem *p = context;
    double *out = sum, scale = task->scale;
    int home = task->partition % K_PARTITIONS;
    if (task->partition < K_IDS) {
        p->doubled = p->doubled || p->seen[task->partition] == task->version;
        p->seen[task->partition] = task->version;
    }
    follow_extras(p, task);
    out[0] += scale;
    out[1] += scale * (double)task->version;
    out[2 + home / K_M] += scale;
    if (p->nan_worker == -2 || p->nan_worker == task->worker)
        out[0] = NAN;
    if (p->mute_version == 0 || task->version < p->mute_version)
        task->loss = (double)task->version * p->samples[home];
    return 0;
}

static inline void k_observe(void *context, const gdc_arrival_note *note)
{
    k_bench *b = context;
    if (b->notes < K_NOTES)
        b->note[b->notes++] = *note;
}

/* uneven: partitions have 1 to 7 samples, else one each and the engine is not told. */
static inline void k_open(k_bench *b, const char *strategy, const char *delay, bool uneven)
{
    memset(b, 0, sizeof *b);
    gdc_options_init(&b->options);
    for (int p = 0; p < K_PARTITIONS; p++)
        b->samples[p] = uneven ? 1 + p % 7 : 1;
    b->problem.samples = b->samples;
    b->problem.nan_worker = -1;
    b->options.samples = uneven ? b->samples : NULL;
    b->options.strategy = strategy;
    b->options.partitions = K_M;
    b->options.dimension = K_D;
    b->options.observe = k_observe;
    b->options.observe_context = b;
    assert_int_equal(gdc_delay_create(&delay, 1, 17, K_N, K_M, &b->delay), GDC_OK);
    b->options.delay = b->delay;
}

static inline void k_start(k_bench *b)
{
    if (gdc_open_virtual(&b->options, K_N, k_partial, &b->problem, &b->engine) != GDC_OK)
        fail_msg("%s: %s", b->options.strategy, gdc_last_error());
}

static inline gdc_status k_try(k_bench *b)
{
    static const double model[K_D];
    b->notes = 0;
    b->round = (gdc_round){.size = sizeof b->round};
    gdc_status status = gdc_gradient(b->engine, model, b->gradient, &b->round);
    b->stale_so_far += b->round.staleness;
    return status;
}

static inline void k_round(k_bench *b)
{
    if (k_try(b) != GDC_OK)
        fail_msg("%s: %s", b->options.strategy, gdc_last_error());
}

static inline void k_close(k_bench *b)
{
    gdc_close(b->engine, NULL);
    gdc_delay_destroy(b->delay);
}

static inline double k_shard_samples(const k_bench *b, int worker)
{
    double sum = 0;
    for (int p = worker * K_M; p < (worker + 1) * K_M; p++)
        sum += b->samples[p];
    return sum;
}

static inline double k_all_samples(const k_bench *b)
{
    double sum = 0;
    for (int w = 0; w < K_N; w++)
        sum += k_shard_samples(b, w);
    return sum;
}

#endif

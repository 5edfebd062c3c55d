/* ignore.c - ignores the s slowest workers: the sum of the first n - s, scaled up by samples wanted / used. Nothing is
 * redundant; what is late is lost (backup workers, arXiv 1604.00981).
 * SPDX-License-Identifier: BSD-3-Clause */
#include "engine/policy.h"
#include "engine/samples.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

typedef struct ignore_options {
    int s;
} ignore_options;

static const gdc_option options[] = {
    {.key = "s",
     .type = GDC_INT,
     .offset = offsetof(ignore_options, s),
     .min = 0,
     .max = INT_MAX,
     .help = "workers that are not waited for, at most all but one"},
    {.key = NULL},
};

enum { AWAITED, KEPT, SPENT }; /* SPENT: was erased, or its worker is done without it */

typedef struct ignore_state {
    const gdc_plan *plan; /* one row per worker */
    int enough, kept;     /* workers */
    unsigned char *heard; /* [n] of the round */
} ignore_state;

static void ignore_close(void *state)
{
    ignore_state *s = state;
    if (!s)
        return;
    free(s->heard);
    free(s);
}

static gdc_status ignore_open(const void *values, const gdc_plan *plan, bool can_cut, void **state, gdc_traits *traits)
{
    const ignore_options *given = values;
    int n = plan->workers;
    (void)can_cut;
    if (given->s > n - 1)
        return gdc_fail(GDC_EINVAL, "ignore: s=%d with %d workers: want 0 to %d, nearest is %d", given->s, n, n - 1,
                        n - 1);
    ignore_state *s = calloc(1, sizeof *s);
    unsigned char *heard = calloc((size_t)n, 1);
    if (!s || !heard) {
        free(s);
        free(heard);
        return gdc_fail(GDC_ENOMEM, "ignore: out of memory");
    }
    *s = (ignore_state){.plan = plan, .enough = n - given->s, .heard = heard};
    *state = s;
    traits->slots = n;
    return GDC_OK;
}

static void ignore_begin(void *state, const gdc_scene *scene)
{
    ignore_state *s = state;
    (void)scene;
    s->kept = 0;
    for (int w = 0; w < s->plan->workers; w++)
        s->heard[w] = AWAITED;
}

static bool ignore_wants(void *state, const gdc_scene *scene, int worker, int index)
{
    ignore_state *s = state;
    (void)scene;
    return index >= 0 && s->heard[worker] == AWAITED && s->kept < s->enough;
}

static gdc_verdict ignore_arrival(void *state, const gdc_scene *scene, const gdc_arrival *arrival)
{
    ignore_state *s = state;
    int w = arrival->worker;
    if (arrival->sound && ignore_wants(state, scene, w, arrival->index)) {
        s->heard[w] = KEPT;
        s->kept++;
        return (gdc_verdict){.fate = GDC_KEEP, .slot = w};
    }
    if (s->heard[w] == AWAITED && (arrival->ready || arrival->index >= 0))
        s->heard[w] = SPENT;
    return (gdc_verdict){.fate = GDC_DISCARD};
}

static bool ignore_over(void *state, const gdc_scene *scene)
{
    ignore_state *s = state;
    (void)scene;
    return s->kept == s->enough;
}

static gdc_span shard_of(const ignore_state *s, int worker)
{
    return gdc_plan_row(s->plan, worker, 0)->term[0].span;
}

static bool ignore_can_finish(void *state, const gdc_scene *scene, const bool *gone, unsigned char *missing)
{
    ignore_state *s = state;
    int reachable = 0;
    (void)scene;
    for (int w = 0; w < s->plan->workers; w++) {
        bool can = s->heard[w] == KEPT || (s->heard[w] == AWAITED && !gone[w]);
        gdc_span shard = shard_of(s, w);
        reachable += can;
        for (int p = shard.first; missing && p < shard.first + shard.count; p++)
            missing[p] = !can;
    }
    return reachable >= s->enough;
}

static gdc_status ignore_finish(void *state, const gdc_scene *scene, gdc_outcome *outcome)
{
    ignore_state *s = state;
    double wanted = 0, used = 0, squares = 0;
    for (int w = 0; w < s->plan->workers; w++) {
        double samples = gdc_samples_in(scene->samples, s->plan->partitions, shard_of(s, w));
        wanted += samples;
        used += s->heard[w] == KEPT ? samples : 0;
    }
    double scale = wanted / used;
    for (int w = 0; w < s->plan->workers; w++) {
        double off = s->heard[w] == KEPT ? scale - 1 : -1;
        squares += off * off * shard_of(s, w).count;
        if (s->heard[w] == KEPT)
            gdc_fold_slot(scene, w, scale);
    }
    *outcome = (gdc_outcome){.used = s->plan->partitions * (used / wanted),
                             .exact = s->kept == s->plan->workers,
                             .scale = scale,
                             .residual = sqrt(squares / s->plan->partitions),
                             .amplification = NAN};
    return GDC_OK;
}

const gdc_policy_ops gdc_policy_ignore = {
    .name = "ignore",
    .help = "the first n - s workers through the master, scaled up by samples wanted / used; the rest is lost",
    .options = options,
    .options_bytes = sizeof(ignore_options),
    .traits = {.cancels = true},
    .open = ignore_open,
    .close = ignore_close,
    .begin = ignore_begin,
    .arrival = ignore_arrival,
    .over = ignore_over,
    .can_finish = ignore_can_finish,
    .finish = ignore_finish,
    .wants = ignore_wants,
};

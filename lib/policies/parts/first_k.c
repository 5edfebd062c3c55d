/* first_k.c - the machine of the K family: an update takes the first K mini-batches (arXiv 2003.10579, 1803.01113).
 * SPDX-License-Identifier: BSD-3-Clause */
#include "policies/parts/first_k.h"

#include "engine/samples.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

/* More mini-batches of one worker at one model would rather be a larger batch. */
enum { MOST_EACH = 1000 };

typedef struct desk {
    uint64_t gave;  /* round to which it last gave */
    uint64_t spent; /* version on which it gives nothing more */
    int extra;      /* extra mini-batches handed out on its model */
    double entered; /* in that round: sum of the factors of its mini-batches */
} desk;

struct gdc_first_k {
    gdc_first_k_kind kind;
    const gdc_plan *plan;
    int step, k, least;
    desk *desk;                 /* [n] */
    double all;                 /* samples of a batch; 0: not counted yet */
    int received, whole;        /* of the round; whole: first mini-batches at its own model */
    double samples, used, loss; /* of the round; used: without those that were dropped */
};

/* ---- life ---- */

void gdc_first_k_close(void *state)
{
    gdc_first_k *s = state;
    if (!s)
        return;
    free(s->desk);
    free(s);
}

static gdc_status check(const gdc_first_k_kind *kind, int k, int workers)
{
    int most = !kind->any ? workers : workers > INT_MAX / MOST_EACH ? INT_MAX : MOST_EACH * workers;
    if (k >= 1 && k <= most)
        return GDC_OK;
    return gdc_fail(GDC_EINVAL, "%s: k=%d with %d worker%s: want 1 to %d, nearest is %d", kind->name, k, workers,
                    workers == 1 ? "" : "s", most, k < 1 ? 1 : most);
}

gdc_status gdc_first_k_open(const gdc_first_k_kind *kind, const gdc_first_k_options *options, const gdc_plan *plan,
                            void **state, gdc_traits *traits)
{
    gdc_status status = check(kind, options->k, plan->workers);
    if (status != GDC_OK)
        return status;
    gdc_first_k *s = calloc(1, sizeof *s);
    desk *desks = calloc((size_t)plan->workers, sizeof *desks);
    if (!s || !desks) {
        free(s);
        free(desks);
        return gdc_fail(GDC_ENOMEM, "%s: out of memory", kind->name);
    }
    *s = (gdc_first_k){
        .kind = *kind, .plan = plan, .step = options->step, .k = options->k, .least = options->k, .desk = desks};
    *state = s;
    traits->slots = kind->any ? 0 : plan->workers;
    traits->cancels = options->cancel != 0;
    traits->counts_stale = kind->stale;
    return GDC_OK;
}

/* ---- the master's half ---- */

void gdc_first_k_want(gdc_first_k *s, int k, int least)
{
    s->k = k;
    s->least = least;
}

static int needed(const gdc_first_k *s, const gdc_scene *scene)
{
    int k = !s->kind.any && scene->live < s->k ? scene->live : s->k;
    return k < s->least ? s->least : k;
}

static gdc_span shard_of(const gdc_first_k *s, int worker)
{
    int size = s->plan->partitions / s->plan->workers;
    return (gdc_span){worker * size, size};
}

void gdc_first_k_begin(void *state, const gdc_scene *scene)
{
    gdc_first_k *s = state;
    if (s->all == 0)
        s->all = gdc_samples_in(scene->samples, s->plan->partitions, (gdc_span){0, s->plan->partitions});
    s->received = s->whole = 0;
    s->samples = s->used = s->loss = 0;
}

static bool has_given(const gdc_first_k *s, const gdc_scene *scene, int worker)
{
    return s->desk[worker].gave == scene->version;
}

/* The next extra mini-batch of a worker; an empty span when partition ids run out. */
static gdc_span extra_of(gdc_first_k *s, int worker)
{
    gdc_span span = shard_of(s, worker);
    int k = s->plan->partitions;
    if (s->desk[worker].extra >= (INT_MAX - span.first - span.count) / k)
        return (gdc_span){0, 0};
    span.first += ++s->desk[worker].extra * k;
    return span;
}

gdc_answer gdc_first_k_ready(void *state, const gdc_scene *scene, int worker)
{
    gdc_first_k *s = state;
    const gdc_answer model = {.give = GDC_GIVE_MODEL, .hint = {.limit = INT_MAX, .nominal_s = NAN}};
    const gdc_answer park = {.give = GDC_PARK};
    bool is_current = scene->assigned[worker] == scene->version;
    if (!s->kind.any && has_given(s, scene, worker))
        return park;
    if (!is_current) {
        s->desk[worker].extra = 0;
        return model;
    }
    if (!s->kind.any || s->desk[worker].spent == scene->version)
        return park;
    gdc_span work = extra_of(s, worker);
    return work.count > 0 ? (gdc_answer){.give = GDC_GIVE_WORK, .work = work} : park;
}

/* What a gradient of this staleness is worth. */
static double factor_of(const gdc_first_k *s, const gdc_scene *scene, const gdc_arrival *a)
{
    double staleness = (double)(scene->version - a->version), busy = scene->live;
    if (s->step == GDC_STEP_FIXED || staleness <= busy)
        return 1;
    return s->step == GDC_STEP_ADAPTIVE ? busy / staleness : 0;
}

static void count(gdc_first_k *s, const gdc_scene *scene, const gdc_arrival *a, double factor)
{
    desk *d = &s->desk[a->worker];
    double samples = gdc_samples_in(scene->samples, s->plan->partitions, a->span);
    if (d->gave != scene->version)
        d->entered = 0;
    d->gave = scene->version;
    d->entered += factor;
    s->received++;
    s->whole += a->version == scene->version && a->span.first < s->plan->partitions;
    s->samples += samples;
    s->used += factor > 0 ? samples : 0;
    s->loss += a->loss;
}

gdc_verdict gdc_first_k_arrival(void *state, const gdc_scene *scene, const gdc_arrival *a)
{
    gdc_first_k *s = state;
    if (a->index != GDC_SPAN || !a->sound) {
        if (a->ready)
            s->desk[a->worker].spent = a->version;
        return (gdc_verdict){.fate = GDC_DISCARD};
    }
    double factor = factor_of(s, scene, a);
    count(s, scene, a, factor);
    if (factor == 0)
        return (gdc_verdict){.fate = GDC_DISCARD};
    if (s->kind.any)
        return (gdc_verdict){.fate = GDC_FOLD, .weight = factor};
    return (gdc_verdict){.fate = GDC_KEEP, .slot = a->worker};
}

bool gdc_first_k_over(void *state, const gdc_scene *scene)
{
    gdc_first_k *s = state;
    return s->received >= needed(s, scene);
}

bool gdc_first_k_can_finish(void *state, const gdc_scene *scene, const bool *gone, unsigned char *missing)
{
    gdc_first_k *s = state;
    int givers = 0;
    for (int w = 0; w < s->plan->workers; w++) {
        bool may_give = !gone[w] && s->desk[w].spent != scene->version;
        bool gives = has_given(s, scene, w) || may_give;
        gdc_span shard = shard_of(s, w);
        givers += s->kind.any ? may_give : gives;
        for (int p = shard.first; missing && p < shard.first + shard.count; p++)
            missing[p] = !gives;
    }
    if (s->kind.any)
        return givers > 0 || s->received >= s->k;
    return givers >= needed(s, scene);
}

/* Mean square of how far the weight of each partition is from 1, an extra mini-batch counting as its partition. */
static double residual_of(const gdc_first_k *s, const gdc_scene *scene, double scale)
{
    double squares = 0;
    for (int w = 0; w < s->plan->workers; w++) {
        double off = (has_given(s, scene, w) ? scale * s->desk[w].entered : 0) - 1;
        squares += off * off;
    }
    return sqrt(squares / s->plan->workers);
}

gdc_status gdc_first_k_finish(void *state, const gdc_scene *scene, gdc_outcome *outcome)
{
    gdc_first_k *s = state;
    int n = s->plan->workers;
    double scale = s->samples > 0 ? s->all / s->samples : 1;
    if (s->kind.any)
        gdc_scale_sum(scene, scale);
    for (int w = 0; !s->kind.any && w < n; w++)
        if (has_given(s, scene, w) && s->desk[w].entered > 0)
            gdc_fold_slot(scene, w, scale * s->desk[w].entered);
    *outcome = (gdc_outcome){.used = s->all > 0 ? s->plan->partitions * (s->used / s->all) : 0,
                             .exact = s->received == n && s->whole == n,
                             .scale = scale,
                             .residual = residual_of(s, scene, scale),
                             .amplification = NAN};
    return GDC_OK;
}

int gdc_first_k_received(const gdc_first_k *s)
{
    return s->received;
}

double gdc_first_k_loss(const gdc_first_k *s)
{
    return s->samples > 0 ? s->loss / s->samples : NAN;
}

/* ---- the worker's half ---- */

gdc_step gdc_first_k_next(const void *state, void *half, const gdc_boundary *at)
{
    int size = at->plan->partitions / at->plan->workers;
    (void)state;
    (void)half;
    if (at->done < size)
        return (gdc_step){.kind = GDC_COMPUTE, .partition = gdc_plan_walk(at->plan, at->worker, at->done)};
    return (gdc_step){
        .kind = GDC_SEND, .index = GDC_SPAN, .span = {at->worker * size, size}, .done = at->done, .ready = true};
}

/* adasync.c - AdaSync: K-sync, K-async or their batch variants with a K that grows as the training loss falls (arXiv
 * 2003.10579).
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The loss of an update is the mean per sample that its mini-batches told. F0 is the mean over the first LOSSES_FIRST updates,
 * F from then on an exponential average of weight LOSS_KEPT. Every `every` seconds, between two updates, the rule is asked for
 * the K that suits F0/F; K never falls, and never exceeds n. Without losses (none told, timing only) K stays at k0. With fewer
 * live workers than K, but at least k0, one mini-batch from each is enough for a base that wants distinct workers.
 *
 * rule=empirical measures T_1..T_n in its first PROFILED updates, which take n mini-batches: T_j is the mean time at which the
 * j-th arrived. For k-async these are updates with all workers fresh. */
#include "gradcode/runtime.h"
#include "policies/parts/first_k.h"

#include <math.h>
#include <stdlib.h>

enum { LOSSES_FIRST = 5, PROFILED = 10 };
static const double loss_kept = .9;

enum { RULE_AUTO, RULE_QUAD, RULE_SQRT, RULE_EMPIRICAL };
enum { CANCEL_AUTO, CANCEL_NO, CANCEL_YES };

typedef struct adasync_options {
    int base, k0, rule, cancel;
    double every_s;
} adasync_options;

static const gdc_option options[] = {
    {.key = "base",
     .type = GDC_WORD,
     .offset = offsetof(adasync_options, base),
     .fallback = "k-sync",
     .words = "k-sync|k-batch-sync|k-async|k-batch-async",
     .help = "the strategy whose K is adapted"},
    {.key = "k0", .type = GDC_INT, .offset = offsetof(adasync_options, k0), .help = "the first K: 1 to n"},
    {.key = "every",
     .type = GDC_REAL,
     .offset = offsetof(adasync_options, every_s),
     .min = 1e-9,
     .max = 1e9,
     .help = "seconds for which a K is held"},
    {.key = "rule",
     .type = GDC_WORD,
     .offset = offsetof(adasync_options, rule),
     .fallback = "auto",
     .words = "auto|quad|sqrt|empirical",
     .help = "K by the loss: quad (k-sync, k-async; k0 below n), sqrt (batch), by measured times; auto: quad or sqrt"},
    {.key = "cancel",
     .type = GDC_WORD,
     .offset = offsetof(adasync_options, cancel),
     .fallback = "auto",
     .words = "auto|0|1",
     .help = "as of the base; auto: its own default"},
    {.key = NULL},
};

static const gdc_first_k_kind kinds[] = {
    {"adasync", false, false}, {"adasync", true, false}, {"adasync", false, true}, {"adasync", true, true}};

typedef struct adasync_state {
    void *machine;
    int n, k0, k, rule;
    double every_s, change_s; /* change_s: when K may change next; negative: not begun */
    int losses;               /* updates that told one */
    double first, loss;       /* F0, F */
    int profiled;             /* updates in the profile */
    double *times;            /* [n] mean time of the j-th arrival in them, INFINITY: none was seen; NULL: no profile */
    int *seen;                /* [n] arrivals behind that mean */
} adasync_state;

/* ---- life ---- */

static void adasync_close(void *state)
{
    adasync_state *s = state;
    if (!s)
        return;
    gdc_first_k_close(s->machine);
    free(s->times);
    free(s->seen);
    free(s);
}

static gdc_status check(const adasync_options *o, int rule, int n)
{
    int most = rule == RULE_QUAD ? n - 1 : n;
    if (rule == RULE_QUAD && n == 1)
        return gdc_fail(GDC_EINVAL, "adasync: rule=quad with 1 worker: want 2 workers at least, or rule=sqrt");
    if (o->k0 >= 1 && o->k0 <= most)
        return GDC_OK;
    return gdc_fail(GDC_EINVAL, "adasync: k0=%d with %d workers%s: want 1 to %d, nearest is %d", o->k0, n,
                    rule == RULE_QUAD ? " and rule=quad" : "", most, o->k0 < 1 ? 1 : most);
}

static int rule_of(const adasync_options *o)
{
    return o->rule != RULE_AUTO ? o->rule : kinds[o->base].any ? RULE_SQRT : RULE_QUAD;
}

static gdc_status make_profile(adasync_state *s)
{
    s->times = calloc((size_t)s->n, sizeof *s->times);
    s->seen = calloc((size_t)s->n, sizeof *s->seen);
    if (!s->times || !s->seen)
        return gdc_fail(GDC_ENOMEM, "adasync: no memory for %d workers", s->n);
    for (int j = 0; j < s->n; j++)
        s->times[j] = INFINITY;
    return GDC_OK;
}

static gdc_status adasync_open(const void *values, const gdc_plan *plan, bool can_cut, void **state, gdc_traits *traits)
{
    const adasync_options *o = values;
    const gdc_first_k_kind *kind = &kinds[o->base];
    int cancel = o->cancel == CANCEL_AUTO ? !kind->stale : o->cancel == CANCEL_YES, n = plan->workers;
    (void)can_cut;
    gdc_status status = check(o, rule_of(o), n);
    if (status != GDC_OK)
        return status;
    adasync_state *s = calloc(1, sizeof *s);
    if (!s)
        return gdc_fail(GDC_ENOMEM, "adasync: out of memory");
    *s = (adasync_state){.n = n, .k0 = o->k0, .k = o->k0, .rule = rule_of(o), .every_s = o->every_s, .change_s = -1};
    status = s->rule == RULE_EMPIRICAL ? make_profile(s) : GDC_OK;
    if (status == GDC_OK)
        status =
            gdc_first_k_open(kind, &(gdc_first_k_options){.k = o->k0, .cancel = cancel}, plan, &s->machine, traits);
    if (status == GDC_OK)
        *state = s;
    else
        adasync_close(s);
    return status;
}

/* ---- choosing K ---- */

static bool is_profiling(const adasync_state *s)
{
    return s->times && s->profiled < PROFILED;
}

static double wanted_k(const adasync_state *s)
{
    double fall = s->first / s->loss;
    if (s->losses < LOSSES_FIRST || !(s->first > 0) || !(s->loss > 0))
        return NAN;
    switch (s->rule) {
    case RULE_QUAD:
        return gdc_adasync_quad(s->k0, s->n, fall);
    case RULE_SQRT:
        return gdc_adasync_sqrt(s->k0, fall);
    default:
        return gdc_adasync_empirical(s->k0, s->n, s->times, fall);
    }
}

static void adasync_begin(void *state, const gdc_scene *scene)
{
    adasync_state *s = state;
    if (s->change_s < 0)
        s->change_s = scene->now_s + s->every_s;
    if (scene->now_s >= s->change_s && !is_profiling(s)) {
        s->k = gdc_adasync_step(wanted_k(s), s->k, s->n);
        s->change_s = scene->now_s + s->every_s;
    }
    gdc_first_k_want(s->machine, is_profiling(s) ? s->n : s->k, s->k0);
    gdc_first_k_begin(s->machine, scene);
}

/* ---- what the rules are told ---- */

/* The j-th arrival, j = 0, 1, ..., of an update in the profile. */
static void note_arrival(adasync_state *s, int j, double after_s)
{
    double before_s = s->seen[j] > 0 ? s->times[j] : 0;
    s->seen[j]++;
    s->times[j] = before_s + (after_s - before_s) / s->seen[j];
}

static gdc_verdict adasync_arrival(void *state, const gdc_scene *scene, const gdc_arrival *arrival)
{
    adasync_state *s = state;
    int before = gdc_first_k_received(s->machine);
    gdc_verdict verdict = gdc_first_k_arrival(s->machine, scene, arrival);
    if (is_profiling(s) && gdc_first_k_received(s->machine) > before && before < s->n)
        note_arrival(s, before, scene->now_s - scene->began_s);
    return verdict;
}

static void count_loss(adasync_state *s, double loss)
{
    if (!isfinite(loss)) /* one that overflows would stay in the average for ever */
        return;
    if (s->losses < LOSSES_FIRST) {
        s->first += loss / LOSSES_FIRST;
        s->loss = s->first;
    } else {
        s->loss = loss_kept * s->loss + (1 - loss_kept) * loss;
    }
    s->losses++;
}

static gdc_status adasync_finish(void *state, const gdc_scene *scene, gdc_outcome *outcome)
{
    adasync_state *s = state;
    s->profiled += is_profiling(s);
    count_loss(s, gdc_first_k_loss(s->machine));
    return gdc_first_k_finish(s->machine, scene, outcome);
}

/* ---- what is the machine's ---- */

static gdc_answer adasync_ready(void *state, const gdc_scene *scene, int worker)
{
    return gdc_first_k_ready(((adasync_state *)state)->machine, scene, worker);
}

static bool adasync_over(void *state, const gdc_scene *scene)
{
    return gdc_first_k_over(((adasync_state *)state)->machine, scene);
}

static bool adasync_can_finish(void *state, const gdc_scene *scene, const bool *gone, unsigned char *missing)
{
    return gdc_first_k_can_finish(((adasync_state *)state)->machine, scene, gone, missing);
}

const gdc_policy_ops gdc_policy_adasync = {
    .name = "adasync",
    .help = "AdaSync: k-sync and its family with a k that grows as the training loss falls",
    .options = options,
    .options_bytes = sizeof(adasync_options),
    .traits = {.adapts = true},
    .open = adasync_open,
    .close = adasync_close,
    .begin = adasync_begin,
    .ready = adasync_ready,
    .arrival = adasync_arrival,
    .over = adasync_over,
    .can_finish = adasync_can_finish,
    .finish = adasync_finish,
    .next = gdc_first_k_next,
};

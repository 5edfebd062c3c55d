/* dynamic.c - exact rounds without waiting for stragglers: every worker computes its own shard, and who is done early takes
 * over single pieces of others, from their far end.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Helpers that take over work of slow workers are FlexRR's (SoCC 2016), copies of what runs late MapReduce's backup tasks (OSDI
 * 2004); computation in a scheduled order on replicated data is arXiv 1810.09992, messages of partial stragglers 2405.19509,
 * ideal load balancing 1804.10331. Here all of it stays exact: own pieces arrive as prefixes that continue each other, all
 * others one by one, and the master counts each piece once (parts/dynamic_books.c). */
#include "policies/parts/dynamic.h"
#include "engine/reason.h"
#include "plan/code.h"
#include "plan/place.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { ERASED_MOST = 8 }; /* erased vectors after which a worker gets no more work in a round */

/* ---- options ---- */

static const gdc_option options[] = {
    {"load", GDC_INT, offsetof(gdc_dynamic_options, load), "2", 1, INT_MAX, NULL,
     "shards held per worker; all of them where every worker can reach all data", 0},
    {"place", GDC_WORD, offsetof(gdc_dynamic_options, place), "spread", 0, 0, GDC_PLACE_WORDS,
     "whose shards a worker holds: of the next ones, of its group, at spread distances, or at random", 0},
    {"permute", GDC_INT, offsetof(gdc_dynamic_options, permute), "1", 0, 1, NULL,
     "1: a seeded permutation puts workers into places; 0: in order of rank", 0},
    {"clusters", GDC_INT, offsetof(gdc_dynamic_options, clusters), "1", 1, INT_MAX, NULL,
     "number of clusters, a divisor of the number of workers; only workers of a cluster help each other", 0},
    {"early", GDC_INT, offsetof(gdc_dynamic_options, early), "0", 0, INT_MAX, NULL,
     "helps before its own is done where so many pieces more are left; 0: never", 0},
    {"pool", GDC_INT, offsetof(gdc_dynamic_options, pool), "-1", -1, INT_MAX, NULL,
     "helpers' vectors held apart at most, which an owner may still send itself; -1: half as many as workers", 0},
    {"theta", GDC_REAL, offsetof(gdc_dynamic_options, theta), "1.5", 0, 1e6, NULL,
     "typical times after which a running piece is leased to another worker as well", 0},
    {"theta2", GDC_REAL, offsetof(gdc_dynamic_options, theta2), "3", 0, 1e6, NULL,
     "the same for finished pieces that a silent worker has not sent", 0},
    {"progress", GDC_INT, offsetof(gdc_dynamic_options, progress), "1", 0, 1, NULL,
     "1: workers report each piece of their own shard; 0: only changes of their limit", 0},
    {"reproducible", GDC_INT, offsetof(gdc_dynamic_options, reproducible), "0", 0, 1, NULL,
     "1: one vector per piece, all kept and added up in order: same bits, memory for all pieces", 0},
    {"nominal", GDC_REAL, offsetof(gdc_dynamic_options, nominal), "0", 0, 1e9, NULL,
     "typical time of a piece in seconds; 0: the median of the last round", 0},
    {.key = NULL},
};

static gdc_status dynamic_plan(const void *values, int workers, int partitions, uint64_t seed, gdc_plan **plan)
{
    static const char *const places[] = {"ring", "group", "spread", "random"};
    const gdc_dynamic_options *o = values;
    char spec[128];
    gdc_status status = gdc_code_check_clusters("dynamic", o->clusters, o->load, workers);
    if (status != GDC_OK)
        return status;
    snprintf(spec, sizeof spec, "uncoded:load=%d,place=%s,permute=%d,clusters=%d", o->load, places[o->place],
             o->permute, o->clusters);
    return gdc_plan_create(spec, workers, partitions, seed, plan);
}

/* ---- life ---- */

static void dynamic_close(void *state)
{
    gdc_dynamic *d = state;
    if (!d)
        return;
    gdc_dynamic_books_free(d);
    gdc_dynamic_lease_free(d);
    gdc_dynamic_wake_free(d);
    free(d->times);
    free(d->held);
    free(d->holder);
    free(d);
}

/* From the legs of the walks: who holds which shards. Every shard has `load` holders. */
static bool list_holders(gdc_dynamic *d)
{
    if (d->load == d->workers)
        return true;
    size_t all = (size_t)d->workers * (size_t)d->load;
    size_t *found = calloc((size_t)d->workers, sizeof *found), load = (size_t)d->load, count = 0;
    d->held = calloc(all, sizeof *d->held);
    d->holder = calloc(all, sizeof *d->holder);
    bool has_memory = found && d->held && d->holder;
    for (int l = 0; has_memory && l < d->plan->leg_at[d->workers]; l++) {
        gdc_span span = d->plan->leg[l].span;
        for (int s = span.first / d->pieces; s < (span.first + span.count) / d->pieces; s++) {
            d->held[count] = s;
            d->holder[(size_t)s * load + found[s]++] = (int)(count / load);
            count++;
        }
    }
    free(found);
    return has_memory;
}

static int slots_of(const gdc_dynamic *d, int *pool)
{
    int k = d->workers * d->pieces;
    *pool = d->options.pool < 0 ? (d->workers + 1) / 2 : d->options.pool;
    if (d->options.reproducible || *pool > k)
        *pool = k;
    bool is_bounded = (*pool > 0) && (*pool < k);
    return is_bounded ? *pool + 1 : *pool;
}

static gdc_status dynamic_open(const void *values, const gdc_plan *plan, bool can_cut, void **state, gdc_traits *traits)
{
    gdc_dynamic *d = calloc(1, sizeof *d);
    (void)can_cut;
    if (!d)
        return gdc_fail(GDC_ENOMEM, "dynamic: out of memory");
    d->options = *(const gdc_dynamic_options *)values;
    d->plan = plan;
    d->workers = plan->workers;
    d->pieces = plan->partitions / plan->workers;
    d->load = gdc_plan_held(plan, 0) / d->pieces;
    d->slots = slots_of(d, &d->pool);
    if (!list_holders(d) || !gdc_dynamic_books_init(d) || !gdc_dynamic_times_init(d) || !gdc_dynamic_lease_init(d) ||
        !gdc_dynamic_wake_init(d)) {
        dynamic_close(d);
        return gdc_fail(GDC_ENOMEM, "dynamic: no memory for the books of %d partitions", plan->partitions);
    }
    *state = d;
    traits->slots = d->slots;
    return GDC_OK;
}

/* ---- events ---- */

static void dynamic_begin(void *state, const gdc_scene *scene)
{
    gdc_dynamic *d = state;
    gdc_dynamic_times_begin(d);
    gdc_dynamic_books_begin(d, scene);
    gdc_dynamic_wake_begin(d);
    gdc_dynamic_lease_begin(d);
}

static gdc_answer dynamic_ready(void *state, const gdc_scene *scene, int worker)
{
    gdc_dynamic *d = state;
    gdc_dynamic_shard *own = &d->shard[worker];
    if (scene->assigned[worker] == scene->version)
        return gdc_dynamic_lease(d, scene, worker);
    own->heard_s = scene->now_s;
    gdc_dynamic_rank(d, worker);
    return (gdc_answer){.give = GDC_GIVE_MODEL, .hint = {.limit = own->leased, .nominal_s = d->nominal_s}};
}

/* The worker has nothing to do any more, or (early) has, and asks for more urgent work. */
static void hear_ready(gdc_dynamic *d, const gdc_scene *scene, const gdc_arrival *a, bool is_believed)
{
    gdc_dynamic_worker *w = &d->worker[a->worker];
    gdc_dynamic_shard *own = &d->shard[a->worker];
    bool has_failed = w->lease >= 0 && own->is_left && a->index == GDC_BARE && a->sound;
    w->has_quit = w->has_quit || has_failed;
    w->asks = d->options.early > 0 && is_believed && a->ack > 0 && !own->is_left;
    if (!w->asks) {
        own->is_left = true;
        gdc_dynamic_promise(d, scene, a->worker, 0);
    }
    gdc_dynamic_end_lease(d, a->worker);
}

static gdc_verdict dynamic_arrival(void *state, const gdc_scene *scene, const gdc_arrival *a)
{
    gdc_dynamic *d = state;
    gdc_dynamic_worker *w = &d->worker[a->worker];
    gdc_dynamic_shard *own = &d->shard[a->worker];
    gdc_verdict verdict = {.fate = GDC_DISCARD};
    bool is_believed = a->sound || a->index != GDC_BARE; /* only what cannot be read at all is an unsound BARE */
    own->heard_s = scene->now_s;
    gdc_dynamic_times_note(d, a);
    if (a->sound && a->index == GDC_SPAN)
        verdict = gdc_dynamic_take(d, scene, a->worker, a->span);
    w->erased += !a->sound;
    w->has_quit = w->has_quit || w->erased >= ERASED_MOST;
    if (is_believed && !own->is_left) {
        own->done = a->done > own->done ? a->done : own->done;
        gdc_dynamic_promise(d, scene, a->worker, a->ack);
    }
    if (a->ready)
        hear_ready(d, scene, a, is_believed);
    gdc_dynamic_rank(d, a->worker);
    gdc_dynamic_arm(d, scene, -1);
    return verdict;
}

static void dynamic_lost(void *state, const gdc_scene *scene, int worker)
{
    gdc_dynamic *d = state;
    d->shard[worker].is_left = true;
    gdc_dynamic_promise(d, scene, worker, 0);
    gdc_dynamic_end_lease(d, worker);
    gdc_dynamic_rank(d, worker);
    gdc_dynamic_set_idle(d, worker, false);
    gdc_dynamic_arm(d, scene, -1);
}

/* ---- the end ---- */

static bool dynamic_over(void *state, const gdc_scene *scene)
{
    gdc_dynamic *d = state;
    (void)scene;
    return d->settled == d->workers * d->pieces;
}

static int holder_of(const gdc_dynamic *d, int shard, int i)
{
    return d->held ? d->holder[(size_t)shard * (size_t)d->load + (size_t)i] : i;
}

static bool is_out_of_reach(const gdc_dynamic *d, const bool *gone, int shard)
{
    bool is_lost = d->shard[shard].open > 0;
    for (int i = 0; is_lost && i < d->load; i++) {
        int w = holder_of(d, shard, i);
        is_lost = gone[w] || d->worker[w].has_quit;
    }
    return is_lost;
}

static bool dynamic_can_finish(void *state, const gdc_scene *scene, const bool *gone, unsigned char *missing)
{
    gdc_dynamic *d = state;
    bool can = true;
    (void)scene;
    for (int s = 0; s < d->workers && (can || missing); s++) {
        if (!is_out_of_reach(d, gone, s))
            continue;
        can = false;
        for (int p = s * d->pieces; missing && p < (s + 1) * d->pieces; p++)
            missing[p] = d->piece[p].state == GDC_PIECE_NONE;
    }
    return can;
}

static void dynamic_explain(void *state, const gdc_scene *scene, const bool *gone, struct gdc_reason *reason)
{
    gdc_dynamic *d = state;
    (void)scene;
    for (int s = 0; s < d->workers; s++) {
        if (!is_out_of_reach(d, gone, s))
            continue;
        gdc_reason_add(reason, "; shard %d has no holder left, of", s);
        for (int i = 0; i < d->load; i++)
            gdc_reason_add(reason, "%s %d", i ? "," : " workers", holder_of(d, s, i));
        return; /* one tells what is wrong */
    }
}

static gdc_status dynamic_finish(void *state, const gdc_scene *scene, gdc_outcome *outcome)
{
    gdc_dynamic *d = state;
    int k = d->workers * d->pieces;
    for (int p = 0; p < k; p++)
        if (d->piece[p].state == GDC_PIECE_HELD)
            gdc_fold_slot(scene, d->piece[p].slot, 1);
    *outcome = (gdc_outcome){.used = k, .exact = true, .scale = 1, .amplification = NAN};
    return GDC_OK;
}

const gdc_policy_ops gdc_policy_dynamic = {
    .name = "dynamic",
    .help = "exact: own shard first, then single pieces of slower workers, leased by the master",
    .options = options,
    .options_bytes = sizeof(gdc_dynamic_options),
    .traits = {.cancels = true, .exact = true},
    .half_bytes = sizeof(gdc_dynamic_half),
    .open = dynamic_open,
    .plan = dynamic_plan,
    .close = dynamic_close,
    .begin = dynamic_begin,
    .ready = dynamic_ready,
    .arrival = dynamic_arrival,
    .over = dynamic_over,
    .can_finish = dynamic_can_finish,
    .lost = dynamic_lost,
    .explain = dynamic_explain,
    .finish = dynamic_finish,
    .start = gdc_dynamic_start,
    .next = gdc_dynamic_next,
    .work = gdc_dynamic_work,
};

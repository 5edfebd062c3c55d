/* dynamic_lease.c - the dynamic strategy: what an idle worker does next.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A shard is ranked anew whenever something about it changes, so that a decision is a look at the top where everybody holds
 * everything, and one pass over the shards that the worker holds elsewhere. */
#include "policies/parts/dynamic.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

static const double left_shard = 1e12; /* above every ratio of pieces: a shard that its owner has left comes first */

bool gdc_dynamic_lease_init(gdc_dynamic *d)
{
    bool ordered = d->held == NULL;
    return gdc_ranking_init(&d->start, d->workers, ordered) && gdc_ranking_init(&d->due, d->workers, ordered) &&
           gdc_ranking_init(&d->longest, d->workers, ordered);
}

void gdc_dynamic_lease_free(gdc_dynamic *d)
{
    gdc_ranking_free(&d->start);
    gdc_ranking_free(&d->due);
    gdc_ranking_free(&d->longest);
}

/* ---- ranks ---- */

static bool is_open(const gdc_dynamic *d, int p)
{
    return d->piece[p].state == GDC_PIECE_NONE;
}

static int left_in(const gdc_dynamic_shard *s)
{
    return s->is_left ? s->leased - s->taken : s->leased - s->done;
}

static bool has_unstarted(const gdc_dynamic_shard *s)
{
    return s->is_left ? s->leased > s->taken : s->leased - 1 > s->done;
}

static double start_key(const gdc_dynamic_shard *s)
{
    if (!has_unstarted(s))
        return INFINITY;
    return s->is_left ? -left_shard - left_in(s) : -left_in(s) / (s->done + .5);
}

/* Of what was started, the piece that is overdue first: leased to somebody, running at the owner, or finished there and not
 * sent. */
static void find_due(gdc_dynamic *d, int shard)
{
    gdc_dynamic_shard *s = &d->shard[shard];
    int base = shard * d->pieces, top = s->leased - 1;
    s->due_s = INFINITY;
    s->due = -1;
    for (int j = s->leased; j < d->pieces; j++) {
        if (is_open(d, base + j) && d->piece[base + j].overdue_s < s->due_s) {
            s->due_s = d->piece[base + j].overdue_s;
            s->due = base + j;
        }
    }
    if (s->is_left || top < s->taken || top > s->done)
        return;
    double at_s = s->heard_s + gdc_dynamic_late_s(d, top == s->done ? d->options.theta : d->options.theta2);
    if (at_s < s->due_s) {
        s->due_s = at_s;
        s->due = base + top;
    }
}

void gdc_dynamic_rank(gdc_dynamic *d, int shard)
{
    gdc_dynamic_shard *s = &d->shard[shard];
    while (s->leased > s->taken && !is_open(d, shard * d->pieces + s->leased - 1))
        s->leased--;
    find_due(d, shard);
    gdc_ranking_set(&d->due, shard, has_unstarted(s) ? 0 : s->due_s);
    gdc_dynamic_wake_rank(d, shard);
    gdc_ranking_set(&d->start, shard, start_key(s));
    if (d->options.early > 0)
        gdc_ranking_set(&d->longest, shard, has_unstarted(s) ? -(double)left_in(s) : INFINITY);
}

void gdc_dynamic_lease_begin(gdc_dynamic *d)
{
    gdc_ranking_clear(&d->start);
    gdc_ranking_clear(&d->due);
    gdc_ranking_clear(&d->longest);
    for (int s = 0; s < d->workers; s++)
        gdc_dynamic_rank(d, s);
}

/* ---- choosing ---- */

static int best_held(const gdc_dynamic *d, const gdc_ranking *ranking, int worker)
{
    const int *held = d->held ? d->held + (size_t)worker * (size_t)d->load : NULL;
    return gdc_ranking_best(ranking, held, d->load, worker);
}

static int last_unleased(const gdc_dynamic *d, int shard)
{
    return shard * d->pieces + d->shard[shard].leased - 1;
}

/* What was leased away and has not come: with it nobody is later than if all worked for themselves. */
static int own_leased(const gdc_dynamic *d, int worker)
{
    int base = worker * d->pieces;
    for (int j = d->shard[worker].leased; j < d->pieces; j++)
        if (is_open(d, base + j))
            return base + j;
    return -1;
}

static int unstarted(const gdc_dynamic *d, int worker)
{
    const gdc_dynamic_shard *own = &d->shard[worker];
    int best = best_held(d, &d->start, worker);
    bool own_is_next = own->is_left && has_unstarted(own) && (best < 0 || !d->shard[best].is_left);
    if (own_is_next)
        best = worker;
    return best < 0 ? -1 : last_unleased(d, best);
}

static int overdue(const gdc_dynamic *d, int worker, double now_s)
{
    int best = best_held(d, &d->due, worker);
    return best >= 0 && d->due.key[best] <= now_s ? d->shard[best].due : -1;
}

static int choose(const gdc_dynamic *d, int worker, double now_s)
{
    int p = own_leased(d, worker);
    if (p < 0)
        p = unstarted(d, worker);
    return p < 0 ? overdue(d, worker, now_s) : p;
}

/* ---- answers ---- */

static gdc_answer give(int p)
{
    return (gdc_answer){.give = GDC_GIVE_WORK, .work = {p, 1}};
}

static gdc_answer lease(gdc_dynamic *d, const gdc_scene *scene, int worker, int p)
{
    int shard = gdc_dynamic_shard_of(d, p), j = p - shard * d->pieces;
    gdc_dynamic_shard *s = &d->shard[shard];
    d->worker[worker].lease = p;
    d->piece[p].overdue_s = scene->now_s + gdc_dynamic_late_s(d, d->options.theta);
    if (j < s->leased) {
        s->leased = j;
        if (!s->is_left && shard != worker)
            gdc_tell_limit(scene, shard, j);
    }
    gdc_dynamic_rank(d, shard);
    return give(p);
}

/* A worker that asks while it has pieces of its own left helps where clearly more is left, and goes on by itself elsewhere. */
static gdc_answer answer_early(gdc_dynamic *d, const gdc_scene *scene, int worker)
{
    const gdc_dynamic_shard *own = &d->shard[worker];
    int longest = best_held(d, &d->longest, worker);
    if (longest >= 0 && left_in(&d->shard[longest]) - left_in(own) >= d->options.early)
        return lease(d, scene, worker, last_unleased(d, longest));
    if (own->done >= own->leased) { /* all that it has left was leased away, which it does not know yet */
        int p = choose(d, worker, scene->now_s);
        if (p >= 0)
            return lease(d, scene, worker, p);
    }
    return give(worker * d->pieces + own->done);
}

static gdc_answer answer(gdc_dynamic *d, const gdc_scene *scene, int worker)
{
    if (d->worker[worker].has_quit)
        return (gdc_answer){.give = GDC_PARK};
    if (d->worker[worker].asks)
        return answer_early(d, scene, worker);
    int p = choose(d, worker, scene->now_s);
    if (p >= 0)
        return lease(d, scene, worker, p);
    gdc_dynamic_set_idle(d, worker, true);
    return (gdc_answer){.give = GDC_PARK};
}

gdc_answer gdc_dynamic_lease(gdc_dynamic *d, const gdc_scene *scene, int worker)
{
    gdc_dynamic_set_idle(d, worker, false);
    gdc_answer given = answer(d, scene, worker);
    given.again_s = gdc_dynamic_arm(d, scene, worker);
    return given;
}

void gdc_dynamic_end_lease(gdc_dynamic *d, int worker)
{
    int p = d->worker[worker].lease;
    d->worker[worker].lease = -1;
    if (p < 0 || !is_open(d, p))
        return;
    d->piece[p].overdue_s = -INFINITY;
    gdc_dynamic_rank(d, gdc_dynamic_shard_of(d, p));
}

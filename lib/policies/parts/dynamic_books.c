/* dynamic_books.c - what the master of the dynamic strategy adds up: every piece once, whoever sends it how often.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A vector is a prefix of its sender's own shard or a single piece; what counts is decided here alone, so races between owners
 * and helpers waste work and never correctness. A helper's piece that the owner may still put into a prefix is HELD apart: then
 * the prefix can be taken whole. */
#include "policies/parts/dynamic.h"

#include <stdlib.h>

static const gdc_verdict discard = {.fate = GDC_DISCARD};

/* ---- memory ---- */

bool gdc_dynamic_books_init(gdc_dynamic *d)
{
    size_t n = (size_t)d->workers, slots = (size_t)d->slots + 1;
    d->shard = calloc(n, sizeof *d->shard);
    d->worker = calloc(n, sizeof *d->worker);
    d->piece = calloc(n * (size_t)d->pieces, sizeof *d->piece);
    d->free_slot = calloc(slots, sizeof *d->free_slot);
    d->piece_in = calloc(slots, sizeof *d->piece_in);
    return d->shard && d->worker && d->piece && d->free_slot && d->piece_in;
}

void gdc_dynamic_books_free(gdc_dynamic *d)
{
    free(d->shard);
    free(d->worker);
    free(d->piece);
    free(d->free_slot);
    free(d->piece_in);
}

void gdc_dynamic_books_begin(gdc_dynamic *d, const gdc_scene *scene)
{
    for (int p = 0; p < d->workers * d->pieces; p++)
        d->piece[p] = (gdc_dynamic_piece){.state = GDC_PIECE_NONE};
    for (int w = 0; w < d->workers; w++) {
        bool is_dead = scene->dead[w];
        d->shard[w] = (gdc_dynamic_shard){.leased = d->pieces,
                                          .open = d->pieces,
                                          .ack = is_dead ? 0 : d->pieces,
                                          .is_left = is_dead,
                                          .heard_s = scene->now_s};
        d->worker[w] = (gdc_dynamic_worker){.lease = -1, .finished = d->worker[w].finished};
    }
    d->settled = 0;
    d->free_slots = d->slots;
    for (int i = 0; i < d->slots; i++) {
        d->free_slot[i] = d->slots - 1 - i;
        d->piece_in[i] = -1;
    }
}

/* ---- pieces ---- */

static void settle(gdc_dynamic *d, int p, unsigned char state)
{
    bool is_new = d->piece[p].state == GDC_PIECE_NONE;
    d->piece[p].state = state;
    d->settled += is_new;
    d->shard[gdc_dynamic_shard_of(d, p)].open -= is_new;
}

static void free_slot_of(gdc_dynamic *d, int p)
{
    int slot = d->piece[p].slot;
    d->piece_in[slot] = -1;
    d->free_slot[d->free_slots++] = slot;
}

static void fold_held(gdc_dynamic *d, const gdc_scene *scene, int p)
{
    gdc_fold_slot(scene, d->piece[p].slot, 1);
    free_slot_of(d, p);
    d->piece[p].state = GDC_PIECE_FOLDED;
}

static void fold_range(gdc_dynamic *d, const gdc_scene *scene, int begin, int end)
{
    for (int p = begin; p < end; p++)
        if (d->piece[p].state == GDC_PIECE_HELD)
            fold_held(d, scene, p);
}

/* The pool has one slot more than it may fill: room is made after a vector has come, for the verdict on it is executed before
 * anything else. Time may be lost by that, the owner's prefix not being usable any more, but no piece is. */
static void make_room(gdc_dynamic *d, const gdc_scene *scene)
{
    int silent = -1;
    if (d->free_slots > 0)
        return;
    for (int i = 0; i < d->slots; i++) {
        int s = gdc_dynamic_shard_of(d, d->piece_in[i]);
        if (silent < 0 || d->shard[s].heard_s < d->shard[silent].heard_s)
            silent = s;
    }
    fold_range(d, scene, silent * d->pieces, (silent + 1) * d->pieces);
    gdc_dynamic_rank(d, silent);
}

static gdc_verdict hold(gdc_dynamic *d, const gdc_scene *scene, int p)
{
    int slot = d->free_slot[--d->free_slots];
    d->piece[p].slot = slot;
    d->piece_in[slot] = p;
    settle(d, p, GDC_PIECE_HELD);
    if (d->pool < d->slots)
        make_room(d, scene);
    return (gdc_verdict){.fate = GDC_KEEP, .slot = slot};
}

/* ---- vectors ---- */

static bool is_acceptable_prefix(const gdc_dynamic *d, int shard, int begin, int end)
{
    int base = shard * d->pieces;
    if (begin != d->shard[shard].taken)
        return false;
    for (int j = begin; j < end; j++)
        if (d->piece[base + j].state == GDC_PIECE_FOLDED)
            return false;
    return true;
}

static gdc_verdict take_prefix(gdc_dynamic *d, const gdc_scene *scene, int shard, int begin, int end)
{
    int base = shard * d->pieces;
    for (int p = base + begin; p < base + end; p++) {
        if (d->piece[p].state == GDC_PIECE_HELD) {
            gdc_free_slot(scene, d->piece[p].slot);
            free_slot_of(d, p);
        }
        settle(d, p, GDC_PIECE_FOLDED);
    }
    d->shard[shard].taken = end;
    return (gdc_verdict){.fate = GDC_FOLD, .weight = 1};
}

static gdc_verdict take_single(gdc_dynamic *d, const gdc_scene *scene, int shard, int p)
{
    bool is_promised = p - shard * d->pieces >= d->shard[shard].ack;
    if (d->piece[p].state != GDC_PIECE_NONE)
        return discard;
    if (d->options.reproducible || (!is_promised && d->pool > 0))
        return hold(d, scene, p);
    settle(d, p, GDC_PIECE_FOLDED);
    return (gdc_verdict){.fate = GDC_FOLD, .weight = 1};
}

gdc_verdict gdc_dynamic_take(gdc_dynamic *d, const gdc_scene *scene, int worker, gdc_span span)
{
    int shard = gdc_dynamic_shard_of(d, span.first), begin = span.first - shard * d->pieces;
    int end = begin + span.count;
    gdc_verdict verdict = discard;
    if (span.count < 1 || shard >= d->workers || end > d->pieces)
        return discard;
    if (shard == worker && !d->options.reproducible && is_acceptable_prefix(d, shard, begin, end))
        verdict = take_prefix(d, scene, shard, begin, end);
    else if (span.count == 1)
        verdict = take_single(d, scene, shard, span.first);
    gdc_dynamic_rank(d, shard);
    return verdict;
}

void gdc_dynamic_promise(gdc_dynamic *d, const gdc_scene *scene, int shard, int ack)
{
    gdc_dynamic_shard *s = &d->shard[shard];
    if (ack >= s->ack)
        return;
    if (!d->options.reproducible)
        fold_range(d, scene, shard * d->pieces + ack, shard * d->pieces + s->ack);
    s->ack = ack;
}

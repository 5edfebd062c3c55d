/* follow.c - the worker's side of a strategy under mpirun.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "follow.h"
#include "gradcode/drop.h"
#include "interrupt.h"
#include "trainer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void say_status(note *n, gdc_status status)
{
    n->status = (int)status;
    if (status != GDC_OK)
        snprintf(n->sentence, sizeof n->sentence, "%s", gdc_last_error());
}

/* The root process is gone: nobody is left to finalise with. */
static void leave_orphaned(void)
{
    _exit(ENDED_OTHER);
}

void follow_star(const run *r, handle *h, note *n)
{
    work w = {.run = r, .engine = h->engine};
    gdc_status status = gdc_work(h->engine, work_partial, &w);
    if (status == GDC_EROOT)
        leave_orphaned();
    say_status(n, status);
    gdc_close(h->engine, NULL);
    h->engine = NULL;
}

static gdc_status reduce_once(gdc_drop *drop, trainer *t, work *w, gdc_round *round)
{
    *round = (gdc_round){.size = sizeof *round};
    return gdc_drop_gradient(drop, t->model, work_partial, w, t->gradient, round);
}

/* An interruption reaches the workers in different rounds. Who keeps the readings hands them over; if the others stopped
 * as well, it could hang in a reduction without them. */
static gdc_status keeper_check(const session *s)
{
    return s->rank == 1 ? interrupt_check() : GDC_OK;
}

/* A round lasts from one reduction's return to the next. */
static gdc_status measure(session *s, handle *h, trainer *t, record *rec)
{
    work w = {.run = rec->run};
    gdc_round round;
    double start = session_clock(), previous = start;
    for (size_t i = 0; record_goes_on(rec); i++) {
        if (!session_root_lives(s))
            leave_orphaned();
        record_model(rec, i, t->model);
        gdc_status status = keeper_check(s);
        if (status == GDC_OK)
            status = reduce_once(h->drop, t, &w, &round);
        if (status != GDC_OK)
            return status;
        double now = session_clock();
        record_gradient(rec, i, t->gradient);
        noise_round(rec->run, &rec->noise, &round, t->gradient);
        record_round(rec, previous - start, now - previous, &round);
        previous = now;
        trainer_step(t);
    }
    return GDC_OK;
}

static gdc_status warm_up(session *s, const entry *e, handle *h, trainer *t)
{
    work w = {.run = t->run};
    gdc_round round;
    for (uint64_t v = e->first_version; v <= t->run->warmup; v++) {
        if (!session_root_lives(s))
            leave_orphaned();
        gdc_status status = keeper_check(s);
        if (status == GDC_OK)
            status = reduce_once(h->drop, t, &w, &round);
        if (status != GDC_OK)
            return status;
        trainer_step(t);
    }
    return GDC_OK;
}

static void say_work(const gdc_worker_stats *before, const gdc_worker_stats *after, note *n)
{
    n->pieces = after->pieces - before->pieces;
    n->messages = after->messages - before->messages;
    n->bytes = after->bytes - before->bytes;
    n->overran = after->overran - before->overran;
    n->home_used = after->home_used - before->home_used;
    n->compute_s = after->compute_s - before->compute_s;
    n->piece_s = after->piece_s - before->piece_s;
    n->error_code = after->error;
}

static gdc_status train_reducing(session *s, const entry *e, handle *h, trainer *t, record *rec, note *n)
{
    gdc_worker_stats before = {.size = sizeof before}, after = {.size = sizeof after};
    trainer_reset(t);
    gdc_status status = warm_up(s, e, h, t);
    trainer_reset(t);
    if (status == GDC_OK)
        status = gdc_drop_stats(h->drop, &before);
    double start = session_clock();
    if (status == GDC_OK)
        status = measure(s, h, t, rec);
    rec->wall_s = session_clock() - start;
    record_final(rec, t->model);
    if (gdc_drop_stats(h->drop, &after) == GDC_OK && rec->rounds > 0)
        say_work(&before, &after, n);
    return status;
}

void follow_reduce(const run *r, const entry *e, session *s, handle *h, record *rec, note *n)
{
    trainer t;
    gdc_status status = trainer_open(r, &t);
    if (status == GDC_OK)
        status = train_reducing(s, e, h, &t, rec, n);
    trainer_close(&t);
    say_status(n, status);
    n->has_readings = s->rank == 1;
    n->rounds = rec->rounds;
    n->kept = rec->kept;
    n->wall_s = rec->wall_s;
    n->amplification = rec->amplification;
    n->noise = rec->noise.reading;
    snprintf(n->chosen, sizeof n->chosen, "%s", gdc_drop_chosen(h->drop));
}

static void take_note(const record *rec, const peer *p, gdc_worker_stats *stats)
{
    const note *n = &p->note;
    *stats = (gdc_worker_stats){.size = sizeof *stats, .health = GDC_ALIVE};
    if (p->owes && !p->is_lost && interrupt_seen())
        return;
    if (p->is_lost || p->owes) {
        stats->lost = session_how_lost(p);
        stats->health = p->is_lost ? GDC_DEAD : GDC_SUSPECT;
        stats->lost_version = rec->run->warmup + 1 + rec->rounds;
        return;
    }
    stats->pieces = n->pieces;
    stats->messages = n->messages;
    stats->bytes = n->bytes;
    stats->overran = n->overran;
    stats->home_used = n->home_used;
    stats->compute_s = n->compute_s;
    stats->piece_s = n->piece_s;
    stats->error = n->error_code;
}

/* The sentence of the first worker that failed for a reason of its own, else of the first that waited in
 * vain. */
static void find_failure(const session *s, record *rec)
{
    for (int w = s->workers - 1; w >= 0; w--) {
        const peer *p = &s->peer[w];
        if (p->is_lost || p->owes || p->note.status == GDC_OK)
            continue;
        if (rec->status != GDC_OK && p->note.status == GDC_ETIMEDOUT && rec->status != GDC_ETIMEDOUT)
            continue;
        gdc_fail((gdc_status)p->note.status, "%s", p->note.sentence);
        record_failure(rec, (gdc_status)p->note.status);
    }
}

gdc_status observe_reduce(session *s, record *rec)
{
    const peer *first = &s->peer[0];
    bool has_readings = !first->is_lost && !first->owes && first->note.has_readings;
    gdc_status status = has_readings ? session_take_readings(s, rec) : GDC_OK;
    if (has_readings && status == GDC_OK) {
        rec->wall_s = first->note.wall_s;
        rec->amplification = first->note.amplification;
        rec->noise.reading = first->note.noise;
        snprintf(rec->chosen, sizeof rec->chosen, "%s", first->note.chosen);
    }
    for (int w = 0; w < s->workers; w++)
        take_note(rec, &s->peer[w], &rec->after[w]);
    find_failure(s, rec);
    if (interrupt_seen() && rec->rounds < rec->run->config->rounds)
        record_failure(rec, interrupt_check());
    if (status != GDC_OK) {
        record_failure(rec, status);
        rec->rounds = rec->kept = 0;
    } else if (!has_readings && rec->error[0] == '\0') {
        record_failure(rec, gdc_fail(GDC_ETIMEDOUT, "worker 0, which keeps the readings of an all-reduce, was lost"));
    }
    return GDC_OK;
}

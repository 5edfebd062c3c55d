/* mpi_lost.c - who is gone, stopped or silent, as the root sees it.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * DEAD is proved and final: /proc says so (same kernel and pid namespace), MPI reported an error for a message
 * with that peer, or the worker said LEAVE. SUSPECT is a label for reports and deadlines, undone by the
 * worker's next message: stopped (/proc), or silent for longer than its own history explains. No worker is ever
 * waited for in particular; only when nobody but suspects could complete a round does round_deadline_s begin to
 * run. */
#include "transport/mpi_root.h"

#include "gradcode/statistics.h"

#include <math.h>

static const double look_idle_s = .2, look_busy_s = 1;
/* A process that is gone has put its last messages into our queues; a socket may take a moment to hand them over. */
static const double burial_s = 20e-3;
static const double silence_floor_s = 10, silence_unknown_s = 60;
enum { HISTORY_ENOUGH = 5, DEVIATIONS = 10 };

/* ---- dead ---------------------------------------------------------------------------------------- */

/* Also called from inside the pump's drain, so it only takes a note; bury() tells the pump. */
void gdc_root_proved_dead(gdc_mpi_root *root, int worker)
{
    gdc_book *book = &root->book[worker];
    if (book->is_dying || book->said_bye) {
        return;
    }
    book->is_dying = true;
    book->dying_s = gdc_root_now(root);
    root->dying_count++;
    root->somebody_lost = true;
}

static void bury(gdc_mpi_root *root, int worker, double now_s)
{
    gdc_book *book = &root->book[worker];
    gdc_worker_stats *stats = gdc_pump_stats(root->pump, worker);
    root->dying_count--;
    book->is_suspect = false;
    if (!book->is_dead) {
        stats->lost_version = stats->lost ? stats->lost_version : root->current ? root->current->version : 0;
        stats->lost = "dead";
        stats->returned = 0;
    }
    book->is_dead = true;
    book->has_left = false;
    stats->health = GDC_DEAD;
    gdc_root_forget(root, worker);
    gdc_root_abandon(root, worker);
    gdc_pump_dead(root->pump, worker, now_s);
}

static void bury_all(gdc_mpi_root *root, double now_s)
{
    for (int w = 0; w < root->link.workers && root->dying_count > 0; w++) {
        gdc_book *book = &root->book[w];
        bool is_buried = book->is_dead && !book->has_left;
        if (book->is_dying && !is_buried && now_s - book->dying_s >= burial_s) {
            bury(root, w, now_s);
        }
    }
}

void gdc_root_has_left(gdc_mpi_root *root, int worker, double now_s)
{
    gdc_book *book = &root->book[worker];
    if (book->is_dead) {
        return;
    }
    gdc_worker_stats *stats = gdc_pump_stats(root->pump, worker);
    book->is_dead = book->has_left = true;
    stats->health = GDC_DEAD;
    stats->lost = "dead";
    stats->lost_version = root->current ? root->current->version : 0;
    gdc_pump_dead(root->pump, worker, now_s);
    gdc_root_give_stop(root, worker);
}

/* ---- suspects ------------------------------------------------------------------------------------ */

static void suspect(gdc_mpi_root *root, int worker, const char *why)
{
    gdc_book *book = &root->book[worker];
    gdc_worker_stats *stats = gdc_pump_stats(root->pump, worker);
    if (book->is_suspect) {
        return;
    }
    book->is_suspect = true;
    stats->health = GDC_SUSPECT;
    stats->lost = why;
    stats->lost_version = root->current ? root->current->version : 0;
    stats->returned = 0;
}

static void trust(gdc_mpi_root *root, int worker)
{
    root->book[worker].is_suspect = false;
    gdc_pump_stats(root->pump, worker)->health = GDC_ALIVE;
}

void gdc_root_heard(gdc_mpi_root *root, int worker, double now_s)
{
    gdc_book *book = &root->book[worker];
    gdc_worker_stats *stats = gdc_pump_stats(root->pump, worker);
    book->heard_s = now_s;
    if (book->is_dead || book->is_dying || !stats->lost) {
        return;
    }
    stats->returned = 1;
    trust(root, worker);
}

/* How long this worker may take, by its own history. */
static double patience_s(const gdc_book *book)
{
    double times[GDC_HISTORY];
    int count = book->history_count < GDC_HISTORY ? book->history_count : GDC_HISTORY;
    if (count < HISTORY_ENOUGH) {
        return silence_unknown_s;
    }
    for (int i = 0; i < count; i++) {
        times[i] = book->history[i];
    }
    double median = gdc_median(times, (size_t)count);
    return fmax(silence_floor_s, median + DEVIATIONS * gdc_mad(times, (size_t)count));
}

/* The root hears nothing between rounds, so silence counts from the beginning of this one. */
static bool is_silent(const gdc_mpi_root *root, int worker, double now_s)
{
    const gdc_book *book = &root->book[worker];
    return gdc_coordinator_is_busy(gdc_pump_coordinator(root->pump), worker) &&
           now_s - fmax(root->began_s, fmax(book->answered_s, book->heard_s)) > patience_s(book);
}

static void look_at(gdc_mpi_root *root, int worker, double now_s)
{
    gdc_book *book = &root->book[worker];
    int rank = gdc_link_rank_of(&root->link, worker);
    gdc_presence presence =
        gdc_link_sees(&root->link, rank) ? gdc_process_look(&root->link.process[rank]) : GDC_UNKNOWN;
    bool was_stopped = book->is_suspect && book->is_stopped;
    book->is_stopped = presence == GDC_STOPPED;
    if (presence == GDC_GONE) {
        gdc_root_proved_dead(root, worker);
    } else if (presence == GDC_STOPPED) {
        suspect(root, worker, "stopped");
    } else if (was_stopped) {
        trust(root, worker); /* it runs again; that it has returned is said by its next message */
        book->heard_s = now_s;
    } else if (is_silent(root, worker, now_s)) {
        suspect(root, worker, "silent");
    }
}

/* ---- the round's deadline ------------------------------------------------------------------------ */

/* Runs from the moment when only suspects could complete the round. */
static void set_deadline(gdc_mpi_root *root, double now_s)
{
    bool any = false;
    for (int w = 0; w < root->link.workers; w++) {
        root->gone[w] = root->book[w].is_dead || root->book[w].is_dying || root->book[w].is_suspect;
        any = any || root->book[w].is_suspect;
    }
    if (!any || gdc_coordinator_can_finish_without(gdc_pump_coordinator(root->pump), root->gone)) {
        root->expire_s = INFINITY;
    } else {
        root->expire_s = fmin(root->expire_s, now_s + root->options.round_deadline_s);
    }
}

static void look(gdc_mpi_root *root, double now_s)
{
    root->looked_s = now_s;
    for (int w = 0; w < root->link.workers; w++) {
        const gdc_book *book = &root->book[w];
        if (!book->said_bye && !book->is_dying && (!book->is_dead || book->has_left)) {
            look_at(root, w, now_s);
        }
    }
    set_deadline(root, now_s);
}

/* After a sweep that saw the queue empty, so that nobody is called silent whose message lies there. */
void gdc_root_watch(gdc_mpi_root *root, double now_s)
{
    bool idles = now_s - fmax(root->moved_s, root->looked_s) >= look_idle_s;
    if (idles || now_s - root->looked_s >= look_busy_s) {
        look(root, now_s);
    }
    if (root->dying_count > 0) {
        bury_all(root, now_s);
    }
    if (now_s >= root->expire_s && gdc_pump_is_running(root->pump)) {
        for (int w = 0; w < root->link.workers; w++) {
            root->gone[w] = root->book[w].is_suspect;
        }
        root->expire_s = INFINITY;
        gdc_pump_expire(root->pump, root->gone, now_s);
    }
}

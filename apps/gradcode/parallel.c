/* parallel.c - a run under mpirun: start-up together, one strategy after the other, a bounded end.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "automatic.h"
#include "drops.h"
#include "experiment.h"
#include "follow.h"
#include "gradcode/drop.h"
#include "gradcode/engine.h"
#include "guard.h"
#include "interrupt.h"
#include "judge.h"
#include "lead.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Notes may be late by a round's deadline, and by a piece that cannot be interrupted. */
static const double late_s = 5;

/* Outlives every strategy: the observer of an engine is given when it is opened, the record when it runs. */
typedef struct stage {
    run run;
    session session;
    handle *handle; /* [entry_count] */
    record *record; /* [entry_count] at rank 0 and, for an all-reduce, at workers */
} stage;

static gdc_status open_record(stage *st, int i)
{
    bool is_root = st->session.rank == 0, is_keeper = is_root || st->session.rank == 1;
    if (!is_root && !st->run.entries[i].collective)
        return GDC_OK;
    return record_open(&st->run, &st->run.entries[i], is_keeper, &st->record[i]);
}

static gdc_status open_handle(stage *st, int i)
{
    const entry *e = &st->run.entries[i];
    gdc_options options = run_options(&st->run, e);
    gdc_status status = GDC_OK;
    if (st->session.rank == 0 && st->run.config->out != NULL) {
        options.observe = record_arrival;
        options.observe_context = &st->record[i];
    }
    if (!e->collective)
        status = gdc_open(st->session.comm, &options, &st->handle[i].engine);
    else if (st->session.rank != 0)
        status = gdc_drop_open(st->session.workers_comm, &options, &st->handle[i].drop);
    return session_agree(&st->session, status);
}

/* opened: how run_open ended on this rank. */
static gdc_status set_up(stage *st, gdc_status opened)
{
    gdc_status status = session_agree(&st->session, opened);
    if (status != GDC_OK)
        return status;
    if (st->run.dimension > INT_MAX)
        return gdc_fail(GDC_EINVAL, "a model of %zu numbers: want at most %d under mpirun", st->run.dimension, INT_MAX);
    size_t count = (size_t)st->run.entry_count;
    st->handle = calloc(count, sizeof *st->handle);
    st->record = calloc(count, sizeof *st->record);
    status =
        st->handle != NULL && st->record != NULL ? GDC_OK : gdc_fail(GDC_ENOMEM, "no memory for %zu strategies", count);
    status = session_agree(&st->session, status);
    if (status == GDC_OK && automatic_is_wanted(&st->run))
        status = automatic_by_rounds(&st->run, &st->session);
    for (int i = 0; i < st->run.entry_count && status == GDC_OK; i++) {
        status = session_agree(&st->session, open_record(st, i));
        if (status == GDC_OK)
            status = open_handle(st, i);
    }
    return status;
}

/* ---- rank 0 ---- */

/* What the engine knows, the session learns. */
static void mark_dead(session *s, const record *rec)
{
    for (int w = 0; w < s->workers; w++)
        if (rec->after[w].health == GDC_DEAD)
            s->peer[w].is_lost = true;
}

/* The other way round: who was lost so late that the engine ended before it noticed. */
static void mark_lost(const session *s, record *rec)
{
    for (int w = 0; w < s->workers; w++) {
        const peer *p = &s->peer[w];
        bool is_missed = p->is_lost || (p->owes && !interrupt_seen());
        if (rec->after[w].lost != NULL || !is_missed)
            continue;
        rec->after[w].lost = session_how_lost(p);
        rec->after[w].lost_version = rec->run->warmup + rec->rounds;
    }
}

static gdc_status lead_star(stage *st, int i)
{
    run *r = &st->run;
    const entry *e = &r->entries[i];
    gdc_engine *engine = st->handle[i].engine;
    trainer t;
    gdc_status status = trainer_open(r, &t);
    session_order(&st->session, i, false);
    if (status == GDC_OK) {
        lead(r, e, engine, &t, &st->record[i]);
        gdc_finish(engine, NULL);
    }
    gdc_close(engine, NULL);
    st->handle[i].engine = NULL;
    trainer_close(&t);
    mark_dead(&st->session, &st->record[i]);
    session_collect(&st->session, r->config->give_up_s + late_s, true);
    mark_lost(&st->session, &st->record[i]);
    return status;
}

static gdc_status lead_reduce(stage *st, int i, bool *ran, result_strategy *s)
{
    const entry *e = &st->run.entries[i];
    int absent = session_absent(&st->session);
    *ran = absent < 0;
    if (absent >= 0) {
        char reason[64];
        snprintf(reason, sizeof reason, "not run: worker %d lost", absent);
        return judge_absent(e, reason, s);
    }
    progress_begin(&st->run, e->spec);
    progress_show(&st->run, e->spec, 0, 0);
    session_order(&st->session, i, false);
    session_collect(&st->session, st->run.config->give_up_s + late_s, false);
    return observe_reduce(&st->session, &st->record[i]);
}

static gdc_status lead_entry(stage *st, int i, result_strategy *s)
{
    const entry *e = &st->run.entries[i];
    bool ran = true;
    if (interrupt_seen())
        return judge_absent(e, "not run: interrupted", s);
    gdc_status status = e->collective ? lead_reduce(st, i, &ran, s) : lead_star(st, i);
    if (status == GDC_OK && ran)
        status = judge(&st->run, e, &st->record[i], s);
    if (status == GDC_OK && ran) {
        s->ideal_round_s = ideal_round_s(&st->run, e, s->rounds_completed);
        status = drops_conclude(&st->run, e, &st->record[i], s);
    }
    return status;
}

/* Without what follows the first comma: some libraries say there on which machine they were built. */
static gdc_status name_mpi(result *res)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length = 0;
    if (MPI_Get_library_version(version, &length) != MPI_SUCCESS)
        return gdc_fail(GDC_EMPI, "MPI_Get_library_version failed");
    version[strcspn(version, ",\r\n")] = '\0';
    res->mpi = strdup(version);
    return res->mpi != NULL ? GDC_OK : gdc_fail(GDC_ENOMEM, "no memory for the name of the MPI library");
}

static int run_root(stage *st, const char *who)
{
    const launch rank0 = {.rank = 0};
    result res;
    gdc_status status = result_begin(&st->run, &res);
    if (status == GDC_OK)
        status = name_mpi(&res);
    for (int i = 0; i < st->run.entry_count && status == GDC_OK; i++)
        status = lead_entry(st, i, &res.strategy[i]);
    int code = status == GDC_OK ? result_conclude(&st->run, who, &res) : end_failed(&rank0, who, status);
    result_free(&res);
    fflush(stdout);
    fflush(stderr);
    session_farewell(&st->session);
    return code;
}

/* ---- workers ---- */

static bool run_entry(stage *st, int i)
{
    note n = {.entry = i};
    if (!st->run.entries[i].collective)
        follow_star(&st->run, &st->handle[i], &n);
    else
        follow_reduce(&st->run, &st->run.entries[i], &st->session, &st->handle[i], &st->record[i], &n);
    return session_tell(&st->session, &n) && (!n.has_readings || session_give_readings(&st->session, &st->record[i]));
}

static bool run_worker(stage *st, bool *calm)
{
    order o;
    while (session_await(&st->session, &o)) {
        if (o.entry < 0) {
            *calm = o.calm != 0;
            return true;
        }
        if (o.entry >= st->run.entry_count || !run_entry(st, o.entry))
            return false;
    }
    return false;
}

/* Closing an all-reduce handle is collective: only when everybody is there to do it. */
static void close_stage(stage *st, bool calm)
{
    for (int i = 0; i < st->run.entry_count; i++) {
        if (st->handle != NULL && calm)
            gdc_drop_close(st->handle[i].drop);
        if (st->record != NULL)
            record_close(&st->record[i]);
    }
    free(st->handle);
    free(st->record);
}

static int run_ranks(stage *st, const char *who)
{
    bool calm = false;
    if (st->session.rank == 0) {
        int code = run_root(st, who);
        calm = session_absent(&st->session) < 0;
        close_stage(st, calm);
        session_close(&st->session, calm);
        return code;
    }
    if (!run_worker(st, &calm))
        _exit(ENDED_OTHER);
    close_stage(st, calm);
    note goodbye = {.entry = -1};
    if (!session_tell(&st->session, &goodbye))
        _exit(ENDED_OTHER);
    session_close(&st->session, calm);
    return ENDED_DONE;
}

int run_parallel(const launch *how, const char *who, const config *c)
{
    stage st = {.handle = NULL};
    gdc_status opened = run_open(c, how, false, &st.run);
    char sentence[SENTENCE_MAX];
    snprintf(sentence, sizeof sentence, "%s", gdc_last_error());
    guard_on();
    gdc_status status = session_open(&st.session);
    if (status == GDC_OK)
        status = set_up(&st, opened == GDC_OK ? GDC_OK : gdc_fail(opened, "%s", sentence));
    guard_off();
    interrupt_on(how->rank != 0);
    int code = status == GDC_OK ? run_ranks(&st, who) : end_failed(how, who, status);
    run_close(&st.run);
    return code;
}

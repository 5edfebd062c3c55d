/* mpi_reduce.c - one all-reduce by MPI_Iallreduce, MPI_Test and pauses.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Never the blocking call: with more ranks than cores it takes the core from those who still compute (84
 * against 49 ms on 32 ranks of 2 cores), and a dead rank would hold the others for ever. */
#include "transport/mpi_reduce.h"

#include "engine/norms.h"
#include "kernels/vector.h"
#include "transport/mpi_message.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const size_t large_bytes = 64 * 1024;
enum { LIST_BYTES = 400 };

/* ---- naming ranks -------------------------------------------------------------------------------- */

typedef struct list {
    char text[LIST_BYTES];
    size_t length;
    int count;
} list;

static void add_rank(list *ranks, int rank, const char *how)
{
    ranks->count++;
    if (ranks->length + 40 > sizeof ranks->text) {
        return; /* the first ones are named */
    }
    int written = snprintf(ranks->text + ranks->length, sizeof ranks->text - ranks->length, "%s%d%s%s%s",
                           ranks->length ? ", " : "", rank, *how ? " (" : "", how, *how ? ")" : "");
    ranks->length += written > 0 ? (size_t)written : 0;
}

static gdc_status time_out(gdc_reducer *reducer)
{
    const gdc_link *link = &reducer->link;
    list silent = {.length = 0};
    reducer->is_broken = true;
    for (int r = 0; r < link->ranks; r++) {
        gdc_presence presence = gdc_link_sees(link, r) ? gdc_process_look(&link->process[r]) : GDC_UNKNOWN;
        if (presence == GDC_GONE || presence == GDC_STOPPED) {
            add_rank(&silent, r, presence == GDC_GONE ? "gone" : "stopped");
        }
    }
    if (silent.count > 0) {
        return gdc_fail(GDC_ETIMEDOUT, "the all-reduce waited %.3g s for worker %s; it needs every worker",
                        reducer->deadline_s, silent.text);
    }
    return gdc_fail(GDC_ETIMEDOUT,
                    "the all-reduce waited %.3g s and no worker is known to be gone: the deadline "
                    "(round_deadline_s) must exceed the spread of a round",
                    reducer->deadline_s);
}

/* ---- reducing ------------------------------------------------------------------------------------ */

static gdc_status complete(gdc_reducer *reducer, MPI_Request *request, size_t bytes)
{
    double until_s = gdc_clock_s() + reducer->deadline_s,
           cap_s = bytes > large_bytes ? GDC_CAP_TRANSFER_S : GDC_CAP_ROOT_S;
    gdc_idle_reset(&reducer->idle);
    for (;;) {
        int flag = 0;
        int code = MPI_Test(request, &flag, MPI_STATUS_IGNORE);
        if (code != MPI_SUCCESS) {
            reducer->is_broken = true;
            return gdc_mpi_check(code, "MPI_Iallreduce");
        }
        if (flag) {
            return GDC_OK;
        }
        if (gdc_clock_s() > until_s) {
            return time_out(reducer);
        }
        gdc_idle_wait(&reducer->idle, cap_s);
    }
}

/* Names the ranks that say yes. */
static gdc_status ask(gdc_reducer *reducer, bool mine, list *yes)
{
    const gdc_link *link = &reducer->link;
    MPI_Request request;
    memset(reducer->mine, 0, (size_t)link->ranks);
    reducer->mine[link->rank] = mine;
    int code =
        MPI_Iallreduce(reducer->mine, reducer->all, link->ranks, MPI_UNSIGNED_CHAR, MPI_MAX, link->comm, &request);
    if (code != MPI_SUCCESS) {
        reducer->is_broken = true;
        return gdc_mpi_check(code, "MPI_Iallreduce");
    }
    gdc_status status = complete(reducer, &request, (size_t)link->ranks);
    for (int r = 0; status == GDC_OK && r < link->ranks; r++) {
        if (reducer->all[r]) {
            add_rank(yes, r, "");
        }
    }
    return status;
}

static gdc_status name_unsound(gdc_reducer *reducer, bool is_sound)
{
    list unsound = {.length = 0};
    gdc_status status = ask(reducer, !is_sound, &unsound);
    if (status != GDC_OK) {
        return status;
    }
    if (unsound.count == 0) {
        return gdc_fail(GDC_ENUMERIC, "the sum over all ranks overflows its type");
    }
    return gdc_fail(GDC_ENUMERIC, "the sum of worker %s is not finite; an all-reduce cannot do without it",
                    unsound.text);
}

gdc_status gdc_reducer_agree(gdc_reducer *reducer, gdc_status local)
{
    char reason[LIST_BYTES] = "";
    list failed = {.length = 0};
    if (local != GDC_OK) {
        snprintf(reason, sizeof reason, ": %.300s", gdc_last_error());
    }
    gdc_status status = ask(reducer, local != GDC_OK, &failed);
    if (status != GDC_OK || failed.count == 0) {
        return status;
    }
    return gdc_fail(local != GDC_OK ? local : GDC_ENOMEM, "worker %s failed, so that nobody can go on%s", failed.text,
                    reason);
}

gdc_status gdc_reducer_sum(gdc_reducer *reducer, const void *part, void *sum, gdc_started_fn started, void *context)
{
    const gdc_link *link = &reducer->link;
    size_t count = reducer->count;
    MPI_Request request;
    int code = MPI_Iallreduce(part, sum, (int)count, reducer->type, MPI_SUM, link->comm, &request);
    if (code != MPI_SUCCESS) {
        reducer->is_broken = true;
        return gdc_mpi_check(code, "MPI_Iallreduce");
    }
    if (started) {
        started(context);
    }
    gdc_status status = complete(reducer, &request, count * gdc_element_bytes(link->f32));
    if (status == GDC_OK && !gdc_all_finite(link->f32, count, sum)) {
        status = name_unsound(reducer, gdc_all_finite(link->f32, count, part));
    }
    return status;
}

gdc_status gdc_reducer_share(gdc_reducer *reducer, const double *part, double *sum, int count)
{
    MPI_Request request;
    int code = MPI_Iallreduce(part, sum, count, MPI_DOUBLE, MPI_SUM, reducer->link.comm, &request);
    if (code != MPI_SUCCESS) {
        reducer->is_broken = true;
        return gdc_mpi_check(code, "MPI_Iallreduce");
    }
    return complete(reducer, &request, (size_t)count * sizeof *sum);
}

/* ---- life ---------------------------------------------------------------------------------------- */

gdc_status gdc_reducer_open(MPI_Comm comm, gdc_status local, const gdc_options *options,
                            const gdc_strategy_parts *parts, gdc_reducer *reducer)
{
    gdc_reducer made = {.mine = NULL};
    int behind = options->norms ? 1 + GDC_NORMS_NUMBERS : 1;
    if (local == GDC_OK && options->dimension > (size_t)(INT_MAX - behind)) {
        local = gdc_fail(GDC_EINVAL, "dimension=%zu: want at most %d for an all-reduce", options->dimension,
                         INT_MAX - behind);
    }
    gdc_status status = gdc_link_open(comm, local, options, parts, -1, &made.link);
    if (status != GDC_OK) {
        return status;
    }
    made.count = options->dimension + (size_t)behind;
    made.type = made.link.f32 ? MPI_FLOAT : MPI_DOUBLE;
    made.deadline_s = options->round_deadline_s;
    made.idle.spins = made.link.spins;
    made.mine = calloc((size_t)made.link.ranks, 1);
    made.all = calloc((size_t)made.link.ranks, 1);
    local =
        made.mine && made.all ? GDC_OK : gdc_fail(GDC_ENOMEM, "all-reduce: no memory for %d ranks", made.link.ranks);
    status = gdc_link_agree(&made.link, local);
    if (status != GDC_OK) {
        gdc_reducer_close(&made);
        return status;
    }
    *reducer = made;
    return GDC_OK;
}

void gdc_reducer_close(gdc_reducer *reducer)
{
    gdc_link_close(&reducer->link, !reducer->is_broken);
    if (!reducer->is_broken) {
        free(reducer->mine);
        free(reducer->all);
    }
    reducer->mine = reducer->all = NULL;
}

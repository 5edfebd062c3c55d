/* session.c - start-up and end of a run under mpirun.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "session.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

double session_clock(void)
{
    struct timespec now;
    return clock_gettime(CLOCK_MONOTONIC, &now) == 0 ? (double)now.tv_sec + (double)now.tv_nsec * 1e-9 : 0;
}

void session_sleep(double seconds)
{
    struct timespec pause = {.tv_sec = (time_t)seconds};
    pause.tv_nsec = (long)((seconds - (double)pause.tv_sec) * 1e9);
    nanosleep(&pause, NULL);
}

static gdc_status failed(const char *call)
{
    return gdc_fail(GDC_EMPI, "%s failed at start-up", call);
}

static gdc_status exchange(session *s, process *all)
{
    process self = process_self();
    int size = s->workers + 1;
    if (MPI_Allgather(&self, (int)sizeof self, MPI_BYTE, all, (int)sizeof self, MPI_BYTE, s->comm) != MPI_SUCCESS)
        return failed("MPI_Allgather");
    s->root = all[0];
    s->root_is_near = process_is_near(&all[0], &self);
    if (s->rank != 0)
        return GDC_OK;
    s->peer = calloc((size_t)s->workers, sizeof *s->peer);
    if (s->peer == NULL)
        return gdc_fail(GDC_ENOMEM, "no memory for %d workers", s->workers);
    for (int r = 1; r < size; r++)
        s->peer[r - 1] = (peer){.who = all[r],
                                .is_near = process_is_near(&all[r], &self),
                                .entry = -1,
                                .order_request = MPI_REQUEST_NULL,
                                .note_request = MPI_REQUEST_NULL};
    return GDC_OK;
}

gdc_status session_open(session *s)
{
    int size = 0;
    *s = (session){.comm = MPI_COMM_NULL, .workers_comm = MPI_COMM_NULL};
    if (MPI_Comm_dup(MPI_COMM_WORLD, &s->comm) != MPI_SUCCESS ||
        MPI_Comm_set_errhandler(s->comm, MPI_ERRORS_RETURN) != MPI_SUCCESS)
        return failed("MPI_Comm_dup");
    if (MPI_Comm_rank(s->comm, &s->rank) != MPI_SUCCESS || MPI_Comm_size(s->comm, &size) != MPI_SUCCESS)
        return failed("MPI_Comm_rank");
    s->workers = size - 1;
    int colour = s->rank == 0 ? MPI_UNDEFINED : 0;
    if (MPI_Comm_split(s->comm, colour, s->rank, &s->workers_comm) != MPI_SUCCESS)
        return failed("MPI_Comm_split");
    if (s->rank != 0 && MPI_Comm_set_errhandler(s->workers_comm, MPI_ERRORS_RETURN) != MPI_SUCCESS)
        return failed("MPI_Comm_set_errhandler");
    process *all = calloc((size_t)size, sizeof *all);
    if (all == NULL)
        return gdc_fail(GDC_ENOMEM, "no memory for %d ranks", size);
    gdc_status status = exchange(s, all);
    free(all);
    return status;
}

gdc_status session_agree(session *s, gdc_status mine)
{
    struct {
        int status;
        char sentence[SENTENCE_MAX];
    } cause = {.status = (int)mine};
    int first = mine == GDC_OK ? s->workers + 1 : s->rank, lowest = first;
    if (mine != GDC_OK)
        strncpy(cause.sentence, gdc_last_error(), sizeof cause.sentence - 1);
    if (MPI_Allreduce(&first, &lowest, 1, MPI_INT, MPI_MIN, s->comm) != MPI_SUCCESS)
        return failed("MPI_Allreduce");
    if (lowest > s->workers)
        return GDC_OK;
    if (MPI_Bcast(&cause, (int)sizeof cause, MPI_BYTE, lowest, s->comm) != MPI_SUCCESS)
        return failed("MPI_Bcast");
    return gdc_fail((gdc_status)cause.status, "%s", cause.sentence);
}

void session_close(session *s, bool calm)
{
    if (!calm)
        return; /* requests may be pending for ever, and MPI_Comm_free is collective */
    if (s->workers_comm != MPI_COMM_NULL)
        MPI_Comm_free(&s->workers_comm);
    MPI_Comm_free(&s->comm);
    free(s->peer);
    s->peer = NULL;
}

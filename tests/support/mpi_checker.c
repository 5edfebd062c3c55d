/* mpi_checker.c - a layer between a test program and MPI that watches the library's traffic.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "support/mpi_checker.h"

#include <mpi.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { TAG_MODEL = 1, TAG_CTRL = 2, TAG_DATA = 8, COMMS = 64 };

typedef struct watched {
    MPI_Request request;
    enum { SEND, RECEIVE, REDUCTION } kind;
    const unsigned char *buffer;
    size_t bytes;
    uint64_t hash;
    MPI_Comm comm;
    int peer, tag, cancelled;
    struct watched *next;
} watched;

static struct {
    MPI_Comm ours[COMMS];
    int comms, setup_done, found, most_data;
    watched *live;
} state = {.most_data = 1 << 30};

void checker_setup_done(void)
{
    state.setup_done = 1;
}

void checker_setup_begins(void)
{
    state.setup_done = 0;
}

void checker_set_most_data(int most)
{
    state.most_data = most;
}

static void found(const char *what, const char *call)
{
    int rank;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    fprintf(stderr, "checker: rank %d: %s (%s)\n", rank, what, call);
    state.found++;
}

static int is_ours(MPI_Comm comm)
{
    for (int i = 0; i < state.comms; i++)
        if (state.ours[i] == comm)
            return 1;
    return 0;
}

static uint64_t hash_of(const unsigned char *bytes, size_t count)
{
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ bytes[i]) * 1099511628211u;
    return hash;
}

/* ---- requests ---- */

static void check_outstanding(const watched *added)
{
    int same = 0;
    for (const watched *w = state.live; w; w = w->next) {
        int alike = w->kind == SEND && w->comm == added->comm && w->peer == added->peer;
        same += alike && (added->tag >= TAG_DATA ? w->tag >= TAG_DATA : w->tag == added->tag);
    }
    if (added->tag == TAG_MODEL && same > 1)
        found("a second MODEL outstanding to one worker", "MPI_Isend");
    if (added->tag == TAG_CTRL && same > 1)
        found("a second CTRL outstanding to one worker", "MPI_Isend");
    if (added->tag >= TAG_DATA && same > state.most_data)
        found("too many DATA outstanding from one worker", "MPI_Isend");
}

static void watch(watched like, MPI_Request request)
{
    watched *w = malloc(sizeof *w);
    if (!w)
        abort();
    *w = like;
    w->request = request;
    w->next = state.live;
    state.live = w;
    if (w->kind == SEND)
        check_outstanding(w);
}

static watched *find(MPI_Request request)
{
    for (watched *w = state.live; w; w = w->next)
        if (w->request == request)
            return w;
    return NULL;
}

static void completed(MPI_Request request)
{
    for (watched **at = &state.live; *at; at = &(*at)->next) {
        watched *w = *at;
        if (w->request != request)
            continue;
        if (w->kind == SEND && hash_of(w->buffer, w->bytes) != w->hash)
            found("a send buffer changed before its send completed", "MPI_Test");
        *at = w->next;
        free(w);
        return;
    }
}

int MPI_Isend(const void *buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Request *request)
{
    int size, rc = PMPI_Isend(buffer, count, type, peer, tag, comm, request);
    PMPI_Type_size(type, &size);
    if (rc == MPI_SUCCESS && is_ours(comm)) {
        size_t bytes = (size_t)count * (size_t)size;
        watch((watched){.kind = SEND,
                        .buffer = buffer,
                        .bytes = bytes,
                        .hash = hash_of(buffer, bytes),
                        .comm = comm,
                        .peer = peer,
                        .tag = tag},
              *request);
    }
    return rc;
}

int MPI_Irecv(void *buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Request *request)
{
    int rc = PMPI_Irecv(buffer, count, type, peer, tag, comm, request);
    if (rc == MPI_SUCCESS && is_ours(comm))
        watch((watched){.kind = RECEIVE, .comm = comm, .peer = peer, .tag = tag}, *request);
    return rc;
}

int MPI_Imrecv(void *buffer, int count, MPI_Datatype type, MPI_Message *message, MPI_Request *request)
{
    int rc = PMPI_Imrecv(buffer, count, type, message, request);
    if (rc == MPI_SUCCESS && state.comms > 0)
        watch((watched){.kind = RECEIVE, .comm = state.ours[0]}, *request);
    return rc;
}

static int reductions;

int checker_reductions(void)
{
    return reductions;
}

int MPI_Iallreduce(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                   MPI_Request *request)
{
    int rc = PMPI_Iallreduce(in, out, count, type, op, comm, request);
    if (rc == MPI_SUCCESS && is_ours(comm))
        watch((watched){.kind = REDUCTION, .comm = comm}, *request);
    reductions += rc == MPI_SUCCESS && is_ours(comm);
    return rc;
}

int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
    MPI_Request before = *request;
    int rc = PMPI_Test(request, flag, status);
    if (*flag)
        completed(before);
    return rc;
}

int MPI_Testsome(int count, MPI_Request *requests, int *done, int *indices, MPI_Status *statuses)
{
    MPI_Request *before = malloc(((size_t)count + 1) * sizeof *before);
    if (!before)
        abort();
    for (int i = 0; i < count; i++)
        before[i] = requests[i];
    int rc = PMPI_Testsome(count, requests, done, indices, statuses);
    for (int i = 0; *done != MPI_UNDEFINED && i < *done; i++)
        completed(before[indices[i]]);
    free(before);
    return rc;
}

int MPI_Cancel(MPI_Request *request)
{
    watched *w = find(*request);
    if (w && w->kind == SEND)
        found("cancels a send", "MPI_Cancel");
    if (w)
        w->cancelled = 1;
    return PMPI_Cancel(request);
}

int MPI_Request_free(MPI_Request *request)
{
    watched *w = find(*request);
    if (w && w->kind == SEND)
        found("frees a send that is not complete", "MPI_Request_free");
    return PMPI_Request_free(request);
}

/* Waiting is harmless only for a receive that was cancelled. */
int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    MPI_Request before = *request;
    watched *w = find(before);
    if (w && !w->cancelled && state.setup_done)
        found("blocks on a peer", "MPI_Wait");
    int rc = PMPI_Wait(request, status);
    completed(before);
    return rc;
}

int MPI_Waitall(int count, MPI_Request *requests, MPI_Status *statuses)
{
    for (int i = 0; i < count; i++)
        if (find(requests[i]) && state.setup_done)
            found("blocks on a peer", "MPI_Waitall");
    return PMPI_Waitall(count, requests, statuses);
}

/* ---- calls that block, and collectives ---- */

static void forbid(MPI_Comm comm, const char *call)
{
    if (state.setup_done && is_ours(comm))
        found("a blocking call or a collective after set-up", call);
}

int MPI_Send(const void *buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm)
{
    forbid(comm, "MPI_Send");
    return PMPI_Send(buffer, count, type, peer, tag, comm);
}

int MPI_Recv(void *buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Status *status)
{
    forbid(comm, "MPI_Recv");
    return PMPI_Recv(buffer, count, type, peer, tag, comm, status);
}

int MPI_Mrecv(void *buffer, int count, MPI_Datatype type, MPI_Message *message, MPI_Status *status)
{
    if (state.setup_done)
        found("a blocking call after set-up", "MPI_Mrecv");
    return PMPI_Mrecv(buffer, count, type, message, status);
}

int MPI_Probe(int peer, int tag, MPI_Comm comm, MPI_Status *status)
{
    forbid(comm, "MPI_Probe");
    return PMPI_Probe(peer, tag, comm, status);
}

int MPI_Barrier(MPI_Comm comm)
{
    forbid(comm, "MPI_Barrier");
    return PMPI_Barrier(comm);
}

int MPI_Bcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    forbid(comm, "MPI_Bcast");
    return PMPI_Bcast(buffer, count, type, root, comm);
}

int MPI_Allreduce(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    forbid(comm, "MPI_Allreduce");
    return PMPI_Allreduce(in, out, count, type, op, comm);
}

int MPI_Allgather(const void *in, int in_count, MPI_Datatype in_type, void *out, int out_count, MPI_Datatype out_type,
                  MPI_Comm comm)
{
    forbid(comm, "MPI_Allgather");
    return PMPI_Allgather(in, in_count, in_type, out, out_count, out_type, comm);
}

int MPI_Gather(const void *in, int in_count, MPI_Datatype in_type, void *out, int out_count, MPI_Datatype out_type,
               int root, MPI_Comm comm)
{
    forbid(comm, "MPI_Gather");
    return PMPI_Gather(in, in_count, in_type, out, out_count, out_type, root, comm);
}

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *made)
{
    forbid(comm, "MPI_Comm_dup");
    int rc = PMPI_Comm_dup(comm, made);
    if (rc == MPI_SUCCESS && state.comms < COMMS)
        state.ours[state.comms++] = *made;
    return rc;
}

/* ---- the end ---- */

static int count_live(const char *call)
{
    int live = 0;
    for (const watched *w = state.live; w; w = w->next) {
        char what[96];
        snprintf(what, sizeof what, "a live %s request at the end, peer %d tag %d",
                 w->kind == SEND      ? "send"
                 : w->kind == RECEIVE ? "receive"
                                      : "reduction",
                 w->peer, w->tag);
        found(what, call);
        live++;
    }
    return live;
}

int MPI_Comm_free(MPI_Comm *comm)
{
    int waiting = 0;
    MPI_Status status;
    if (is_ours(*comm)) {
        PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, *comm, &waiting, &status);
        if (waiting)
            found("a message that nobody received", "MPI_Comm_free");
        for (int i = 0; i < state.comms; i++)
            if (state.ours[i] == *comm)
                state.ours[i] = state.ours[--state.comms];
    }
    return PMPI_Comm_free(comm);
}

int checker_report(int nobody_lost)
{
    if (nobody_lost)
        count_live("checker_report");
    return state.found;
}

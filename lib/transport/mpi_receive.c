/* mpi_receive.c - the root's receives.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Probe for anything from anybody, look at the size BEFORE receiving (a receive that is too small is overrun by
 * some transports, whatever MPI says), receive without blocking, deliver. Matching follows the order of a
 * worker's sends, completion does not: a message is delivered only after the earlier ones of its worker, so
 * that everything between an answer and the next READY belongs to the version that was given. A matched message
 * is gone from MPI's queue and must be received, wanted or not. */
#include "transport/mpi_root.h"

#include "kernels/vector.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SWEEP_LIMIT = 64 };

/* ---- the pool ------------------------------------------------------------------------------------ */

static gdc_status no_memory(const gdc_mpi_root *root)
{
    return gdc_fail(GDC_ENOMEM, "root: no memory for another message buffer of %zu bytes (it has %d)",
                    root->link.vector_bytes, root->pool_count);
}

static bool grow_pool_lists(gdc_mpi_root *root)
{
    int max = 2 * root->pool_max + 8;
    unsigned char **pool = realloc(root->pool, (size_t)max * sizeof *pool);
    if (!pool) {
        return false;
    }
    root->pool = pool;
    unsigned char **list = realloc(root->free_buffer, (size_t)max * sizeof *list);
    if (!list) {
        return false;
    }
    root->free_buffer = list;
    root->pool_max = max;
    return true;
}

gdc_status gdc_root_reserve(gdc_mpi_root *root, int count)
{
    while (root->free_count < count) {
        if (root->pool_count == root->pool_max && !grow_pool_lists(root)) {
            return no_memory(root);
        }
        unsigned char *buffer = gdc_mpi_buffer((size_t)root->link.vector_units * GDC_UNIT);
        if (!buffer) {
            return no_memory(root);
        }
        root->pool[root->pool_count++] = buffer;
        root->free_buffer[root->free_count++] = buffer;
    }
    if (root->pending_count == root->pending_max) {
        int max = 2 * root->pending_max + 8;
        gdc_receive *pending = realloc(root->pending, (size_t)max * sizeof *pending);
        if (!pending) {
            return no_memory(root);
        }
        root->pending = pending;
        root->pending_max = max;
    }
    return GDC_OK;
}

void gdc_root_release(gdc_mpi_root *root, unsigned char *buffer)
{
    root->free_buffer[root->free_count++] = buffer;
}

static void release(gdc_mpi_root *root, const gdc_receive *in)
{
    if (in->is_foreign) {
        free(in->buffer);
    } else {
        gdc_root_release(root, in->buffer);
    }
}

/* Buffers into which MPI may still write are left alone until the process ends. */
void gdc_root_free_pool(gdc_mpi_root *root)
{
    for (int i = 0; i < root->pool_count; i++) {
        bool is_in_use = false;
        for (int j = 0; j < root->pending_count; j++) {
            is_in_use = is_in_use || (root->pending[j].buffer == root->pool[i] && !root->pending[j].is_done);
        }
        if (!is_in_use) {
            free(root->pool[i]);
        }
    }
    free(root->pool);
    free(root->free_buffer);
    free(root->pending);
}

/* ---- judging a message --------------------------------------------------------------------------- */

/* Is this what the worker may send under that tag? */
static bool is_expected(const gdc_mpi_root *root, int worker, int tag, int units)
{
    if (!gdc_tag_is_known(tag)) {
        return false;
    }
    int index = gdc_tag_index(tag);
    if (index == GDC_BARE) {
        return units == GDC_TRAILER_UNITS;
    }
    return units == root->link.vector_units && (index == GDC_SPAN || index < gdc_plan_rows(root->parts->plan, worker));
}

static uint64_t assigned_to(const gdc_mpi_root *root, int worker)
{
    return gdc_coordinator_assigned(gdc_pump_coordinator(root->pump), worker);
}

/* A trailer that was made by its worker, for this tag, on the version that it was given. */
static bool is_believable(const gdc_mpi_root *root, const gdc_receive *in, const gdc_trailer *trailer)
{
    int index = gdc_tag_index(in->tag);
    gdc_message_kind kind = index == GDC_BARE ? GDC_KIND_BARE : index == GDC_SPAN ? GDC_KIND_SPAN : GDC_KIND_DATA;
    bool ready = (trailer->flags & GDC_FLAG_READY) != 0;
    bool is_farewell = (trailer->flags & (GDC_FLAG_LEAVE | GDC_FLAG_BYE)) != 0; /* may cross a MODEL */
    return gdc_trailer_is_sound(trailer, in->units) && trailer->kind == kind && trailer->worker == in->worker &&
           trailer->index == index && ready == gdc_tag_is_ready(in->tag) && trailer->done >= 0 && trailer->ack >= 0 &&
           (is_farewell || trailer->version == assigned_to(root, in->worker)) &&
           (kind != GDC_KIND_SPAN || gdc_trailer_has_span(trailer, root->parts->plan->partitions));
}

static bool is_sound_vector(const gdc_mpi_root *root, const gdc_receive *in, const gdc_trailer *trailer)
{
    const gdc_link *link = &root->link;
    return gdc_trailer_matches(trailer, in->buffer, link->vector_bytes) &&
           gdc_all_finite(link->f32, link->length, in->buffer);
}

static void count_work(gdc_mpi_root *root, int worker, const gdc_trailer *trailer)
{
    gdc_worker_stats *stats = gdc_pump_stats(root->pump, worker);
    stats->compute_s = trailer->compute_s;
    stats->piece_s = trailer->pieces_s;
    stats->overran = trailer->overran;
    if (trailer->flags & GDC_FLAG_ERROR) {
        stats->error = trailer->error;
    }
}

static gdc_arrival make_arrival(const gdc_mpi_root *root, const gdc_receive *in, const gdc_trailer *trailer)
{
    gdc_arrival arrival = {
        .worker = in->worker,
        .index = gdc_tag_index(in->tag),
        .version = assigned_to(root, in->worker),
        .ready = gdc_tag_is_ready(in->tag),
        .piece_s = NAN,
        .loss = NAN,
        .norm2 = NAN,
    };
    if (!trailer) { /* not believed */
        return arrival;
    }
    arrival.sound = true;
    arrival.span = (gdc_span){trailer->first, trailer->count};
    arrival.done = trailer->done;
    arrival.ack = trailer->ack;
    arrival.finished = trailer->finished;
    arrival.piece_s = trailer->piece_s;
    arrival.loss = trailer->loss;
    arrival.norm2 = trailer->norm2;
    return arrival;
}

static void remember_round_time(gdc_mpi_root *root, int worker, double now_s)
{
    gdc_book *book = &root->book[worker];
    book->history[book->history_count++ % GDC_HISTORY] = now_s - book->answered_s;
}

/* ---- delivering ---------------------------------------------------------------------------------- */

/* Returns true iff the pump has kept the buffer. */
static bool judge(gdc_mpi_root *root, const gdc_receive *in, const gdc_trailer *trailer, double now_s)
{
    gdc_arrival arrival = make_arrival(root, in, trailer);
    bool has_vector = arrival.index != GDC_BARE && !in->is_strange;
    bool is_wanted =
        has_vector && trailer && gdc_coordinator_wants(gdc_pump_coordinator(root->pump), in->worker, arrival.index);
    if (is_wanted) { /* else nobody reads it, and its checksum is not worth the time */
        arrival.sound = is_sound_vector(root, in, trailer);
    }
    if (!trailer && (arrival.index == GDC_SPAN || arrival.index >= gdc_plan_rows(root->parts->plan, in->worker))) {
        arrival.index = GDC_BARE; /* nobody knows what it was */
    }
    if (has_vector) {
        gdc_pump_stats(root->pump, in->worker)->bytes += root->link.vector_bytes;
    }
    if (arrival.ready && arrival.version > 0) {
        remember_round_time(root, in->worker, now_s);
    }
    return gdc_pump_message(root->pump, &arrival, has_vector, is_wanted ? in->buffer : NULL, now_s);
}

/* During shutdown a READY is answered by STOP, and nothing is used any more. */
static void judge_at_shutdown(gdc_mpi_root *root, const gdc_receive *in)
{
    if (gdc_tag_is_ready(in->tag)) {
        gdc_root_give_stop(root, in->worker);
    }
}

static void deliver(gdc_mpi_root *root, const gdc_receive *in)
{
    gdc_book *book = &root->book[in->worker];
    double now_s = gdc_root_now(root);
    gdc_trailer trailer;
    bool is_believed = false, is_kept = false;
    gdc_root_heard(root, in->worker, now_s);
    if (!in->is_strange) {
        trailer = gdc_trailer_at(in->buffer, in->units);
        is_believed = is_believable(root, in, &trailer);
    }
    if (is_believed) {
        count_work(root, in->worker, &trailer);
    } else {
        root->strange_count++;
    }
    if (is_believed && (trailer.flags & GDC_FLAG_BYE)) {
        book->said_bye = true;
    } else if (is_believed && (trailer.flags & GDC_FLAG_LEAVE)) {
        gdc_root_has_left(root, in->worker, now_s);
    } else if (!book->is_dead && root->is_stopping) {
        judge_at_shutdown(root, in);
    } else if (!book->is_dead && gdc_tag_is_known(in->tag)) {
        is_kept = judge(root, in, is_believed ? &trailer : NULL, now_s);
    }
    if (!is_kept) {
        release(root, in);
    }
}

static bool is_complete(gdc_mpi_root *root, gdc_receive *in)
{
    int flag = 0;
    if (in->is_done || in->is_broken) {
        return in->is_done;
    }
    if (MPI_Test(&in->request, &flag, MPI_STATUS_IGNORE) != MPI_SUCCESS) {
        in->is_broken = true; /* what MPI does with the buffer is unknown: it stays incomplete */
        gdc_root_proved_dead(root, in->worker);
        return false;
    }
    in->is_done = flag != 0;
    return in->is_done;
}

/* Between rounds nothing is delivered: the sweep in which a round ends may have matched more, and a vector that may
 * enter the next round would be lost. */
static bool can_deliver(const gdc_mpi_root *root)
{
    return root->is_stopping || gdc_pump_is_running(root->pump);
}

/* Delivers what is complete and has no incomplete message of the same worker before it. */
static bool deliver_pending(gdc_mpi_root *root)
{
    int left = 0, before = root->pending_count;
    root->stamp++;
    for (int i = 0; i < before; i++) {
        gdc_receive in = root->pending[i];
        bool is_done = is_complete(root, &in);
        if (is_done && root->blocked[in.worker] != root->stamp && can_deliver(root)) {
            deliver(root, &in);
            continue;
        }
        root->blocked[in.worker] = root->stamp;
        root->pending[left++] = in;
    }
    root->pending_count = left;
    return left < before;
}

static void leave_to_mpi(gdc_mpi_root *root, const unsigned char *buffer)
{
    for (int i = 0; i < root->pool_count; i++) {
        if (root->pool[i] == buffer) {
            root->pool[i] = root->pool[--root->pool_count];
            return;
        }
    }
}

void gdc_root_abandon(gdc_mpi_root *root, int worker)
{
    int left = 0;
    for (int i = 0; i < root->pending_count; i++) {
        gdc_receive *in = &root->pending[i];
        if (in->worker != worker) {
            root->pending[left++] = *in;
        } else if (in->is_done) {
            release(root, in);
        } else if (!in->is_foreign) {
            leave_to_mpi(root, in->buffer);
        }
    }
    root->pending_count = left;
}

/* ---- matching ------------------------------------------------------------------------------------ */

/* Where a message of the wrong size goes: a buffer that holds all of it. False: no memory. */
static bool find_room(gdc_mpi_root *root, const MPI_Status *status, gdc_receive *in, MPI_Datatype *type, int *count)
{
    MPI_Count bytes = 0;
    MPI_Get_elements_x(status, MPI_BYTE, &bytes);
    in->is_strange = true;
    in->units = 0;
    *type = bytes > INT_MAX ? root->link.unit : MPI_BYTE;
    *count = (int)(bytes > INT_MAX ? bytes / GDC_UNIT + 1 : bytes);
    if ((size_t)bytes > (size_t)root->link.vector_units * GDC_UNIT) {
        in->is_foreign = true;
        in->buffer = malloc((size_t)bytes + GDC_UNIT);
        return in->buffer != NULL;
    }
    in->buffer = root->free_buffer[--root->free_count];
    return true;
}

static void receive(gdc_mpi_root *root, MPI_Message message, const MPI_Status *status)
{
    gdc_receive in = {.request = MPI_REQUEST_NULL, .tag = status->MPI_TAG};
    MPI_Datatype type = root->link.unit;
    in.worker = gdc_link_worker_of(&root->link, status->MPI_SOURCE);
    MPI_Get_count(status, type, &in.units);
    int count = in.units;
    if (is_expected(root, in.worker, in.tag, in.units)) {
        in.buffer = root->free_buffer[--root->free_count];
    } else if (!find_room(root, status, &in, &type, &count)) {
        gdc_root_fail(root,
                      gdc_fail(GDC_ENOMEM, "root: no memory for a message of a wrong size from worker %d", in.worker));
        return;
    }
    int code = MPI_Imrecv(in.buffer, count, type, &message, &in.request);
    if (code != MPI_SUCCESS) {
        gdc_root_proved_dead(root, in.worker);
        in.request = MPI_REQUEST_NULL;
        release(root, &in);
        return;
    }
    root->pending[root->pending_count++] = in;
}

bool gdc_root_sweep(gdc_mpi_root *root, bool *drained)
{
    bool moved = root->pending_count > 0 && deliver_pending(root);
    *drained = false;
    for (int i = 0; i < SWEEP_LIMIT && can_deliver(root); i++) {
        int flag = 0;
        MPI_Message message;
        MPI_Status status;
        gdc_status reserved = gdc_root_reserve(root, 1);
        if (reserved != GDC_OK) {
            gdc_root_fail(root, reserved);
            return moved;
        }
        int code = MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, root->link.comm, &flag, &message, &status);
        if (code != MPI_SUCCESS) {
            gdc_root_fail(root, gdc_mpi_check(code, "MPI_Improbe"));
            return moved;
        }
        if (!flag) {
            *drained = true;
            return moved;
        }
        receive(root, message, &status);
        deliver_pending(root);
        moved = true;
    }
    return moved;
}

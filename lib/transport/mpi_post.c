/* mpi_post.c - the root's sends.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * To each worker at most one MODEL (or STOP) and at most one CTRL are outstanding. A MODEL is the answer to a
 * READY, so its predecessor has been received; that MPI has said so may still be missing, then it waits for the
 * next turn. What waits behind a CTRL: at most one WORK (an answer: never overwritten, sent first) and one of
 * RING or LIMIT (a later LIMIT overwrites, RING beats LIMIT). STOP is the last message that a worker gets. */
#include "transport/mpi_root.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TRAILER_BYTES = GDC_TRAILER_UNITS * GDC_UNIT };

/* ---- shared buffers ------------------------------------------------------------------------------ */

static gdc_model_buffer *free_model(gdc_mpi_root *root)
{
    for (int i = 0; i < root->models_max; i++) {
        gdc_model_buffer *model = &root->model[i];
        if (model->refs > 0) {
            continue;
        }
        if (!model->bytes) {
            model->bytes = gdc_mpi_buffer((size_t)root->link.message_units * GDC_UNIT);
        }
        return model->bytes ? model : NULL;
    }
    return NULL;
}

static gdc_status load(gdc_mpi_root *root, uint64_t version, const void *vector, gdc_model_buffer **loaded)
{
    const gdc_link *link = &root->link;
    gdc_model_buffer *model = free_model(root);
    if (!model) {
        return gdc_fail(GDC_ENOMEM, "root: no memory for another model of %zu bytes", link->payload_bytes);
    }
    model->version = version;
    model->is_sealed = false;
    model->units = link->message_units;
    memcpy(model->bytes, vector, link->payload_bytes);
    *loaded = model;
    return GDC_OK;
}

/* Once per buffer: all its receivers get the same trailer. */
static void seal(gdc_mpi_root *root, gdc_model_buffer *model, gdc_message_kind kind, double nominal_s)
{
    bool has_payload = model->units > GDC_TRAILER_UNITS;
    gdc_trailer trailer = gdc_trailer_make(kind, model->version);
    trailer.nominal_s = nominal_s;
    trailer.units = model->units;
    trailer.flags = root->somebody_lost ? GDC_FLAG_LOSS : 0;
    gdc_trailer_seal(&trailer, model->bytes, root->link.payload_bytes, root->link.checksum && has_payload);
    gdc_trailer_put(model->bytes, model->units, &trailer);
    model->is_sealed = true;
}

gdc_status gdc_root_load_model(gdc_mpi_root *root, uint64_t version, const void *model)
{
    return load(root, version, model, &root->current);
}

gdc_status gdc_root_load_stop(gdc_mpi_root *root, uint64_t version, const void *model)
{
    gdc_status status = load(root, version, model, &root->stop);
    if (status == GDC_OK) {
        seal(root, root->stop, GDC_KIND_STOP, NAN);
        root->stop->refs++; /* until the end */
    }
    return status;
}

/* ---- starting sends ------------------------------------------------------------------------------ */

static bool post_model(gdc_mpi_root *root, int worker)
{
    gdc_book *book = &root->book[worker];
    gdc_model_buffer *model = book->waiting;
    if (!model || root->request[worker] != MPI_REQUEST_NULL) {
        return false;
    }
    book->waiting = NULL;
    int code = MPI_Isend(model->bytes, model->units, root->link.unit, gdc_link_rank_of(&root->link, worker),
                         GDC_TAG_MODEL, root->link.comm, &root->request[worker]);
    if (code != MPI_SUCCESS) {
        root->request[worker] = MPI_REQUEST_NULL; /* and the reference stays: nobody knows what MPI still reads */
        gdc_root_proved_dead(root, worker);
        return false;
    }
    book->sending = model;
    root->active++;
    if (model->units > GDC_TRAILER_UNITS) {
        gdc_pump_stats(root->pump, worker)->bytes += root->link.payload_bytes;
    }
    return true;
}

/* Which of what waits goes first; false: nothing. */
static bool next_ctrl(gdc_book *book, gdc_trailer *trailer)
{
    if (book->work_waits) {
        *trailer = gdc_trailer_make(GDC_KIND_WORK, book->work_version);
        trailer->first = book->work.first;
        trailer->count = book->work.count;
        book->work_waits = false;
    } else if (book->ring_waits) {
        *trailer = gdc_trailer_make(GDC_KIND_RING, book->ring_version);
        book->ring_waits = false;
    } else if (book->limit_waits) {
        *trailer = gdc_trailer_make(GDC_KIND_LIMIT, book->limit_version);
        trailer->limit = book->limit;
        book->limit_waits = false;
    } else {
        return false;
    }
    return true;
}

static bool post_ctrl(gdc_mpi_root *root, int worker)
{
    MPI_Request *request = &root->request[root->link.workers + worker];
    gdc_trailer trailer;
    if (*request != MPI_REQUEST_NULL || !next_ctrl(&root->book[worker], &trailer)) {
        return false;
    }
    unsigned char *bytes = root->ctrl + (size_t)worker * TRAILER_BYTES;
    trailer.worker = worker;
    gdc_trailer_seal(&trailer, NULL, 0, false);
    gdc_trailer_put(bytes, GDC_TRAILER_UNITS, &trailer);
    int code = MPI_Isend(bytes, GDC_TRAILER_UNITS, root->link.unit, gdc_link_rank_of(&root->link, worker), GDC_TAG_CTRL,
                         root->link.comm, request);
    if (code != MPI_SUCCESS) {
        *request = MPI_REQUEST_NULL;
        gdc_root_proved_dead(root, worker);
        return false;
    }
    root->active++;
    return true;
}

static void wait_to_send(gdc_mpi_root *root, int worker, gdc_model_buffer *model)
{
    gdc_book *book = &root->book[worker];
    if (book->waiting) {
        book->waiting->refs--;
    }
    book->waiting = model;
    model->refs++;
    post_model(root, worker);
}

/* ---- what the pump asks for ---------------------------------------------------------------------- */

void gdc_root_give_model(gdc_mpi_root *root, int worker, gdc_hint hint)
{
    gdc_book *book = &root->book[worker];
    gdc_model_buffer *model = root->current;
    if (!model->is_sealed) {
        seal(root, model, GDC_KIND_MODEL, hint.nominal_s);
    }
    book->ring_waits = book->limit_waits = false; /* these were about an older version */
    book->answered_s = gdc_root_now(root);
    wait_to_send(root, worker, model);
    if (hint.limit < root->parts->plan->partitions / root->link.workers) {
        gdc_root_limit(root, worker, model->version, hint.limit);
    }
}

void gdc_root_give_work(gdc_mpi_root *root, int worker, uint64_t version, gdc_span span)
{
    gdc_book *book = &root->book[worker];
    book->work_waits = true;
    book->work_version = version;
    book->work = span;
    book->answered_s = gdc_root_now(root);
    post_ctrl(root, worker);
}

void gdc_root_ring(gdc_mpi_root *root, int worker, uint64_t version)
{
    gdc_book *book = &root->book[worker];
    book->ring_waits = true;
    book->ring_version = version;
    book->limit_waits = false;
    post_ctrl(root, worker);
}

void gdc_root_limit(gdc_mpi_root *root, int worker, uint64_t version, int limit)
{
    gdc_book *book = &root->book[worker];
    if (book->ring_waits && book->ring_version >= version) {
        return;
    }
    book->limit_waits = true;
    book->limit_version = version;
    book->limit = limit;
    post_ctrl(root, worker);
}

void gdc_root_give_stop(gdc_mpi_root *root, int worker)
{
    gdc_book *book = &root->book[worker];
    if (book->was_told) {
        return;
    }
    gdc_root_forget(root, worker);
    book->was_told = true;
    if (!root->stop) {
        book->farewell.units = GDC_TRAILER_UNITS;
        book->farewell.bytes = root->ctrl + (size_t)(root->link.workers + worker) * TRAILER_BYTES;
        seal(root, &book->farewell, GDC_KIND_STOP, NAN);
    }
    wait_to_send(root, worker, root->stop ? root->stop : &book->farewell);
}

void gdc_root_forget(gdc_mpi_root *root, int worker)
{
    gdc_book *book = &root->book[worker];
    book->work_waits = book->ring_waits = book->limit_waits = false;
    if (book->waiting) {
        book->waiting->refs--;
        book->waiting = NULL;
    }
}

/* ---- completing sends ---------------------------------------------------------------------------- */

static void completed(gdc_mpi_root *root, int i, bool is_good)
{
    int n = root->link.workers, worker = i < n ? i : i - n;
    gdc_book *book = &root->book[worker];
    root->request[i] = MPI_REQUEST_NULL;
    root->active--;
    if (!is_good) {
        gdc_root_proved_dead(root, worker); /* its buffer keeps the reference */
    } else if (i < n) {
        book->sending->refs--;
        book->sending = NULL;
    }
}

static bool test_sends(gdc_mpi_root *root)
{
    int count = 0, requests = 2 * root->link.workers;
    if (root->active == 0) {
        return false;
    }
    int code = MPI_Testsome(requests, root->request, &count, root->completed, root->status);
    if (code != MPI_SUCCESS && code != MPI_ERR_IN_STATUS) {
        gdc_root_fail(root, gdc_mpi_check(code, "MPI_Testsome"));
        return false;
    }
    if (count == MPI_UNDEFINED) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        completed(root, root->completed[i], code == MPI_SUCCESS || root->status[i].MPI_ERROR == MPI_SUCCESS);
    }
    return count > 0;
}

bool gdc_root_progress(gdc_mpi_root *root)
{
    bool moved = test_sends(root);
    if (!moved) {
        return false;
    }
    for (int w = 0; w < root->link.workers; w++) {
        post_model(root, w);
        post_ctrl(root, w);
    }
    return true;
}

/* mpi_send.c - what a worker sends.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * At most L vectors of a worker are in flight: 2 large ones, or all its rows and one more where they are small.
 * A vector belongs to MPI from the Isend until the request is complete; single-copy transports read it where it
 * lies. The wait for a free place ends also when the round is over. A BARE has its own buffer and waits for its
 * predecessor. */
#include "transport/mpi_worker.h"

#include <math.h>

static gdc_send *free_place(gdc_mpi_worker *worker)
{
    for (int i = 0; i < worker->sends; i++) {
        if (!worker->send[i].vector) {
            return &worker->send[i];
        }
    }
    return NULL;
}

static gdc_trailer make_trailer(gdc_mpi_worker *worker, gdc_message_kind kind, const gdc_step *step)
{
    gdc_trailer trailer = gdc_trailer_make(kind, gdc_worker_version(worker->machine));
    trailer.worker = worker->id;
    trailer.flags = step->ready ? GDC_FLAG_READY : 0;
    trailer.done = step->done;
    trailer.ack = step->ack;
    trailer.finished = gdc_worker_finished(worker->machine);
    trailer.piece_s = worker->piece_s;
    trailer.since_model_s = trailer.version > 0 ? gdc_mpi_worker_now(worker) - worker->model_at_s : NAN;
    trailer.compute_s = worker->stats.compute_s;
    trailer.pieces_s = worker->stats.piece_s;
    trailer.overran = (uint32_t)worker->stats.overran;
    return trailer;
}

static void set_nan(const gdc_mpi_worker *worker, void *vector)
{
    if (worker->link.f32) {
        *(float *)vector = NAN;
    } else {
        *(double *)vector = NAN;
    }
}

static void seal(gdc_mpi_worker *worker, const gdc_step *step, void *vector)
{
    const gdc_link *link = &worker->link;
    gdc_trailer trailer = make_trailer(worker, step->index == GDC_SPAN ? GDC_KIND_SPAN : GDC_KIND_DATA, step);
    trailer.index = step->index;
    trailer.first = step->span.first;
    trailer.count = step->span.count;
    trailer.loss = gdc_sums_loss(worker->sums);
    trailer.units = link->vector_units;
    trailer.norm2 = gdc_sums_norm2(worker->sums);
    if (gdc_mpi_worker_spoils(worker, GDC_FAULT_NAN)) {
        set_nan(worker, vector);
    }
    gdc_trailer_seal(&trailer, vector, link->vector_bytes, link->checksum);
    gdc_trailer_put(vector, link->vector_units, &trailer);
    if (gdc_mpi_worker_spoils(worker, GDC_FAULT_CORRUPT)) {
        *(unsigned char *)vector ^= 1;
    }
}

static gdc_status send_vector(gdc_mpi_worker *worker, const gdc_step *step, gdc_send *place)
{
    const gdc_link *link = &worker->link;
    void *vector = step->index == GDC_SPAN ? gdc_sums_take_span(worker->sums, step->span)
                                           : gdc_sums_take_row(worker->sums, step->index);
    seal(worker, step, vector);
    place->vector = vector;
    worker->sending++;
    gdc_status status = gdc_mpi_check(MPI_Isend(vector, link->vector_units, link->unit, link->root,
                                                gdc_tag_make(step->index, step->ready), link->comm, &place->request),
                                      "MPI_Isend of a vector");
    if (status != GDC_OK) {
        return status;
    }
    worker->stats.messages++;
    worker->stats.bytes += link->vector_bytes;
    worker->owes_ready = worker->owes_ready && !step->ready;
    worker->failed_rounds = 0;
    if (!worker->sent_of_version) {
        worker->sent_of_version = true;
        gdc_mpi_worker_strike(worker, GDC_AT_SENT);
    }
    return GDC_OK;
}

gdc_status gdc_mpi_worker_send(gdc_mpi_worker *worker, const gdc_step *step)
{
    gdc_send *place = free_place(worker);
    gdc_idle_reset(&worker->idle);
    while (!place && !gdc_worker_is_over(worker->machine)) {
        gdc_status status = gdc_mpi_worker_pause(worker);
        if (status != GDC_OK) {
            return status;
        }
        place = free_place(worker);
    }
    if (place) {
        return send_vector(worker, step, place);
    }
    /* Over before there was a place. If this was not the READY, the machine's next step is. */
    gdc_sums_abandon(worker->sums);
    return step->ready ? gdc_mpi_worker_report(worker, step, 0) : GDC_OK;
}

gdc_status gdc_mpi_worker_report(gdc_mpi_worker *worker, const gdc_step *step, unsigned flags)
{
    const gdc_link *link = &worker->link;
    gdc_idle_reset(&worker->idle);
    while (worker->bare_request != MPI_REQUEST_NULL) {
        gdc_status status = gdc_mpi_worker_pause(worker);
        if (status != GDC_OK) {
            return status;
        }
    }
    gdc_trailer trailer = make_trailer(worker, GDC_KIND_BARE, step);
    if (worker->tell_error) {
        flags |= GDC_FLAG_ERROR;
        trailer.error = worker->stats.error;
        worker->tell_error = false;
    }
    trailer.flags = (uint16_t)(trailer.flags | flags);
    gdc_trailer_seal(&trailer, NULL, 0, false);
    gdc_trailer_put(worker->bare, GDC_TRAILER_UNITS, &trailer);
    worker->owes_ready = worker->owes_ready && !step->ready;
    return gdc_mpi_check(MPI_Isend(worker->bare, GDC_TRAILER_UNITS, link->unit, link->root,
                                   gdc_tag_make(GDC_BARE, step->ready), link->comm, &worker->bare_request),
                         "MPI_Isend of a report");
}

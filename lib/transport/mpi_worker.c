/* mpi_worker.c - a worker's loop over the steps of its machine.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Who sends what: the worker's first message is BARE|READY. Each MODEL and each WORK that it gets owes exactly
 * one READY, in the last vector or in a BARE. While it owes none it waits for MODEL, WORK or STOP; nothing else
 * makes it wait but its own send pool. */
#include "transport/mpi_worker.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

static const int large_units = 64 * 1024 / GDC_UNIT;
enum { LARGE_SENDS = 2, SPAN_SENDS = 4 };

double gdc_mpi_worker_now(const gdc_mpi_worker *worker)
{
    return gdc_clock_s() - worker->origin_s;
}

/* ---- life ---------------------------------------------------------------------------------------- */

static bool allocate(gdc_mpi_worker *worker)
{
    size_t bytes = (size_t)worker->link.message_units * GDC_UNIT;
    worker->model[0] = gdc_mpi_buffer(bytes);
    worker->model[1] = gdc_mpi_buffer(bytes);
    worker->ctrl = gdc_mpi_buffer(GDC_TRAILER_UNITS * GDC_UNIT);
    worker->bare = gdc_mpi_buffer(GDC_TRAILER_UNITS * GDC_UNIT);
    worker->send = calloc((size_t)worker->sends, sizeof *worker->send);
    for (int i = 0; worker->send && i < worker->sends; i++) {
        worker->send[i].request = MPI_REQUEST_NULL;
    }
    return worker->model[0] && worker->model[1] && worker->ctrl && worker->bare && worker->send;
}

/* Keeps the faults of this worker. */
static bool copy_faults(gdc_mpi_worker *worker, const gdc_options *options)
{
    size_t count = (size_t)options->fault_count + 1;
    worker->fault = calloc(count, sizeof *worker->fault);
    worker->struck = calloc(count, sizeof *worker->struck);
    worker->options.fault_count = 0;
    for (int i = 0; worker->fault && i < options->fault_count; i++) {
        if (options->faults[i].worker == worker->id) {
            worker->fault[worker->options.fault_count++] = options->faults[i];
        }
    }
    worker->options.faults = worker->fault;
    return worker->fault && worker->struck;
}

static gdc_status create_parts(gdc_mpi_worker *worker, const gdc_options *options)
{
    const gdc_strategy_parts *parts = worker->parts;
    const gdc_link *link = &worker->link;
    if (!allocate(worker) || !copy_faults(worker, options)) {
        return gdc_fail(GDC_ENOMEM, "worker %d: no memory for two models of %zu bytes", worker->id,
                        link->payload_bytes);
    }
    gdc_status status = gdc_worker_create(parts->ops, parts->state, parts->plan, worker->id, &worker->machine);
    if (status != GDC_OK) {
        return status;
    }
    return gdc_sums_create(parts->plan, worker->id, !parts->ops->next, options->dtype, link->dimension,
                           (size_t)link->vector_units * GDC_UNIT, worker->sends, options->norms != 0, &worker->sums);
}

gdc_status gdc_mpi_worker_create(const gdc_link *link, const gdc_options *options, const gdc_strategy_parts *parts,
                                 gdc_mpi_worker **created)
{
    gdc_mpi_worker *worker = calloc(1, sizeof *worker);
    if (!worker) {
        return gdc_fail(GDC_ENOMEM, "worker: out of memory");
    }
    worker->link = *link;
    worker->options = *options;
    worker->parts = parts;
    worker->id = gdc_link_worker_of(link, link->rank);
    worker->sends = link->vector_units > large_units ? LARGE_SENDS
                    : parts->ops->next               ? SPAN_SENDS
                                                     : gdc_plan_rows(parts->plan, worker->id) + 1;
    worker->held = -1;
    worker->model_request = worker->ctrl_request = worker->bare_request = MPI_REQUEST_NULL;
    worker->owes_ready = true;
    worker->piece_s = NAN;
    worker->stats = (gdc_worker_stats){.size = sizeof worker->stats, .used = NAN, .home_used = NAN};
    worker->idle.spins = link->spins;
    worker->origin_s = gdc_clock_s();
    atomic_init(&worker->over, false);
    gdc_status status = create_parts(worker, options);
    if (status != GDC_OK) {
        gdc_mpi_worker_destroy(worker);
        return status;
    }
    *created = worker;
    return GDC_OK;
}

gdc_status gdc_mpi_worker_start(gdc_mpi_worker *worker)
{
    gdc_status status = gdc_mpi_worker_post_model(worker);
    return status == GDC_OK ? gdc_mpi_worker_post_ctrl(worker) : status;
}

void gdc_mpi_worker_destroy(gdc_mpi_worker *worker)
{
    if (!worker) {
        return;
    }
    if (worker->model_request == MPI_REQUEST_NULL) {
        free(worker->model[0]);
        free(worker->model[1]);
    }
    if (worker->ctrl_request == MPI_REQUEST_NULL) {
        free(worker->ctrl);
    }
    if (worker->bare_request == MPI_REQUEST_NULL) {
        free(worker->bare);
    }
    if (worker->sending == 0) {
        gdc_sums_destroy(worker->sums);
    }
    gdc_worker_destroy(worker->machine);
    free(worker->send);
    free(worker->fault);
    free(worker->struck);
    free(worker);
}

/* ---- what the root has sent ---------------------------------------------------------------------- */

static bool is_good_model(const gdc_mpi_worker *worker, const gdc_trailer *trailer)
{
    return trailer->kind == GDC_KIND_MODEL && worker->model_units == worker->link.message_units &&
           trailer->version > gdc_worker_version(worker->machine);
}

static gdc_status accept_model(gdc_mpi_worker *worker, const gdc_trailer *trailer)
{
    const gdc_link *link = &worker->link;
    worker->held = worker->held == 0 ? 1 : 0;
    worker->model_is_sound = gdc_trailer_matches(trailer, worker->model[worker->held], link->payload_bytes);
    gdc_status status = gdc_mpi_worker_post_model(worker);
    if (status != GDC_OK) {
        return status;
    }
    worker->owes_ready = true;
    worker->sent_of_version = false;
    worker->stats.bytes += link->payload_bytes;
    gdc_sums_abandon(worker->sums);
    worker->model_at_s = gdc_mpi_worker_now(worker);
    gdc_worker_model(worker->machine, trailer->version, (gdc_hint){.limit = INT_MAX, .nominal_s = trailer->nominal_s},
                     worker->model_at_s);
    atomic_store(&worker->over, gdc_worker_is_over(worker->machine));
    gdc_mpi_worker_strike(worker, GDC_AT_MODEL);
    return GDC_OK;
}

static gdc_status accept_stop(gdc_mpi_worker *worker, const gdc_trailer *trailer)
{
    const unsigned char *message = worker->model[worker->held == 0 ? 1 : 0];
    bool has_model = worker->model_units == worker->link.message_units;
    if (has_model && !gdc_trailer_matches(trailer, message, worker->link.payload_bytes)) {
        return gdc_fail(GDC_EDATA, "worker %d: the final model differs from its checksum", worker->id);
    }
    gdc_status status = gdc_mpi_worker_obey_stop(worker, trailer);
    worker->final_model = has_model ? message : NULL;
    return status;
}

/* MODEL or STOP, told apart by the trailer in the last units. */
static gdc_status accept(gdc_mpi_worker *worker)
{
    const unsigned char *message = worker->model[worker->held == 0 ? 1 : 0];
    gdc_trailer trailer = gdc_trailer_at(message, worker->model_units);
    if (gdc_trailer_is_sound(&trailer, worker->model_units)) {
        if (trailer.kind == GDC_KIND_STOP) {
            return accept_stop(worker, &trailer);
        }
        if (is_good_model(worker, &trailer)) {
            return accept_model(worker, &trailer);
        }
    }
    return gdc_fail(GDC_EDATA, "worker %d: a damaged message of %d units from the root, after version %llu", worker->id,
                    worker->model_units, (unsigned long long)gdc_worker_version(worker->machine));
}

/* ---- steps --------------------------------------------------------------------------------------- */

static gdc_status leave_in_shame(gdc_mpi_worker *worker)
{
    int code = worker->stats.error;
    gdc_status status = gdc_mpi_worker_leave(worker);
    if (status == GDC_OK) {
        status = gdc_fail(GDC_ENUMERIC, "worker %d: the callback failed in %d rounds in a row, at last with code %d",
                          worker->id, GDC_LOST_AFTER, code);
    }
    return status;
}

static gdc_status await(gdc_mpi_worker *worker)
{
    return worker->model_came ? accept(worker) : gdc_mpi_worker_pause(worker);
}

static gdc_status take_step(gdc_mpi_worker *worker, bool *started)
{
    gdc_mpi_worker_progress(worker);
    gdc_step step = gdc_worker_next(worker->machine, gdc_mpi_worker_now(worker));
    if (gdc_worker_take_abandoned(worker->machine)) {
        gdc_sums_abandon(worker->sums);
    }
    switch (step.kind) {
    case GDC_COMPUTE:
        return gdc_mpi_worker_start_piece(worker, &step, started);
    case GDC_SEND:
        return gdc_mpi_worker_send(worker, &step);
    case GDC_REPORT:
        return worker->failed_rounds >= GDC_LOST_AFTER ? leave_in_shame(worker)
                                                       : gdc_mpi_worker_report(worker, &step, 0);
    case GDC_WAIT:
        return await(worker);
    default:
        return gdc_fail(GDC_EINVAL, "worker %d: %s wants a reduction, which has no master", worker->id,
                        worker->parts->ops->name);
    }
}

static void hand_out(gdc_mpi_worker *worker, gdc_task *task, void **sum)
{
    *task = (gdc_task){.size = sizeof *task,
                       .version = gdc_worker_version(worker->machine),
                       .worker = worker->id,
                       .partition = worker->partition,
                       .model = worker->model[worker->held],
                       .loss = NAN};
    *sum = gdc_sums_target(worker->sums, worker->partition, &task->scale);
}

static void hand_out_end(gdc_mpi_worker *worker, gdc_task *task, void **sum)
{
    *task = (gdc_task){
        .size = sizeof *task, .worker = worker->id, .partition = -1, .model = worker->final_model, .loss = NAN};
    *sum = NULL;
}

gdc_status gdc_mpi_worker_next(gdc_mpi_worker *worker, gdc_task *task, void **sum)
{
    bool started = false;
    if (worker->has_piece) {
        return gdc_fail(GDC_EINVAL, "gdc_next: partition %d was not submitted yet", worker->partition);
    }
    long slack = gdc_slack_enter();
    gdc_idle_reset(&worker->idle);
    gdc_status status = worker->broken;
    while (status == GDC_OK && !started && !worker->is_through) {
        status = take_step(worker, &started);
        status = status == GDC_OK ? worker->broken : status;
    }
    gdc_slack_leave(slack);
    if (status != GDC_OK) {
        worker->broken = status;
    } else if (started) {
        hand_out(worker, task, sum);
    } else {
        hand_out_end(worker, task, sum);
    }
    return status;
}

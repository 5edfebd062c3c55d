/* mpi_leave.c - how a worker ends.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * On STOP: own sends to completion, the CTRL receive is cancelled (a receive can be), BARE|BYE, done. A worker
 * that leaves first, by its own error or gdc_close: BARE|LEAVE (with READY if it owes one), receives and
 * discards until STOP, then as above. Everything is bounded by shutdown_s. */
#include "transport/mpi_worker.h"

/* Until all own sends are complete; false: the time is up. */
static bool flush(gdc_mpi_worker *worker, double until_s)
{
    gdc_idle_reset(&worker->idle);
    while (worker->sending > 0 || worker->bare_request != MPI_REQUEST_NULL) {
        if (gdc_mpi_worker_now(worker) >= until_s || worker->broken != GDC_OK) {
            return false;
        }
        if (gdc_mpi_worker_progress(worker)) {
            gdc_idle_reset(&worker->idle);
        } else {
            gdc_idle_wait(&worker->idle, GDC_CAP_TRANSFER_S);
        }
    }
    return true;
}

/* Cancels a receive; one that has matched completes instead. False: MPI may still write into its buffer. */
static bool cancel(gdc_mpi_worker *worker, MPI_Request *request, double until_s)
{
    if (*request == MPI_REQUEST_NULL) {
        return true;
    }
    int flag = 0;
    MPI_Cancel(request);
    gdc_idle_reset(&worker->idle);
    while (MPI_Test(request, &flag, MPI_STATUS_IGNORE) == MPI_SUCCESS && !flag &&
           gdc_mpi_worker_now(worker) < until_s) {
        gdc_idle_wait(&worker->idle, GDC_CAP_TRANSFER_S);
    }
    return flag != 0;
}

/* The CTRL messages sent before STOP have been matched by now or lie in the queue: the posted receive takes
 * them one by one. */
static void drain_ctrl(gdc_mpi_worker *worker)
{
    while (gdc_mpi_worker_progress(worker)) {}
}

gdc_status gdc_mpi_worker_obey_stop(gdc_mpi_worker *worker, const gdc_trailer *stop)
{
    double until_s = gdc_mpi_worker_now(worker) + worker->options.shutdown_s;
    worker->somebody_lost = (stop->flags & GDC_FLAG_LOSS) != 0;
    bool is_clean = flush(worker, until_s);
    drain_ctrl(worker);
    is_clean = cancel(worker, &worker->ctrl_request, until_s) && is_clean;
    if (is_clean) {
        const gdc_step bye = {.done = gdc_worker_done(worker->machine)};
        gdc_status status = gdc_mpi_worker_report(worker, &bye, GDC_FLAG_BYE);
        if (status != GDC_OK) {
            return status;
        }
        flush(worker, until_s);
    }
    worker->is_through = true;
    return worker->broken;
}

/* What still comes is thrown away, but for STOP. */
static bool discard_until_stop(gdc_mpi_worker *worker, double until_s, gdc_trailer *stop)
{
    while (gdc_mpi_worker_now(worker) < until_s) {
        if (!worker->model_came) {
            if (gdc_mpi_worker_pause(worker) != GDC_OK) {
                return false;
            }
            continue;
        }
        *stop = gdc_trailer_at(worker->model[worker->held == 0 ? 1 : 0], worker->model_units);
        if (gdc_trailer_is_sound(stop, worker->model_units) && stop->kind == GDC_KIND_STOP) {
            return true;
        }
        if (gdc_mpi_worker_post_model(worker) != GDC_OK) {
            return false;
        }
    }
    return false;
}

gdc_status gdc_mpi_worker_leave(gdc_mpi_worker *worker)
{
    double until_s = gdc_mpi_worker_now(worker) + worker->options.shutdown_s;
    const gdc_step last = {.ready = worker->owes_ready, .done = gdc_worker_done(worker->machine)};
    gdc_trailer stop;
    gdc_status status = gdc_mpi_worker_report(worker, &last, GDC_FLAG_LEAVE);
    if (status != GDC_OK) {
        return status;
    }
    if (discard_until_stop(worker, until_s, &stop)) {
        return gdc_mpi_worker_obey_stop(worker, &stop);
    }
    flush(worker, until_s);
    cancel(worker, &worker->ctrl_request, until_s);
    cancel(worker, &worker->model_request, until_s);
    return worker->broken;
}

gdc_status gdc_mpi_worker_close(gdc_mpi_worker *worker, int *missing)
{
    long slack = gdc_slack_enter();
    gdc_status status = GDC_OK;
    if (!worker->is_through && worker->broken == GDC_OK) {
        status = gdc_mpi_worker_leave(worker);
    }
    gdc_slack_leave(slack);
    gdc_link link = worker->link;
    bool everybody = worker->is_through && !worker->somebody_lost && worker->broken == GDC_OK;
    gdc_mpi_worker_destroy(worker);
    gdc_link_close(&link, everybody);
    if (missing) {
        *missing = !everybody;
    }
    return status;
}

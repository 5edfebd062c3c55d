/* mpi_progress.c - a worker receives, moves its sends, waits, and watches its root.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Two receives are posted: one for MODEL or STOP, one for CTRL. Matching is ordered, completion is not: a small
 * CTRL may complete before the large MODEL that was sent ahead of it, so the machine keeps RING and LIMIT for
 * versions that it does not hold yet. */
#include "transport/mpi_worker.h"

#include <math.h>

static const int large_units = 64 * 1024 / GDC_UNIT;
static const double root_look_s = 1;
/* Without single-copy transport a large model moves only while its receiver polls, and a posted receive does
 * not tell that one is on its way: so a worker that waits for a large model polls often, at first. */
static const double model_soon_s = .1;
enum { CTRL_AT_ONCE = 64 };

gdc_status gdc_mpi_worker_post_model(gdc_mpi_worker *worker)
{
    const gdc_link *link = &worker->link;
    int other = worker->held == 0 ? 1 : 0;
    worker->model_came = false;
    return gdc_mpi_check(MPI_Irecv(worker->model[other], link->message_units, link->unit, link->root, GDC_TAG_MODEL,
                                   link->comm, &worker->model_request),
                         "MPI_Irecv of a model");
}

gdc_status gdc_mpi_worker_post_ctrl(gdc_mpi_worker *worker)
{
    const gdc_link *link = &worker->link;
    return gdc_mpi_check(MPI_Irecv(worker->ctrl, GDC_TRAILER_UNITS, link->unit, link->root, GDC_TAG_CTRL, link->comm,
                                   &worker->ctrl_request),
                         "MPI_Irecv of a control message");
}

static void break_down(gdc_mpi_worker *worker, gdc_status status)
{
    if (worker->broken == GDC_OK) {
        worker->broken = status;
    }
}

/* ---- control messages ---------------------------------------------------------------------------- */

static bool is_good_work(const gdc_mpi_worker *worker, const gdc_trailer *trailer)
{
    return !worker->owes_ready && trailer->version > 0 && trailer->version == gdc_worker_version(worker->machine) &&
           gdc_trailer_has_span(trailer, worker->parts->plan->partitions);
}

static void obey_ctrl(gdc_mpi_worker *worker, const gdc_trailer *trailer)
{
    if (!gdc_trailer_is_sound(trailer, GDC_TRAILER_UNITS)) {
        return; /* as if it had been lost: a RING or LIMIT only saves work, a worker without its WORK becomes a suspect */
    }
    if (trailer->kind == GDC_KIND_RING) {
        worker->everything_is_over = worker->everything_is_over || trailer->version == UINT64_MAX;
        gdc_worker_ring(worker->machine, trailer->version);
    } else if (trailer->kind == GDC_KIND_LIMIT && trailer->limit >= 0) {
        gdc_worker_limit(worker->machine, trailer->version, trailer->limit);
    } else if (trailer->kind == GDC_KIND_WORK && is_good_work(worker, trailer)) {
        gdc_worker_work(worker->machine, (gdc_span){trailer->first, trailer->count});
        worker->owes_ready = true;
    }
    atomic_store(&worker->over, gdc_worker_is_over(worker->machine));
}

static bool take_ctrl(gdc_mpi_worker *worker)
{
    bool moved = false;
    for (int i = 0; i < CTRL_AT_ONCE && worker->ctrl_request != MPI_REQUEST_NULL; i++) {
        int flag = 0;
        gdc_status status = gdc_mpi_check(MPI_Test(&worker->ctrl_request, &flag, MPI_STATUS_IGNORE), "MPI_Test");
        if (status == GDC_OK && !flag) {
            return moved;
        }
        if (status == GDC_OK) {
            moved = true;
            worker->heard_s = gdc_mpi_worker_now(worker);
            gdc_trailer trailer = gdc_trailer_at(worker->ctrl, GDC_TRAILER_UNITS);
            obey_ctrl(worker, &trailer);
            status = gdc_mpi_worker_post_ctrl(worker);
        }
        if (status != GDC_OK) {
            break_down(worker, status);
            return moved;
        }
    }
    return moved;
}

/* ---- sends --------------------------------------------------------------------------------------- */

bool gdc_mpi_worker_sends_large(const gdc_mpi_worker *worker)
{
    return worker->sending > 0 && worker->link.vector_units > large_units;
}

static bool is_complete(gdc_mpi_worker *worker, MPI_Request *request)
{
    int flag = 0;
    gdc_status status = gdc_mpi_check(MPI_Test(request, &flag, MPI_STATUS_IGNORE), "MPI_Test of a send");
    if (status != GDC_OK) {
        break_down(worker, status);
    }
    return status == GDC_OK && flag;
}

static bool move_sends(gdc_mpi_worker *worker)
{
    bool moved = false;
    for (int i = 0; i < worker->sends && worker->sending > 0; i++) {
        gdc_send *send = &worker->send[i];
        if (send->vector && is_complete(worker, &send->request)) {
            gdc_sums_give(worker->sums, send->vector);
            send->vector = NULL;
            worker->sending--;
            moved = true;
        }
    }
    if (worker->bare_request != MPI_REQUEST_NULL && is_complete(worker, &worker->bare_request)) {
        moved = true;
    }
    return moved;
}

bool gdc_mpi_worker_progress(gdc_mpi_worker *worker)
{
    bool moved = take_ctrl(worker);
    return move_sends(worker) || moved;
}

bool gdc_mpi_worker_listen(gdc_mpi_worker *worker)
{
    bool moved = gdc_mpi_worker_progress(worker);
    int flag = 0;
    MPI_Status got;
    if (worker->model_came || worker->model_request == MPI_REQUEST_NULL) {
        return moved;
    }
    gdc_status status = gdc_mpi_check(MPI_Test(&worker->model_request, &flag, &got), "MPI_Test of a model");
    if (status == GDC_OK && flag) {
        status = gdc_mpi_check(MPI_Get_count(&got, worker->link.unit, &worker->model_units), "MPI_Get_count");
        worker->model_came = true;
        worker->heard_s = gdc_mpi_worker_now(worker);
    }
    if (status != GDC_OK) {
        break_down(worker, status);
    }
    return moved || flag;
}

/* ---- waiting ------------------------------------------------------------------------------------- */

gdc_status gdc_mpi_worker_look_at_root(gdc_mpi_worker *worker)
{
    const gdc_link *link = &worker->link;
    double now_s = gdc_mpi_worker_now(worker), deadline_s = worker->options.root_deadline_s;
    if (now_s - worker->looked_s < root_look_s) {
        return GDC_OK;
    }
    worker->looked_s = now_s;
    if (gdc_link_sees(link, link->root)) {
        const gdc_process *root = &link->process[link->root];
        if (gdc_process_look(root) == GDC_GONE) {
            worker->broken = gdc_fail(GDC_EROOT, "worker %d: the root process (rank %d, pid %lld) is gone", worker->id,
                                      link->root, (long long)root->pid);
        }
    } else if (deadline_s > 0 && now_s - worker->heard_s > deadline_s) {
        worker->broken = gdc_fail(GDC_EROOT,
                                  "worker %d: nothing heard of the root on another host for %.3g s, above "
                                  "root_deadline_s=%.3g",
                                  worker->id, now_s - worker->heard_s, deadline_s);
    }
    return worker->broken;
}

static double longest_pause_s(const gdc_mpi_worker *worker)
{
    bool expects_large = worker->link.message_units > large_units && !worker->owes_ready &&
                         gdc_mpi_worker_now(worker) - worker->heard_s < model_soon_s;
    return gdc_mpi_worker_sends_large(worker) || expects_large ? GDC_CAP_TRANSFER_S : GDC_CAP_WORKER_S;
}

gdc_status gdc_mpi_worker_pause(gdc_mpi_worker *worker)
{
    if (gdc_mpi_worker_listen(worker)) {
        gdc_idle_reset(&worker->idle);
        return worker->broken;
    }
    gdc_idle_wait(&worker->idle, longest_pause_s(worker));
    return worker->broken == GDC_OK ? gdc_mpi_worker_look_at_root(worker) : worker->broken;
}

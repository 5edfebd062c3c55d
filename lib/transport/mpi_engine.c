/* mpi_engine.c - opens the root's side or a worker's side, and their tables.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "transport/mpi_engine.h"

#include "transport/mpi_root.h"
#include "transport/mpi_worker.h"

#include <math.h>

/* ---- the root's side ----------------------------------------------------------------------------- */

static gdc_status root_round(void *self, uint64_t version, const void *model, void *gradient, gdc_round *round)
{
    return gdc_root_round(self, version, model, gradient, round);
}

static gdc_status root_finish(void *self, const void *model)
{
    return gdc_root_finish(self, model);
}

static int root_is_over(const void *self)
{
    const gdc_mpi_root *root = self;
    return !gdc_pump_is_running(root->pump);
}

static const void *root_final_model(const void *self)
{
    (void)self;
    return NULL;
}

static double root_now(const void *self)
{
    return gdc_root_now(self);
}

static gdc_status root_stats(const void *self, int worker, gdc_worker_stats *stats)
{
    const gdc_mpi_root *root = self;
    *stats = *gdc_pump_stats(root->pump, worker);
    return GDC_OK;
}

static gdc_status root_close(void *self, int *missing)
{
    return gdc_root_close(self, missing);
}

static const gdc_transport_ops root_ops = {
    .name = "mpi",
    .round = root_round,
    .finish = root_finish,
    .is_over = root_is_over,
    .final_model = root_final_model,
    .now = root_now,
    .stats = root_stats,
    .close = root_close,
};

/* ---- a worker's side ----------------------------------------------------------------------------- */

static gdc_status worker_next(void *self, gdc_task *task, void **sum)
{
    return gdc_mpi_worker_next(self, task, sum);
}

static gdc_status worker_submit(void *self, const gdc_task *task, int code)
{
    return gdc_mpi_worker_submit(self, task, code);
}

static int worker_poll(void *self)
{
    gdc_mpi_worker *worker = self;
    gdc_mpi_worker_progress(worker);
    return atomic_load(&worker->over);
}

static int worker_is_over(const void *self)
{
    const gdc_mpi_worker *worker = self;
    return atomic_load(&worker->over);
}

static const void *worker_final_model(const void *self)
{
    return ((const gdc_mpi_worker *)self)->final_model;
}

static double worker_now(const void *self)
{
    return gdc_mpi_worker_now(self);
}

static gdc_status worker_stats(const void *self, int id, gdc_worker_stats *stats)
{
    const gdc_mpi_worker *worker = self;
    if (id != worker->id) {
        return gdc_fail(GDC_EINVAL, "gdc_stats: worker %d knows of itself only, not of worker=%d", worker->id, id);
    }
    *stats = worker->stats;
    return GDC_OK;
}

static gdc_status worker_close(void *self, int *missing)
{
    return gdc_mpi_worker_close(self, missing);
}

static const gdc_transport_ops worker_ops = {
    .name = "mpi",
    .next = worker_next,
    .submit = worker_submit,
    .poll = worker_poll,
    .is_over = worker_is_over,
    .final_model = worker_final_model,
    .now = worker_now,
    .stats = worker_stats,
    .close = worker_close,
};

/* ---- opening ------------------------------------------------------------------------------------- */

static gdc_status check_rows(const gdc_strategy_parts *parts)
{
    for (int w = 0; w < parts->plan->workers; w++) {
        int rows = gdc_plan_rows(parts->plan, w);
        if (rows > GDC_INDEX_MAX + 1) {
            return gdc_fail(GDC_EINVAL, "worker %d sends %d messages a round: want at most %d over MPI", w, rows,
                            GDC_INDEX_MAX + 1);
        }
    }
    return GDC_OK;
}

gdc_status gdc_mpi_create(MPI_Comm comm, gdc_status local, const gdc_options *options, const gdc_strategy_parts *parts,
                          int root, const gdc_transport_ops **ops, void **self)
{
    gdc_link link;
    if (local == GDC_OK) {
        local = check_rows(parts);
    }
    gdc_status status = gdc_link_open(comm, local, options, parts, root, &link);
    if (status != GDC_OK) {
        return status;
    }
    bool is_root = link.rank == link.root;
    gdc_mpi_root *master = NULL;
    gdc_mpi_worker *worker = NULL;
    local = is_root ? gdc_root_create(&link, options, parts, &master)
                    : gdc_mpi_worker_create(&link, options, parts, &worker);
    status = gdc_link_agree(&link, local);
    if (status == GDC_OK && !is_root) {
        status = gdc_mpi_worker_start(worker);
    }
    if (status != GDC_OK) {
        gdc_root_destroy(master);
        gdc_mpi_worker_destroy(worker);
        gdc_link_close(&link, true);
        return status;
    }
    *ops = is_root ? &root_ops : &worker_ops;
    *self = is_root ? (void *)master : (void *)worker;
    return GDC_OK;
}

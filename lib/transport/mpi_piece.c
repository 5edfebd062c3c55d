/* mpi_piece.c - a piece of work: its drawn duration, cuts, failures, and faults on purpose.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The computation is the caller's; then the piece sleeps until its drawn duration is over, looking every poll_s
 * whether its round is. Without a poll interval it sleeps through (messages are moved all the same) and is
 * carried over into the next round. When the root finishes, nobody sleeps on. */
#include "transport/mpi_worker.h"

#include <math.h>

static const double small_grain_s = 2e-3, calm_grain_s = 20e-3;

static bool can_cut(const gdc_mpi_worker *worker)
{
    return isfinite(worker->options.poll_s);
}

/* ---- faults on purpose --------------------------------------------------------------------------- */

static bool is_due(const gdc_mpi_worker *worker, int i)
{
    return !worker->struck[i] && gdc_worker_version(worker->machine) >= worker->fault[i].version;
}

void gdc_mpi_worker_strike(gdc_mpi_worker *worker, gdc_fault_moment at)
{
    for (int i = 0; i < worker->options.fault_count; i++) {
        const gdc_fault *fault = &worker->fault[i];
        bool acts = fault->kind == GDC_FAULT_KILL || fault->kind == GDC_FAULT_STOP;
        if (acts && fault->at == at && is_due(worker, i)) {
            worker->struck[i] = true;
            worker->options.act(worker->options.act_context, fault);
        }
    }
}

bool gdc_mpi_worker_spoils(gdc_mpi_worker *worker, gdc_fault_kind kind)
{
    for (int i = 0; i < worker->options.fault_count; i++) {
        if (worker->fault[i].kind == kind && is_due(worker, i)) {
            worker->struck[i] = true;
            return true;
        }
    }
    return false;
}

/* ---- the end of a piece -------------------------------------------------------------------------- */

static void fail_piece(gdc_mpi_worker *worker, int code)
{
    uint64_t version = gdc_worker_version(worker->machine);
    worker->stats.error = code;
    worker->tell_error = true;
    if (worker->failed_version != version) {
        worker->failed_version = version;
        worker->failed_rounds++;
    }
    gdc_sums_abandon(worker->sums);
    gdc_worker_failed(worker->machine, gdc_mpi_worker_now(worker));
}

static void cut_piece(gdc_mpi_worker *worker)
{
    if (gdc_worker_is_over(worker->machine)) {
        gdc_sums_abandon(worker->sums);
    } else {
        gdc_sums_cut(worker->sums);
    }
    gdc_worker_cut(worker->machine, gdc_mpi_worker_now(worker));
}

static void finish_piece(gdc_mpi_worker *worker, double compute_s, double loss)
{
    double now_s = gdc_mpi_worker_now(worker);
    worker->piece_s = now_s - worker->began_s;
    worker->stats.compute_s += compute_s;
    worker->stats.piece_s += worker->piece_s;
    worker->stats.pieces++;
    gdc_sums_tell_loss(worker->sums, loss);
    gdc_worker_computed(worker->machine, now_s);
}

/* ---- sleeping ------------------------------------------------------------------------------------ */

static double grain_s(const gdc_mpi_worker *worker)
{
    if (worker->sending == 0) {
        return calm_grain_s;
    }
    return gdc_mpi_worker_sends_large(worker) ? GDC_CAP_TRANSFER_S : small_grain_s;
}

/* Sleeps until end_s. *cut: the round was seen to be over before. */
static gdc_status sleep_until(gdc_mpi_worker *worker, double end_s, bool *cut)
{
    double look_s = worker->began_s;
    *cut = false;
    for (double now_s = gdc_mpi_worker_now(worker); now_s < end_s; now_s = gdc_mpi_worker_now(worker)) {
        gdc_mpi_worker_progress(worker);
        bool looks = can_cut(worker) && now_s >= look_s;
        if (worker->everything_is_over || (looks && gdc_worker_is_over(worker->machine))) {
            *cut = true;
            return GDC_OK;
        }
        if (gdc_mpi_worker_look_at_root(worker) != GDC_OK) {
            return worker->broken;
        }
        double wake_s = fmin(end_s, now_s + grain_s(worker));
        if (can_cut(worker)) {
            double poll_s = worker->options.poll_s;
            look_s = worker->began_s + (floor((now_s - worker->began_s) / poll_s) + 1) * poll_s;
            wake_s = fmin(wake_s, look_s);
        }
        gdc_sleep_until(worker->origin_s + wake_s);
    }
    return GDC_OK;
}

/* *cut: the piece did not last to its end. */
static gdc_status sleep_out(gdc_mpi_worker *worker, double compute_s, bool *cut)
{
    double duration_s = compute_s;
    if (worker->options.delay) {
        duration_s = gdc_delay_draw(worker->options.delay, worker->id, gdc_worker_version(worker->machine), worker->q);
        worker->stats.overran += compute_s > duration_s;
    }
    bool crosses = worker->cut_s > 0 && can_cut(worker) && fmax(duration_s, compute_s) > worker->cut_s;
    gdc_status status = sleep_until(worker, worker->began_s + (crosses ? worker->cut_s : duration_s), cut);
    *cut = *cut || crosses;
    return status;
}

/* ---- both ends ----------------------------------------------------------------------------------- */

gdc_status gdc_mpi_worker_start_piece(gdc_mpi_worker *worker, const gdc_step *step, bool *started)
{
    *started = false;
    worker->partition = step->partition;
    worker->cut_s = step->cut_s;
    worker->began_s = gdc_mpi_worker_now(worker);
    worker->q = gdc_worker_started(worker->machine) - 1;
    gdc_idle_reset(&worker->idle);
    while (!gdc_sums_open(worker->sums, step->partition)) { /* all vectors are on their way */
        if (gdc_worker_is_over(worker->machine)) {
            cut_piece(worker);
            return GDC_OK;
        }
        gdc_status status = gdc_mpi_worker_pause(worker);
        if (status != GDC_OK) {
            return status;
        }
    }
    gdc_mpi_worker_strike(worker, GDC_AT_COMPUTE);
    if (!worker->model_is_sound) {
        fail_piece(worker, GDC_EDATA);
        return GDC_OK;
    }
    worker->began_s = gdc_mpi_worker_now(worker);
    worker->has_piece = *started = true;
    return GDC_OK;
}

gdc_status gdc_mpi_worker_submit(gdc_mpi_worker *worker, const gdc_task *task, int code)
{
    if (!worker->has_piece || task->partition != worker->partition) {
        return gdc_fail(GDC_EINVAL, "gdc_submit: partition=%d was not given by the last gdc_next", task->partition);
    }
    worker->has_piece = false;
    if (code == GDC_CUT && gdc_worker_is_over(worker->machine)) {
        cut_piece(worker);
        return GDC_OK;
    }
    if (code != 0) {
        fail_piece(worker, code);
        return GDC_OK;
    }
    gdc_sums_added(worker->sums, task->partition);
    double compute_s = gdc_mpi_worker_now(worker) - worker->began_s;
    bool cut = false;
    long slack = gdc_slack_enter();
    gdc_status status = sleep_out(worker, compute_s, &cut);
    gdc_slack_leave(slack);
    if (status != GDC_OK) {
        return status;
    }
    if (cut) {
        cut_piece(worker);
    } else {
        finish_piece(worker, compute_s, task->loss);
    }
    return GDC_OK;
}

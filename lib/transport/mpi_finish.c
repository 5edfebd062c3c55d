/* mpi_finish.c - shutdown at the root.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Root: STOP to the parked workers; RING(everything) to the busy ones and STOP at their READY; keeps draining
 * until each has said BYE, or is dead, or shutdown_s has passed. STOP is the last message that a worker gets,
 * BYE the last that it sends. A worker's BYE says that its transfers are complete, so that its process may
 * vanish. */
#include "transport/mpi_root.h"

#include <math.h>

/* After a finish that has used up its time: enough for a worker that is READY by now. */
static const double last_chance_s = .5;

static bool is_gone(const gdc_book *book)
{
    return book->is_dead && !book->has_left;
}

static gdc_status begin_shutdown(gdc_mpi_root *root, const void *model)
{
    uint64_t version = root->current ? root->current->version : 0;
    gdc_root_progress(root);
    gdc_status status = model ? gdc_root_load_stop(root, version, model) : GDC_OK;
    if (status != GDC_OK) {
        return status;
    }
    root->is_stopping = true;
    root->shutdown_at_s = gdc_root_now(root) + root->options.shutdown_s;
    for (int w = 0; w < root->link.workers; w++) {
        const gdc_book *book = &root->book[w];
        if (book->is_dead || book->said_bye) {
            continue;
        }
        if (gdc_coordinator_is_busy(gdc_pump_coordinator(root->pump), w)) {
            gdc_root_ring(root, w, UINT64_MAX);
        } else {
            gdc_root_give_stop(root, w);
        }
    }
    return GDC_OK;
}

/* All that are alive have said BYE, and MPI is done with what was sent to them. */
static bool is_settled(const gdc_mpi_root *root)
{
    int n = root->link.workers;
    for (int w = 0; w < n; w++) {
        if (is_gone(&root->book[w])) {
            continue;
        }
        if (!root->book[w].said_bye || root->request[w] != MPI_REQUEST_NULL ||
            root->request[n + w] != MPI_REQUEST_NULL) {
            return false;
        }
    }
    return true;
}

static void drain_until(gdc_mpi_root *root, double at_s)
{
    long slack = gdc_slack_enter();
    gdc_idle_reset(&root->idle);
    root->error = GDC_OK;
    while (!is_settled(root) && root->error == GDC_OK && gdc_root_now(root) < at_s) {
        gdc_root_turn(root);
    }
    gdc_slack_leave(slack);
}

gdc_status gdc_root_finish(gdc_mpi_root *root, const void *model)
{
    if (root->is_stopping) {
        return gdc_fail(GDC_EINVAL, "the engine was finished before");
    }
    gdc_status status = begin_shutdown(root, model);
    if (status == GDC_OK) {
        drain_until(root, root->shutdown_at_s);
    }
    return status;
}

static int count_missing(const gdc_mpi_root *root)
{
    int missing = 0;
    for (int w = 0; w < root->link.workers; w++) {
        missing += !root->book[w].said_bye;
    }
    return missing;
}

/* A worker that is still at its piece finds a bare STOP when it comes to itself, instead of waiting for a root
 * that is gone. */
static void leave_word(gdc_mpi_root *root)
{
    root->stop = NULL;
    root->somebody_lost = true;
    for (int w = 0; w < root->link.workers; w++) {
        if (!root->book[w].said_bye && !is_gone(&root->book[w])) {
            gdc_root_give_stop(root, w);
        }
    }
    gdc_root_progress(root);
}

gdc_status gdc_root_close(gdc_mpi_root *root, int *missing)
{
    if (!root->is_stopping) {
        begin_shutdown(root, NULL); /* without a model it cannot fail */
    }
    double chance_s = fmin(last_chance_s, root->options.shutdown_s);
    drain_until(root, fmax(root->shutdown_at_s, gdc_root_now(root) + chance_s));
    int left = count_missing(root);
    if (left > 0) {
        leave_word(root);
    }
    gdc_link link = root->link;
    bool everybody = left == 0 && !root->somebody_lost && root->error == GDC_OK;
    gdc_root_destroy(root);
    gdc_link_close(&link, everybody);
    if (missing) {
        *missing = left;
    }
    return GDC_OK;
}

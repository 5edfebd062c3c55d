/* mpi_root.c - a round as the root sees it.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Who sends what, per round and worker: the worker sends its due vectors (DATA, SPAN) and reports (BARE), one
 * of which carries READY; the root answers each READY exactly once, by MODEL or WORK, now or when the next
 * round begins; RING tells a busy worker that its round is over. All of it is Isend, Improbe, Imrecv and Test:
 * the root never waits for anybody in particular. */
#include "transport/mpi_root.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const int large_units = 64 * 1024 / GDC_UNIT;

double gdc_root_now(const gdc_mpi_root *root)
{
    return gdc_clock_s() - root->origin_s;
}

void gdc_root_fail(gdc_mpi_root *root, gdc_status status)
{
    if (root->error == GDC_OK) {
        root->error = status;
        snprintf(root->reason, sizeof root->reason, "%s", gdc_last_error());
    }
}

/* ---- the wire of the pump ------------------------------------------------------------------------ */

static void wire_model(void *self, int worker, uint64_t version, gdc_hint hint)
{
    (void)version; /* only the running round's model is ever given */
    gdc_root_give_model(self, worker, hint);
}

static void wire_work(void *self, int worker, uint64_t version, gdc_span span)
{
    gdc_root_give_work(self, worker, version, span);
}

static void wire_ring(void *self, int worker, uint64_t version)
{
    gdc_root_ring(self, worker, version);
}

static void wire_limit(void *self, int worker, uint64_t version, int limit)
{
    gdc_root_limit(self, worker, version, limit);
}

static void wire_release(void *self, void *vector)
{
    gdc_root_release(self, vector);
}

/* ---- life ---------------------------------------------------------------------------------------- */

static bool allocate(gdc_mpi_root *root)
{
    size_t n = (size_t)root->link.workers;
    root->models_max =
        2 * root->link.workers + 3; /* per worker one that is sent and one that waits; the round's, the final one */
    root->book = calloc(n, sizeof *root->book);
    root->gone = calloc(n, sizeof *root->gone);
    root->request = calloc(2 * n, sizeof *root->request);
    root->completed = calloc(2 * n, sizeof *root->completed);
    root->status = calloc(2 * n, sizeof *root->status);
    root->ctrl = gdc_mpi_buffer(2 * n * GDC_TRAILER_UNITS * GDC_UNIT);
    root->model = calloc((size_t)root->models_max, sizeof *root->model);
    root->blocked = calloc(n, sizeof *root->blocked);
    if (!root->book || !root->gone || !root->request || !root->completed || !root->status || !root->ctrl ||
        !root->model || !root->blocked) {
        return false;
    }
    for (size_t i = 0; i < 2 * n; i++) {
        root->request[i] = MPI_REQUEST_NULL;
    }
    for (int i = 0; i < 2; i++) { /* as many as a calm run needs */
        root->model[i].bytes = gdc_mpi_buffer((size_t)root->link.message_units * GDC_UNIT);
        if (!root->model[i].bytes) {
            return false;
        }
    }
    return true;
}

gdc_status gdc_root_create(const gdc_link *link, const gdc_options *options, const gdc_strategy_parts *parts,
                           gdc_mpi_root **created)
{
    gdc_mpi_root *root = calloc(1, sizeof *root);
    if (!root) {
        return gdc_fail(GDC_ENOMEM, "root: out of memory");
    }
    root->link = *link;
    root->options = *options;
    root->parts = parts;
    root->origin_s = gdc_clock_s();
    root->idle.spins = link->spins;
    root->wire = (gdc_wire){root, wire_model, wire_work, wire_ring, wire_limit, wire_release};
    gdc_status status = allocate(root) ? GDC_OK
                                       : gdc_fail(GDC_ENOMEM, "root: no memory for %d workers and models of %zu bytes",
                                                  link->workers, link->payload_bytes);
    int kept = parts->traits.slots < link->workers ? parts->traits.slots : link->workers;
    if (status == GDC_OK) {
        status = gdc_root_reserve(root, kept + 2);
    }
    if (status == GDC_OK) {
        status = gdc_pump_create(parts, options, &root->wire, false, &root->pump);
    }
    if (status != GDC_OK) {
        gdc_root_destroy(root);
        return status;
    }
    *created = root;
    return GDC_OK;
}

void gdc_root_destroy(gdc_mpi_root *root)
{
    if (!root) {
        return;
    }
    for (int i = 0; root->model && i < root->models_max; i++) {
        if (root->model[i].refs == 0) {
            free(root->model[i].bytes);
        }
    }
    if (root->active == 0) {
        free(root->ctrl);
        free(root->request);
    }
    gdc_root_free_pool(root);
    gdc_pump_destroy(root->pump);
    free(root->book);
    free(root->gone);
    free(root->completed);
    free(root->status);
    free(root->model);
    free(root->blocked);
    free(root);
}

/* ---- rounds -------------------------------------------------------------------------------------- */

static double longest_pause_s(const gdc_mpi_root *root)
{
    bool is_sending = root->active > 0 && root->link.message_units > large_units;
    return root->pending_count > 0 || is_sending ? GDC_CAP_TRANSFER_S : GDC_CAP_ROOT_S;
}

void gdc_root_turn(gdc_mpi_root *root)
{
    bool drained;
    bool moved = gdc_root_sweep(root, &drained);
    moved = gdc_root_progress(root) || moved;
    double now_s = gdc_root_now(root);
    if (now_s >= gdc_coordinator_deadline(gdc_pump_coordinator(root->pump))) {
        gdc_pump_tick(root->pump, now_s);
    }
    if (drained) {
        gdc_root_watch(root, now_s);
    }
    if (moved) {
        root->moved_s = now_s;
        gdc_idle_reset(&root->idle);
    } else if (root->is_stopping || gdc_pump_is_running(root->pump)) {
        gdc_idle_wait(&root->idle, longest_pause_s(root));
    }
}

/* Something failed that is nobody's loss: the round is ended, whoever is still at work. */
static gdc_status give_up(gdc_mpi_root *root, uint64_t version)
{
    for (int w = 0; w < root->link.workers; w++) {
        root->gone[w] = true;
    }
    gdc_pump_expire(root->pump, root->gone, gdc_root_now(root));
    return gdc_fail(root->error, "round %llu: %s", (unsigned long long)version, root->reason);
}

static gdc_status run_round(gdc_mpi_root *root, uint64_t version, const void *model, void *gradient, gdc_round *round)
{
    root->error = GDC_OK;
    root->expire_s = INFINITY;
    gdc_idle_reset(&root->idle);
    gdc_root_progress(root); /* models that have arrived by now need not be kept */
    gdc_status status = gdc_root_load_model(root, version, model);
    if (status != GDC_OK) {
        return status;
    }
    root->began_s = gdc_root_now(root);
    gdc_pump_begin(root->pump, version, gradient, root->began_s);
    while (gdc_pump_is_running(root->pump) && root->error == GDC_OK) {
        gdc_root_turn(root);
    }
    if (root->error != GDC_OK) {
        return give_up(root, version);
    }
    status = gdc_pump_result(root->pump, round);
    if (status == GDC_OK && round) {
        round->ended_s = gdc_root_now(root); /* decoding included */
    }
    return status;
}

gdc_status gdc_root_round(gdc_mpi_root *root, uint64_t version, const void *model, void *gradient, gdc_round *round)
{
    if (root->is_stopping) {
        return gdc_fail(GDC_EINVAL, "round %llu: the engine was finished", (unsigned long long)version);
    }
    long slack = gdc_slack_enter();
    gdc_status status = run_round(root, version, model, gradient, round);
    gdc_slack_leave(slack);
    return status;
}

/* drop_handle.c - the all-reduce family for programs in which every rank gets the gradient: opening and closing.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "gradcode/drop.h"

#include "api/comm_check.h"
#include "api/drop_handle.h"
#include "api/engine_handle.h"
#include "kernels/vector.h"

#include <stdlib.h>
#include <string.h>

/* ---- opening ------------------------------------------------------------------------------------- */

static gdc_status check_alone(gdc_drop *drop, const gdc_options *given, int ranks)
{
    gdc_status status = gdc_options_check(given, ranks, &drop->options);
    if (status == GDC_OK) {
        status = gdc_parts_open(&drop->options, ranks, &drop->parts);
    }
    if (status == GDC_OK && drop->parts.ops->collective) {
        status = gdc_options_check_local(&drop->options, &drop->parts);
    } else if (status == GDC_OK) {
        status = gdc_fail(GDC_EINVAL,
                          "%s has a master: want gdc_open (engine.h), or an all-reduce strategy such as sync or drop",
                          drop->parts.ops->name);
    }
    return status;
}

static bool copy_arrays(gdc_drop *drop)
{
    const gdc_options *options = &drop->options;
    int k = drop->parts.plan->partitions, faults = 0;
    drop->samples = calloc((size_t)k, sizeof *drop->samples);
    drop->fault = calloc((size_t)options->fault_count + 1, sizeof *drop->fault);
    drop->struck = calloc((size_t)options->fault_count + 1, sizeof *drop->struck);
    if (!drop->samples || !drop->fault || !drop->struck) {
        return false;
    }
    for (int p = 0; p < k; p++) {
        drop->samples[p] = options->samples ? options->samples[p] : 1;
        drop->wanted += drop->samples[p];
    }
    for (int i = 0; i < options->fault_count; i++) {
        if (options->faults[i].worker == drop->id) {
            drop->fault[faults++] = options->faults[i];
        }
    }
    drop->options.samples = drop->samples;
    drop->options.faults = drop->fault;
    drop->options.fault_count = faults;
    return true;
}

/* The table that this rank fills and the one that all share have the same shape. */
static gdc_status open_watch(gdc_drop *drop)
{
    gdc_status status = gdc_watch_open(&drop->watch, &drop->parts);
    const gdc_profile *own = drop->watch.profile;
    if (status != GDC_OK || !own) {
        return status;
    }
    return gdc_profile_create(gdc_profile_workers(own), gdc_profile_rounds(own), gdc_profile_pieces(own),
                              &drop->shared);
}

static gdc_status allocate(gdc_drop *drop)
{
    const gdc_link *link = &drop->reducer.link;
    size_t bytes = drop->reducer.count * gdc_element_bytes(link->f32);
    drop->own = gdc_mpi_buffer(bytes);
    drop->reduced = gdc_mpi_buffer(bytes);
    bool steps = drop->parts.traits.local_steps;
    drop->local = steps ? gdc_mpi_buffer(bytes) : NULL;
    drop->total = steps ? gdc_mpi_buffer(bytes) : NULL;
    if (!drop->own || !drop->reduced || (steps && (!drop->local || !drop->total)) || !copy_arrays(drop)) {
        return gdc_fail(GDC_ENOMEM, "all-reduce: no memory for vectors of %zu bytes", bytes);
    }
    gdc_status status = open_watch(drop);
    if (status != GDC_OK) {
        return status;
    }
    status = gdc_worker_create(drop->parts.ops, drop->parts.state, drop->parts.plan, drop->id, &drop->machine);
    if (status != GDC_OK) {
        return status;
    }
    gdc_worker_next(drop->machine, 0); /* its first READY, which nobody waits for here */
    return gdc_sums_create(drop->parts.plan, drop->id, false, drop->options.dtype, link->dimension, bytes, 0,
                           drop->options.norms != 0, &drop->sums);
}

static void destroy(gdc_drop *drop)
{
    if (!drop->reducer.is_broken) { /* else MPI may still read and write these */
        gdc_sums_destroy(drop->sums);
        free(drop->own);
        free(drop->reduced);
        gdc_watch_close(&drop->watch);
        gdc_profile_destroy(drop->shared);
    }
    free(drop->local);
    free(drop->total);
    gdc_worker_destroy(drop->machine);
    gdc_strategy_close(&drop->parts);
    free(drop->samples);
    free(drop->fault);
    free(drop->struck);
    free(drop);
}

/* Every rank gets here, whatever it has found wrong by itself. */
static gdc_status open_together(MPI_Comm comm, gdc_status local, gdc_drop *drop)
{
    gdc_status status = gdc_reducer_open(comm, local, &drop->options, &drop->parts, &drop->reducer);
    if (status != GDC_OK) {
        return status;
    }
    drop->id = drop->reducer.link.rank;
    drop->origin_s = gdc_clock_s();
    drop->next_version = drop->options.first_version;
    drop->stats.size = sizeof drop->stats;
    status = gdc_link_agree(&drop->reducer.link, allocate(drop));
    if (status != GDC_OK) {
        gdc_reducer_close(&drop->reducer);
    }
    return status;
}

gdc_status gdc_drop_open(MPI_Comm comm, const gdc_options *options, gdc_drop **drop)
{
    int ranks = 0;
    gdc_status status = gdc_comm_check("gdc_drop_open", comm);
    if (status != GDC_OK) {
        return status;
    }
    MPI_Comm_size(comm, &ranks);
    gdc_drop *made = calloc(1, sizeof *made), none = {.id = 0};
    gdc_status local = made ? check_alone(made, options, ranks) : gdc_fail(GDC_ENOMEM, "all-reduce: out of memory");
    status = open_together(comm, local, made ? made : &none);
    if (status == GDC_OK) {
        *drop = made;
    } else if (made) {
        destroy(made);
    }
    return status;
}

/* ---- the rest of its life ------------------------------------------------------------------------ */

gdc_status gdc_drop_stats(const gdc_drop *drop, gdc_worker_stats *stats)
{
    size_t size = stats->size > 0 && stats->size < sizeof *stats ? stats->size : sizeof *stats;
    memcpy(stats, &drop->stats, size);
    stats->size = size;
    return GDC_OK;
}

const char *gdc_drop_chosen(const gdc_drop *drop)
{
    return gdc_parts_chosen(&drop->parts);
}

gdc_status gdc_drop_close(gdc_drop *drop)
{
    if (!drop) {
        return GDC_OK;
    }
    gdc_reducer_close(&drop->reducer);
    destroy(drop);
    return GDC_OK;
}

/* mpi_setup.c - duplicate, compare, agree.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "transport/mpi_setup.h"

#include "kernels/checksum.h"
#include "kernels/vector.h"
#include "transport/mpi_idle.h"
#include "transport/mpi_message.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PROTOCOL = 1, SENTENCE_BYTES = 1024 };

/* What must be equal on all ranks. */
enum {
    F_PROTOCOL,
    F_DIMENSION,
    F_DTYPE,
    F_PARTITIONS,
    F_ROOT,
    F_SEED,
    F_CHECKSUM,
    F_CUTS,
    F_NORMS,
    F_FIRST,
    F_STRATEGY,
    F_PLAN,
    F_SAMPLES,
    F_RATE,
    FIELDS
};

static const char *const field_name[FIELDS] = {
    [F_PROTOCOL] = "protocol", [F_DIMENSION] = "dimension",
    [F_DTYPE] = "dtype",       [F_PARTITIONS] = "partitions",
    [F_ROOT] = "root",         [F_SEED] = "seed",
    [F_CHECKSUM] = "checksum", [F_CUTS] = "poll_s (finite or not)",
    [F_NORMS] = "norms",       [F_FIRST] = "first_version",
    [F_PLAN] = "plan digest",  [F_STRATEGY] = "strategy spec",
    [F_RATE] = "local_rate",   [F_SAMPLES] = "samples",
};

typedef struct record {
    uint64_t field[FIELDS];
    gdc_process process;
} record;

gdc_status gdc_mpi_check(int code, const char *what)
{
    if (code == MPI_SUCCESS) {
        return GDC_OK;
    }
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    MPI_Error_string(code, text, &length);
    return gdc_fail(GDC_EMPI, "%s: %s", what, text);
}

void *gdc_mpi_buffer(size_t bytes)
{
    size_t rounded = (bytes / GDC_UNIT + 1) * GDC_UNIT;
    void *buffer = aligned_alloc(GDC_UNIT, rounded);
    return buffer ? memset(buffer, 0, rounded) : NULL;
}

int gdc_link_rank_of(const gdc_link *link, int worker)
{
    return link->root >= 0 && worker >= link->root ? worker + 1 : worker;
}

int gdc_link_worker_of(const gdc_link *link, int rank)
{
    return link->root >= 0 && rank > link->root ? rank - 1 : rank;
}

bool gdc_link_sees(const gdc_link *link, int rank)
{
    return gdc_process_sees(&link->process[link->rank], &link->process[rank]);
}

/* ---- agreeing ------------------------------------------------------------------------------------ */

typedef struct failure {
    int status;
    char text[SENTENCE_BYTES];
} failure;

static gdc_status share_failure(const gdc_link *link, int first, bool all, gdc_status local)
{
    failure told = {.status = (int)local};
    if (link->rank == first) {
        strncpy(told.text, gdc_last_error(), sizeof told.text - 1);
    }
    int code = MPI_Bcast(&told, sizeof told, MPI_BYTE, first, link->comm);
    if (code != MPI_SUCCESS) {
        return gdc_mpi_check(code, "MPI_Bcast at set-up");
    }
    gdc_status status = (gdc_status)told.status;
    return all ? gdc_fail(status, "%s", told.text) : gdc_fail(status, "rank %d: %s", first, told.text);
}

gdc_status gdc_link_agree(const gdc_link *link, gdc_status local)
{
    /* The minimum over ranks: the lowest rank that failed, and whether all did. */
    int mine[2] = {local == GDC_OK ? INT_MAX : link->rank, local == GDC_OK ? 0 : 1}, least[2];
    int code = MPI_Allreduce(mine, least, 2, MPI_INT, MPI_MIN, link->comm);
    if (code != MPI_SUCCESS) {
        return gdc_mpi_check(code, "MPI_Allreduce at set-up");
    }
    return least[0] == INT_MAX ? GDC_OK : share_failure(link, least[0], least[1] == 1, local);
}

/* Without a root every rank counts rounds, samples and steps by itself. */
static void describe_peer(const gdc_options *options, const gdc_strategy_parts *parts, record *mine)
{
    size_t bytes = (size_t)parts->plan->partitions * sizeof *options->samples;
    mine->field[F_FIRST] = options->first_version;
    mine->field[F_SAMPLES] = options->samples ? 1 + (uint64_t)gdc_crc32c(0, options->samples, bytes) : 0;
    if (parts->traits.local_steps) {
        memcpy(&mine->field[F_RATE], &options->local_rate, sizeof options->local_rate);
    }
}

static record describe(const gdc_options *options, const gdc_strategy_parts *parts, int root)
{
    record mine = {.process = gdc_process_self()};
    mine.field[F_PROTOCOL] = PROTOCOL;
    mine.field[F_DIMENSION] = options->dimension;
    mine.field[F_DTYPE] = (uint64_t)options->dtype;
    mine.field[F_PARTITIONS] = (uint64_t)options->partitions;
    mine.field[F_ROOT] = (uint64_t)(root + 1);
    mine.field[F_SEED] = options->seed;
    mine.field[F_CHECKSUM] = (uint64_t)(options->checksum != 0);
    mine.field[F_CUTS] = (uint64_t)(isfinite(options->poll_s) ? 1 : 0);
    mine.field[F_NORMS] = (uint64_t)(options->norms != 0);
    mine.field[F_STRATEGY] = gdc_crc32c(0, options->strategy, strlen(options->strategy));
    mine.field[F_PLAN] = gdc_plan_digest(parts->plan);
    if (root < 0) {
        describe_peer(options, parts, &mine);
    }
    return mine;
}

/* The root is kept one higher, so that "none" has a number. */
static unsigned long long shown(int f, const record *from)
{
    return (unsigned long long)from->field[f] - (f == F_ROOT);
}

/* All ranks hold the same records, so all come to the same answer. */
static gdc_status compare(const record *all, int ranks)
{
    for (int r = 1; r < ranks; r++) {
        for (int f = 0; f < FIELDS; f++) {
            if (all[r].field[f] == all[0].field[f]) {
                continue;
            }
            if (f >= F_STRATEGY) { /* the others are no numbers that tell anything */
                return gdc_fail(GDC_EINVAL, "rank %d and rank 0 differ in %s: options must be the same on all ranks", r,
                                field_name[f]);
            }
            return gdc_fail(GDC_EINVAL, "rank %d has %s=%llu, rank 0 has %llu: options must be the same on all ranks",
                            r, field_name[f], shown(f, &all[r]), shown(f, &all[0]));
        }
    }
    return GDC_OK;
}

/* ---- opening ------------------------------------------------------------------------------------- */

static int units_of(size_t bytes)
{
    return (int)((bytes + GDC_UNIT - 1) / GDC_UNIT) + GDC_TRAILER_UNITS;
}

static void set_sizes(gdc_link *link, const gdc_options *options, const gdc_plan *plan)
{
    link->dimension = options->dimension;
    link->f32 = options->dtype == GDC_F32;
    link->checksum = options->checksum != 0;
    link->payload_bytes = options->dimension * gdc_element_bytes(link->f32);
    link->message_units = units_of(link->payload_bytes);
    link->length = gdc_plan_length(plan, options->dimension);
    link->vector_bytes = link->length * gdc_element_bytes(link->f32);
    link->vector_units = units_of(link->vector_bytes);
}

static gdc_status check_sizes(const gdc_link *link, const gdc_options *options)
{
    size_t most = ((size_t)INT_MAX - GDC_TRAILER_UNITS) * GDC_UNIT / gdc_element_bytes(options->dtype == GDC_F32);
    if (options->dimension == 0 || options->dimension > most) {
        return gdc_fail(GDC_EINVAL, "dimension=%zu: want 1 to %zu over MPI", options->dimension, most);
    }
    if (options->poll_s == 0) {
        return gdc_fail(GDC_EINVAL,
                        "poll_s=0 (cut at once) exists on the virtual clock only: want a positive number of seconds or "
                        "infinity");
    }
    int level = MPI_THREAD_SINGLE, is_main = 1;
    MPI_Query_thread(&level);
    MPI_Is_thread_main(&is_main);
    if (level < MPI_THREAD_SERIALIZED && !is_main) {
        return gdc_fail(GDC_EINVAL,
                        "rank %d opens outside the thread that initialised MPI: that needs MPI_THREAD_SERIALIZED",
                        link->rank);
    }
    return GDC_OK;
}

static gdc_status check_faults(const gdc_options *options, int workers)
{
    for (int i = 0; i < options->fault_count; i++) {
        const gdc_fault *fault = &options->faults[i];
        if (fault->worker < 0 || fault->worker >= workers) {
            return gdc_fail(GDC_EINVAL, "fault %d: worker=%d: want 0 to %d", i, fault->worker, workers - 1);
        }
        if (!options->act && (fault->kind == GDC_FAULT_KILL || fault->kind == GDC_FAULT_STOP)) {
            return gdc_fail(GDC_EINVAL, "fault %d kills or stops worker %d: over MPI options.act must say how", i,
                            fault->worker);
        }
    }
    return GDC_OK;
}

static gdc_status exchange(gdc_link *link, const gdc_options *options, const gdc_strategy_parts *parts, record *all)
{
    record mine = describe(options, parts, link->root);
    int code = MPI_Allgather(&mine, sizeof mine, MPI_BYTE, all, sizeof mine, MPI_BYTE, link->comm);
    gdc_status status = gdc_mpi_check(code, "MPI_Allgather at set-up");
    if (status == GDC_OK) {
        status = compare(all, link->ranks);
    }
    if (status != GDC_OK) {
        return status;
    }
    int here = 0;
    for (int r = 0; r < link->ranks; r++) {
        link->process[r] = all[r].process;
        here += r == link->rank || gdc_process_shares_node(&mine.process, &all[r].process);
    }
    link->spins = gdc_idle_spins(here);
    set_sizes(link, options, parts->plan);
    return GDC_OK;
}

static gdc_status make_unit(gdc_link *link)
{
    gdc_status status = gdc_mpi_check(MPI_Type_contiguous(GDC_UNIT, MPI_BYTE, &link->unit), "MPI_Type_contiguous");
    return status == GDC_OK ? gdc_mpi_check(MPI_Type_commit(&link->unit), "MPI_Type_commit") : status;
}

static gdc_status open_on_duplicate(gdc_link *link, gdc_status local, const gdc_options *options,
                                    const gdc_strategy_parts *parts)
{
    record *all = calloc((size_t)link->ranks, sizeof *all);
    link->process = calloc((size_t)link->ranks, sizeof *link->process);
    if (local == GDC_OK) {
        local = check_sizes(link, options);
    }
    if (local == GDC_OK) {
        local = check_faults(options, link->workers);
    }
    if (local == GDC_OK) {
        local = make_unit(link);
    }
    if (local == GDC_OK && (!all || !link->process)) {
        local = gdc_fail(GDC_ENOMEM, "set-up: out of memory for %d ranks", link->ranks);
    }
    gdc_status status = gdc_link_agree(link, local);
    if (status == GDC_OK) {
        status = exchange(link, options, parts, all);
    }
    free(all);
    return status;
}

gdc_status gdc_link_open(MPI_Comm comm, gdc_status local, const gdc_options *options, const gdc_strategy_parts *parts,
                         int root, gdc_link *link)
{
    gdc_link made = {.comm = MPI_COMM_NULL, .unit = MPI_DATATYPE_NULL, .root = root};
    gdc_status status = gdc_mpi_check(MPI_Comm_dup(comm, &made.comm), "MPI_Comm_dup");
    if (status != GDC_OK) {
        return status;
    }
    MPI_Comm_set_errhandler(made.comm, MPI_ERRORS_RETURN);
    MPI_Comm_rank(made.comm, &made.rank);
    MPI_Comm_size(made.comm, &made.ranks);
    made.workers = root >= 0 ? made.ranks - 1 : made.ranks;
    status = open_on_duplicate(&made, local, options, parts);
    if (status == GDC_OK) {
        *link = made;
    } else {
        gdc_link_close(&made, true);
    }
    return status;
}

void gdc_link_close(gdc_link *link, bool everybody)
{
    if (link->unit != MPI_DATATYPE_NULL) {
        MPI_Type_free(&link->unit);
    }
    if (everybody && link->comm != MPI_COMM_NULL) {
        MPI_Comm_free(&link->comm);
    }
    free(link->process);
    link->process = NULL;
}

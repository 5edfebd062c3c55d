/* engine_mpi.c - the calls that name a communicator: open over MPI, and a bounded MPI_Finalize.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "gradcode/engine.h"

#include "api/comm_check.h"
#include "api/engine_handle.h"
#include "transport/mpi_engine.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* ---- opening ------------------------------------------------------------------------------------- */

gdc_status gdc_comm_check(const char *call, MPI_Comm comm)
{
    int is_up = 0, is_down = 0, inter = 0;
    MPI_Initialized(&is_up);
    MPI_Finalized(&is_down);
    if (!is_up || is_down) {
        return gdc_fail(GDC_EINVAL, "%s: MPI is not initialised%s", call, is_down ? " any more" : "");
    }
    if (comm == MPI_COMM_NULL || MPI_Comm_test_inter(comm, &inter) != MPI_SUCCESS || inter) {
        return gdc_fail(GDC_EINVAL, "%s: want an intra-communicator", call);
    }
    return GDC_OK;
}

/* What this rank can say about its options by itself. */
static gdc_status check_alone(const gdc_options *given, int ranks, gdc_options *options, gdc_strategy_parts *parts)
{
    if (ranks < 2) {
        return gdc_fail(GDC_EINVAL, "gdc_open: the communicator has %d rank: want at least 2, a root and a worker",
                        ranks);
    }
    gdc_status status = gdc_options_check(given, ranks - 1, options);
    if (status != GDC_OK) {
        return status;
    }
    if (options->root < 0 || options->root >= ranks) {
        return gdc_fail(GDC_EINVAL, "root=%d: want a rank from 0 to %d", options->root, ranks - 1);
    }
    status = gdc_parts_open(options, ranks - 1, parts);
    if (status == GDC_OK && parts->ops->collective) {
        status =
            gdc_fail(GDC_EINVAL, "%s all-reduces and has no master: want gdc_drop_open (drop.h)", parts->ops->name);
        gdc_strategy_close(parts);
    }
    return status;
}

gdc_status gdc_open(MPI_Comm comm, const gdc_options *given, gdc_engine **engine)
{
    gdc_options options = {.root = 0};
    gdc_strategy_parts none = {.ops = NULL};
    int ranks = 0, rank = 0;
    gdc_status status = gdc_comm_check("gdc_open", comm);
    if (status != GDC_OK) {
        return status;
    }
    MPI_Comm_size(comm, &ranks);
    MPI_Comm_rank(comm, &rank);
    gdc_engine *e = calloc(1, sizeof *e);
    gdc_strategy_parts *parts = e ? &e->parts : &none;
    gdc_status local = e ? check_alone(given, ranks, &options, parts) : gdc_fail(GDC_ENOMEM, "engine: out of memory");
    status = gdc_mpi_create(comm, local, &options, parts, options.root, &e->ops, &e->self);
    if (status != GDC_OK) {
        if (local == GDC_OK) {
            gdc_strategy_close(parts);
        }
        free(e);
        return status;
    }
    e->workers = ranks - 1;
    e->is_root = rank == options.root;
    e->next_version = options.first_version;
    *engine = e;
    return GDC_OK;
}

gdc_status gdc_open_f(MPI_Fint comm, const gdc_options *options, gdc_engine **engine)
{
    return gdc_open(MPI_Comm_f2c(comm), options, engine);
}

/* ---- the bounded end ----------------------------------------------------------------------------- */

/* A thread and no signal handler: the library installs none. */
typedef struct guard {
    pthread_mutex_t mutex;
    pthread_cond_t wake;
    struct timespec until;
    bool is_done;
    int code;
} guard;

static void *watch(void *context)
{
    guard *g = context;
    int reason = 0;
    pthread_mutex_lock(&g->mutex);
    while (!g->is_done && reason != ETIMEDOUT) {
        reason = pthread_cond_timedwait(&g->wake, &g->mutex, &g->until);
    }
    if (!g->is_done) {
        _exit(g->code);
    }
    pthread_mutex_unlock(&g->mutex);
    return NULL;
}

static struct timespec from_now(double seconds)
{
    struct timespec when;
    clock_gettime(CLOCK_MONOTONIC, &when);
    double whole = floor(seconds), nanoseconds = (double)when.tv_nsec + (seconds - whole) * 1e9;
    when.tv_sec += (time_t)whole + (nanoseconds >= 1e9 ? 1 : 0);
    when.tv_nsec = (long)(nanoseconds >= 1e9 ? nanoseconds - 1e9 : nanoseconds);
    return when;
}

static bool start_guard(guard *g, pthread_t *thread)
{
    pthread_condattr_t attribute;
    pthread_condattr_init(&attribute);
    pthread_condattr_setclock(&attribute, CLOCK_MONOTONIC);
    pthread_mutex_init(&g->mutex, NULL);
    pthread_cond_init(&g->wake, &attribute);
    pthread_condattr_destroy(&attribute);
    return pthread_create(thread, NULL, watch, g) == 0;
}

static void stop_guard(guard *g, pthread_t thread, bool runs)
{
    if (runs) {
        pthread_mutex_lock(&g->mutex);
        g->is_done = true;
        pthread_cond_signal(&g->wake);
        pthread_mutex_unlock(&g->mutex);
        pthread_join(thread, NULL);
    }
    pthread_cond_destroy(&g->wake);
    pthread_mutex_destroy(&g->mutex);
}

int gdc_mpi_finalize(double guard_s, int code)
{
    int is_up = 0, is_down = 0;
    MPI_Initialized(&is_up);
    MPI_Finalized(&is_down);
    if (!is_up || is_down) {
        return code;
    }
    if (!(guard_s > 0)) {
        MPI_Finalize();
        return code;
    }
    fflush(NULL); /* _exit does not */
    guard g = {.until = from_now(fmin(guard_s, 1e6)), .code = code};
    pthread_t thread;
    bool runs = start_guard(&g, &thread);
    MPI_Finalize();
    stop_guard(&g, thread, runs);
    return code;
}

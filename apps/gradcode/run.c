/* run.c - opens what all strategies of a run share.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "run.h"
#include "gradcode/draw.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WORKERS_BY_DEFAULT = 8, WARMUP_UNDER_MPI = 5, PURPOSE_SAMPLED = 0x73616d70 };

/* Bytes of kept models and gradients; with long vectors fewer rounds are sampled. */
static const double samples_bytes = 256e6;

static gdc_status count_workers(const config *c, const launch *how, run *r)
{
    if (!how->under_mpi) {
        r->workers = c->workers > 0 ? c->workers : WORKERS_BY_DEFAULT;
        return GDC_OK;
    }
    if (how->size < 2)
        return gdc_fail(GDC_EINVAL,
                        "mpirun started 1 rank: want at least 2, a master and its workers (or start without "
                        "mpirun, on the virtual clock)");
    r->workers = how->size - 1;
    if (c->workers > 0 && c->workers != r->workers)
        return gdc_fail(GDC_EINVAL,
                        "--workers %d under mpirun with %d ranks: rank 0 is the master, so want --workers %d or "
                        "mpirun -n %d",
                        c->workers, how->size, r->workers, c->workers + 1);
    return GDC_OK;
}

static gdc_status check_clock(const config *c, const launch *how)
{
    if (how->under_mpi && c->poll_s <= 0)
        return gdc_fail(GDC_EINVAL,
                        "--poll 0 under mpirun: a piece cannot look all the time, want a positive number of "
                        "seconds, for example 0.001");
    if (how->under_mpi && (isfinite(c->bandwidth) || c->latency_s > 0))
        return gdc_fail(GDC_EINVAL, "--bandwidth and --latency under mpirun: they belong to the virtual clock, here "
                                    "messages take what they take; leave them out");
    return GDC_OK;
}

static gdc_status open_delay(const config *c, run *r)
{
    if (r->under_mpi && c->delays.count == 0)
        return GDC_OK;
    return gdc_delay_create(c->delays.item, c->delays.count, c->seed, r->workers, c->partitions, &r->delay);
}

static gdc_status open_faults(const config *c, run *r)
{
    if (c->faults.count == 0)
        return GDC_OK;
    r->faults = calloc((size_t)c->faults.count, sizeof *r->faults);
    if (r->faults == NULL)
        return gdc_fail(GDC_ENOMEM, "no memory for %d faults", c->faults.count);
    for (int i = 0; i < c->faults.count; i++) {
        gdc_status status = gdc_fault_parse(c->faults.item[i], r->workers, r->warmup + 1, &r->faults[i]);
        if (status != GDC_OK)
            return status;
    }
    return GDC_OK;
}

static gdc_status open_batch(const config *c, run *r)
{
    gdc_status status = batch_init(r->data->samples, c->batch, r->k, &r->batch);
    if (status != GDC_OK)
        return status;
    r->samples = calloc((size_t)r->k, sizeof *r->samples);
    if (r->samples == NULL)
        return gdc_fail(GDC_ENOMEM, "no memory for the sizes of %d partitions", r->k);
    for (int j = 0; j < r->k; j++)
        r->samples[j] = (double)batch_share(&r->batch, j);
    return GDC_OK;
}

static gdc_status open_problem(const config *c, run *r)
{
    const char *spec = c->problem != NULL ? c->problem : "least-squares";
    const problem_ops *ops = problem_find(spec);
    if (ops == NULL)
        return GDC_EINVAL;
    gdc_status status = data_open(c->data != NULL ? c->data : ops->data, c->seed, (data_order)c->shuffle, &r->data);
    if (status == GDC_OK)
        status = open_batch(c, r);
    if (status == GDC_OK)
        status = problem_open(spec, r->data, r->dtype, &r->problem);
    if (status == GDC_OK && r->dtype != GDC_F64) {
        status = problem_open(spec, r->data, GDC_F64, &r->judge);
        r->owns_judge = status == GDC_OK;
    } else {
        r->judge = r->problem;
    }
    if (status == GDC_OK)
        r->dimension = r->problem.ops->dimension(r->problem.self);
    return status;
}

/* First, last, and one seeded round in each of equal stretches between: spread evenly, and yet nobody can
 * prepare for them. */
static void choose_samples(run *r)
{
    size_t rounds = r->config->rounds;
    double vectors = samples_bytes / (2 * (double)(r->dimension > 0 ? r->dimension : 1) * (double)r->element);
    size_t room = vectors < 2 ? 2 : vectors < SAMPLES_MAX ? (size_t)vectors : SAMPLES_MAX;
    size_t count = rounds < room ? rounds : room;
    r->sampled_count = count;
    for (size_t i = 0; i < count; i++) {
        if (rounds <= room || i == 0 || i == count - 1) {
            r->sampled[i] = i == count - 1 ? rounds - 1 : i;
            continue;
        }
        size_t low = 1 + (i - 1) * (rounds - 2) / (count - 2), high = 1 + i * (rounds - 2) / (count - 2);
        gdc_key key = {.seed = r->config->seed, .purpose = PURPOSE_SAMPLED, .a = i};
        r->sampled[i] = low + (size_t)gdc_draw_below(key, high - low);
    }
}

static gdc_status check_out(const config *c, const run *r)
{
    if (c->out == NULL && c->overwrite)
        return gdc_fail(GDC_EINVAL, "--overwrite without --out DIR: there is nothing to replace");
    return c->out != NULL && r->is_root ? result_check_dir(c->out, c->overwrite) : GDC_OK;
}

gdc_status run_open(const config *c, const launch *how, bool timing_only, run *r)
{
    *r = (run){.config = c, .under_mpi = how->under_mpi, .timing_only = timing_only, .is_root = how->rank == 0};
    r->dtype = c->dtype == 0 ? GDC_F64 : GDC_F32;
    r->element = r->dtype == GDC_F64 ? sizeof(double) : sizeof(float);
    r->dimension = c->dimension;
    r->sync_s = r->sync_overhead_s = NAN;
    r->warmup = (uint64_t)(c->warmup >= 0 ? c->warmup : how->under_mpi ? WARMUP_UNDER_MPI : 0);
    gdc_status status = count_workers(c, how, r);
    if (status == GDC_OK)
        status = check_clock(c, how);
    if (status == GDC_OK && (long)r->workers * c->partitions > INT_MAX)
        status = gdc_fail(GDC_EINVAL, "--workers %d --partitions %d: want at most %d partitions in all", r->workers,
                          c->partitions, INT_MAX);
    if (status != GDC_OK)
        return status;
    r->k = r->workers * c->partitions;
    if ((status = check_out(c, r)) == GDC_OK && (status = open_delay(c, r)) == GDC_OK &&
        (status = open_faults(c, r)) == GDC_OK && (status = entries_open(r)) == GDC_OK && !timing_only)
        status = open_problem(c, r);
    if (status == GDC_OK && c->out != NULL && r->is_root)
        status = result_prepare_dir(c->out);
    if (status == GDC_OK)
        choose_samples(r);
    return status;
}

gdc_options run_options(const run *r, const entry *e)
{
    gdc_options options;
    gdc_options_init(&options);
    options.strategy = e->tuned != NULL ? e->tuned : e->spec;
    options.partitions = r->config->partitions;
    options.dimension = r->dimension;
    options.dtype = r->dtype;
    options.seed = r->config->seed;
    options.samples = r->samples;
    options.round_deadline_s = r->config->give_up_s;
    options.delay = r->delay;
    options.poll_s = r->config->poll_s;
    options.force = r->config->force;
    options.bandwidth = r->config->bandwidth;
    options.latency_s = r->config->latency_s;
    options.faults = r->faults;
    options.fault_count = r->config->faults.count;
    options.act = act_on_self;
    options.norms = r->config->report == REPORT_CRITICAL;
    options.local_rate = r->config->rate;
    options.first_version = e->first_version;
    return options;
}

uint64_t run_profile_version(const run *r)
{
    size_t most = r->config->rounds;
    for (int i = 0; i < r->entry_count; i++)
        most = r->entries[i].rounds_most > most ? r->entries[i].rounds_most : most;
    return r->warmup + most + 1;
}

void run_close(run *r)
{
    entries_close(r);
    if (r->owns_judge)
        problem_close(&r->judge);
    problem_close(&r->problem);
    data_close(r->data);
    gdc_delay_destroy(r->delay);
    free(r->faults);
    free(r->samples);
}

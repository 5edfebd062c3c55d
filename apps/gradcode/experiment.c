/* experiment.c - a whole run on the virtual clock, and the end of every run.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "experiment.h"
#include "interrupt.h"
#include "judge.h"
#include "lead.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static gdc_status copy(const char *text, char **to)
{
    *to = strdup(text);
    return *to != NULL ? GDC_OK : gdc_fail(GDC_ENOMEM, "no memory for the result");
}

static gdc_status name_inputs(const run *r, result *res)
{
    const config *c = r->config;
    const char *what = r->timing_only ? "none" : c->problem != NULL ? c->problem : "least-squares";
    const char *on = r->timing_only ? "none" : c->data != NULL ? c->data : r->problem.ops->data;
    gdc_status status = copy(what, &res->problem);
    if (status == GDC_OK)
        status = copy(on, &res->data);
    if (status == GDC_OK)
        status = copy(r->dtype == GDC_F64 ? "f64" : "f32", &res->dtype);
    if (status == GDC_OK)
        status = copy(r->under_mpi ? "mpi" : "virtual", &res->clock);
    static const char *const silent[] = {"none:piece=0.001"};
    bool is_default = c->delays.count == 0 && !r->under_mpi;
    const char *const *delays = is_default ? silent : c->delays.item;
    int count = is_default ? 1 : c->delays.count;
    res->delay = calloc((size_t)count + 1, sizeof *res->delay);
    if (res->delay == NULL)
        return gdc_fail(GDC_ENOMEM, "no memory for the result");
    for (; res->delays < count && status == GDC_OK; res->delays += status == GDC_OK)
        status = copy(delays[res->delays], &res->delay[res->delays]);
    return status;
}

gdc_status result_begin(const run *r, result *res)
{
    const config *c = r->config;
    *res = (result){.samples = r->timing_only ? 0 : r->data->samples,
                    .dimension = r->dimension,
                    .classes = r->timing_only ? 0 : r->data->classes,
                    .workers = r->workers,
                    .partitions = c->partitions,
                    .batch = r->timing_only ? 0 : r->batch.size,
                    .rounds = c->rounds,
                    .warmup = (size_t)(r->warmup - r->lead_in),
                    .seed = c->seed,
                    .poll_s = c->poll_s,
                    .bandwidth = c->bandwidth,
                    .latency_s = c->latency_s,
                    .target_loss = c->target_loss,
                    .rate = c->rate,
                    .momentum = c->momentum,
                    .nesterov = c->nesterov,
                    .faults = c->faults.count};
    res->strategy = calloc((size_t)r->entry_count, sizeof *res->strategy);
    if (res->strategy == NULL)
        return gdc_fail(GDC_ENOMEM, "no memory for %d strategies", r->entry_count);
    res->strategies = r->entry_count;
    return name_inputs(r, res);
}

static gdc_status show(const run *r, const result *res)
{
    if (!r->config->json) {
        result_print_table(res, stdout);
        if (!r->config->quiet)
            result_print_reading(res, stdout);
        result_print_critical(res, stdout);
        return GDC_OK;
    }
    char *text = result_to_json(res);
    if (text == NULL)
        return gdc_fail(GDC_ENOMEM, "no memory to print the result");
    puts(text);
    free(text);
    return GDC_OK;
}

static const result_strategy *first_failed(const result *res)
{
    for (int i = 0; i < res->strategies; i++)
        if (res->strategy[i].error != NULL)
            return &res->strategy[i];
    return NULL;
}

static gdc_status write_files(const run *r, const result *res)
{
    size_t left_out = result_arrivals_left_out(res);
    gdc_status status = result_write(res, r->config->out, r->config->overwrite);
    if (status == GDC_OK && left_out > 0)
        fprintf(stderr, "gradcode: arrivals.csv holds the first %zu arrivals, %zu later ones are left out\n",
                r->arrivals, left_out);
    return status;
}

int result_conclude(const run *r, const char *who, result *res)
{
    const launch rank0 = {.rank = 0};
    const result_strategy *failed = first_failed(res);
    res->failed = failed != NULL;
    res->interrupted = failed != NULL && interrupt_seen();
    progress_clear(r);
    gdc_status status = show(r, res);
    if (status == GDC_OK && r->config->out != NULL)
        status = write_files(r, res);
    if (status == GDC_OK && (fflush(stdout) != 0 || ferror(stdout)))
        status = gdc_fail(GDC_EMPI, "the result could not be written to stdout");
    if (status != GDC_OK) {
        end_failed(&rank0, who, status);
        return ENDED_OTHER;
    }
    if (res->interrupted) {
        fprintf(stderr, "gradcode: failed: interrupted\n");
        return ENDED_OTHER;
    }
    if (failed != NULL) {
        fprintf(stderr, "gradcode: failed: %s: %s\n", failed->spec, failed->error);
        return ENDED_UNFINISHED;
    }
    fprintf(stderr, "gradcode: finished\n");
    return ENDED_DONE;
}

static gdc_status run_all(run *r, result *res)
{
    gdc_status status = result_begin(r, res);
    for (int i = 0; i < r->entry_count && status == GDC_OK; i++)
        status = interrupt_seen() ? judge_absent(&r->entries[i], "not run: interrupted", &res->strategy[i])
                                  : run_virtual(r, &r->entries[i], &res->strategy[i]);
    return status;
}

int experiment(const launch *how, const char *who, const config *c, bool timing_only)
{
    if (how->under_mpi)
        return run_parallel(how, who, c);
    run r;
    result res = {.problem = NULL};
    gdc_status status = run_open(c, how, timing_only, &r);
    interrupt_on(false);
    if (status == GDC_OK)
        status = run_all(&r, &res);
    int code = status == GDC_OK ? result_conclude(&r, who, &res) : end_failed(how, who, status);
    result_free(&res);
    run_close(&r);
    return code;
}

/* engine.c - the engine handle: checks who may call what, then hands over to the transport.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "api/engine_handle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

gdc_status gdc_parts_open(const gdc_options *options, int workers, gdc_strategy_parts *parts)
{
    gdc_status status = gdc_strategy_open(options->strategy, workers, workers * options->partitions, options->seed,
                                          !isinf(options->poll_s), parts);
    if (status != GDC_OK)
        return status;
    status = gdc_options_check_precision(options, parts);
    if (status != GDC_OK)
        gdc_strategy_close(parts);
    return status;
}

gdc_status gdc_strategy_check(const char *spec, int workers, int partitions, uint64_t seed, int *collective, int *exact)
{
    gdc_strategy_parts parts;
    gdc_options options;
    gdc_options_init(&options);
    options.strategy = spec;
    options.partitions = partitions;
    gdc_status status = gdc_options_check(&options, workers, &options);
    if (status == GDC_OK)
        status = gdc_strategy_open(spec, workers, workers * partitions, seed, true, &parts);
    if (status != GDC_OK)
        return status;
    if (collective)
        *collective = parts.ops->collective;
    if (exact)
        *exact = parts.traits.exact;
    gdc_strategy_close(&parts);
    return GDC_OK;
}

static gdc_status check_dimension(const gdc_options *o, gdc_partial_fn partial)
{
    if (partial && o->dimension == 0)
        return gdc_fail(GDC_EINVAL, "dimension=0: want the length of the model, at least 1");
    return GDC_OK;
}

static gdc_status check_faults(const gdc_options *o, int workers)
{
    for (int i = 0; i < o->fault_count; i++)
        if (o->faults[i].worker < 0 || o->faults[i].worker >= workers)
            return gdc_fail(GDC_EINVAL, "fault %d: worker=%d: want 0 to %d", i, o->faults[i].worker, workers - 1);
    return GDC_OK;
}

static gdc_status open_virtual(gdc_engine *e, const gdc_options *given, int workers, gdc_partial_fn partial,
                               void *context)
{
    gdc_options options;
    gdc_status status = gdc_options_check(given, workers, &options);
    if (status == GDC_OK)
        status = check_dimension(&options, partial);
    if (status == GDC_OK)
        status = check_faults(&options, workers);
    if (status == GDC_OK)
        status = gdc_parts_open(&options, workers, &e->parts);
    if (status != GDC_OK)
        return status;
    e->ops = &gdc_virtual_ops;
    e->workers = workers;
    e->is_root = true;
    e->next_version = options.first_version;
    if (partial)
        status = gdc_options_check_local(&options, &e->parts);
    if (status == GDC_OK)
        status = gdc_virtual_create(&options, workers, &e->parts, partial, context, &e->self);
    if (status != GDC_OK)
        gdc_strategy_close(&e->parts);
    return status;
}

gdc_status gdc_open_virtual(const gdc_options *options, int workers, gdc_partial_fn partial, void *context,
                            gdc_engine **engine)
{
    gdc_engine *e = calloc(1, sizeof *e);
    if (!e)
        return gdc_fail(GDC_ENOMEM, "engine: out of memory");
    gdc_status status = open_virtual(e, options, workers, partial, context);
    if (status == GDC_OK)
        *engine = e;
    else
        free(e);
    return status;
}

/* ---- the root ---- */

static gdc_status check_root(const gdc_engine *e, const char *call)
{
    if (!e)
        return gdc_fail(GDC_EINVAL, "%s: the engine is NULL", call);
    if (!e->is_root)
        return gdc_fail(GDC_EINVAL, "%s: only the root may call this; a worker calls gdc_work", call);
    if (e->finished)
        return gdc_fail(GDC_EINVAL, "%s: gdc_finish was called; there are no rounds after it", call);
    return GDC_OK;
}

/* A caller of an older library knows a shorter struct. */
static void hand_over_round(const gdc_round *from, gdc_round *to)
{
    if (!to)
        return;
    size_t size = to->size > 0 && to->size < sizeof *from ? to->size : sizeof *from;
    memcpy(to, from, size);
    to->size = size;
}

gdc_status gdc_gradient(gdc_engine *engine, const void *model, void *gradient, gdc_round *round)
{
    gdc_round full = {.size = sizeof full};
    gdc_status status = check_root(engine, "gdc_gradient");
    if (status != GDC_OK)
        return status;
    if (model && model == gradient)
        return gdc_fail(GDC_EINVAL, "gdc_gradient: gradient must not overlap the model");
    status = engine->ops->round(engine->self, engine->next_version, model, gradient, &full);
    engine->next_version++;
    if (status == GDC_OK)
        hand_over_round(&full, round);
    return status;
}

gdc_status gdc_finish(gdc_engine *engine, const void *model)
{
    gdc_status status = check_root(engine, "gdc_finish");
    if (status != GDC_OK)
        return status;
    engine->finished = true;
    return engine->ops->finish(engine->self, model);
}

/* ---- workers ---- */

static gdc_status check_worker(const gdc_engine *e, const char *call)
{
    if (!e)
        return gdc_fail(GDC_EINVAL, "%s: the engine is NULL", call);
    if (e->is_root || !e->ops->next)
        return gdc_fail(GDC_EINVAL, "%s: only a worker rank may call this; the root calls gdc_gradient", call);
    return GDC_OK;
}

gdc_status gdc_next(gdc_engine *engine, gdc_task *task, void **sum)
{
    gdc_status status = check_worker(engine, "gdc_next");
    return status == GDC_OK ? engine->ops->next(engine->self, task, sum) : status;
}

gdc_status gdc_submit(gdc_engine *engine, const gdc_task *task, int code)
{
    gdc_status status = check_worker(engine, "gdc_submit");
    return status == GDC_OK ? engine->ops->submit(engine->self, task, code) : status;
}

gdc_status gdc_work(gdc_engine *engine, gdc_partial_fn partial, void *context)
{
    gdc_task task = {.size = sizeof task};
    void *sum = NULL;
    gdc_status status = gdc_next(engine, &task, &sum);
    while (status == GDC_OK && task.partition >= 0) {
        status = gdc_submit(engine, &task, partial(context, &task, sum));
        if (status == GDC_OK)
            status = gdc_next(engine, &task, &sum);
    }
    return status;
}

int gdc_poll(gdc_engine *engine)
{
    return engine->ops->poll ? engine->ops->poll(engine->self) : 0;
}

int gdc_is_over(const gdc_engine *engine)
{
    return engine->ops->is_over(engine->self);
}

const void *gdc_final_model(const gdc_engine *engine)
{
    return engine->ops->final_model(engine->self);
}

/* ---- questions ---- */

double gdc_now(const gdc_engine *engine)
{
    return engine->ops->now(engine->self);
}

int gdc_workers(const gdc_engine *engine)
{
    return engine->workers;
}

const gdc_plan *gdc_engine_plan(const gdc_engine *engine)
{
    return engine->parts.ops->collective ? NULL : engine->parts.plan;
}

int gdc_is_exact(const gdc_engine *engine)
{
    return engine->parts.traits.exact;
}

int gdc_steps_locally(const gdc_engine *engine)
{
    return engine->parts.traits.local_steps;
}

int gdc_is_adaptive(const gdc_engine *engine)
{
    return engine->parts.traits.adapts;
}

int gdc_is_collective(const gdc_engine *engine)
{
    return engine->parts.ops->collective;
}

int gdc_lead_in(const gdc_engine *engine)
{
    return gdc_parts_lead_in(&engine->parts);
}

const char *gdc_chosen(const gdc_engine *engine)
{
    return gdc_parts_chosen(&engine->parts);
}

gdc_status gdc_stats(const gdc_engine *engine, int worker, gdc_worker_stats *stats)
{
    gdc_worker_stats full = {.size = sizeof full};
    if (worker < 0 || worker >= engine->workers)
        return gdc_fail(GDC_EINVAL, "gdc_stats: worker=%d: want 0 to %d", worker, engine->workers - 1);
    gdc_status status = engine->ops->stats(engine->self, worker, &full);
    if (status != GDC_OK)
        return status;
    size_t size = stats->size > 0 && stats->size < sizeof full ? stats->size : sizeof full;
    memcpy(stats, &full, size);
    stats->size = size;
    return GDC_OK;
}

gdc_status gdc_close(gdc_engine *engine, int *missing)
{
    if (!engine)
        return GDC_OK;
    gdc_status status = engine->ops->close(engine->self, missing);
    gdc_strategy_close(&engine->parts);
    free(engine);
    return status;
}

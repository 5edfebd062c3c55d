/* lead.c - the loop of whoever has the engine.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "lead.h"
#include "drops.h"
#include "interrupt.h"
#include "judge.h"

#include <math.h>
#include <stdio.h>

static void read_stats(const run *r, const gdc_engine *engine, gdc_worker_stats *stats)
{
    for (int w = 0; w < r->workers; w++) {
        stats[w].size = sizeof stats[w];
        gdc_stats(engine, w, &stats[w]);
    }
}

static gdc_status warm_up(const run *r, const entry *e, gdc_engine *engine, trainer *t)
{
    for (uint64_t v = e->first_version; v <= r->warmup; v++) {
        gdc_status status = interrupt_check();
        if (status == GDC_OK)
            status = gdc_gradient(engine, t->model, t->gradient, NULL);
        if (status != GDC_OK)
            return status;
        trainer_step(t);
    }
    return GDC_OK;
}

/* One round lasts from one update to the next, whatever the root does in between. */
static gdc_status measure(run *r, const entry *e, gdc_engine *engine, trainer *t, record *rec)
{
    double previous = rec->began_s;
    for (size_t i = 0; record_goes_on(rec); i++) {
        gdc_round round = {.size = sizeof round};
        record_model(rec, i, t->model);
        gdc_status status = interrupt_check();
        if (status == GDC_OK)
            status = gdc_gradient(engine, t->model, t->gradient, &round);
        if (status != GDC_OK)
            return status;
        record_gradient(rec, i, t->gradient);
        noise_round(r, &rec->noise, &round, t->gradient);
        trainer_step(t);
        double now = gdc_now(engine);
        record_round(rec, previous - rec->began_s, now - previous, &round);
        previous = now;
        progress_show(r, e->spec, i + 1, rec->most);
    }
    return GDC_OK;
}

void lead(run *r, const entry *e, gdc_engine *engine, trainer *t, record *rec)
{
    trainer_reset(t);
    gdc_status status = warm_up(r, e, engine, t);
    trainer_reset(t);
    progress_begin(r, e->spec);
    read_stats(r, engine, rec->before);
    double start = gdc_now(engine);
    rec->began_s = gdc_now(engine);
    if (status == GDC_OK)
        status = measure(r, e, engine, t, rec);
    rec->wall_s = gdc_now(engine) - start;
    if (status != GDC_OK)
        record_failure(rec, status);
    read_stats(r, engine, rec->after);
    snprintf(rec->chosen, sizeof rec->chosen, "%s", gdc_chosen(engine));
    if (!r->timing_only)
        record_final(rec, t->model);
}

double ideal_round_s(const run *r, const entry *e, size_t rounds)
{
    if (r->delay == NULL || rounds == 0)
        return NAN;
    gdc_options options = run_options(r, e);
    options.latency_s = 0;
    options.bandwidth = INFINITY;
    options.fault_count = 0;
    gdc_engine *engine = NULL;
    if (gdc_open_virtual(&options, r->workers, NULL, NULL, &engine) != GDC_OK)
        return NAN;
    double start = 0;
    gdc_status status = gdc_is_adaptive(engine) && !r->timing_only ? GDC_EINVAL : GDC_OK; /* it would do other rounds */
    for (uint64_t v = e->first_version; v <= r->warmup + rounds && status == GDC_OK; v++) {
        if (v == r->warmup + 1)
            start = gdc_now(engine);
        status = interrupt_check();
        if (status == GDC_OK)
            status = gdc_gradient(engine, NULL, NULL, NULL);
    }
    double mean = (gdc_now(engine) - start) / (double)rounds;
    gdc_close(engine, NULL);
    return status == GDC_OK ? mean : NAN;
}

gdc_status run_virtual(run *r, const entry *e, result_strategy *s)
{
    work w = {.run = r};
    trainer t = {.model = NULL};
    record rec = {.run = NULL};
    gdc_engine *engine = NULL;
    gdc_options options = run_options(r, e);
    gdc_status status = record_open(r, e, true, &rec);
    if (rec.arrival != NULL) {
        options.observe = record_arrival;
        options.observe_context = &rec;
    }
    if (status == GDC_OK)
        status = trainer_open(r, &t);
    if (status == GDC_OK)
        status = gdc_open_virtual(&options, r->workers, r->timing_only ? NULL : work_partial, &w, &engine);
    if (status == GDC_OK) {
        lead(r, e, engine, &t, &rec);
        gdc_close(engine, NULL);
        status = judge(r, e, &rec, s);
    }
    if (status == GDC_OK) {
        s->ideal_round_s = ideal_round_s(r, e, s->rounds_completed);
        status = drops_conclude(r, e, &rec, s);
    }
    trainer_close(&t);
    record_close(&rec);
    return status;
}

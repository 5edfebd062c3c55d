/* drops.c - strategies that drop: rounds that they watch, rounds that make up, the model beside the measurement.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "drops.h"
#include "automatic.h"
#include "gradcode/drop_model.h"
#include "gradcode/spec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* With resample=steps a strategy gets at most so many times the rounds. */
enum { ROUNDS_MOST = 4, MODEL_ROUNDS = 50, MODEL_WORKERS = 64 };

typedef struct drop_spec {
    double tau; /* NaN: auto */
    const char *check, *resample;
} drop_spec;

static const gdc_option drop_keys[] = {
    {.key = "tau",
     .type = GDC_REAL,
     .offset = offsetof(drop_spec, tau),
     .fallback = "inf",
     .min = 1e-9,
     .max = INFINITY,
     .words = "auto",
     .positional = 1},
    {.key = "check", .type = GDC_TEXT, .offset = offsetof(drop_spec, check), .fallback = "piece"},
    {.key = "resample", .type = GDC_TEXT, .offset = offsetof(drop_spec, resample), .fallback = "none"},
    {.key = NULL},
};

/* *spec is NULL where the strategy is no drop, else the caller's to destroy after the last use of *drop. */
static gdc_status read_drop(const entry *e, gdc_spec **spec, drop_spec *drop)
{
    *spec = NULL;
    gdc_status status = gdc_spec_parse(e->tuned != NULL ? e->tuned : e->spec, spec);
    if (status == GDC_OK && strcmp(gdc_spec_name(*spec), "drop") == 0)
        status = gdc_spec_read(*spec, drop_keys, drop);
    else {
        gdc_spec_destroy(*spec);
        *spec = NULL;
    }
    return status;
}

gdc_status drops_note_idle(entry *e)
{
    gdc_spec *spec;
    drop_spec drop;
    gdc_status status = read_drop(e, &spec, &drop);
    if (status == GDC_OK && spec != NULL && !isinf(drop.tau) && strcmp(drop.check, "piece") == 0)
        status = entry_add_note(e, "cannot drop: it has one micro-batch per round (--partitions 1) and the one that "
                                   "crosses tau counts");
    gdc_spec_destroy(spec);
    return status;
}

/* ---- rounds -------------------------------------------------------------------------------------- */

/* The strategy itself says how many rounds it watches. */
static gdc_status find_lead_in(const run *r, entry *e)
{
    gdc_options options = run_options(r, e);
    gdc_engine *engine = NULL;
    options.fault_count = 0;
    gdc_status status = gdc_open_virtual(&options, r->workers, NULL, NULL, &engine);
    if (status != GDC_OK)
        return status;
    e->lead_in = gdc_lead_in(engine);
    return gdc_close(engine, NULL);
}

static gdc_status prepare(const run *r, entry *e)
{
    gdc_spec *spec;
    drop_spec drop;
    gdc_status status = read_drop(e, &spec, &drop);
    if (status != GDC_OK || spec == NULL)
        return status;
    if (strcmp(drop.resample, "steps") == 0)
        e->rounds_most = ROUNDS_MOST * r->config->rounds;
    bool watches = gdc_spec_value(spec, "profile") != NULL;
    gdc_spec_destroy(spec);
    return watches ? find_lead_in(r, e) : GDC_OK;
}

/* All measure the same versions; whoever watches rounds of its own starts earlier, warm-up included. */
static void place(run *r)
{
    uint64_t warmup = r->warmup;
    for (int i = 0; i < r->entry_count; i++)
        if ((uint64_t)r->entries[i].lead_in > r->warmup)
            r->warmup = (uint64_t)r->entries[i].lead_in;
    r->lead_in = r->warmup - warmup;
    for (int i = 0; i < r->entry_count; i++) {
        uint64_t own = (uint64_t)r->entries[i].lead_in;
        r->entries[i].first_version = 1 + r->warmup - (own > warmup ? own : warmup);
    }
    for (int i = 0; i < r->config->faults.count; i++)
        r->faults[i].version += r->lead_in;
}

gdc_status drops_prepare(run *r)
{
    gdc_status status = GDC_OK;
    for (int i = 0; i < r->entry_count && status == GDC_OK; i++)
        status = prepare(r, &r->entries[i]);
    if (status == GDC_OK)
        place(r);
    return status;
}

/* ---- the model ----------------------------------------------------------------------------------- */

/* The mean and deviation of drawn micro-batch times, from versions that are not measured. */
static gdc_status open_model(const run *r, gdc_drop_model *model)
{
    gdc_profile *profile = NULL;
    int workers = r->workers < MODEL_WORKERS ? r->workers : MODEL_WORKERS;
    gdc_status status = profile_draw(r, workers, MODEL_ROUNDS, r->config->partitions, &profile);
    if (status != GDC_OK)
        return status;
    gdc_drop_model_of(profile, model);
    gdc_profile_destroy(profile);
    model->workers = r->workers;
    model->overhead_s = isnan(r->sync_overhead_s) ? 0 : r->sync_overhead_s;
    return GDC_OK;
}

static double mean_round_s(const record *rec, const result_strategy *s)
{
    double sum = 0;
    for (size_t i = 0; i < rec->rounds; i++)
        sum += s->round[i].round_s;
    return sum / (double)rec->rounds;
}

static gdc_status note_model(const run *r, const record *rec, double tau, gdc_check check, result_strategy *s)
{
    gdc_drop_model model;
    gdc_threshold t;
    char text[160], measured[48] = "";
    gdc_status status = open_model(r, &model);
    if (status != GDC_OK || !(model.mean_s > 0))
        return status;
    status = gdc_drop_model_judge(&model, tau, check, &t);
    if (status != GDC_OK)
        return status;
    if (!isnan(r->sync_s))
        snprintf(measured, sizeof measured, ", %.2f", r->sync_s * s->used_fraction / mean_round_s(rec, s));
    snprintf(text, sizeof text, "light-tail model: kept %.2f, speed-up %.2f (measured %.2f%s)", t.kept, t.speedup,
             s->used_fraction, measured);
    return note_add(&s->note, text);
}

static gdc_status conclude_drop(const run *r, const entry *e, const record *rec, result_strategy *s)
{
    gdc_spec *spec;
    drop_spec drop;
    gdc_status status = read_drop(e, &spec, &drop);
    if (status != GDC_OK || spec == NULL)
        return status;
    double tau = strncmp(rec->chosen, "tau=", 4) == 0 ? strtod(rec->chosen + 4, NULL) : drop.tau;
    gdc_check check = strcmp(drop.check, "poll") == 0 ? GDC_CHECK_POLL : GDC_CHECK_PIECE;
    if (r->delay != NULL && isfinite(tau) && strcmp(drop.resample, "batch") != 0 && r->config->partitions > 1)
        status = note_model(r, rec, tau, check, s);
    gdc_spec_destroy(spec);
    return status;
}

gdc_status drops_conclude(run *r, const entry *e, const record *rec, result_strategy *s)
{
    if (rec->rounds == 0)
        return GDC_OK;
    if (strcmp(e->spec, "sync") == 0) {
        r->sync_s = mean_round_s(rec, s);
        r->sync_overhead_s = isnan(s->ideal_round_s) ? NAN : fmax(0, r->sync_s - s->ideal_round_s);
    }
    if (rec->chosen[0] != '\0' && s->chosen == NULL && (s->chosen = strdup(rec->chosen)) == NULL)
        return gdc_fail(GDC_ENOMEM, "no memory for a choice");
    return conclude_drop(r, e, rec, s);
}

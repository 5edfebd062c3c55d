/* json.c - result.json: every figure of a run for a script to read.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "report/parts.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifndef GDC_VERSION
#define GDC_VERSION "unknown"
#endif

/* An object under construction; good turns false when memory runs out. */
typedef struct object {
    json_t *json;
    bool *good;
} object;

static object object_begin(bool *good)
{
    object o = {json_object(), good};
    *good &= o.json != NULL;
    return o;
}

static void put(object o, const char *key, json_t *value)
{
    *o.good &= json_object_set_new(o.json, key, value) == 0;
}

/* Command lines need not be UTF-8 and JSON must be: bytes beyond ASCII then become question marks. */
static json_t *text(const char *s)
{
    if (s == NULL)
        return json_null();
    json_t *value = json_string(s);
    size_t bytes = strlen(s) + 1;
    char *plain = value == NULL ? malloc(bytes) : NULL;
    if (plain == NULL)
        return value;
    for (size_t i = 0; i < bytes; i++)
        plain[i] = (char)((unsigned char)s[i] < 128 ? s[i] : '?');
    value = json_string(plain);
    free(plain);
    return value;
}

static void put_text(object o, const char *key, const char *s)
{
    put(o, key, text(s));
}

static json_t *real(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

static void put_real(object o, const char *key, double x)
{
    put(o, key, real(x));
}

static void put_count(object o, const char *key, size_t x)
{
    put(o, key, json_integer((json_int_t)x));
}

static void put_bool(object o, const char *key, bool x)
{
    put(o, key, json_boolean(x));
}

/* As a number where JSON readers can hold it, else in decimal digits. */
static void put_seed(object o, const char *key, uint64_t seed)
{
    char digits[24];
    snprintf(digits, sizeof digits, "%" PRIu64, seed);
    put(o, key, seed <= INT64_MAX ? json_integer((json_int_t)seed) : json_string(digits));
}

static json_t *lost_json(const result_strategy *s, bool *good)
{
    json_t *list = json_array();
    for (int i = 0; i < s->lost_count; i++) {
        object o = object_begin(good);
        put(o, "worker", json_integer(s->lost[i].worker));
        put(o, "round", json_integer(s->lost[i].round));
        put_text(o, "how", s->lost[i].how);
        put_bool(o, "returned", s->lost[i].returned);
        *good &= json_array_append_new(list, o.json) == 0;
    }
    return list;
}

static json_t *round_json(const result_figures *f, bool *good)
{
    object o = object_begin(good);
    put_real(o, "mean", f->mean);
    put_real(o, "ci95", f->ci95);
    put_real(o, "p50", f->p50);
    put_real(o, "p99", f->p99);
    put_real(o, "min", f->min);
    put_real(o, "max", f->max);
    return o.json;
}

static void put_time(object o, const result_strategy *s, const result_figures *f)
{
    put(o, "round_s", round_json(f, o.good));
    put_real(o, "wall_s", s->wall_s);
    put_real(o, "ideal_round_s", s->ideal_round_s);
    put_real(o, "overhead_s", f->overhead_s);
    put_real(o, "speedup_vs_sync", f->speedup_vs_sync);
    put_real(o, "speedup_vs_waiting", f->speedup_vs_waiting);
    put_real(o, "effective_round_s", f->effective_round_s);
    put_real(o, "speedup_effective", f->speedup_effective);
    put_real(o, "speedup_effective_vs_waiting", f->speedup_effective_vs_waiting);
}

static void put_cost(object o, const result_strategy *s)
{
    put_real(o, "load", s->load);
    put_real(o, "messages_per_round", s->messages_per_round);
    put_real(o, "bytes_per_round", s->bytes_per_round);
    put_real(o, "work_ratio", s->work_ratio);
    put_real(o, "used_fraction", s->used_fraction);
    put_real(o, "least_worker_share", s->least_worker_share);
    put_real(o, "compute_share", s->compute_share);
    put_real(o, "overrun_share", s->overrun_share);
}

static void put_classes(object o, const result *r, const result_strategy *s, const result_figures *f)
{
    json_t *list = s->class_loss != NULL ? json_array() : json_null();
    for (int c = 0; s->class_loss != NULL && c < r->classes; c++)
        *o.good &= json_array_append_new(list, real(s->class_loss[c])) == 0;
    put(o, "class_loss", list);
    put(o, "worst_class", f->worst_class >= 0 ? json_integer(f->worst_class) : json_null());
    put_real(o, "class_loss_gap", f->class_loss_gap);
}

/* Integers where there are vectors at all: a strategy that counts none has no staleness of 0. */
static void put_staleness(object o, const result_strategy *s)
{
    bool is_known = isfinite(s->staleness_mean);
    put_real(o, "vectors_per_update", s->vectors_per_update);
    put_real(o, "staleness_mean", s->staleness_mean);
    put_real(o, "fresh_fraction", s->fresh_fraction);
    put(o, "staleness_sum", is_known ? json_integer((json_int_t)s->staleness_sum) : json_null());
    put(o, "in_flight_last", is_known ? json_integer((json_int_t)s->in_flight_last) : json_null());
}

static void put_quality(object o, const result_strategy *s, double target)
{
    put_real(o, "gradient_error", s->gradient_error);
    put_real(o, "amplification", s->amplification);
    put_real(o, "residual", s->residual);
    put_real(o, "loss_initial", s->loss_initial);
    put_real(o, "loss_final", s->loss_final);
    put_real(o, "target_loss", target);
    put_real(o, "time_to_target_s", s->time_to_target_s);
}

static json_t *strategy_json(const result *r, int i, bool *good)
{
    const result_strategy *s = &r->strategy[i];
    result_figures f = result_derive(r, i);
    object o = object_begin(good);
    put_text(o, "spec", s->spec);
    put_bool(o, "exact", s->exact);
    put_bool(o, "collective", s->collective);
    put_text(o, "error", s->error);
    put_text(o, "note", s->note);
    put_text(o, "chosen", s->chosen);
    put_text(o, "careful", s->careful);
    put_real(o, "careful_price", s->careful != NULL ? s->careful_price : NAN);
    put_count(o, "rounds_completed", s->rounds_completed);
    put_time(o, s, &f);
    put_cost(o, s);
    put_quality(o, s, r->target_loss);
    put_classes(o, r, s, &f);
    put_staleness(o, s);
    put(o, "lost_workers", lost_json(s, good));
    put(o, "workers", report_workers(r, s, good));
    put(o, "critical", report_critical(s, good));
    return o.json;
}

static json_t *strategies_json(const result *r, bool *good)
{
    json_t *list = json_array();
    for (int i = 0; i < r->strategies; i++)
        *good &= json_array_append_new(list, strategy_json(r, i, good)) == 0;
    return list;
}

static json_t *delays_json(const result *r, bool *good)
{
    json_t *list = json_array();
    for (int i = 0; i < r->delays; i++)
        *good &= json_array_append_new(list, text(r->delay[i])) == 0;
    return list;
}

static void put_run(object o, const result *r)
{
    put_text(o, "problem", r->problem);
    put_text(o, "data", r->data);
    put_count(o, "samples", r->samples);
    put_count(o, "dimension", r->dimension);
    put(o, "classes", json_integer(r->classes));
    put_text(o, "dtype", r->dtype);
    put(o, "delays", delays_json(r, o.good));
    put(o, "workers", json_integer(r->workers));
    put(o, "partitions", json_integer(r->partitions));
    put(o, "k", json_integer((json_int_t)r->workers * r->partitions));
    put_count(o, "batch", r->batch);
    put_count(o, "rounds", r->rounds);
    put_count(o, "warmup", r->warmup);
    put_seed(o, "seed", r->seed);
    put_text(o, "clock", r->clock);
    put_real(o, "poll_s", r->poll_s);
    put_real(o, "bandwidth", r->bandwidth);
    put_real(o, "latency_s", r->latency_s);
    put_real(o, "target_loss", r->target_loss);
    put_real(o, "rate", r->rate);
    put_real(o, "momentum", r->momentum);
    put_bool(o, "nesterov", r->nesterov);
}

static json_t *baseline_json(const result *r, bool collective)
{
    int i = result_baseline(r, collective);
    return i < 0 ? json_null() : text(r->strategy[i].spec);
}

const char *result_tool_version(void)
{
    return GDC_VERSION;
}

char *result_to_json(const result *r)
{
    bool good = true;
    object o = object_begin(&good);
    put(o, "tool", json_pack("{s:s, s:s}", "name", "gradcode", "version", result_tool_version()));
    put(o, "machine", report_machine(r->mpi));
    put_run(o, r);
    put_count(o, "arrivals_left_out", result_arrivals_left_out(r));
    put_text(o, "status", r->failed ? "failed" : "finished");
    put(o, "baseline_sync", baseline_json(r, true));
    put(o, "baseline_waiting", baseline_json(r, false));
    put(o, "strategies", strategies_json(r, &good));
    char *out = good ? json_dumps(o.json, JSON_INDENT(2) | JSON_REAL_PRECISION(17)) : NULL;
    json_decref(o.json);
    return out;
}

/* critical_report.c - critical parameters: for a person, as JSON, and as notes below a comparison (arXiv 2103.02351).
 * SPDX-License-Identifier: BSD-3-Clause */
#include "report/parts.h"

#include <math.h>
#include <stdio.h>

enum { CELL = 40, NAME = 11, VALUE = 10, INTERVAL = 20 };

/* ---- numbers ---- */

static void put_interval(char cell[CELL], gdc_interval x)
{
    if (isnan(x.low) || isnan(x.high))
        cell[0] = '\0';
    else if (isinf(x.high))
        snprintf(cell, CELL, "(%.3g or more)", x.low);
    else
        snprintf(cell, CELL, "(%.3g to %.3g)", x.low, x.high);
}

static void put_value(char cell[CELL], double x)
{
    snprintf(cell, CELL, isfinite(x) ? "%.3g" : "-", x);
}

/* ---- one strategy, at length ---- */

static report_text begin_row(FILE *out, const char *name, const char *value, const char *interval)
{
    fprintf(out, "  %-*s%-*s%-*s", NAME, name, VALUE, value, INTERVAL, interval);
    int column = 2 + NAME + VALUE + INTERVAL;
    return (report_text){out, column, column};
}

static void row(FILE *out, const char *name, gdc_interval x, const char *meaning)
{
    char value[CELL], interval[CELL];
    put_value(value, x.value);
    put_interval(interval, x);
    report_text t = begin_row(out, name, value, interval);
    report_say(&t, "%s", meaning);
    report_end(&t);
}

static report_text begin_number(FILE *out, const char *name, double x)
{
    char value[CELL];
    put_value(value, x);
    return begin_row(out, name, value, "");
}

static void print_estimates(const gdc_critical_estimates *e, FILE *out)
{
    char fitted[CELL * 3];
    row(out, "|G|^2", e->gradient2, "squared norm of the gradient, over the last 100 updates");
    row(out, "S", e->noise, "squared noise of one sample's gradient, over the same");
    row(out, "M", e->m, "noise that grows with it: S = M |G|^2 + sigma^2");
    if (isnan(e->m.value))
        snprintf(fitted, sizeof fitted, "noise that stays; |G|^2 kept to one level: not told apart");
    else
        snprintf(fitted, sizeof fitted, "noise that stays; both fitted over %d levels of |G|^2", e->levels);
    row(out, "sigma^2", e->sigma2, fitted);
}

static const char *verdict(const result_critical *c)
{
    double have = c->advice.in_flight;
    gdc_interval useful = c->advice.batch;
    if (have <= useful.low)
        return ": more costs nothing yet";
    if (have > useful.high)
        return ": more buys little";
    return isnan(useful.low) || isnan(useful.high) ? "" : ": about that many";
}

static void print_step(const result *r, const result_critical *c, FILE *out)
{
    double step = c->advice.step, reach = r->rate / (1 - r->momentum); /* of all that a gradient moves in the end */
    char value[CELL];
    snprintf(value, sizeof value, isfinite(step) ? "%.3g / L" : "-", step);
    report_text t = begin_row(out, "step size", value, "");
    report_say(&t, "largest for b = %.4g, tau = %.3g: 1.5 / (L (1 + M/b + tau))", c->setting.batch,
               c->setting.staleness);
    if (isfinite(step) && reach > 0)
        report_say(&t, "; --rate %g%s keeps to it while L <= %.3g", r->rate, r->momentum > 0 ? " / (1 - momentum)" : "",
                   step / reach);
    report_end(&t);
}

static void print_advice(const result *r, const result_critical *c, FILE *out)
{
    const gdc_critical_advice *a = &c->advice;
    row(out, "batch", a->batch, "largest useful in flight: S/|G|^2 = M + sigma^2/|G|^2");
    report_text t = begin_number(out, "in flight", a->in_flight);
    report_say(&t, "samples here, b (1 + tau)%s", verdict(c));
    report_end(&t);
    t = begin_number(out, "staleness", a->staleness);
    report_say(&t, "largest useful tau at b = %.4g samples an update", c->setting.batch);
    report_end(&t);
    t = begin_number(out, "workers", a->workers);
    report_say(&t, "largest useful number at %.4g samples each", c->setting.mini_batch);
    report_end(&t);
    print_step(r, c, out);
}

static void print_one(const result *r, const result_strategy *s, FILE *out)
{
    const result_critical *c = s->critical;
    report_text t = {out, 0, 0};
    report_say(&t, "Critical parameters of %s, from %llu of %zu updates of about %.4g samples, with 95 %% intervals",
               s->spec, (unsigned long long)c->estimates.updates, s->rounds_completed, c->setting.batch);
    report_end(&t);
    if (c->estimates.updates < 2) {
        report_say(&t, "No update showed noise: that takes updates of several parts (workers or --partitions), all "
                       "computed on one model.");
        report_end(&t);
        return;
    }
    print_estimates(&c->estimates, out);
    print_advice(r, c, out);
}

void result_print_critical(const result *r, FILE *out)
{
    for (int i = 0; r->strategies == 1 && i < r->strategies; i++)
        if (r->strategy[i].critical != NULL) {
            fputc('\n', out);
            print_one(r, &r->strategy[i], out);
        }
}

/* ---- several, in a line each ---- */

static bool is_known(const result_strategy *s)
{
    return s->critical != NULL && isfinite(s->critical->advice.batch.value);
}

/* The problem is the same for all: who cannot see its noise is held against the first that can. */
static const result_strategy *reference(const result *r)
{
    for (int i = 0; i < r->strategies; i++)
        if (is_known(&r->strategy[i]))
            return &r->strategy[i];
    return NULL;
}

void report_tell_critical(const result *r, const result_strategy *s, FILE *to)
{
    if (r->strategies < 2 || s->critical == NULL)
        return;
    const result_strategy *by = is_known(s) ? s : reference(r);
    char interval[CELL];
    fprintf(to, "%.4g samples", s->critical->advice.in_flight);
    if (by == NULL) {
        fprintf(to, "; how many are useful is not known");
        return;
    }
    put_interval(interval, by->critical->advice.batch);
    fprintf(to, ", useful up to %.3g %s", by->critical->advice.batch.value, interval);
    if (by != s)
        fprintf(to, " by %s", by->spec);
}

/* ---- as JSON ---- */

static void put(json_t *object, const char *key, json_t *value, bool *good)
{
    *good &= json_object_set_new(object, key, value) == 0;
}

static json_t *real(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

static json_t *interval_json(gdc_interval x, bool *good)
{
    json_t *o = json_object();
    put(o, "value", real(x.value), good);
    put(o, "low", real(x.low), good);
    put(o, "high", real(x.high), good);
    return o;
}

json_t *report_critical(const result_strategy *s, bool *good)
{
    const result_critical *c = s->critical;
    if (c == NULL)
        return json_null();
    json_t *o = json_object();
    put(o, "updates", json_integer((json_int_t)c->estimates.updates), good);
    put(o, "levels", json_integer(c->estimates.levels), good);
    put(o, "gradient2", interval_json(c->estimates.gradient2, good), good);
    put(o, "noise", interval_json(c->estimates.noise, good), good);
    put(o, "m", interval_json(c->estimates.m, good), good);
    put(o, "sigma2", interval_json(c->estimates.sigma2, good), good);
    put(o, "batch", interval_json(c->advice.batch, good), good);
    put(o, "samples_per_update", real(c->setting.batch), good);
    put(o, "staleness", real(c->setting.staleness), good);
    put(o, "samples_in_flight", real(c->advice.in_flight), good);
    put(o, "largest_staleness", real(c->advice.staleness), good);
    put(o, "samples_per_worker", real(c->setting.mini_batch), good);
    put(o, "largest_workers", real(c->advice.workers), good);
    put(o, "step", real(c->advice.step), good);
    put(o, "step_limit", real(c->advice.step_limit), good);
    return o;
}

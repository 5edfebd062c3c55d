/* result.c - what a result owns, and the figures derived from its per-round records.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "report/parts.h"

#include "gradcode/spec.h"
#include "gradcode/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Batches of consecutive rounds whose means give the interval: few, so that each outlives the correlation of
 * bursts. */
enum { CI_BATCHES = 10 };

static void strategy_free(result_strategy *s)
{
    free(s->spec);
    free(s->error);
    free(s->note);
    free(s->chosen);
    free(s->careful);
    free(s->class_loss);
    free(s->round);
    free(s->arrival);
    free(s->lost);
    free(s->worker);
    free(s->critical);
}

void result_free(result *r)
{
    if (r == NULL)
        return;
    for (int i = 0; r->strategy != NULL && i < r->strategies; i++)
        strategy_free(&r->strategy[i]);
    for (int i = 0; r->delay != NULL && i < r->delays; i++)
        free(r->delay[i]);
    free(r->strategy);
    free(r->delay);
    free(r->problem);
    free(r->data);
    free(r->dtype);
    free(r->clock);
    free(r->mpi);
    memset(r, 0, sizeof *r);
}

static bool value_is(const gdc_spec *spec, const char *key, const char *wanted, bool absent)
{
    const char *value = gdc_spec_value(spec, key);
    return value == NULL ? absent : strcmp(value, wanted) == 0;
}

static bool spec_is_baseline(const char *text, bool collective)
{
    gdc_spec *spec = NULL;
    if (gdc_spec_parse(text, &spec) != GDC_OK)
        return false;
    bool is = collective ? strcmp(gdc_spec_name(spec), "sync") == 0
                         : strcmp(gdc_spec_name(spec), "gc") == 0 && value_is(spec, "code", "uncoded", false) &&
                               value_is(spec, "load", "1", true);
    gdc_spec_destroy(spec);
    return is;
}

int result_baseline(const result *r, bool collective)
{
    for (int i = 0; i < r->strategies; i++)
        if (spec_is_baseline(r->strategy[i].spec, collective))
            return r->strategy[i].error == NULL ? i : -1;
    return -1;
}

static result_figures unknown_figures(void)
{
    return (result_figures){.mean = NAN,
                            .ci95 = NAN,
                            .p50 = NAN,
                            .p99 = NAN,
                            .min = NAN,
                            .max = NAN,
                            .effective_round_s = NAN,
                            .speedup_vs_sync = NAN,
                            .speedup_effective = NAN,
                            .speedup_vs_waiting = NAN,
                            .speedup_effective_vs_waiting = NAN,
                            .overhead_s = NAN,
                            .worst_class = -1,
                            .class_loss_gap = NAN};
}

/* The figures of one strategy that need no other. All NaN without rounds or memory. */
static result_figures derive_alone(const result_strategy *s)
{
    result_figures f = unknown_figures();
    size_t n = s->rounds_completed;
    double *x = n > 0 ? malloc(n * sizeof *x) : NULL;
    if (x == NULL)
        return f;
    for (size_t i = 0; i < n; i++)
        x[i] = s->round[i].round_s;
    f.mean = gdc_mean(x, n);
    f.ci95 = gdc_batch_half_width(x, n, CI_BATCHES); /* before the quantiles sort x */
    f.p50 = gdc_quantile(x, n, 0.5);
    f.p99 = gdc_quantile(x, n, 0.99);
    f.min = gdc_quantile(x, n, 0);
    f.max = gdc_quantile(x, n, 1);
    f.effective_round_s = s->used_fraction > 0 ? f.mean / s->used_fraction : NAN;
    f.overhead_s = f.mean - s->ideal_round_s;
    free(x);
    return f;
}

static void derive_class_gap(const result *r, const result_strategy *s, const result_strategy *base, result_figures *f)
{
    for (int c = 0; s->class_loss != NULL && base->class_loss != NULL && c < r->classes; c++) {
        double gap = s->class_loss[c] - base->class_loss[c];
        if (isnan(gap) || gap <= f->class_loss_gap)
            continue;
        f->worst_class = c;
        f->class_loss_gap = gap;
    }
}

result_figures result_derive(const result *r, int strategy)
{
    const result_strategy *s = &r->strategy[strategy];
    result_figures f = derive_alone(s);
    if (r->faults > 0)
        f.overhead_s = NAN;
    int sync = result_baseline(r, true), waiting = result_baseline(r, false);
    if (s->error == NULL && sync >= 0) {
        result_figures base = derive_alone(&r->strategy[sync]);
        f.speedup_vs_sync = base.mean / f.mean;
        f.speedup_effective = base.effective_round_s / f.effective_round_s;
        derive_class_gap(r, s, &r->strategy[sync], &f);
    }
    if (s->error == NULL && waiting >= 0) {
        result_figures base = derive_alone(&r->strategy[waiting]);
        f.speedup_vs_waiting = base.mean / f.mean;
        f.speedup_effective_vs_waiting = base.effective_round_s / f.effective_round_s;
    }
    return f;
}

size_t result_arrivals_left_out(const result *r)
{
    size_t count = 0;
    for (int i = 0; i < r->strategies; i++)
        count += r->strategy[i].arrivals_left_out;
    return count;
}

result_figures *report_figures(const result *r)
{
    result_figures *figures = calloc((size_t)r->strategies + 1, sizeof *figures);
    for (int i = 0; figures != NULL && i < r->strategies; i++)
        figures[i] = result_derive(r, i);
    return figures;
}

bool report_has_stale(const result *r)
{
    for (int i = 0; i < r->strategies; i++)
        if (r->strategy[i].staleness_mean > 0)
            return true;
    return false;
}

static bool goes_before(const result *r, const result_figures *figures, int a, int b)
{
    bool a_failed = r->strategy[a].error != NULL, b_failed = r->strategy[b].error != NULL;
    if (a_failed != b_failed)
        return b_failed;
    double x = figures[a].effective_round_s, y = figures[b].effective_round_s;
    return isnan(y) ? !isnan(x) : x < y;
}

void report_order(const result *r, const result_figures *figures, int *order)
{
    for (int i = 0; i < r->strategies; i++) {
        int at = i;
        for (; at > 0 && goes_before(r, figures, i, order[at - 1]); at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
}

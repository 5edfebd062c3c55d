/* plan_json.c - a plan as JSON for scripts.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "plan_view.h"

#include <float.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>

static json_t *number(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

static json_t *spans_of(const gdc_plan *plan, int worker)
{
    int count = 0;
    gdc_span *spans = plan_held_spans(plan, worker, &count);
    json_t *list = json_array();
    for (int i = 0; i < count; i++)
        json_array_append_new(list, json_pack("{s:i,s:i}", "first", spans[i].first, "count", spans[i].count));
    free(spans);
    return list;
}

static json_t *walk_of(const gdc_plan *plan, int worker)
{
    json_t *list = json_array();
    for (int i = 0; i < gdc_plan_held(plan, worker); i++)
        json_array_append_new(list, json_integer(gdc_plan_walk(plan, worker, i)));
    return list;
}

static json_t *row_of(const gdc_plan *plan, const gdc_row *row)
{
    json_t *terms = json_array();
    int k = gdc_plan_partitions(plan);
    for (int t = 0; t < row->terms; t++) {
        const gdc_term *term = &row->term[t];
        json_array_append_new(terms,
                              json_pack("{s:i,s:i,s:i,s:f}", "first", term->span.first % k, "count", term->span.count,
                                        "block", term->span.first / k, "coefficient", term->coefficient));
    }
    return json_pack("{s:i,s:o}", "after", row->after, "terms", terms);
}

static json_t *worker_of(const plan_view *v, int worker)
{
    json_t *rows = json_array();
    for (int i = 0; i < gdc_plan_rows(v->plan, worker); i++)
        json_array_append_new(rows, row_of(v->plan, gdc_plan_row(v->plan, worker, i)));
    return json_pack("{s:i,s:f,s:o,s:o,s:o}", "worker", worker, "load",
                     (double)gdc_plan_held(v->plan, worker) / v->partitions, "holds", spans_of(v->plan, worker), "walk",
                     walk_of(v->plan, worker), "rows", rows);
}

static json_t *numbers(int count, const double *x)
{
    json_t *list = json_array();
    for (int j = 0; j < count; j++)
        json_array_append_new(list, number(x[j]));
    return list;
}

char *plan_to_json(const plan_view *v)
{
    const gdc_quality *q = v->quality;
    char digest[24];
    snprintf(digest, sizeof digest, "%016llx", (unsigned long long)gdc_plan_digest(v->plan));
    json_t *assignment = json_array();
    for (int w = 0; w < gdc_plan_workers(v->plan); w++)
        json_array_append_new(assignment, worker_of(v, w));
    json_t *amplification =
        json_pack("{s:o,s:o,s:b,s:o,s:o}", "worst", number(q->worst), "median", number(q->median), "exhaustive",
                  q->exhaustive, "early_worst", number(q->early_worst), "early_median", number(q->early_median));
    json_t *predicted =
        json_pack("{s:o,s:o}", "f64", number(plan_error(q, DBL_EPSILON)), "f32", number(plan_error(q, FLT_EPSILON)));
    json_t *residual =
        json_pack("{s:o,s:o}", "optimal", numbers(v->residuals, v->optimal), "fixed", numbers(v->residuals, v->fixed));
    json_t *root = json_pack("{s:s,s:i,s:i,s:i,s:i,s:I,s:s,s:o,s:i,s:o,s:o,s:i,s:o,s:o}", "spec", v->spec, "workers",
                             gdc_plan_workers(v->plan), "partitions", v->partitions, "k", gdc_plan_partitions(v->plan),
                             "blocks", gdc_plan_blocks(v->plan), "seed", (json_int_t)v->seed, "digest", digest,
                             "assignment", assignment, "tolerance", q->tolerance, "amplification", amplification,
                             "predicted_error", predicted, "sets_tried_per_size", v->sets, "recoverable",
                             numbers(q->sizes, q->recoverable), "residual", residual);
    char *text = root != NULL ? json_dumps(root, JSON_INDENT(2)) : NULL;
    json_decref(root);
    return text;
}

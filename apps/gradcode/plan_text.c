/* plan_text.c - a plan as text for people.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "plan_view.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { WORKERS_SHOWN = 32, WALK_SHOWN = 12, ROWS_SHOWN = 4, TERMS_SHOWN = 6, SPANS_SHOWN = 4, SIZES_SHOWN = 12 };

static int ascending(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

gdc_span *plan_held_spans(const gdc_plan *plan, int worker, int *count)
{
    int held = gdc_plan_held(plan, worker);
    int *walk = malloc(((size_t)held + 1) * sizeof *walk);
    gdc_span *spans = malloc(((size_t)held + 1) * sizeof *spans);
    *count = -1;
    if (walk == NULL || spans == NULL) {
        free(walk);
        free(spans);
        return NULL;
    }
    for (int i = 0; i < held; i++)
        walk[i] = gdc_plan_walk(plan, worker, i);
    qsort(walk, (size_t)held, sizeof *walk, ascending);
    *count = 0;
    for (int i = 0; i < held; i++) {
        if (*count > 0 && walk[i] == spans[*count - 1].first + spans[*count - 1].count)
            spans[*count - 1].count++;
        else
            spans[(*count)++] = (gdc_span){.first = walk[i], .count = 1};
    }
    free(walk);
    return spans;
}

static void print_span(gdc_span span, FILE *out)
{
    if (span.count == 1)
        fprintf(out, "%d", span.first);
    else
        fprintf(out, "%d-%d", span.first, span.first + span.count - 1);
}

static void print_held(const gdc_plan *plan, int worker, FILE *out)
{
    int count = 0;
    gdc_span *spans = plan_held_spans(plan, worker, &count);
    fputs("  holds ", out);
    for (int i = 0; i < count && i < SPANS_SHOWN; i++) {
        fputs(i > 0 ? "," : "", out);
        print_span(spans[i], out);
    }
    fputs(count > SPANS_SHOWN ? ",..." : "", out);
    free(spans);
}

static void print_walk(const gdc_plan *plan, int worker, FILE *out)
{
    int held = gdc_plan_held(plan, worker);
    fputs("  walks", out);
    for (int i = 0; i < held && i < WALK_SHOWN; i++)
        fprintf(out, " %d", gdc_plan_walk(plan, worker, i));
    fprintf(out, "%s\n", held > WALK_SHOWN ? " ..." : "");
}

static void print_term(const gdc_plan *plan, const gdc_term *term, bool first, FILE *out)
{
    int k = gdc_plan_partitions(plan);
    if (term->coefficient < 0)
        fputs(first ? "-" : " - ", out);
    else
        fputs(first ? "" : " + ", out);
    if (fabs(term->coefficient) != 1)
        fprintf(out, "%.4g ", fabs(term->coefficient));
    fputs("g[", out);
    print_span((gdc_span){term->span.first % k, term->span.count}, out);
    fputs("]", out);
    if (gdc_plan_blocks(plan) > 1)
        fprintf(out, ".%d", term->span.first / k);
}

static void print_rows(const gdc_plan *plan, int worker, FILE *out)
{
    int rows = gdc_plan_rows(plan, worker);
    for (int i = 0; i < rows && i < ROWS_SHOWN; i++) {
        const gdc_row *row = gdc_plan_row(plan, worker, i);
        fprintf(out, "          message %d after %d: ", i, row->after);
        for (int t = 0; t < row->terms && t < TERMS_SHOWN; t++)
            print_term(plan, &row->term[t], t == 0, out);
        fprintf(out, "%s\n", row->terms > TERMS_SHOWN ? " + ..." : "");
    }
    if (rows > ROWS_SHOWN)
        fprintf(out, "          ... %d messages in all\n", rows);
}

static void print_worker(const plan_view *v, int worker, FILE *out)
{
    char name[24];
    snprintf(name, sizeof name, "worker %d", worker);
    fprintf(out, "%-10s load %.3g", name, (double)gdc_plan_held(v->plan, worker) / v->partitions);
    print_held(v->plan, worker, out);
    print_walk(v->plan, worker, out);
    print_rows(v->plan, worker, out);
}

double plan_error(const gdc_quality *quality, double epsilon)
{
    return fmax(quality->worst, quality->early_worst) * epsilon;
}

static void print_tolerance(const plan_view *v, FILE *out)
{
    const gdc_quality *q = v->quality;
    if (q->tolerance < 0) {
        fputs("tolerance  none: no code for gc, as all messages of all workers do not give the full gradient", out);
        if (v->residuals > 0)
            fprintf(out, " (residual %.3g)", v->optimal[0]);
        fputc('\n', out);
        return;
    }
    fprintf(out, "tolerance  %d straggler%s, whichever they are (%s)\n", q->tolerance, q->tolerance == 1 ? "" : "s",
            q->exhaustive ? "every set was tried" : "some sizes were sampled, so this is an upper bound");
    fprintf(out, "amplification  worst %.4g, median %.4g (1: nothing cancels)\n", q->worst, q->median);
    fprintf(out, "in rounds      worst %.4g, median %.4g (ended at the earliest message, seeded arrival orders)\n",
            q->early_worst, q->early_median);
    fprintf(out, "predicted error  f64 %.1e, f32 %.1e (relative to k max|g|)\n", plan_error(q, DBL_EPSILON),
            plan_error(q, FLT_EPSILON));
}

static void print_residual(double residual, FILE *out)
{
    if (isnan(residual))
        fprintf(out, "  %8s", "-");
    else
        fprintf(out, "  %8.4f", residual);
}

static void print_stragglers(const plan_view *v, FILE *out)
{
    const gdc_quality *q = v->quality;
    fputs("P(recoverable | j stragglers)", out);
    if (v->residuals > 0)
        fputs(", and the residual of approx: optimal, fixed weights (root mean square)", out);
    fputc('\n', out);
    for (int j = 0; j < q->sizes && j < SIZES_SHOWN; j++) {
        fprintf(out, "  %2d  %.4f", j, q->recoverable[j]);
        if (j < v->residuals) {
            print_residual(v->optimal[j], out);
            print_residual(v->fixed[j], out);
        }
        fputc('\n', out);
    }
    if (q->sizes > SIZES_SHOWN)
        fprintf(out, "  ... up to %d stragglers: --json has all\n", q->sizes - 1);
}

void plan_print(const plan_view *v, FILE *out)
{
    int workers = gdc_plan_workers(v->plan), k = gdc_plan_partitions(v->plan);
    fprintf(out, "%s: %d workers, %d partition%s per shard, %d partitions\n", v->spec, workers, v->partitions,
            v->partitions == 1 ? "" : "s", k);
    fputs("load counts shards; a message carries the combination of partial gradients g[partition] shown\n", out);
    if (gdc_plan_blocks(v->plan) > 1)
        fprintf(out, "g[partition].u is block u of a gradient's %d; a message is one block long\n",
                gdc_plan_blocks(v->plan));
    fputc('\n', out);
    for (int w = 0; w < workers && w < WORKERS_SHOWN; w++)
        print_worker(v, w, out);
    if (workers > WORKERS_SHOWN)
        fprintf(out, "... %d more workers: --json has all\n", workers - WORKERS_SHOWN);
    fputc('\n', out);
    print_tolerance(v, out);
    print_stragglers(v, out);
}

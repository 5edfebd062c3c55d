/* reading.c - the table in sentences; each is computed from the figures and left out where they are not known.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "report/parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct reading {
    const result *r;
    const result_figures *figures; /* [strategies] */
    const int *order;              /* [strategies] */
    int finished;                  /* the first so many of order have no error and a known effective round */
    report_text text;
} reading;

typedef struct span_text {
    char s[32];
} span_text;

static span_text seconds(double x)
{
    span_text t;
    if (x >= 1)
        snprintf(t.s, sizeof t.s, "%.3g s", x);
    else if (x >= 1e-3)
        snprintf(t.s, sizeof t.s, "%.3g ms", x * 1e3);
    else
        snprintf(t.s, sizeof t.s, "%.3g us", x * 1e6);
    return t;
}

static const result_strategy *ranked(const reading *g, int rank)
{
    return &g->r->strategy[g->order[rank]];
}

static const result_figures *ranked_figures(const reading *g, int rank)
{
    return &g->figures[g->order[rank]];
}

/* ", " and " and " between the i-th and the next of count. */
static const char *joint(int i, int count)
{
    return i + 2 < count ? "," : i + 2 == count ? " and" : "";
}

static double effective_ci(const reading *g, int rank)
{
    return ranked_figures(g, rank)->ci95 / ranked(g, rank)->used_fraction;
}

/* Begins a paragraph unless one is begun. */
static void begin(reading *g)
{
    if (g->text.column == 0) {
        fprintf(g->text.out, "- ");
        g->text.column = g->text.indent;
    }
}

static void say_against(reading *g, int rank, int baseline, double speedup)
{
    if (baseline >= 0 && baseline != g->order[rank] && isfinite(speedup))
        report_say(&g->text, ", %.2f times as fast as %s", speedup, g->r->strategy[baseline].spec);
}

static void say_speed(reading *g, int rank)
{
    const result_figures *f = ranked_figures(g, rank);
    report_say(&g->text, "%s: %s a batch", ranked(g, rank)->spec, seconds(f->effective_round_s).s);
    say_against(g, rank, result_baseline(g->r, true), f->speedup_effective);
    say_against(g, rank, result_baseline(g->r, false), f->speedup_effective_vs_waiting);
    report_say(&g->text, ". Its median round took %s, its slowest %s.", seconds(f->p50).s, seconds(f->max).s);
}

static void say_lead(reading *g)
{
    double lead = ranked_figures(g, 1)->effective_round_s - ranked_figures(g, 0)->effective_round_s;
    if (lead < effective_ci(g, 0) + effective_ci(g, 1))
        report_say(&g->text, "Its lead over %s is within the 95 %% intervals of the two: call them equal.",
                   ranked(g, 1)->spec);
}

/* What rounding may do to an exact gradient. */
static double rounding(const result *r)
{
    return strcmp(r->dtype, "f32") == 0 ? 1e-2 : 1e-6;
}

static bool was_exact(const reading *g, int rank)
{
    return ranked(g, rank)->gradient_error <= rounding(g->r);
}

static bool is_off(const reading *g, int rank)
{
    return isfinite(ranked(g, rank)->gradient_error) ? !was_exact(g, rank) : !ranked(g, rank)->exact;
}

/* The first in the order that keeps the promise of the exact gradient; -1: none. */
static int fastest_exact(const reading *g)
{
    for (int i = 0; i < g->finished; i++)
        if (ranked(g, i)->exact && !is_off(g, i))
            return i;
    return -1;
}

/* A batch that was not computed whole is no faster one: the error stands in the same sentence, the exact one beside it. */
static void say_fastest_is_off(reading *g, int exact)
{
    const result_strategy *s = ranked(g, 0);
    report_say(&g->text, "Fastest was %s, but", s->spec);
    if (isfinite(s->gradient_error))
        report_say(&g->text, "its gradient was off by up to %.3g %%", 100 * s->gradient_error);
    else
        report_say(&g->text, "it does not promise the exact gradient");
    if (exact >= 0)
        report_say(&g->text, "; fastest with the exact one was %s", ranked(g, exact)->spec);
    report_say(&g->text, ".");
}

static void say_fastest(reading *g)
{
    if (g->finished == 0)
        return;
    int exact = fastest_exact(g);
    begin(g);
    if (g->finished > 1 && is_off(g, 0))
        say_fastest_is_off(g, exact);
    else if (g->finished > 1)
        report_say(&g->text, "Fastest was");
    say_speed(g, 0);
    if (g->finished > 1)
        say_lead(g);
    if (exact > 0)
        say_speed(g, exact);
    report_end(&g->text);
}

static void say_exact(reading *g)
{
    int count = 0, said = 0;
    double worst = 0;
    for (int i = 0; i < g->finished; i++)
        if (was_exact(g, i)) {
            count++;
            worst = fmax(worst, ranked(g, i)->gradient_error);
        }
    if (count == 0)
        return;
    begin(g);
    report_say(&g->text, "The gradient was exact (error at most %.0e) with", worst);
    for (int i = 0; i < g->finished; i++)
        if (was_exact(g, i)) {
            report_say(&g->text, "%s%s", ranked(g, i)->spec, said + 1 < count ? joint(said, count) : ".");
            said++;
        }
}

static void say_inexact(reading *g)
{
    for (int i = 0; i < g->finished; i++) {
        const result_strategy *s = ranked(g, i);
        if (!isfinite(s->gradient_error) || was_exact(g, i))
            continue;
        begin(g);
        report_say(&g->text, "With %s the gradient was off by up to %.3g %%%s: %.3g %% of the samples were used",
                   s->spec, 100 * s->gradient_error, s->exact ? ", although it promises the exact one" : "",
                   100 * s->used_fraction);
        if (isfinite(s->least_worker_share))
            report_say(&g->text, "and %.3g %% of the worst-served shard's", 100 * s->least_worker_share);
        report_say(&g->text, "(on average).");
    }
}

static double end_of_run(const result_strategy *s)
{
    const result_round *last = &s->round[s->rounds_completed - 1];
    return last->start_s + last->round_s;
}

/* The newest sampled loss at a time since the first measured round began. */
static double loss_at(const result_strategy *s, double time_s)
{
    double loss = s->loss_initial;
    if (end_of_run(s) <= time_s && isfinite(s->loss_final))
        return s->loss_final;
    for (size_t i = 0; i < s->rounds_completed; i++)
        if (s->round[i].start_s <= time_s && isfinite(s->round[i].loss))
            loss = s->round[i].loss;
    return loss;
}

/* Loss against time: all at the moment when the first one had done its rounds. */
static void say_losses(reading *g)
{
    if (g->finished < 2)
        return;
    int first = 0;
    for (int i = 0; i < g->finished; i++) {
        if (!isfinite(ranked(g, i)->loss_initial))
            return;
        if (end_of_run(ranked(g, i)) < end_of_run(ranked(g, first)))
            first = i;
    }
    double time_s = end_of_run(ranked(g, first));
    begin(g);
    report_say(&g->text, "After %s, when %s had done its rounds, the loss was", seconds(time_s).s,
               ranked(g, first)->spec);
    for (int i = 0; i < g->finished; i++)
        report_say(&g->text, "%.4g with %s%s", loss_at(ranked(g, i), time_s), ranked(g, i)->spec,
                   i + 1 < g->finished ? joint(i, g->finished) : "");
    report_say(&g->text, "(from %.4g).", ranked(g, first)->loss_initial);
    report_end(&g->text);
}

static void say_target(reading *g)
{
    int first = -1;
    for (int i = 0; i < g->finished; i++)
        if (isfinite(ranked(g, i)->time_to_target_s) &&
            (first < 0 || ranked(g, i)->time_to_target_s < ranked(g, first)->time_to_target_s))
            first = i;
    if (!isfinite(g->r->target_loss))
        return;
    begin(g);
    if (first < 0)
        report_say(&g->text, "None reached the target loss of %.4g.", g->r->target_loss);
    else
        report_say(&g->text, "%s was first at the target loss of %.4g, after %s.", ranked(g, first)->spec,
                   g->r->target_loss, seconds(ranked(g, first)->time_to_target_s).s);
    report_end(&g->text);
}

static void say_price(reading *g)
{
    const result_strategy *s = g->finished > 0 ? ranked(g, 0) : NULL;
    if (s == NULL || !(s->load > 1))
        return;
    begin(g);
    report_say(&g->text, "The price of %s: %.3g times the data memory", s->spec, s->load);
    if (isfinite(s->work_ratio))
        report_say(&g->text, ", %.3g times the computation", s->work_ratio);
    if (isfinite(s->messages_per_round))
        report_say(&g->text, ", %.3g vectors a round to the master", s->messages_per_round);
    report_say(&g->text, ".");
    report_end(&g->text);
}

static void say_ideal(reading *g)
{
    if (g->finished == 0 || g->r->faults > 0 || !(ranked(g, 0)->ideal_round_s > 0))
        return;
    const result_figures *f = ranked_figures(g, 0);
    begin(g);
    report_say(&g->text, "By its delays alone a round of %s would have taken %s; it took %s, %.2f times as long.",
               ranked(g, 0)->spec, seconds(ranked(g, 0)->ideal_round_s).s, seconds(f->mean).s,
               f->mean / ranked(g, 0)->ideal_round_s);
    report_end(&g->text);
}

static void say_failures(reading *g)
{
    for (int i = 0; i < g->r->strategies; i++)
        if (ranked(g, i)->error != NULL) {
            begin(g);
            report_say(&g->text, "%s did not finish: %s", ranked(g, i)->spec, ranked(g, i)->error);
            report_end(&g->text);
        }
}

void result_print_reading(const result *r, FILE *out)
{
    result_figures *figures = report_figures(r);
    int *order = calloc((size_t)r->strategies + 1, sizeof *order);
    if (figures != NULL && order != NULL) {
        reading g = {.r = r, .figures = figures, .order = order, .text = {.out = out, .indent = 2}};
        report_order(r, figures, order);
        while (g.finished < r->strategies && ranked(&g, g.finished)->error == NULL &&
               isfinite(ranked_figures(&g, g.finished)->effective_round_s))
            g.finished++;
        fputc('\n', out);
        say_target(&g);
        say_fastest(&g);
        say_exact(&g);
        say_inexact(&g);
        report_end(&g.text);
        say_losses(&g);
        say_price(&g);
        say_ideal(&g);
        say_failures(&g);
    }
    free(order);
    free(figures);
}

/* reading.c - the table in sentences; each is computed from the figures and left out where they are not known.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "report/reading.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static reading_words seconds(double x)
{
    reading_words t;
    if (x >= 1)
        snprintf(t.s, sizeof t.s, "%.3g s", x);
    else if (x >= 1e-3)
        snprintf(t.s, sizeof t.s, "%.3g ms", x * 1e3);
    else
        snprintf(t.s, sizeof t.s, "%.3g us", x * 1e6);
    return t;
}

const result_strategy *reading_ranked(const reading *g, int rank)
{
    return &g->r->strategy[g->order[rank]];
}

const result_figures *reading_figures(const reading *g, int rank)
{
    return &g->figures[g->order[rank]];
}

void reading_begin(reading *g)
{
    if (g->text.column == 0) {
        fprintf(g->text.out, "- ");
        g->text.column = g->text.indent;
    }
}

static double effective_ci(const reading *g, int rank)
{
    return reading_figures(g, rank)->ci95 / reading_ranked(g, rank)->used_fraction;
}

static void say_against(reading *g, int rank, int baseline, double speedup)
{
    if (baseline >= 0 && baseline != g->order[rank] && isfinite(speedup))
        report_say(&g->text, ", %.2f times as fast as %s", speedup, g->r->strategy[baseline].spec);
}

static void say_speed(reading *g, int rank)
{
    const result_figures *f = reading_figures(g, rank);
    report_say(&g->text, "%s: %s a batch", reading_ranked(g, rank)->spec, seconds(f->effective_round_s).s);
    say_against(g, rank, result_baseline(g->r, true), f->speedup_effective);
    say_against(g, rank, result_baseline(g->r, false), f->speedup_effective_vs_waiting);
    report_say(&g->text, ". Its median round took %s, its slowest %s.", seconds(f->p50).s, seconds(f->max).s);
}

static void say_lead(reading *g)
{
    double lead = reading_figures(g, 1)->effective_round_s - reading_figures(g, 0)->effective_round_s;
    if (lead < effective_ci(g, 0) + effective_ci(g, 1))
        report_say(&g->text, "Its lead over %s is within the 95 %% intervals of the two: call them equal.",
                   reading_ranked(g, 1)->spec);
}

/* The first in the order that keeps the promise of the exact gradient; -1: none. */
static int fastest_exact(const reading *g)
{
    for (int i = 0; i < g->finished; i++)
        if (reading_ranked(g, i)->exact && !reading_is_off(g, i))
            return i;
    return -1;
}

/* A batch that was not computed whole is no faster one: the error stands in the same sentence, the exact one beside it. */
static void say_fastest_is_off(reading *g, int exact)
{
    const result_strategy *s = reading_ranked(g, 0);
    report_say(&g->text, "Fastest was %s, but", s->spec);
    if (isfinite(s->gradient_error))
        report_say(&g->text, "its gradient was off by up to %s", reading_distance(s->gradient_error).s);
    else
        report_say(&g->text, "it does not promise the exact gradient");
    if (exact >= 0)
        report_say(&g->text, "; fastest with the exact one was %s", reading_ranked(g, exact)->spec);
    report_say(&g->text, ".");
}

static void say_fastest(reading *g)
{
    if (g->finished == 0)
        return;
    int exact = fastest_exact(g);
    reading_begin(g);
    if (g->finished > 1 && reading_is_off(g, 0))
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

/* Where many are compared, the lowest and the highest say enough. */
enum { LOSSES_TOLD = 4 };

/* g->some: the finished ones, the lowest loss at that time first. */
static void order_by_loss(const reading *g, double time_s)
{
    for (int i = 0; i < g->finished; i++) {
        int at = i;
        for (; at > 0 && loss_at(reading_ranked(g, i), time_s) < loss_at(&g->r->strategy[g->some[at - 1]], time_s);
             at--)
            g->some[at] = g->some[at - 1];
        g->some[at] = g->order[i];
    }
}

static void say_loss(reading *g, int rank, double time_s, const char *end)
{
    const result_strategy *s = &g->r->strategy[g->some[rank]];
    report_say(&g->text, "%.4g with %s%s", loss_at(s, time_s), s->spec, end);
}

/* Loss against time: all at the moment when the first one had done its rounds. */
static void say_losses(reading *g)
{
    if (g->finished < 2)
        return;
    int first = 0;
    for (int i = 0; i < g->finished; i++) {
        if (!isfinite(reading_ranked(g, i)->loss_initial))
            return;
        if (end_of_run(reading_ranked(g, i)) < end_of_run(reading_ranked(g, first)))
            first = i;
    }
    double time_s = end_of_run(reading_ranked(g, first));
    int told = g->finished <= LOSSES_TOLD ? g->finished : LOSSES_TOLD - 1;
    order_by_loss(g, time_s);
    reading_begin(g);
    report_say(&g->text, "After %s, when %s had done its rounds, the loss was%s", seconds(time_s).s,
               reading_ranked(g, first)->spec, told < g->finished ? " lowest:" : "");
    for (int i = 0; i < told; i++)
        say_loss(g, i, time_s, i + 2 < told ? "," : i + 2 == told ? " and" : told < g->finished ? "; highest:" : "");
    if (told < g->finished)
        say_loss(g, g->finished - 1, time_s, "");
    report_say(&g->text, "(from %.4g).", reading_ranked(g, first)->loss_initial);
    report_end(&g->text);
}

static void say_target(reading *g)
{
    int first = -1;
    for (int i = 0; i < g->finished; i++)
        if (isfinite(reading_ranked(g, i)->time_to_target_s) &&
            (first < 0 || reading_ranked(g, i)->time_to_target_s < reading_ranked(g, first)->time_to_target_s))
            first = i;
    if (!isfinite(g->r->target_loss))
        return;
    reading_begin(g);
    if (first < 0)
        report_say(&g->text, "None reached the target loss of %.4g.", g->r->target_loss);
    else
        report_say(&g->text, "%s was first at the target loss of %.4g, after %s.", reading_ranked(g, first)->spec,
                   g->r->target_loss, seconds(reading_ranked(g, first)->time_to_target_s).s);
    report_end(&g->text);
}

static void say_price(reading *g)
{
    const result_strategy *s = g->finished > 0 ? reading_ranked(g, 0) : NULL;
    if (s == NULL || !(s->load > 1))
        return;
    reading_begin(g);
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
    if (g->finished == 0 || g->r->faults > 0 || !(reading_ranked(g, 0)->ideal_round_s > 0))
        return;
    const result_figures *f = reading_figures(g, 0);
    reading_begin(g);
    report_say(&g->text, "By its delays alone a round of %s would have taken %s; it took %s, %.2f times as long.",
               reading_ranked(g, 0)->spec, seconds(reading_ranked(g, 0)->ideal_round_s).s, seconds(f->mean).s,
               f->mean / reading_ranked(g, 0)->ideal_round_s);
    report_end(&g->text);
}

static void say_failures(reading *g)
{
    for (int i = 0; i < g->r->strategies; i++)
        if (reading_ranked(g, i)->error != NULL) {
            reading_begin(g);
            report_say(&g->text, "%s did not finish: %s", reading_ranked(g, i)->spec, reading_ranked(g, i)->error);
            report_end(&g->text);
        }
}

void result_print_reading(const result *r, FILE *out)
{
    result_figures *figures = report_figures(r);
    int *order = calloc((size_t)r->strategies + 1, sizeof *order),
        *some = calloc((size_t)r->strategies + 1, sizeof *some);
    if (figures != NULL && order != NULL && some != NULL) {
        reading g = {.r = r, .figures = figures, .order = order, .some = some, .text = {.out = out, .indent = 2}};
        report_order(r, figures, order);
        while (g.finished < r->strategies && reading_ranked(&g, g.finished)->error == NULL &&
               isfinite(reading_figures(&g, g.finished)->effective_round_s))
            g.finished++;
        fputc('\n', out);
        say_target(&g);
        say_fastest(&g);
        reading_say_exact(&g);
        reading_say_inexact(&g);
        report_end(&g.text);
        reading_say_bias(&g);
        say_losses(&g);
        say_price(&g);
        say_ideal(&g);
        say_failures(&g);
    }
    free(some);
    free(order);
    free(figures);
}

/* bias.c - what the gradient was worth: exact, off by how much, and whether one class of the data bore it.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "report/reading.h"

#include <math.h>
#include <string.h>

/* What rounding may do to an exact gradient. */
static double rounding(const result *r)
{
    return strcmp(r->dtype, "f32") == 0 ? 1e-2 : 1e-6;
}

bool reading_was_exact(const reading *g, int rank)
{
    return reading_ranked(g, rank)->gradient_error <= rounding(g->r);
}

bool reading_is_off(const reading *g, int rank)
{
    const result_strategy *s = reading_ranked(g, rank);
    return isfinite(s->gradient_error) ? !reading_was_exact(g, rank) : !s->exact;
}

void reading_say_exact(reading *g)
{
    int count = 0, promised = 0, kept = 0;
    double worst = 0;
    for (int i = 0; i < g->finished; i++) {
        promised += reading_ranked(g, i)->exact;
        if (!reading_was_exact(g, i))
            continue;
        kept += reading_ranked(g, i)->exact;
        g->some[count++] = g->order[i];
        worst = fmax(worst, reading_ranked(g, i)->gradient_error);
    }
    if (count == 0)
        return;
    reading_begin(g);
    report_say(&g->text, "The gradient was exact (error at most %.0e) with", worst);
    if (count > REPORT_NAMES && count == kept && kept == promised)
        report_say(&g->text, "all %d that promise it.", count);
    else
        report_say_specs(&g->text, g->r, g->some, count, ".");
}

/* ---- off ---- */

/* A strategy may compute several mini-batches for one update: it then uses more than there is in a batch. */
static reading_words share(double x)
{
    reading_words t;
    if (x <= 1 + 1e-9)
        snprintf(t.s, sizeof t.s, "%.3g %% of", 100 * x);
    else
        snprintf(t.s, sizeof t.s, "%.3g times", x);
    return t;
}

reading_words reading_distance(double error)
{
    reading_words t;
    if (error < 10)
        snprintf(t.s, sizeof t.s, "%.3g %%", 100 * error);
    else
        snprintf(t.s, sizeof t.s, "%.3g times its length", error);
    return t;
}

static bool is_known_off(const reading *g, int rank)
{
    return isfinite(reading_ranked(g, rank)->gradient_error) && !reading_was_exact(g, rank);
}

static void say_off(reading *g, const result_strategy *s)
{
    reading_begin(g);
    report_say(&g->text, "With %s the gradient was off by up to %s%s: %s the batch's samples were used", s->spec,
               reading_distance(s->gradient_error).s, s->exact ? ", although it promises the exact one" : "",
               share(s->used_fraction).s);
    if (isfinite(s->least_worker_share))
        report_say(&g->text, "and %s the worst-served shard's", share(s->least_worker_share).s);
    report_say(&g->text, "(on average).");
}

/* Many that promise nothing better: the range says enough, the table has each. */
static void say_range(reading *g, int count)
{
    const result_strategy *least = NULL, *most = NULL, *served = NULL;
    for (int i = 0; i < g->finished; i++) {
        const result_strategy *s = reading_ranked(g, i);
        if (!is_known_off(g, i) || s->exact)
            continue;
        least = least == NULL || s->gradient_error < least->gradient_error ? s : least;
        most = most == NULL || s->gradient_error > most->gradient_error ? s : most;
        if (isfinite(s->least_worker_share) && (served == NULL || s->least_worker_share < served->least_worker_share))
            served = s;
    }
    reading_begin(g);
    report_say(&g->text, "With %d that do not promise it the gradient was off by up to %s (%s) to %s (%s)", count,
               reading_distance(least->gradient_error).s, least->spec, reading_distance(most->gradient_error).s,
               most->spec);
    if (served != NULL)
        report_say(&g->text, "; the worst-served shard had %s its samples used (%s)",
                   share(served->least_worker_share).s, served->spec);
    report_say(&g->text, ".");
}

void reading_say_inexact(reading *g)
{
    enum { SINGLY = 3 };
    int count = 0;
    for (int i = 0; i < g->finished; i++)
        count += is_known_off(g, i) && !reading_ranked(g, i)->exact;
    for (int i = 0; i < g->finished; i++)
        if (is_known_off(g, i) && (count <= SINGLY || reading_ranked(g, i)->exact))
            say_off(g, reading_ranked(g, i));
    if (count > SINGLY)
        say_range(g, count);
}

/* ---- who bore it ---- */

static const result_strategy *baseline(const reading *g)
{
    int sync = result_baseline(g->r, true);
    return sync >= 0 ? &g->r->strategy[sync] : NULL;
}

/* How much more a strategy lost than the baseline, all classes together. */
static double common_gap(const reading *g, int rank)
{
    return reading_ranked(g, rank)->loss_final - baseline(g)->loss_final;
}

/* A tenth more than under the baseline, and not merely what all classes lost by fewer or worse updates. */
static bool is_biased(const reading *g, int rank)
{
    const result_figures *f = reading_figures(g, rank);
    if (f->worst_class < 0)
        return false;
    return f->class_loss_gap > 0.1 * baseline(g)->class_loss[f->worst_class] &&
           f->class_loss_gap > 2 * common_gap(g, rank);
}

/* Of the strategies that kept the promise of the exact gradient; -1: there is none but the baseline. */
static double largest_exact_gap(const reading *g)
{
    double most = -1;
    for (int i = 0; i < g->finished; i++) {
        const result_strategy *s = reading_ranked(g, i);
        if (s->exact && !reading_is_off(g, i) && s != baseline(g))
            most = fmax(most, reading_figures(g, i)->class_loss_gap);
    }
    return most;
}

static double gap_of(const reading *g, int strategy)
{
    return g->figures[strategy].class_loss_gap;
}

/* g->some: the biased ones, the largest gap first; how many. */
static int find_biased(reading *g)
{
    int count = 0;
    for (int i = 0; i < g->finished; i++) {
        if (!is_biased(g, i))
            continue;
        int at = count++;
        for (; at > 0 && gap_of(g, g->order[i]) > gap_of(g, g->some[at - 1]); at--)
            g->some[at] = g->some[at - 1];
        g->some[at] = g->order[i];
    }
    return count;
}

static void say_worst(reading *g, const result_strategy *s, const result_figures *f)
{
    report_say(&g->text, "Bias: with %s the loss of class %d ended at %.3g, %.3g above that of the same class under %s",
               s->spec, f->worst_class, s->class_loss[f->worst_class], f->class_loss_gap, baseline(g)->spec);
    report_say(&g->text, "(all classes together: %+.3g)", s->loss_final - baseline(g)->loss_final);
    if (isfinite(s->least_worker_share))
        report_say(&g->text, ", and %s the worst-served shard's samples were used", share(s->least_worker_share).s);
}

void reading_say_bias(reading *g)
{
    enum { NAMED = 3 };
    int count = find_biased(g), named = count - 1 > NAMED ? NAMED : count - 1;
    double exact = largest_exact_gap(g);
    if (count == 0)
        return;
    reading_begin(g);
    say_worst(g, &g->r->strategy[g->some[0]], &g->figures[g->some[0]]);
    for (int i = 1; i <= named; i++) {
        const result_figures *f = &g->figures[g->some[i]];
        report_say(&g->text, "%s %s (class %d: +%.3g)", i == 1 ? "; then" : ",", g->r->strategy[g->some[i]].spec,
                   f->worst_class, f->class_loss_gap);
    }
    if (named < count - 1)
        report_say(&g->text, "and %d more", count - 1 - named);
    if (exact >= 0)
        report_say(&g->text, "; with exact gradients no class ended more than %.1g above", exact);
    report_say(&g->text, ".");
    report_end(&g->text);
}

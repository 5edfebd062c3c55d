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

typedef struct share_text {
    char s[48];
} share_text;

/* A strategy may compute several mini-batches for one update: it then uses more than there is in a batch. */
static share_text share(double x)
{
    share_text t;
    if (x <= 1 + 1e-9)
        snprintf(t.s, sizeof t.s, "%.3g %% of", 100 * x);
    else
        snprintf(t.s, sizeof t.s, "%.3g times", x);
    return t;
}

static bool is_known_off(const reading *g, int rank)
{
    return isfinite(reading_ranked(g, rank)->gradient_error) && !reading_was_exact(g, rank);
}

static void say_off(reading *g, const result_strategy *s)
{
    reading_begin(g);
    report_say(&g->text, "With %s the gradient was off by up to %.3g %%%s: %s the batch's samples were used", s->spec,
               100 * s->gradient_error, s->exact ? ", although it promises the exact one" : "",
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
    report_say(&g->text, "With %d that do not promise it the gradient was off by up to %.3g %% (%s) to %.3g %% (%s)",
               count, 100 * least->gradient_error, least->spec, 100 * most->gradient_error, most->spec);
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

void reading_say_bias(reading *g)
{
    int worst = -1, count = 0;
    for (int i = 0; i < g->finished; i++) {
        if (!is_biased(g, i))
            continue;
        count++;
        if (worst < 0 || reading_figures(g, i)->class_loss_gap > reading_figures(g, worst)->class_loss_gap)
            worst = i;
    }
    if (worst < 0)
        return;
    const result_strategy *s = reading_ranked(g, worst);
    const result_figures *f = reading_figures(g, worst);
    double exact = largest_exact_gap(g);
    reading_begin(g);
    report_say(&g->text, "Bias: with %s the loss of class %d ended at %.3g, %.3g above that of the same class under %s",
               s->spec, f->worst_class, s->class_loss[f->worst_class], f->class_loss_gap, baseline(g)->spec);
    report_say(&g->text, "(all classes together: %+.3g)", common_gap(g, worst));
    if (isfinite(s->least_worker_share))
        report_say(&g->text, ", and %s the worst-served shard's samples were used", share(s->least_worker_share).s);
    if (count > 1)
        report_say(&g->text, "; %d more left a class behind", count - 1);
    if (exact >= 0)
        report_say(&g->text, "; with exact gradients no class ended more than %.1g above", exact);
    report_say(&g->text, ".");
    report_end(&g->text);
}

/* levels.c - noise against level: the fit of S = M |G|^2 + sigma^2 (arXiv 2103.02351).
 * SPDX-License-Identifier: BSD-3-Clause */
#include "straggling/levels.h"

#include "base/student.h"

#include <math.h>
#include <stdbool.h>

enum { LEAST = 32 };                   /* updates of a level: single rounds are too noisy to be regressed on */
static const double memory = .9;       /* of the level of the next update */
static const double reliability = .75; /* of the spread between levels, the least part that is not their noise */

/* ---- grouping ------------------------------------------------------------------------------------ */

void gdc_level_merge(gdc_level *into, const gdc_level *from)
{
    double count = into->count + from->count;
    if (count == 0)
        return;
    double dg = from->g - into->g, ds = from->s - into->s, both = into->count * from->count / count;
    into->gg += from->gg + dg * dg * both;
    into->gs += from->gs + dg * ds * both;
    into->ss += from->ss + ds * ds * both;
    into->g += dg * from->count / count;
    into->s += ds * from->count / count;
    into->count = count;
}

void gdc_level_add(gdc_level *level, double g, double s)
{
    const gdc_level one = {.count = 1, .g = g, .s = s};
    gdc_level_merge(level, &one);
}

/* The level that the updates before have shown; below all where they show none. */
static int place(const gdc_levels *l)
{
    double recent = l->recent / l->recent_mass;
    if (!(recent > 0) || !(l->first > 0))
        return 0;
    double octave = floor(log2(recent / l->first)) + GDC_LEVELS / 2;
    return octave < 0 ? 0 : octave > GDC_LEVELS - 1 ? GDC_LEVELS - 1 : (int)octave;
}

void gdc_levels_add(gdc_levels *l, double g, double s)
{
    if (l->recent_mass > 0) { /* nothing says where the first belongs */
        if (!(l->first > 0) && l->recent > 0)
            l->first = l->recent / l->recent_mass;
        gdc_level_add(&l->level[place(l)], g, s);
    }
    l->recent = memory * l->recent + g;
    l->recent_mass = memory * l->recent_mass + 1;
}

/* Neighbours together until there are enough; what is left at the end goes to the last. Returns how many. */
static int gather(const gdc_levels *l, gdc_level out[GDC_LEVELS])
{
    int count = 0;
    gdc_level open = {.count = 0};
    for (int i = 0; i < GDC_LEVELS; i++) {
        gdc_level_merge(&open, &l->level[i]);
        if (open.count >= LEAST) {
            out[count++] = open;
            open = (gdc_level){.count = 0};
        }
    }
    if (count > 0)
        gdc_level_merge(&out[count - 1], &open);
    return count;
}

/* ---- fitting ------------------------------------------------------------------------------------- */

/* Weighted sums of the normal equations, what noise adds to them, and the spread of the levels. */
typedef struct sums {
    double w, wg, ws, wgg, wgs;
    double noise_gg, noise_gs;
} sums;

static double weight(const gdc_level *x)
{
    return x->g > 0 && x->s > 0 ? x->count / (x->s * x->s) : 0;
}

/* Of the means of a level, given a sum of products of deviations in it. */
static double of_mean(const gdc_level *x, double products)
{
    return products / (x->count - 1) / x->count;
}

static sums add_up(const gdc_level *level, int count)
{
    sums t = {.w = 0};
    for (int i = 0; i < count; i++) {
        const gdc_level *x = &level[i];
        double w = weight(x);
        t.w += w;
        t.wg += w * x->g;
        t.ws += w * x->s;
        t.wgg += w * x->g * x->g;
        t.wgs += w * x->g * x->s;
        t.noise_gg += w * of_mean(x, x->gg);
        t.noise_gs += w * of_mean(x, x->gs);
    }
    return t;
}

typedef struct line {
    double m, sigma2;
} line;

/* Spread of the levels in |G|^2 without their noise, times the weights. */
static double spread_of(const sums *t)
{
    return t->wgg - t->wg * t->wg / t->w - t->noise_gg;
}

static line unbounded(const sums *t)
{
    double m = (t->wgs - t->wg * t->ws / t->w - t->noise_gs) / spread_of(t);
    return (line){.m = m, .sigma2 = (t->ws - m * t->wg) / t->w};
}

static line bounded(const sums *t, line free_line)
{
    if (free_line.m < 0)
        return (line){.m = 0, .sigma2 = t->ws / t->w};
    if (free_line.sigma2 < 0)
        return (line){.m = (t->wgs - t->noise_gs) / (t->wgg - t->noise_gg), .sigma2 = 0};
    return free_line;
}

/* Both are linear in the residuals s - m g - sigma^2 of the levels, whose variance is that of their means. */
static void set_variances(const gdc_level *level, int count, const sums *t, line at, gdc_critical_estimates *e)
{
    double spread = spread_of(t), mean = t->wg / t->w;
    e->m_variance = e->sigma2_variance = e->covariance = 0;
    for (int i = 0; i < count; i++) {
        const gdc_level *x = &level[i];
        double scatter = of_mean(x, x->ss - 2 * at.m * x->gs + at.m * at.m * x->gg);
        double to_m = weight(x) * (x->g - mean) / spread, to_sigma2 = weight(x) / t->w - mean * to_m;
        e->m_variance += to_m * to_m * scatter;
        e->sigma2_variance += to_sigma2 * to_sigma2 * scatter;
        e->covariance += to_m * to_sigma2 * scatter;
    }
}

/* Around the unbounded value, cut off at 0, and never without the value itself. */
static gdc_interval interval(double value, double free_value, double variance, double degrees)
{
    double half = gdc_student_point(degrees < 1000 ? (int)degrees : 1000) * sqrt(variance);
    return (gdc_interval){.value = value,
                          .low = fmin(value, fmax(0, free_value - half)),
                          .high = fmax(value, fmax(0, free_value + half))};
}

static bool are_apart(const sums *t)
{
    double seen = t->wgg - t->wg * t->wg / t->w;
    return t->w > 0 && spread_of(t) > reliability * seen;
}

void gdc_levels_fit(const gdc_levels *l, gdc_critical_estimates *e)
{
    gdc_level level[GDC_LEVELS];
    double degrees = -2;
    int count = gather(l, level);
    sums t = add_up(level, count);
    e->levels = count > 0;
    if (count < 2 || !are_apart(&t))
        return;
    line free_line = unbounded(&t), at = bounded(&t, free_line);
    e->levels = 0;
    for (int i = 0; i < count; i++) {
        e->levels += weight(&level[i]) > 0;
        degrees += weight(&level[i]) > 0 ? level[i].count : 0;
    }
    set_variances(level, count, &t, at, e);
    e->m = interval(at.m, free_line.m, e->m_variance, degrees);
    e->sigma2 = interval(at.sigma2, free_line.sigma2, e->sigma2_variance, degrees);
}

/* critical.c - critical parameters: running estimates of |G|^2 and of the noise S (arXiv 2103.02351).
 * SPDX-License-Identifier: BSD-3-Clause */
#include "gradcode/critical.h"

#include "base/student.h"
#include "straggling/levels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double memory = .99;

struct gdc_critical {
    double population;
    uint64_t updates;
    gdc_level recent; /* exponentially weighted means and central sums; count: their weight, 1 - memory^updates */
    gdc_levels levels;
};

gdc_status gdc_critical_create(double population, gdc_critical **critical)
{
    if (!(population > 0))
        return gdc_fail(GDC_EINVAL, "critical: population=%g: want a positive number of samples, or infinity",
                        population);
    gdc_critical *c = calloc(1, sizeof *c);
    if (!c)
        return gdc_fail(GDC_ENOMEM, "critical: out of memory");
    c->population = population;
    *critical = c;
    return GDC_OK;
}

void gdc_critical_destroy(gdc_critical *c)
{
    free(c);
}

/* ---- feeding ------------------------------------------------------------------------------------- */

/* The means of what was seen, each update with memory times the weight of the next. */
static void remember(gdc_level *recent, double g, double s)
{
    gdc_level one = {.count = 1 - memory, .g = g, .s = s};
    recent->count *= memory;
    recent->gg *= memory;
    recent->gs *= memory;
    recent->ss *= memory;
    gdc_level_merge(recent, &one);
}

gdc_status gdc_critical_feed(gdc_critical *c, double part_norm2, double part_samples, double whole_norm2,
                             double whole_samples)
{
    if (!(part_norm2 >= 0) || !(whole_norm2 >= 0) || isinf(part_norm2) || isinf(whole_norm2))
        return gdc_fail(GDC_EINVAL, "critical: part_norm2=%g, whole_norm2=%g: want finite numbers of at least 0",
                        part_norm2, whole_norm2);
    if (!(part_samples > 0) || !(whole_samples > part_samples) || isinf(whole_samples))
        return gdc_fail(GDC_EINVAL,
                        "critical: part_samples=%g, whole_samples=%g: want 0 < part_samples < whole_samples: a whole "
                        "that is one part shows no noise",
                        part_samples, whole_samples);
    double s = (part_norm2 - whole_norm2) / (1 / part_samples - 1 / whole_samples);
    double g = (whole_samples * whole_norm2 - part_samples * part_norm2) / (whole_samples - part_samples);
    g += s / c->population; /* a mean over the whole population has no noise left */
    c->updates++;
    remember(&c->recent, g, s);
    gdc_levels_add(&c->levels, g, s);
    return GDC_OK;
}

/* ---- estimating ---------------------------------------------------------------------------------- */

/* Moments of the exponentially weighted means. */
typedef struct moments {
    double g, s, var_g, var_s, cov, point; /* point: half-width of an interval in standard deviations */
} moments;

/* With weights w that sum to 1 the variance of a mean is sum w^2 times that of an update, and the weighted scatter of the
 * updates is short of it by 1 - sum w^2. */
static moments moments_of(const gdc_critical *c)
{
    const gdc_level *r = &c->recent;
    double gone = 1 - r->count; /* memory^updates */
    double squares = (1 - memory) / (1 + memory) * (1 + gone) / (1 - gone);
    double factor = squares / (1 - squares) / r->count;
    int degrees = (int)(1 / squares - 1);
    return (moments){.g = r->g,
                     .s = r->s,
                     .var_g = r->gg * factor,
                     .var_s = r->ss * factor,
                     .cov = r->gs * factor,
                     .point = gdc_student_point(degrees < 1 ? 1 : degrees)};
}

static gdc_interval around(double value, double half)
{
    return (gdc_interval){.value = fmax(0, value), .low = fmax(0, value - half), .high = fmax(0, value + half)};
}

/* S / |G|^2, whose logarithm is nearer to a normal law than itself. */
static gdc_interval ratio_of(const moments *x, const gdc_critical_estimates *e)
{
    if (!(e->noise.low > 0) || !(e->gradient2.low > 0))
        return (gdc_interval){.value = e->gradient2.value > 0 ? e->noise.value / e->gradient2.value : NAN,
                              .low = e->gradient2.high > 0 ? e->noise.low / e->gradient2.high : 0,
                              .high = e->gradient2.low > 0 ? e->noise.high / e->gradient2.low : INFINITY};
    double value = x->s / x->g;
    double variance = x->var_s / (x->s * x->s) + x->var_g / (x->g * x->g) - 2 * x->cov / (x->s * x->g);
    double factor = exp(x->point * sqrt(fmax(0, variance)));
    return (gdc_interval){.value = value, .low = value / factor, .high = value * factor};
}

/* What S >= M |G|^2 and S >= sigma^2 say, with a fit or without. */
static void bound(gdc_critical_estimates *e)
{
    if (isnan(e->m.value))
        e->m = (gdc_interval){.value = NAN, .low = 0, .high = e->ratio.high};
    if (isnan(e->sigma2.value))
        e->sigma2 = (gdc_interval){.value = NAN, .low = 0, .high = e->noise.high};
}

gdc_status gdc_critical_estimate(const gdc_critical *c, gdc_critical_estimates *estimates)
{
    static const gdc_interval unknown = {NAN, NAN, NAN};
    gdc_critical_estimates e = {.size = sizeof e,
                                .updates = c->updates,
                                .gradient2 = unknown,
                                .noise = unknown,
                                .ratio = unknown,
                                .m = unknown,
                                .sigma2 = unknown,
                                .m_variance = NAN,
                                .sigma2_variance = NAN,
                                .covariance = NAN};
    if (c->updates > 1) {
        moments x = moments_of(c);
        e.gradient2 = around(x.g, x.point * sqrt(x.var_g));
        e.noise = around(x.s, x.point * sqrt(x.var_s));
        e.ratio = ratio_of(&x, &e);
        gdc_levels_fit(&c->levels, &e);
        bound(&e);
    }
    size_t size = estimates->size > 0 && estimates->size < sizeof e ? estimates->size : sizeof e;
    memcpy(estimates, &e, size);
    estimates->size = size;
    return GDC_OK;
}

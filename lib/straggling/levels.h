/* levels.h - the inside of gdc_critical: updates in groups of about the same |G|^2, and the fit of their noise.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GDC_STRAGGLING_LEVELS_H
#define GDC_STRAGGLING_LEVELS_H

#include "gradcode/critical.h"

/* Means and central sums of the two unbiased estimates of an update, g of |G|^2 and s of S. */
typedef struct gdc_level {
    double count, g, s;
    double gg, gs, ss; /* sums of products of deviations from the means */
} gdc_level;

void gdc_level_add(gdc_level *level, double g, double s);
void gdc_level_merge(gdc_level *into, const gdc_level *from);

enum { GDC_LEVELS = 128 }; /* each half of the next, around the first one that is known */
typedef struct gdc_levels {
    double first;               /* |G|^2 of the level in the middle; 0: not known */
    double recent, recent_mass; /* exponential sum of g, and of its weights: the level of the next update */
    gdc_level level[GDC_LEVELS];
} gdc_levels;

void gdc_levels_add(gdc_levels *levels, double g, double s);
/* Writes levels, m, sigma2 and their variances; levels is 0 where nothing was grouped, 1 where all is one level. */
void gdc_levels_fit(const gdc_levels *levels, gdc_critical_estimates *estimates);

#endif

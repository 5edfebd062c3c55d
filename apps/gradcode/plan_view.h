/* plan_view.h - a plan as text for people and as JSON for scripts.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef APPS_GRADCODE_PLAN_VIEW_H
#define APPS_GRADCODE_PLAN_VIEW_H

#include "gradcode/plan.h"

#include <stdio.h>

typedef struct plan_view {
    const char *spec;
    const gdc_plan *plan;
    const gdc_quality *quality;
    int partitions; /* M */
    uint64_t seed;
    int sets; /* straggler sets tried per size */
    /* of approximate decoding, with 0 .. residuals - 1 stragglers; 0: not tried */
    int residuals;
    double optimal[GDC_QUALITY_MAX], fixed[GDC_QUALITY_MAX];
} plan_view;

/* Long lists are shortened, with a note. */
void plan_print(const plan_view *v, FILE *out);
/* Everything; NULL when out of memory. Caller frees. */
char *plan_to_json(const plan_view *v);

/* Predicted error of a decode relative to k max|g|: 2 u times the worst amplification; epsilon = 2 u of the type. */
double plan_error(const gdc_quality *quality, double epsilon);

/* The partitions that a worker holds as ascending spans, in memory of the caller's to free; count = -1: no
 * memory. */
gdc_span *plan_held_spans(const gdc_plan *plan, int worker, int *count);

#endif

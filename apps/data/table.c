/* table.c - room for samples, and labels that become classes.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "data/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { AUTO_CLASSES_MAX = 100 };

gdc_status table_allocate(const char *path, size_t samples, size_t features, data *into)
{
    double gib = (double)samples * (double)features * sizeof(float) / (1024.0 * 1024.0 * 1024.0);
    int fits = features <= PTRDIFF_MAX / sizeof(float) && samples <= PTRDIFF_MAX / sizeof(float) / features;
    float *x = fits ? calloc(samples * features, sizeof *x) : NULL;
    float *y = calloc(samples, sizeof *y);
    if (!x || !y) {
        free(x);
        free(y);
        return gdc_fail(GDC_ENOMEM, "%s: no memory for %zu samples of %zu features (%.3g GiB)", path, samples, features,
                        gib);
    }
    into->samples = samples;
    into->features = features;
    into->type = DATA_F32;
    into->x = x;
    into->x_scale = 1;
    into->y = y;
    return GDC_OK;
}

static int ascending(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* The distinct labels in ascending order, in sorted[0 .. return value - 1]. */
static size_t distinct(const data *set, float *sorted)
{
    memcpy(sorted, set->y, set->samples * sizeof *sorted);
    qsort(sorted, set->samples, sizeof *sorted, ascending);
    size_t kinds = 1;
    for (size_t i = 1; i < set->samples; i++)
        if (sorted[i] != sorted[kinds - 1])
            sorted[kinds++] = sorted[i];
    return kinds;
}

static size_t first_fraction(const data *set)
{
    size_t i = 0;
    while (i < set->samples && set->y[i] == floorf(set->y[i]))
        i++;
    return i;
}

static void number_classes(const float *sorted, size_t kinds, data *into)
{
    for (size_t i = 0; i < into->samples; i++) {
        const float *found = bsearch(&into->y[i], sorted, kinds, sizeof *sorted, ascending);
        into->y[i] = (float)(found - sorted);
    }
    into->classes = (int)kinds;
}

gdc_status table_targets(const char *path, int targets, data *into)
{
    size_t fraction = first_fraction(into);
    if (targets == TARGETS_CLASS && fraction < into->samples)
        return gdc_fail(GDC_EDATA, "%s: sample %zu: label %g, want whole numbers for targets=class", path, fraction + 1,
                        (double)into->y[fraction]);
    if (targets == TARGETS_REAL || fraction < into->samples)
        return GDC_OK;
    float *sorted = malloc(into->samples * sizeof *sorted);
    if (!sorted)
        return gdc_fail(GDC_ENOMEM, "%s: no memory for %zu labels", path, into->samples);
    gdc_status status = GDC_OK;
    size_t kinds = distinct(into, sorted), most = targets == TARGETS_CLASS ? 1u << 24 : AUTO_CLASSES_MAX;
    if (kinds >= 2 && kinds <= most)
        number_classes(sorted, kinds, into);
    else if (targets == TARGETS_CLASS)
        status = gdc_fail(GDC_EDATA, "%s: %zu different labels, want 2 or more for targets=class", path, kinds);
    free(sorted);
    return status;
}

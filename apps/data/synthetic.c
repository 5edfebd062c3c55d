/* synthetic.c - seeded data with a known answer: a linear model's targets, or clouds of classes.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "data/table.h"

#include "gradcode/draw.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

typedef struct synthetic_options {
    int samples, features, classes;
    double noise, separation;
} synthetic_options;

static const gdc_option options[] = {
    {.key = "samples",
     .type = GDC_INT,
     .offset = offsetof(synthetic_options, samples),
     .fallback = "10000",
     .min = 1,
     .max = 100000000,
     .help = "number of samples",
     .positional = 1},
    {.key = "features",
     .type = GDC_INT,
     .offset = offsetof(synthetic_options, features),
     .fallback = "100",
     .min = 1,
     .max = 10000000,
     .help = "number of features, each normal with variance 1 (around its class's centre)"},
    {.key = "classes",
     .type = GDC_INT,
     .offset = offsetof(synthetic_options, classes),
     .fallback = "0",
     .min = 0,
     .max = 10000,
     .help = "number of classes; 0: real targets of a linear model"},
    {.key = "noise",
     .type = GDC_REAL,
     .offset = offsetof(synthetic_options, noise),
     .fallback = "0.1",
     .min = 0,
     .max = 1000,
     .help = "standard deviation added to the targets; with classes, share of labels replaced by others"},
    {.key = "separation",
     .type = GDC_REAL,
     .offset = offsetof(synthetic_options, separation),
     .fallback = "3",
     .min = 0,
     .max = 1000,
     .help = "typical distance of a class's centre from 0"},
    {.key = NULL},
};

/* What a draw is for; its other coordinates are sample (or class) and feature. */
enum { DRAW_FEATURE = 1, DRAW_OPTIMUM, DRAW_CENTRE, DRAW_TARGET, DRAW_CLASS, DRAW_FLIP, DRAW_LABEL };

static gdc_key key(uint64_t seed, uint64_t kind, size_t a, size_t b)
{
    static const uint64_t purpose = 0x73796e7468657469u;
    return (gdc_key){.seed = seed, .purpose = purpose, .a = a, .b = b, .c = kind};
}

/* Scaled so that a target's variance without noise is 1, whatever the number of features. */
static gdc_status draw_optimum(uint64_t seed, data *into)
{
    into->optimum = malloc(into->features * sizeof *into->optimum);
    if (!into->optimum)
        return gdc_fail(GDC_ENOMEM, "synthetic: no memory for %zu parameters", into->features);
    for (size_t j = 0; j < into->features; j++)
        into->optimum[j] = gdc_draw_normal(key(seed, DRAW_OPTIMUM, j, 0)) / sqrt((double)into->features);
    return GDC_OK;
}

static gdc_status linear_targets(const synthetic_options *o, uint64_t seed, data *into)
{
    gdc_status status = draw_optimum(seed, into);
    if (status)
        return status;
    const float *x = into->x;
    for (size_t i = 0; i < into->samples; i++) {
        double y = o->noise > 0 ? o->noise * gdc_draw_normal(key(seed, DRAW_TARGET, i, 0)) : 0;
        for (size_t j = 0; j < into->features; j++)
            y += x[i * into->features + j] * into->optimum[j];
        into->y[i] = (float)y;
    }
    return GDC_OK;
}

static gdc_status class_clouds(const synthetic_options *o, uint64_t seed, data *into)
{
    size_t classes = (size_t)o->classes, features = into->features;
    double reach = o->separation / sqrt((double)features);
    double *centre = malloc(classes * features * sizeof *centre);
    if (!centre)
        return gdc_fail(GDC_ENOMEM, "synthetic: no memory for %zu centres of %zu features", classes, features);
    for (size_t c = 0; c < classes; c++)
        for (size_t j = 0; j < features; j++)
            centre[c * features + j] = reach * gdc_draw_normal(key(seed, DRAW_CENTRE, c, j));
    float *x = into->x;
    for (size_t i = 0; i < into->samples; i++) {
        size_t c = gdc_draw_below(key(seed, DRAW_CLASS, i, 0), classes);
        for (size_t j = 0; j < features; j++)
            x[i * features + j] += (float)centre[c * features + j];
        if (gdc_draw_uniform(key(seed, DRAW_FLIP, i, 0)) < o->noise)
            c = (c + 1 + gdc_draw_below(key(seed, DRAW_LABEL, i, 0), classes - 1)) % classes;
        into->y[i] = (float)c;
    }
    free(centre);
    into->classes = o->classes;
    return GDC_OK;
}

static gdc_status check(const synthetic_options *o)
{
    if (o->classes == 1)
        return gdc_fail(GDC_EINVAL, "synthetic: classes=1: want 0 (real targets) or 2 and more");
    if (o->classes && o->noise > 1)
        return gdc_fail(GDC_EINVAL, "synthetic: noise=%g: want 0 to 1, the share of false labels, with classes=%d",
                        o->noise, o->classes);
    return GDC_OK;
}

static gdc_status synthetic_read(const void *values, uint64_t seed, data *into)
{
    const synthetic_options *o = values;
    gdc_status status = check(o);
    if (!status)
        status = table_allocate("synthetic", (size_t)o->samples, (size_t)o->features, into);
    if (status)
        return status;
    float *x = into->x;
    for (size_t i = 0; i < into->samples; i++)
        for (size_t j = 0; j < into->features; j++)
            x[i * into->features + j] = (float)gdc_draw_normal(key(seed, DRAW_FEATURE, i, j));
    return o->classes ? class_clouds(o, seed, into) : linear_targets(o, seed, into);
}

extern const data_reader_ops data_synthetic;
const data_reader_ops data_synthetic = {
    .name = "synthetic",
    .help = "seeded normal features; targets of a known linear model, or classes",
    .options = options,
    .options_bytes = sizeof(synthetic_options),
    .read = synthetic_read,
};

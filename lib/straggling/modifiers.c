/* modifiers.c - delay models that change how long a piece takes.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "straggling/model.h"

#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#define MOST_FACTOR 1e6

/* ---- jitter ---- */

typedef struct jitter_values {
    double sd;
} jitter_values;

static const gdc_option jitter_options[] = {
    {.key = "sd",
     .type = GDC_REAL,
     .offset = offsetof(jitter_values, sd),
     .fallback = ".05",
     .min = 0,
     .max = MOST_FACTOR,
     .help = "factor 1 + sd |N(0,1)| per piece"},
    {.key = NULL},
};

static double jitter_apply(const void *values, gdc_key key, double before_s)
{
    const jitter_values *v = values;
    return before_s * (1 + v->sd * fabs(gdc_draw_normal(key)));
}

/* ---- slow ---- */

typedef struct slow_values {
    int workers;
    double factor;
    gdc_ints which;
    bool *is_slow; /* [n] */
} slow_values;

static const gdc_option slow_options[] = {
    {.key = "workers",
     .type = GDC_INT,
     .offset = offsetof(slow_values, workers),
     .fallback = "1",
     .min = 0,
     .max = INT_MAX,
     .help = "how many are slow, drawn by the seed"},
    {.key = "factor",
     .type = GDC_REAL,
     .offset = offsetof(slow_values, factor),
     .fallback = "10",
     .min = 0,
     .max = MOST_FACTOR,
     .help = "how many times slower"},
    {.key = "which",
     .type = GDC_INTS,
     .offset = offsetof(slow_values, which),
     .fallback = "",
     .min = 0,
     .max = INT_MAX,
     .help = "names the slow workers, as 3+5"},
    {.key = NULL},
};

static gdc_status check_named(const slow_values *v, const gdc_spec *spec, int workers)
{
    if (gdc_spec_value(spec, "workers") != NULL && v->which.count > 0)
        return gdc_fail(GDC_EINVAL, "slow: workers= and which= are both given: want one of them");
    for (int i = 0; i < v->which.count; i++)
        if (v->which.value[i] >= workers)
            return gdc_fail(GDC_EINVAL,
                            "slow: which=%d: there are %d workers: want 0 to %d (nearest valid value: %d)",
                            v->which.value[i], workers, workers - 1, workers - 1);
    if (v->workers > workers)
        return gdc_fail(GDC_EINVAL,
                        "slow: workers=%d: there are %d workers: want 0 to %d (nearest valid value: %d)",
                        v->workers, workers, workers, workers);
    return GDC_OK;
}

static gdc_status draw_slow(slow_values *v, const gdc_delay_scene *scene)
{
    int *order = malloc((size_t)scene->workers * sizeof *order);
    if (order == NULL)
        return gdc_fail(GDC_ENOMEM, "slow: no memory for %d workers", scene->workers);
    gdc_draw_permutation(scene->key, scene->workers, order);
    for (int i = 0; i < v->workers; i++)
        v->is_slow[order[i]] = true;
    free(order);
    return GDC_OK;
}

static gdc_status slow_open(void *values, const gdc_spec *spec, const gdc_delay_scene *scene)
{
    slow_values *v = values;
    gdc_status status = check_named(v, spec, scene->workers);
    if (status != GDC_OK)
        return status;
    v->is_slow = calloc((size_t)scene->workers, sizeof *v->is_slow);
    if (v->is_slow == NULL)
        return gdc_fail(GDC_ENOMEM, "slow: no memory for %d workers", scene->workers);
    for (int i = 0; i < v->which.count; i++)
        v->is_slow[v->which.value[i]] = true;
    return v->which.count > 0 ? GDC_OK : draw_slow(v, scene);
}

static void slow_close(void *values)
{
    free(((slow_values *)values)->is_slow);
}

static double slow_apply(const void *values, gdc_key key, double before_s)
{
    const slow_values *v = values;
    return v->is_slow[key.a] ? before_s * v->factor : before_s;
}

/* ---- the table ---- */

const gdc_delay_ops gdc_delay_modifiers[] = {
    {.name = "jitter",
     .help = "every piece is a little slower, by chance",
     .options = jitter_options,
     .bytes = sizeof(jitter_values),
     .purpose = GDC_DRAWS_JITTER,
     .apply = jitter_apply},
    {.name = "slow",
     .help = "some workers are always slower",
     .options = slow_options,
     .bytes = sizeof(slow_values),
     .purpose = GDC_DRAWS_SLOW,
     .open = slow_open,
     .close = slow_close,
     .apply = slow_apply},
    {.name = NULL},
};

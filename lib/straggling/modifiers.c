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
            return gdc_fail(GDC_EINVAL, "slow: which=%d: there are %d workers: want 0 to %d (nearest valid value: %d)",
                            v->which.value[i], workers, workers - 1, workers - 1);
    if (v->workers > workers)
        return gdc_fail(GDC_EINVAL, "slow: workers=%d: there are %d workers: want 0 to %d (nearest valid value: %d)",
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

/* ---- burst ---- */

typedef struct burst_values {
    double p, factor;
} burst_values;

static const gdc_option burst_options[] = {
    {.key = "p",
     .type = GDC_REAL,
     .offset = offsetof(burst_values, p),
     .fallback = ".05",
     .min = 0,
     .max = 1,
     .help = "chance per worker and round"},
    {.key = "factor",
     .type = GDC_REAL,
     .offset = offsetof(burst_values, factor),
     .fallback = "10",
     .min = 0,
     .max = MOST_FACTOR,
     .help = "how many times slower"},
    {.key = NULL},
};

/* One key for all pieces of a round. */
static gdc_key round_of(gdc_key key)
{
    key.c = 0;
    return key;
}

static double burst_apply(const void *values, gdc_key key, double before_s)
{
    const burst_values *v = values;
    return gdc_draw_uniform(round_of(key)) < v->p ? before_s * v->factor : before_s;
}

/* ---- spread ---- */

typedef struct spread_values {
    double mean;
} spread_values;

static const gdc_option spread_options[] = {
    {.key = "mean",
     .type = GDC_REAL,
     .offset = offsetof(spread_values, mean),
     .fallback = "1",
     .min = 0,
     .max = MOST_FACTOR,
     .help = "factor 1 + mean Exp(1) per worker and round"},
    {.key = NULL},
};

static double spread_apply(const void *values, gdc_key key, double before_s)
{
    const spread_values *v = values;
    return before_s * (1 + v->mean * gdc_draw_exponential(round_of(key)));
}

/* ---- gilbert ---- */

typedef struct gilbert_values {
    double in, out, factor;
} gilbert_values;

static const gdc_option gilbert_options[] = {
    {.key = "in",
     .type = GDC_REAL,
     .offset = offsetof(gilbert_values, in),
     .fallback = ".03",
     .min = 0,
     .max = 1,
     .help = "chance per round that a good worker turns bad"},
    {.key = "out",
     .type = GDC_REAL,
     .offset = offsetof(gilbert_values, out),
     .fallback = ".3",
     .min = 0,
     .max = 1,
     .help = "chance per round that a bad worker turns good; in + out is at most 1"},
    {.key = "factor",
     .type = GDC_REAL,
     .offset = offsetof(gilbert_values, factor),
     .fallback = "5",
     .min = 0,
     .max = MOST_FACTOR,
     .help = "how many times slower while bad"},
    {.key = NULL},
};

static gdc_status gilbert_open(void *values, const gdc_spec *spec, const gdc_delay_scene *scene)
{
    const gilbert_values *v = values;
    (void)spec;
    (void)scene;
    if (v->in + v->out > 1)
        return gdc_fail(GDC_EINVAL,
                        "gilbert: in=%.12g and out=%.12g: want in + out of at most 1 (nearest valid value: out=%.12g)",
                        v->in, v->out, 1 - v->in);
    if (v->in + v->out == 0)
        return gdc_fail(GDC_EINVAL, "gilbert: in=0 and out=0: no worker ever changes: want in + out above 0");
    return GDC_OK;
}

/* The state is a pure function of the key: u < in forces bad and u >= 1 - out forces good, whatever the state was; any
 * other u keeps it, so one looks back until it is forced, 1/(in + out) rounds on average. This is the chain: from good,
 * P(bad) = in; from bad, P(good) = out. Before version 1 it is drawn from its stationary law. */
static bool is_bad(const gilbert_values *v, gdc_key key)
{
    for (; key.b > 0; key.b--) {
        double u = gdc_draw_uniform(key);
        if (u < v->in || u >= 1 - v->out)
            return u < v->in;
    }
    return gdc_draw_uniform(key) * (v->in + v->out) < v->in;
}

static double gilbert_apply(const void *values, gdc_key key, double before_s)
{
    const gilbert_values *v = values;
    return is_bad(v, round_of(key)) ? before_s * v->factor : before_s;
}

/* ---- stall ---- */

typedef struct stall_values {
    double p, extra;
} stall_values;

static const gdc_option stall_options[] = {
    {.key = "p",
     .type = GDC_REAL,
     .offset = offsetof(stall_values, p),
     .fallback = NULL,
     .min = 0,
     .max = 1,
     .help = "chance per piece"},
    {.key = "extra",
     .type = GDC_REAL,
     .offset = offsetof(stall_values, extra),
     .fallback = NULL,
     .min = 0,
     .max = GDC_LONGEST_S,
     .help = "seconds that a stall adds to the piece"},
    {.key = NULL},
};

static double stall_apply(const void *values, gdc_key key, double before_s)
{
    const stall_values *v = values;
    return gdc_draw_uniform(key) < v->p ? before_s + v->extra : before_s;
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
    {.name = "burst",
     .help = "some rounds of a worker are much slower",
     .options = burst_options,
     .bytes = sizeof(burst_values),
     .purpose = GDC_DRAWS_BURST,
     .apply = burst_apply},
    {.name = "spread",
     .help = "every round of a worker is slower by a factor of its own, by chance",
     .options = spread_options,
     .bytes = sizeof(spread_values),
     .purpose = GDC_DRAWS_SPREAD,
     .apply = spread_apply},
    {.name = "gilbert",
     .help = "workers turn slow and stay so for some rounds",
     .options = gilbert_options,
     .bytes = sizeof(gilbert_values),
     .purpose = GDC_DRAWS_GILBERT,
     .open = gilbert_open,
     .apply = gilbert_apply},
    {.name = "stall",
     .help = "some pieces hang for a while",
     .options = stall_options,
     .bytes = sizeof(stall_values),
     .purpose = GDC_DRAWS_STALL,
     .apply = stall_apply},
    {.name = NULL},
};

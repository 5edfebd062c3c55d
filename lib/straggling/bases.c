/* bases.c - delay models that say how long a piece takes.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "base/read_table.h"
#include "straggling/model.h"

#include <math.h>

enum { PER_PIECE, PER_ROUND };

/* Every base that draws has it; none has it too, so that bases can be exchanged. per=round is the draw of the round's first piece, used for all of its pieces. */
#define PER_ROW(values)                                                                                                \
    {                                                                                                                  \
        .key = "per", .type = GDC_WORD, .offset = offsetof(values, per), .fallback = "piece", .words = "piece|round",  \
        .help = "one draw per piece, or per worker and round"                                                          \
    }

static gdc_key keyed(int per, gdc_key key)
{
    if (per == PER_ROUND)
        key.c = 0;
    return key;
}

/* ---- none ---- */

typedef struct none_values {
    double piece;
    int per;
} none_values;

static const gdc_option none_options[] = {
    {.key = "piece",
     .type = GDC_REAL,
     .offset = offsetof(none_values, piece),
     .fallback = "0.001",
     .min = 0,
     .max = GDC_LONGEST_S,
     .help = "seconds per piece"},
    PER_ROW(none_values),
    {.key = NULL},
};

static double none_apply(const void *values, gdc_key key, double before_s)
{
    const none_values *v = values;
    (void)key;
    return before_s + v->piece;
}

/* ---- exp ---- */

typedef struct exp_values {
    double mean;
    int per;
} exp_values;

static const gdc_option exp_options[] = {
    {.key = "mean",
     .type = GDC_REAL,
     .offset = offsetof(exp_values, mean),
     .fallback = NULL,
     .min = 0,
     .max = GDC_LONGEST_S,
     .help = "mean seconds per piece"},
    PER_ROW(exp_values),
    {.key = NULL},
};

static double exp_apply(const void *values, gdc_key key, double before_s)
{
    const exp_values *v = values;
    return before_s + v->mean * gdc_draw_exponential(keyed(v->per, key));
}

/* ---- shifted-exp ---- */

typedef struct shifted_values {
    double shift, mean;
    int per;
} shifted_values;

static const gdc_option shifted_options[] = {
    {.key = "shift",
     .type = GDC_REAL,
     .offset = offsetof(shifted_values, shift),
     .fallback = NULL,
     .min = 0,
     .max = GDC_LONGEST_S,
     .help = "least seconds per piece"},
    {.key = "mean",
     .type = GDC_REAL,
     .offset = offsetof(shifted_values, mean),
     .fallback = NULL,
     .min = 0,
     .max = GDC_LONGEST_S,
     .help = "mean seconds of the exponential part"},
    PER_ROW(shifted_values),
    {.key = NULL},
};

static double shifted_apply(const void *values, gdc_key key, double before_s)
{
    const shifted_values *v = values;
    return before_s + v->shift + v->mean * gdc_draw_exponential(keyed(v->per, key));
}

/* ---- pareto ---- */

typedef struct pareto_values {
    double alpha, min;
    int per;
} pareto_values;

static const gdc_option pareto_options[] = {
    {.key = "alpha",
     .type = GDC_REAL,
     .offset = offsetof(pareto_values, alpha),
     .fallback = NULL,
     .min = .1, /* a power of 1/.1 of the smallest uniform draw is finite */
     .max = 1e6,
     .help = "P(more than x) = (min/x)^alpha; no variance up to 2, no mean up to 1"},
    {.key = "min",
     .type = GDC_REAL,
     .offset = offsetof(pareto_values, min),
     .fallback = NULL,
     .min = 0,
     .max = GDC_LONGEST_S,
     .help = "least seconds per piece"},
    PER_ROW(pareto_values),
    {.key = NULL},
};

static double pareto_apply(const void *values, gdc_key key, double before_s)
{
    const pareto_values *v = values;
    return before_s + v->min * exp(gdc_draw_exponential(keyed(v->per, key)) / v->alpha);
}

/* ---- lognormal ---- */

typedef struct lognormal_values {
    double mu;
    int per;
} lognormal_values;

static const gdc_option lognormal_options[] = {
    {.key = "mu",
     .type = GDC_REAL,
     .offset = offsetof(lognormal_values, mu),
     .fallback = NULL,
     .min = 0,
     .max = GDC_LONGEST_S,
     .help = "least seconds per piece; times are 1 to 6.5 mu, mean 1.496 mu, sd .604 mu"},
    PER_ROW(lognormal_values),
    {.key = NULL},
};

/* The simulated delay of arXiv 2306.10598: mu (1 + min(Z / (2 e^4.5), 5.5)), Z ~ LogNormal(4, 1). */
static double lognormal_apply(const void *values, gdc_key key, double before_s)
{
    const lognormal_values *v = values;
    return before_s + v->mu * (1 + fmin(exp(4 - 4.5 + gdc_draw_normal(keyed(v->per, key))) / 2, 5.5));
}

/* ---- trace ---- */

typedef struct trace_values {
    const char *file;
    double scale;
    gdc_table trace; /* cells: seconds per piece */
} trace_values;

static const gdc_option trace_options[] = {
    {.key = "file",
     .type = GDC_TEXT,
     .offset = offsetof(trace_values, file),
     .fallback = NULL,
     .help = "CSV, rounds x workers, headers begin with #; trace:FILE will do",
     .positional = 1},
    {.key = "scale",
     .type = GDC_REAL,
     .offset = offsetof(trace_values, scale),
     .fallback = "1",
     .min = 1e-12,
     .max = 1e12,
     .help = "seconds per unit of a cell"},
    {.key = NULL},
};

static gdc_status trace_open(void *values, const gdc_spec *spec, const gdc_delay_scene *scene)
{
    trace_values *v = values;
    gdc_table *t = &v->trace;
    const gdc_table_source source = {
        .name = "trace", .path = v->file, .most = GDC_LONGEST_S / v->scale, .shape = "rounds x workers"};
    (void)spec;
    gdc_status status = gdc_table_read(&source, t);
    if (status != GDC_OK)
        return status;
    if ((size_t)scene->workers > t->columns)
        return gdc_fail(GDC_EINVAL, "trace: %.400s has %zu columns, there are %d workers: want at most %zu workers",
                        v->file, t->columns, scene->workers, t->columns);
    for (size_t i = 0; i < t->rows * t->columns; i++)
        t->cell[i] = t->cell[i] * v->scale / scene->pieces;
    return GDC_OK;
}

static void trace_close(void *values)
{
    gdc_table_free(&((trace_values *)values)->trace);
}

/* Versions count from 1. */
static double trace_apply(const void *values, gdc_key key, double before_s)
{
    const gdc_table *t = &((const trace_values *)values)->trace;
    return before_s + t->cell[(size_t)((key.b - 1) % t->rows) * t->columns + (size_t)key.a];
}

/* ---- the table ---- */

const gdc_delay_ops gdc_delay_bases[] = {
    {.name = "none",
     .help = "every piece takes the same time",
     .options = none_options,
     .bytes = sizeof(none_values),
     .purpose = GDC_DRAWS_BASE,
     .apply = none_apply},
    {.name = "exp",
     .help = "exponential times",
     .options = exp_options,
     .bytes = sizeof(exp_values),
     .purpose = GDC_DRAWS_BASE,
     .apply = exp_apply},
    {.name = "shifted-exp",
     .help = "a least time plus an exponential one",
     .options = shifted_options,
     .bytes = sizeof(shifted_values),
     .purpose = GDC_DRAWS_BASE,
     .apply = shifted_apply},
    {.name = "pareto",
     .help = "a least time with a heavy tail",
     .options = pareto_options,
     .bytes = sizeof(pareto_values),
     .purpose = GDC_DRAWS_BASE,
     .apply = pareto_apply},
    {.name = "lognormal",
     .help = "a least time plus a clipped log-normal one: the simulated delay of the DropCompute paper",
     .options = lognormal_options,
     .bytes = sizeof(lognormal_values),
     .purpose = GDC_DRAWS_BASE,
     .apply = lognormal_apply},
    {.name = "trace",
     .help = "recorded times: round t replays row t, over and over; worker w has column w, shared by its pieces",
     .options = trace_options,
     .bytes = sizeof(trace_values),
     .purpose = GDC_DRAWS_BASE,
     .open = trace_open,
     .close = trace_close,
     .apply = trace_apply},
    {.name = NULL},
};

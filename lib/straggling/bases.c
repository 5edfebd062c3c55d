/* bases.c - delay models that say how long a piece takes.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "straggling/model.h"

enum { PER_PIECE, PER_ROUND };

#define LONGEST_S 1e9 /* 30 years: sums and products of a few such times stay finite */

/* Every base has it. per=round is the draw of the round's first piece, used for all of its pieces. */
#define PER_ROW(values)                                                                                      \
    {                                                                                                        \
        .key = "per", .type = GDC_WORD, .offset = offsetof(values, per), .fallback = "piece",                \
        .words = "piece|round", .help = "one draw per piece, or per worker and round"                        \
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
     .max = LONGEST_S,
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
     .max = LONGEST_S,
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
     .max = LONGEST_S,
     .help = "least seconds per piece"},
    {.key = "mean",
     .type = GDC_REAL,
     .offset = offsetof(shifted_values, mean),
     .fallback = NULL,
     .min = 0,
     .max = LONGEST_S,
     .help = "mean seconds of the exponential part"},
    PER_ROW(shifted_values),
    {.key = NULL},
};

static double shifted_apply(const void *values, gdc_key key, double before_s)
{
    const shifted_values *v = values;
    return before_s + v->shift + v->mean * gdc_draw_exponential(keyed(v->per, key));
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
    {.name = NULL},
};

/* model.h - a delay model is one row of a table: a base or a modifier.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GDC_STRAGGLING_MODEL_H
#define GDC_STRAGGLING_MODEL_H

#include "gradcode/delay.h"
#include "gradcode/draw.h"
#include "gradcode/spec.h"

#include <stddef.h>

#define GDC_LONGEST_S 1e9 /* 30 years: sums and products of a few such times stay finite */

/* What draws are for. The numbers are part of what a seed means: never renumber, only append. All bases share
 * one, as a delay has one base: a researcher who exchanges it keeps the luck of every piece. */
enum {
    GDC_DRAWS_BASE = 1,
    GDC_DRAWS_JITTER,
    GDC_DRAWS_SLOW,
    GDC_DRAWS_BURST,
    GDC_DRAWS_SPREAD,
    GDC_DRAWS_GILBERT,
    GDC_DRAWS_STALL,
};

typedef struct gdc_delay_scene {
    int workers, pieces;
    gdc_key key; /* seed and purpose; a, b, c are 0 */
} gdc_delay_scene;

typedef struct gdc_delay_ops {
    const char *name;
    const char *help; /* one line */
    const gdc_option *options;
    size_t bytes;     /* size of the struct of values that options fill; the rest of it is zeroed */
    uint64_t purpose; /* GDC_DRAWS_... */
    /* optional: checks what a table cannot, prepares what draws need; values owns it until close. spec
     * outlives values. */
    gdc_status (*open)(void *values, const gdc_spec *spec, const gdc_delay_scene *scene);
    void (*close)(void *values); /* optional; also after an open that failed */
    /* The duration of a piece, given what it was before this model (a base: 0). key: {worker, version, q}. */
    double (*apply)(const void *values, gdc_key key, double before_s);
} gdc_delay_ops;

int gdc_delay_workers(const gdc_delay *delay); /* that it was made for */

extern const gdc_delay_ops gdc_delay_bases[]; /* both end with a row without a name */
extern const gdc_delay_ops gdc_delay_modifiers[];

#endif

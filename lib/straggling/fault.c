/* fault.c - specifications of faults on purpose.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "gradcode/fault.h"
#include "gradcode/spec.h"

#include <limits.h>

typedef struct fault_values {
    int worker, round, at;
    double for_s;
} fault_values;

static const char *const kinds[] = {"kill", "stop", "nan", "corrupt", NULL}; /* as gdc_fault_kind */

static const gdc_option options[] = {
    {.key = "worker",
     .type = GDC_INT,
     .offset = offsetof(fault_values, worker),
     .fallback = NULL,
     .min = 0,
     .max = INT_MAX,
     .help = "whom it strikes"},
    {.key = "round",
     .type = GDC_INT,
     .offset = offsetof(fault_values, round),
     .fallback = NULL,
     .min = 0,
     .max = INT_MAX,
     .help = "when, counted from 0"},
    {.key = "at",
     .type = GDC_WORD,
     .offset = offsetof(fault_values, at),
     .fallback = "compute",
     .words = "compute|sent|model", /* as gdc_fault_moment */
     .help = "at which moment of the round"},
    {.key = "for",
     .type = GDC_REAL,
     .offset = offsetof(fault_values, for_s),
     .fallback = "0",
     .min = 0,
     .max = 1e9,
     .help = "stop: seconds, 0 = for ever"},
    {.key = NULL},
};

static gdc_status check(const gdc_spec *spec, const fault_values *v, int kind, int workers)
{
    if (v->worker >= workers)
        return gdc_fail(GDC_EINVAL, "%s: worker=%d: there are %d workers: want 0 to %d (nearest valid value: %d)",
                        kinds[kind], v->worker, workers, workers - 1, workers - 1);
    if (kind != GDC_FAULT_STOP && gdc_spec_value(spec, "for") != NULL)
        return gdc_fail(GDC_EINVAL, "%s: for= is only for stop: want %s without it, or stop", kinds[kind], kinds[kind]);
    return GDC_OK;
}

static gdc_status read_fault(gdc_spec *spec, int workers, int *kind, fault_values *v)
{
    const gdc_option *const tables[] = {options, NULL};
    *kind = gdc_spec_choose("fault", gdc_spec_name(spec), kinds);
    if (*kind < 0)
        return GDC_EINVAL;
    gdc_status status = gdc_spec_read(spec, options, v);
    if (status == GDC_OK)
        status = gdc_spec_finish(spec, tables);
    return status == GDC_OK ? check(spec, v, *kind, workers) : status;
}

gdc_status gdc_fault_parse(const char *spec, int workers, uint64_t first_version, gdc_fault *fault)
{
    gdc_spec *parsed;
    fault_values v;
    int kind;
    gdc_status status = gdc_spec_parse(spec, &parsed);
    if (status != GDC_OK)
        return status;
    status = read_fault(parsed, workers, &kind, &v);
    gdc_spec_destroy(parsed);
    if (status == GDC_OK)
        *fault = (gdc_fault){
            .kind = (gdc_fault_kind)kind,
            .at = (gdc_fault_moment)v.at,
            .worker = v.worker,
            .version = first_version + (uint64_t)v.round,
            .for_s = v.for_s,
        };
    return status;
}

/* engine_options.c - defaults and checks of gdc_options, common to all transports.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "api/engine_handle.h"

#include "straggling/model.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

enum { QUALITY_SETS = 200 }; /* straggler sets per size for the prediction of float32's error */

void gdc_options_init(gdc_options *options)
{
    *options = (gdc_options){.size = sizeof *options,
                             .strategy = "gc:code=fractional,load=2",
                             .partitions = 1,
                             .dtype = GDC_F64,
                             .seed = 1,
                             .first_version = 1,
                             .round_deadline_s = 10,
                             .shutdown_s = 3,
                             .poll_s = INFINITY,
                             .checksum = 1,
                             .bandwidth = INFINITY};
}

static gdc_status check_counts(const gdc_options *o, int workers)
{
    if (workers < 1)
        return gdc_fail(GDC_EINVAL, "workers=%d: want at least 1", workers);
    if (o->partitions < 1 || o->partitions > INT_MAX / workers)
        return gdc_fail(GDC_EINVAL, "partitions=%d per shard with %d workers: want 1 to %d", o->partitions, workers,
                        INT_MAX / workers);
    if (o->dtype != GDC_F64 && o->dtype != GDC_F32)
        return gdc_fail(GDC_EINVAL, "dtype=%d: want GDC_F64 or GDC_F32", (int)o->dtype);
    if (o->first_version < 1)
        return gdc_fail(GDC_EINVAL, "first_version=0: want at least 1");
    if (!(o->local_rate >= 0) || isinf(o->local_rate))
        return gdc_fail(GDC_EINVAL, "local_rate=%g: want 0 or more", o->local_rate);
    if (o->fault_count < 0 || (o->fault_count > 0 && !o->faults))
        return gdc_fail(GDC_EINVAL, "fault_count=%d without faults", o->fault_count);
    if (o->norms != 0 && o->norms != 1)
        return gdc_fail(GDC_EINVAL, "norms=%d: want 0 or 1", o->norms);
    return GDC_OK;
}

static gdc_status check_times(const gdc_options *o)
{
    if (!(o->round_deadline_s > 0) || !(o->shutdown_s >= 0) || !(o->root_deadline_s >= 0))
        return gdc_fail(GDC_EINVAL,
                        "round_deadline_s=%g, shutdown_s=%g, root_deadline_s=%g: want > 0, >= 0 and >= 0 seconds",
                        o->round_deadline_s, o->shutdown_s, o->root_deadline_s);
    if (!(o->poll_s >= 0))
        return gdc_fail(GDC_EINVAL, "poll_s=%g: want 0 or more seconds, or INFINITY for whole pieces", o->poll_s);
    if (!(o->bandwidth > 0) || !(o->latency_s >= 0) || isinf(o->latency_s))
        return gdc_fail(GDC_EINVAL, "bandwidth=%g bytes/s, latency_s=%g: want > 0 and >= 0", o->bandwidth,
                        o->latency_s);
    return GDC_OK;
}

static gdc_status check_samples(const gdc_options *o, int workers)
{
    for (int p = 0; o->samples && p < workers * o->partitions; p++)
        if (!(o->samples[p] > 0) || isinf(o->samples[p]))
            return gdc_fail(GDC_EINVAL, "samples[%d]=%g: want a positive number of samples", p, o->samples[p]);
    return GDC_OK;
}

gdc_status gdc_options_check(const gdc_options *given, int workers, gdc_options *full)
{
    gdc_options o;
    gdc_options_init(&o);
    if (!given || given->size == 0)
        return gdc_fail(GDC_EINVAL, "options: call gdc_options_init first (size is 0)");
    memcpy(&o, given, given->size < sizeof o ? given->size : sizeof o);
    o.size = sizeof o;
    if (!o.strategy)
        return gdc_fail(GDC_EINVAL, "strategy is NULL: want a spec such as gc:code=fractional,load=2");
    gdc_status status = check_counts(&o, workers);
    if (status == GDC_OK && o.delay && gdc_delay_workers(o.delay) < workers)
        status =
            gdc_fail(GDC_EINVAL, "delay: made for %d workers, but there are %d", gdc_delay_workers(o.delay), workers);
    if (status == GDC_OK)
        status = check_times(&o);
    if (status == GDC_OK)
        status = check_samples(&o, workers);
    if (status == GDC_OK)
        *full = o;
    return status;
}

gdc_status gdc_options_check_local(const gdc_options *options, const gdc_strategy_parts *parts)
{
    if (!parts->traits.local_steps || options->local_rate > 0)
        return GDC_OK;
    return gdc_fail(GDC_EINVAL, "%s: local_rate=0 moves no model in a local step: want the learning rate, above 0",
                    options->strategy);
}

gdc_status gdc_options_check_precision(const gdc_options *options, const gdc_strategy_parts *parts)
{
    if (options->dtype != GDC_F32 || options->force || parts->ops->collective)
        return GDC_OK;
    gdc_quality quality;
    gdc_status status = gdc_plan_quality(parts->plan, QUALITY_SETS, options->seed, &quality);
    double worst = fmax(quality.worst, quality.early_worst);
    double predicted = worst * (double)FLT_EPSILON; /* 2 * 2^-24 * A, theory of the decode's rounding */
    if (status != GDC_OK || predicted <= 1e-3)
        return status;
    return gdc_fail(GDC_EINVAL,
                    "%s: float32 messages would carry a relative error of up to %.1e (amplification %.3g), "
                    "above 1e-3; use "
                    "float64, or code=fractional (amplification 1), or force it",
                    options->strategy, predicted, worst);
}

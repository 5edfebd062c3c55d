/* dynamic_times.c - the typical time of a piece: the median over all workers of the last round's.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Never a worker's own median: a worker that is always slow would find its own slowness typical. */
#include "policies/parts/dynamic.h"

#include "gradcode/statistics.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

bool gdc_dynamic_times_init(gdc_dynamic *d)
{
    int k = d->workers * d->pieces;
    d->times_max = k > INT_MAX / 2 ? INT_MAX : 2 * k; /* all pieces, and as many duplicates */
    d->times = calloc((size_t)d->times_max, sizeof *d->times);
    d->nominal_s = d->options.nominal > 0 ? d->options.nominal : NAN;
    return d->times != NULL;
}

void gdc_dynamic_times_begin(gdc_dynamic *d)
{
    if (!(d->options.nominal > 0) && d->times_seen > 0)
        d->nominal_s = gdc_median(d->times, (size_t)d->times_seen);
    d->times_seen = 0;
}

/* The first time that is ever seen serves until the first median. */
void gdc_dynamic_times_note(gdc_dynamic *d, const gdc_arrival *a)
{
    gdc_dynamic_worker *w = &d->worker[a->worker];
    if (a->finished <= w->finished || !isfinite(a->piece_s))
        return;
    w->finished = a->finished;
    if (d->times_seen < d->times_max)
        d->times[d->times_seen++] = a->piece_s;
    if (isnan(d->nominal_s))
        d->nominal_s = a->piece_s;
}

double gdc_dynamic_late_s(const gdc_dynamic *d, double theta)
{
    return isnan(d->nominal_s) ? 0 : theta * d->nominal_s;
}

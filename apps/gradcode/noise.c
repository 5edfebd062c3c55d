/* noise.c - critical parameters of a strategy (arXiv 2103.02351).
 * SPDX-License-Identifier: BSD-3-Clause */
#include "noise.h"

#include <stdlib.h>

gdc_status noise_open(const run *r, noise *n)
{
    if (r->config->report != REPORT_CRITICAL || r->timing_only)
        return GDC_OK;
    return gdc_critical_create((double)r->data->samples, &n->critical);
}

void noise_close(noise *n)
{
    gdc_critical_destroy(n->critical);
    n->critical = NULL;
}

/* An update that shows no noise, or overflows, is not one to learn from; the number of those observed is reported. */
void noise_round(const run *r, noise *n, const gdc_round *round, const void *gradient)
{
    noise_reading *x = &n->reading;
    if (n->critical == NULL)
        return;
    gdc_critical_observe(n->critical, round, r->dtype, r->dimension, gradient);
    x->rounds++;
    x->samples += round->samples;
    x->vectors += (double)round->vectors;
    x->staleness += (double)round->staleness;
}

void noise_end(noise *n)
{
    n->reading.estimates.size = sizeof n->reading.estimates;
    if (n->critical != NULL)
        gdc_critical_estimate(n->critical, &n->reading.estimates);
}

gdc_status noise_judge(const run *r, const noise_reading *x, result_strategy *s)
{
    if (r->config->report != REPORT_CRITICAL || !(x->samples > 0))
        return GDC_OK;
    s->critical = calloc(1, sizeof *s->critical);
    if (s->critical == NULL)
        return gdc_fail(GDC_ENOMEM, "no memory for critical parameters");
    result_critical *c = s->critical;
    c->estimates = x->estimates;
    c->setting = (gdc_critical_setting){.batch = x->samples / x->rounds,
                                        .staleness = x->vectors > 0 ? x->staleness / x->vectors : 0,
                                        .mini_batch = (double)r->batch.size / r->workers};
    c->advice.size = sizeof c->advice;
    return gdc_critical_advise(&c->estimates, &c->setting, &c->advice);
}

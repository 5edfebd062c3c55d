/* noise.h - critical parameters of a strategy: watched inside the clock, one pass over the gradient, with --report critical only.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef APPS_GRADCODE_NOISE_H
#define APPS_GRADCODE_NOISE_H

#include "gradcode/critical.h"
#include "run.h"

typedef struct noise_reading { /* as it travels from worker 0 of an all-reduce */
    gdc_critical_estimates estimates;
    double rounds, samples;    /* measured rounds; samples behind their gradients */
    double vectors, staleness; /* that entered; the sum of their ages */
} noise_reading;

typedef struct noise {
    gdc_critical *critical; /* NULL: nobody watches here */
    noise_reading reading;
} noise;

gdc_status noise_open(const run *r, noise *n);
void noise_close(noise *n);
/* gradient: the sum over the batch, as it came. */
void noise_round(const run *r, noise *n, const gdc_round *round, const void *gradient);
void noise_end(noise *n);
/* Writes s->critical; nothing without --report critical. ENOMEM. */
gdc_status noise_judge(const run *r, const noise_reading *reading, result_strategy *s);

#endif

/* samples.c - counts samples of spans.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "engine/samples.h"

double gdc_samples_in(const double *samples, gdc_span span)
{
    if (!samples)
        return span.count;
    double sum = 0;
    for (int p = span.first; p < span.first + span.count; p++)
        sum += samples[p];
    return sum;
}

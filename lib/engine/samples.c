/* samples.c - counts samples of spans.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "engine/samples.h"

double gdc_samples_in(const double *samples, int partitions, gdc_span span)
{
    if (!samples)
        return span.count;
    double sum = 0;
    for (int i = 0; i < span.count; i++)
        sum += samples[(span.first + i) % partitions];
    return sum;
}

/* samples.h - how many samples partitions hold.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GDC_ENGINE_SAMPLES_H
#define GDC_ENGINE_SAMPLES_H

#include "gradcode/plan.h"

/* Samples in a span, given those of each partition [k]; NULL: one each. Partition p + q*k has those of p. */
double gdc_samples_in(const double *samples, int partitions, gdc_span span);

#endif

/* samples.h - how many samples partitions hold.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GDC_ENGINE_SAMPLES_H
#define GDC_ENGINE_SAMPLES_H

#include "gradcode/plan.h"

/* Samples in a span, given those of each partition [k]; NULL: one each. Partition p + q*k has those of p. */
double gdc_samples_in(const double *samples, int partitions, gdc_span span);

/* What a worker of an all-reduce does: its own walk again and again, each time as further mini-batches. The i-th piece: */
int gdc_own_piece(const gdc_plan *plan, int worker, int i);
/* Samples in the first `pieces` of them. */
double gdc_own_samples(const gdc_plan *plan, int worker, const double *samples, int pieces);

#endif

/* batch.h - which samples a partition stands for in a round: a pure function of (version, partition).
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The samples are cut into k contiguous near-equal blocks; block j is partition j's home for the whole run.
 * With batch B, in version t partition j is its share b_j of B (near-equal, sum B, never above its block):
 * the window at offset t*b_j modulo its block, contiguous but for the wrap. B = 0: all samples. Partition ids
 * p + q*k are worker p's q-th extra mini-batch: the window moved q further. */
#ifndef APPS_PROBLEMS_BATCH_H
#define APPS_PROBLEMS_BATCH_H

#include "gradcode/status.h"

#include <stddef.h>
#include <stdint.h>

typedef struct batch {
    size_t samples, size; /* size = B, or samples */
    int partitions;       /* k */
} batch;

typedef struct sample_range {
    size_t first, count;
} sample_range;

/* EINVAL: B < k ("each partition needs a sample"), B > samples, samples < k. */
gdc_status batch_init(size_t samples, size_t size, int partitions, batch *out);
size_t batch_share(const batch *b, int partition);
/* Up to two ranges; returns how many (the second is the wrap). */
int batch_ranges(const batch *b, uint64_t version, int partition, sample_range ranges[2]);

#endif

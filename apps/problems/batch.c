/* batch.c - windows of a round's batch.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "problems/batch.h"

#include <assert.h>

/* The j-th of k near-equal parts of `total`: the first total mod k parts have one more. Used for blocks and
 * for shares alike, which keeps a share within its block: for B <= samples with equal quotients, B's
 * remainder is the smaller one. (Parts cut at floor(j * total / k) put the longer ones in different places,
 * and a share can exceed its block.) */
static size_t part_size(size_t total, size_t k, size_t j)
{
    return total / k + (j < total % k);
}

static size_t part_first(size_t total, size_t k, size_t j)
{
    size_t longer = j < total % k ? j : total % k;
    return j * (total / k) + longer;
}

gdc_status batch_init(size_t samples, size_t size, int partitions, batch *out)
{
    if (partitions < 1)
        return gdc_fail(GDC_EINVAL, "%d partitions: want 1 or more", partitions);
    size_t k = (size_t)partitions;
    if (samples < k)
        return gdc_fail(GDC_EINVAL, "%zu samples for %d partitions: want at least %d, each partition needs a sample",
                        samples, partitions, partitions);
    if (size && size < k)
        return gdc_fail(GDC_EINVAL,
                        "batch %zu for %d partitions: want %d to %zu, each partition needs a sample "
                        "(0: all samples)",
                        size, partitions, partitions, samples);
    if (size > samples)
        return gdc_fail(GDC_EINVAL, "batch %zu of %zu samples: want %d to %zu (0: all samples)", size, samples,
                        partitions, samples);
    *out = (batch){.samples = samples, .size = size ? size : samples, .partitions = partitions};
    return GDC_OK;
}

size_t batch_share(const batch *b, int partition)
{
    assert(partition >= 0);
    return part_size(b->size, (size_t)b->partitions, (size_t)(partition % b->partitions));
}

int batch_ranges(const batch *b, uint64_t version, int partition, sample_range ranges[2])
{
    size_t k = (size_t)b->partitions, j = (size_t)(partition % b->partitions);
    size_t block = part_size(b->samples, k, j), first = part_first(b->samples, k, j);
    size_t share = batch_share(b, partition);
    /* Both terms are below `block` before they are added: no step of a long run overflows. */
    uint64_t moved = version % block + (uint64_t)(partition / b->partitions) % block;
    size_t offset = (size_t)(moved % block * share % block);
    size_t straight = share < block - offset ? share : block - offset;
    ranges[0] = (sample_range){first + offset, straight};
    ranges[1] = (sample_range){first, share - straight};
    return share > straight ? 2 : 1;
}

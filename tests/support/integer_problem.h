/* integer_problem.h - a problem whose gradients are integers: partition p at version v gives v * (p + 1) in
 * every coordinate i, plus i, so that stale, lost and doubled contributions show and sums are exact in every
 * order. SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_SUPPORT_INTEGER_PROBLEM_H
#define TESTS_SUPPORT_INTEGER_PROBLEM_H

#include "gradcode/round.h"

typedef struct integer_problem {
    size_t dimension;
    int calls;
    int fail_partition; /* this partition fails with code 7; -1: none */
    int nan_partition;  /* this one has a NaN; -1: none */
} integer_problem;

static inline int integer_partial(void *context, gdc_task *task, void *sum)
{
    integer_problem *p = context;
    double *out = sum;
    p->calls++;
    if (task->partition == p->fail_partition)
        return 7;
    for (size_t i = 0; i < p->dimension; i++)
        out[i] += task->scale * ((double)task->version * (task->partition + 1) + (double)i);
    if (task->partition == p->nan_partition)
        out[0] = 0.0 / (out[0] - out[0]);
    return 0;
}

/* The sum over partitions [0, k). */
static inline double integer_total(int k, uint64_t version, size_t i)
{
    return (double)version * k * (k + 1) / 2 + (double)i * k;
}

#endif

/* virtual_bench.h - a virtual engine with integer gradients and jittered delays, for tests of policies.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_SUPPORT_VIRTUAL_BENCH_H
#define TESTS_SUPPORT_VIRTUAL_BENCH_H

#include "support/integer_problem.h"

enum { D = 5, N = 6 };

typedef struct bench {
    gdc_options options;
    gdc_delay *delay;
    gdc_engine *engine;
    integer_problem problem;
} bench;

static inline void open_bench(bench *b, const char *strategy, const char *delay, int partitions)
{
    const char *jittered[] = {delay, "jitter:sd=0.3"};
    gdc_options_init(&b->options);
    b->problem = (integer_problem){.dimension = D, .fail_partition = -1, .nan_partition = -1};
    b->options.strategy = strategy;
    b->options.partitions = partitions;
    b->options.dimension = D;
    assert_int_equal(gdc_delay_create(jittered, 2, 11, N, partitions, &b->delay), GDC_OK);
    b->options.delay = b->delay;
}

static inline void start_bench(bench *b)
{
    gdc_status status = gdc_open_virtual(&b->options, N, integer_partial, &b->problem, &b->engine);
    if (status != GDC_OK)
        fail_msg("%s: %s", b->options.strategy, gdc_last_error());
}

static inline void close_bench(bench *b)
{
    gdc_close(b->engine, NULL);
    gdc_delay_destroy(b->delay);
}

static const double model[D] = {1, 2, 3, 4, 5};

#endif

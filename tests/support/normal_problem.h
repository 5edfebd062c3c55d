/* normal_problem.h - a problem whose gradients are normal numbers that both types can hold, and its messages by the encode path.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_SUPPORT_NORMAL_PROBLEM_H
#define TESTS_SUPPORT_NORMAL_PROBLEM_H

#include "engine/sums.h"
#include "gradcode/draw.h"

enum { NORMAL_MOST_D = 9 };

typedef struct normal_problem {
    bool f32;
    size_t d;
} normal_problem;

static inline double normal_at(int partition, size_t i)
{
    return (float)gdc_draw_normal((gdc_key){5, 93, (uint64_t)partition, i, 0});
}

static inline int normal_partial(void *context, gdc_task *task, void *sum)
{
    const normal_problem *p = context;
    for (size_t i = 0; i < p->d; i++)
        if (p->f32)
            ((float *)sum)[i] += (float)task->scale * (float)normal_at(task->partition, i);
        else
            ((double *)sum)[i] += task->scale * normal_at(task->partition, i);
    return 0;
}

static inline void encode_normal(const gdc_plan *plan, normal_problem *p, int worker, int index, void *message)
{
    double scratch[NORMAL_MOST_D];
    gdc_task task = {.size = sizeof task, .worker = worker};
    gdc_told told;
    int code = gdc_encode_row(plan, worker, index, p->f32 ? GDC_F32 : GDC_F64, p->d, normal_partial, p, &task, scratch,
                              message, &told);
    assert_int_equal(code, 0);
}

#endif

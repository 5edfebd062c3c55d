/* encode.c - a message from the partials of its partitions.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "engine/encode.h"

#include "kernels/vector.h"

#include <math.h>
#include <string.h>

/* ---- a partial and its rows ---- */

int gdc_direct_row(const gdc_plan *plan, int worker, int partition)
{
    int only = -1, rows = plan->blocks == 1 ? gdc_plan_rows(plan, worker) : 0;
    for (int i = 0; i < rows; i++) {
        if (gdc_row_coefficient(gdc_plan_row(plan, worker, i), partition) == 0)
            continue;
        if (only >= 0)
            return -1;
        only = i;
    }
    return only;
}

void gdc_add_blocks(const gdc_plan *plan, const gdc_row *row, int partition, bool f32, size_t d, const void *partial,
                    void *message)
{
    for (int u = 0; u < plan->blocks; u++) {
        size_t first, count = gdc_plan_block(plan, d, u, &first);
        double c = gdc_row_coefficient(row, u * plan->partitions + partition);
        const void *in = (const unsigned char *)partial + first * gdc_element_bytes(f32);
        if (c != 0 && count > 0)
            gdc_combine(f32, count, 1, &c, &in, true, message);
    }
}

/* ---- in one go ---- */

typedef struct encoder {
    bool f32;
    size_t d;
    gdc_partial_fn partial;
    void *context;
    gdc_task *task;
    void *scratch, *out;
    gdc_told *told;
} encoder;

static void start(const encoder *e, size_t length)
{
    memset(e->out, 0, length * gdc_element_bytes(e->f32));
    e->told->loss = 0;
    e->told->norm2 = e->told->norms ? 0 : NAN;
}

static int call(const encoder *e, int partition, double scale, bool is_new, void *sum)
{
    e->task->partition = partition;
    e->task->scale = scale;
    e->task->loss = NAN;
    int code = e->partial(e->context, e->task, sum);
    if (is_new)
        e->told->loss += e->task->loss;
    if (is_new && e->told->norms)
        e->told->norm2 += gdc_norm2(e->f32, e->d, sum);
    return code;
}

static int call_apart(const encoder *e, int partition, bool is_new)
{
    memset(e->scratch, 0, e->d * gdc_element_bytes(e->f32));
    return call(e, partition, 1, is_new, e->scratch);
}

int gdc_encode_row(const gdc_plan *plan, int worker, int index, gdc_dtype dtype, size_t d, gdc_partial_fn partial,
                   void *context, gdc_task *task, void *scratch, void *out, gdc_told *told)
{
    const gdc_row *row = gdc_plan_row(plan, worker, index);
    const encoder e = {dtype == GDC_F32, d, partial, context, task, scratch, out, told};
    int code = 0, old = index > 0 ? gdc_plan_row(plan, worker, index - 1)->after : 0;
    start(&e, gdc_plan_length(plan, d));
    for (int i = 0; i < row->after && code == 0; i++) {
        int p = gdc_plan_walk(plan, worker, i);
        if (!gdc_row_has(plan, row, p))
            continue;
        if (!told->norms && gdc_direct_row(plan, worker, p) >= 0) {
            code = call(&e, p, gdc_row_coefficient(row, p), i >= old, out);
            continue;
        }
        code = call_apart(&e, p, i >= old);
        if (code == 0)
            gdc_add_blocks(plan, row, p, e.f32, d, scratch, out);
    }
    return code;
}

int gdc_encode_span(gdc_span span, gdc_dtype dtype, size_t d, gdc_partial_fn partial, void *context, gdc_task *task,
                    void *scratch, void *out, gdc_told *told)
{
    const encoder e = {dtype == GDC_F32, d, partial, context, task, scratch, out, told};
    static const double one = 1;
    const void *in = scratch;
    start(&e, d);
    int code = span.count > 0 ? call(&e, span.first, 1, true, out) : 0;
    for (int i = 1; i < span.count && code == 0; i++) {
        code = call_apart(&e, span.first + i, true);
        if (code == 0)
            gdc_combine(e.f32, d, 1, &one, &in, true, out);
    }
    return code;
}

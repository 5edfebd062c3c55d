/* line.h - a line between master and worker: first in, first out.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_SUPPORT_LINE_H
#define TESTS_SUPPORT_LINE_H

#include "engine/policy.h"

enum { LINE_LENGTH = 64 };

typedef struct mail {
    enum { MODEL, WORK, RING, LIMIT, MESSAGE } kind;
    uint64_t version;
    gdc_hint hint;
    gdc_span span;
    gdc_arrival arrival;
    double *vector;
} mail;

typedef struct line { /* first in, first out */
    mail item[LINE_LENGTH];
    int head, count;
} line;

static inline bool line_put(line *l, mail m) /* false: full */
{
    if (l->count == LINE_LENGTH)
        return false;
    l->item[(l->head + l->count++) % LINE_LENGTH] = m;
    return true;
}

static inline mail line_get(line *l)
{
    mail m = l->item[l->head];
    l->head = (l->head + 1) % LINE_LENGTH;
    l->count--;
    return m;
}

#endif

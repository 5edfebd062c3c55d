/* items.h - the inside of a parsed spec.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GDC_BASE_ITEMS_H
#define GDC_BASE_ITEMS_H

#include "gradcode/spec.h"

#include <stdbool.h>

typedef struct gdc_item {
    const char *key; /* NULL: a bare value; only the first item can be one */
    const char *value;
    bool is_read;
} gdc_item;

struct gdc_spec {
    char *text;
    char *pieces; /* name, keys and values, unescaped, each with its own end */
    int items;
    gdc_item *item;
};

#endif

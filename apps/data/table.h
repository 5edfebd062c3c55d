/* table.h - what the readers of apps/data share: room for samples, and labels that become classes.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef APPS_DATA_TABLE_H
#define APPS_DATA_TABLE_H

#include "data/data.h"

/* Gives `into` zeroed x (float) and y, x_scale 1. ENOMEM. */
gdc_status table_allocate(const char *path, size_t samples, size_t features, data *into);

/* The words of a reader's option targets=, in this order. */
#define TABLE_TARGETS "auto|class|real"
#define TABLE_TARGETS_HELP                                                                                             \
    "what labels are: classes (numbered in ascending order), real targets, or classes where 2 to 100 whole "           \
    "numbers occur"
enum table_targets { TARGETS_AUTO, TARGETS_CLASS, TARGETS_REAL };

/* Looks at y and sets classes; labels of classes become 0..classes-1 in ascending order. EDATA: no classes
 * can be made of them. */
gdc_status table_targets(const char *path, int targets, data *into);

#endif

/* idx.h - the IDX format of MNIST-like sets: magic 00 00 08 D, D sizes (big-endian, 32 bits), then bytes.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef APPS_DATA_IDX_H
#define APPS_DATA_IDX_H

#include "data/bytes.h"

enum { IDX_DIMENSIONS_MAX = 4 };
typedef struct idx {
    size_t size[IDX_DIMENSIONS_MAX];
    size_t header; /* where in `file` the values begin */
    bytes file;    /* owned by whoever called idx_read */
} idx;

/* Reads a file of bytes with so many dimensions, each size at least 1, that ends where the sizes say. EDATA,
 * ENOMEM. */
gdc_status idx_read(const char *path, int dimensions, idx *out);

#endif

/* read_table.h - a table of numbers, read from a file of text.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GDC_BASE_READ_TABLE_H
#define GDC_BASE_READ_TABLE_H

#include "gradcode/status.h"

#include <stddef.h>

typedef struct gdc_table {
    size_t rows, columns;
    double *cell; /* [rows * columns], row by row */
} gdc_table;

typedef struct gdc_table_source {
    const char *name; /* of who asks: sentences begin with it */
    const char *path;
    double least, most;   /* of a cell */
    const char *shape;    /* what the table should be, for example "rounds x workers" */
    long long most_bytes; /* a regular file of at most so many; 0: any file, pipes too, of any size */
} gdc_table_source;

/* Reads numbers between commas, one row per line; a line that begins with # is a header. Reading is strict, since a row
 * that is lost or shifted would make all of what follows mean something else. EDATA: the file cannot be read, is not what
 * most_bytes says, or has no row, a row is longer or shorter than the first, a cell is no decimal number from least to most; the
 * sentence names the file, and the line and column (both from 1). ENOMEM. */
gdc_status gdc_table_read(const gdc_table_source *source, gdc_table *table);
void gdc_table_free(gdc_table *table); /* also one that is all zeros */

#endif

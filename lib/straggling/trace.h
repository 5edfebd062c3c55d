/* trace.h - recorded times: a table of rounds x workers, read from a file.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GDC_STRAGGLING_TRACE_H
#define GDC_STRAGGLING_TRACE_H

#include "gradcode/status.h"

#include <stddef.h>

typedef struct gdc_trace {
    size_t rows, columns; /* rounds, workers */
    double *cell;         /* [rows * columns], row by row */
} gdc_trace;

/* Reads numbers between commas, one row per line; a line that begins with # is a header. Reading is strict, since a row
 * that is lost or shifted would give every worker the times of another. EDATA: the file cannot be read or has no row, a
 * row is longer or shorter than the first, a cell is no decimal number from 0 to most; the sentence names the file, and
 * the line and column (both from 1). ENOMEM. */
gdc_status gdc_trace_read(const char *path, double most, gdc_trace *trace);
void gdc_trace_free(gdc_trace *trace); /* also one that is all zeros */

#endif

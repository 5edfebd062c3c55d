/* numbers.h - numbers in specs: strict reading, bounds, and what would be right.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GDC_BASE_NUMBERS_H
#define GDC_BASE_NUMBERS_H

#include "gradcode/spec.h"

/* name: of the spec, for the sentence. EINVAL: not a number of the row's type, or out of its bounds (names
 * the nearest). */
gdc_status gdc_read_int(const char *name, const gdc_option *row, const char *text, int *value);
gdc_status gdc_read_real(const char *name, const gdc_option *row, const char *text, double *value);
gdc_status gdc_read_ints(const char *name, const gdc_option *row, const char *text, gdc_ints *value);

/* Writes "want a whole number from 1 to 8" and the like for a row of numbers. */
void gdc_describe_number(const gdc_option *row, char *text, size_t bytes);

#endif

/* choose.h - lists of valid names, and the one that was probably meant.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GDC_BASE_CHOOSE_H
#define GDC_BASE_CHOOSE_H

#include <stddef.h>

/* The name that was probably meant by word; NULL where none is near. names is NULL-terminated. */
const char *gdc_choose_nearest(const char *word, const char *const *names);

/* Writes "want a, b, c (did you mean b?)" to text[bytes] */
void gdc_choose_text(const char *word, const char *const *names, char *text, size_t bytes);

#endif

/* reason.h - the sentence of a failed round, kept until it is told.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GDC_ENGINE_REASON_H
#define GDC_ENGINE_REASON_H

#include "gradcode/status.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct gdc_reason {
    char text[768];
    size_t length;
} gdc_reason;

void gdc_reason_set(gdc_reason *reason, const char *format, ...) GDC_PRINTF(2, 3);
void gdc_reason_add(gdc_reason *reason, const char *format, ...) GDC_PRINTF(2, 3);
/* " worker 3", " workers 3, 5, 7-9"; nothing if no flag is set. */
void gdc_reason_add_list(gdc_reason *reason, const char *noun, const bool *flag, int count);
/* "; partitions 4-7 are missing" */
void gdc_reason_add_missing(gdc_reason *reason, const unsigned char *missing, int partitions);

#endif

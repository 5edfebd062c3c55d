/* status.c - the texts of statuses and the sentence of the last failure.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "gradcode/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { SENTENCE_BYTES = 1024 };

static _Thread_local char sentence[SENTENCE_BYTES];

const char *gdc_strerror(gdc_status status)
{
    switch (status) {
#define TEXT(name, meaning)                                                                                            \
    case GDC_##name:                                                                                                   \
        return meaning;
        GDC_STATUS_LIST(TEXT)
#undef TEXT
    }
    return "unknown status";
}

const char *gdc_last_error(void)
{
    return sentence;
}

gdc_status gdc_fail(gdc_status status, const char *format, ...)
{
    /* An argument may be gdc_last_error() itself: wrapping a sentence is the usual way to add where it
     * happened. */
    char next[SENTENCE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    int written = vsnprintf(next, sizeof next, format, arguments);
    va_end(arguments);
    memcpy(sentence, written < 0 ? "" : next, written < 0 ? 1 : strlen(next) + 1);
    return status;
}

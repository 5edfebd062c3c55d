/* reason.c - the sentence of a failed round.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "engine/reason.h"

#include <stdarg.h>
#include <stdio.h>

enum { LISTED_MAX = 12 }; /* stretches named before "..." */

static void append(gdc_reason *r, const char *format, va_list list)
{
    size_t room = sizeof r->text - r->length;
    int wrote = vsnprintf(r->text + r->length, room, format, list);
    if (wrote > 0)
        r->length += (size_t)wrote < room ? (size_t)wrote : room - 1;
}

void gdc_reason_set(gdc_reason *r, const char *format, ...)
{
    va_list list;
    r->length = 0;
    va_start(list, format);
    append(r, format, list);
    va_end(list);
}

void gdc_reason_add(gdc_reason *r, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    append(r, format, list);
    va_end(list);
}

static void add_stretches(gdc_reason *r, const unsigned char *flag, int count)
{
    int listed = 0;
    for (int i = 0; i < count; i++) {
        if (!flag[i])
            continue;
        int last = i;
        while (last + 1 < count && flag[last + 1])
            last++;
        if (listed++ == LISTED_MAX) {
            gdc_reason_add(r, ", ...");
            return;
        }
        gdc_reason_add(r, last > i ? "%s%d-%d" : "%s%d", listed > 1 ? ", " : " ", i, last);
        i = last;
    }
}

static int count_flags(const unsigned char *flag, int count)
{
    int set = 0;
    for (int i = 0; i < count; i++)
        set += flag[i] != 0;
    return set;
}

void gdc_reason_add_list(gdc_reason *r, const char *noun, const bool *flag, int count)
{
    const unsigned char *bytes = (const unsigned char *)flag;
    int set = count_flags(bytes, count);
    if (set == 0)
        return;
    gdc_reason_add(r, "%s%s", noun, set > 1 ? "s" : "");
    add_stretches(r, bytes, count);
}

void gdc_reason_add_missing(gdc_reason *r, const unsigned char *missing, int partitions)
{
    int set = count_flags(missing, partitions);
    if (set == 0)
        return;
    gdc_reason_add(r, "; partition%s", set > 1 ? "s" : "");
    add_stretches(r, missing, partitions);
    gdc_reason_add(r, " of 0-%d %s missing", partitions - 1, set > 1 ? "are" : "is");
}

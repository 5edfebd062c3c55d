/* text.c - lines and numbers of text files.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "data/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

slice text_trim(slice s)
{
    while (s.at < s.end && blank(*s.at))
        s.at++;
    while (s.at < s.end && blank(s.end[-1]))
        s.end--;
    return s;
}

text text_begin(const char *path, const bytes *file)
{
    slice all = {(const char *)file->at, (const char *)file->at + file->count};
    if (file->count >= 3 && memcmp(all.at, "\xEF\xBB\xBF", 3) == 0)
        all.at += 3;
    return (text){.path = path, .rest = all, .line = {all.at, all.at}};
}

int text_next(text *t)
{
    while (t->rest.at < t->rest.end) {
        const char *end = memchr(t->rest.at, '\n', (size_t)(t->rest.end - t->rest.at));
        t->line = (slice){t->rest.at, end ? end : t->rest.end};
        t->rest.at = end ? end + 1 : t->rest.end;
        t->number++;
        slice content = text_trim(t->line);
        if (content.at < content.end)
            return 1;
    }
    return 0;
}

int text_number(slice s, float *value)
{
    /* strtof alone would also take hexadecimal, infinities, and blanks before the number, ends of lines
     * included. */
    size_t length = strspn(s.at, "0123456789+-.eE");
    if (length == 0 || s.at + length != s.end)
        return 0;
    char *end = NULL;
    float number = strtof(s.at, &end);
    if (end != s.end || !isfinite(number))
        return 0;
    *value = number;
    return 1;
}

gdc_status text_fail(const text *t, slice got, const char *want)
{
    char excerpt[32];
    size_t length = 0;
    for (const char *p = got.at; p < got.end && length < sizeof excerpt - 1; p++)
        excerpt[length++] = (char)(*p >= ' ' && *p <= '~' ? *p : '?');
    excerpt[length] = '\0';
    return gdc_fail(GDC_EDATA, "%s: line %zu, byte %zu: want %s, got '%s'", t->path, t->number,
                    (size_t)(got.at - t->line.at) + 1, want, excerpt);
}

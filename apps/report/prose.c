/* prose.c - text wrapped at the width of the report.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "report/parts.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static void break_line(report_text *t)
{
    fprintf(t->out, "\n%*s", t->indent, "");
    t->column = t->indent;
}

/* A sign that stands alone follows its word without a gap; every other word leaves room for one. */
static void put_word(report_text *t, const char *word, int length)
{
    bool sign = length == 1 && strchr(",.;:", word[0]) != NULL;
    int gap = t->column > t->indent && !sign;
    if (gap && t->column + 1 + length >= REPORT_WIDTH) {
        break_line(t);
        gap = 0;
    }
    if (gap)
        fputc(' ', t->out);
    t->column += gap;
    for (int room = REPORT_WIDTH - t->column; length > room; room = REPORT_WIDTH - t->column) {
        fprintf(t->out, "%.*s", room, word);
        word += room;
        length -= room;
        break_line(t);
    }
    fprintf(t->out, "%.*s", length, word);
    t->column += length;
}

static void put_words(report_text *t, const char *text)
{
    for (text += strspn(text, " \n"); *text != '\0'; text += strspn(text, " \n")) {
        size_t length = strcspn(text, " \n");
        put_word(t, text, (int)length);
        text += length;
    }
}

void report_say(report_text *t, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    char *text = length >= 0 ? malloc((size_t)length + 1) : NULL;
    if (text != NULL) {
        vsnprintf(text, (size_t)length + 1, format, again);
        put_words(t, text);
    }
    free(text);
    va_end(again);
    va_end(arguments);
}

void report_end(report_text *t)
{
    if (t->column > 0)
        fputc('\n', t->out);
    t->column = 0;
}

void report_say_some(report_text *t, const result *r, const int *which, int count, int most, const char *end)
{
    int named = count <= most ? count : most - 1;
    for (int i = 0; i < named; i++) {
        const char *after = i + 1 == count ? end : i + 1 == named && named < count ? "" : i + 2 == count ? " and" : ",";
        report_say(t, "%s%s", r->strategy[which[i]].spec, after);
    }
    if (named < count)
        report_say(t, "and %d more%s", count - named, end);
}

void report_say_specs(report_text *t, const result *r, const int *which, int count, const char *end)
{
    report_say_some(t, r, which, count, REPORT_NAMES, end);
}

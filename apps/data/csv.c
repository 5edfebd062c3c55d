/* csv.c - tables of numbers as text, one sample per line.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "data/table.h"
#include "data/text.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct csv_options {
    const char *file;
    int label, header, separator, targets;
} csv_options;

enum { LABEL_LAST, LABEL_FIRST };
enum { HEADER_AUTO, HEADER_YES, HEADER_NO };

static const gdc_option options[] = {
    {.key = "file",
     .type = GDC_TEXT,
     .offset = offsetof(csv_options, file),
     .help = "path, .gz or not",
     .positional = 1},
    {.key = "label",
     .type = GDC_WORD,
     .offset = offsetof(csv_options, label),
     .fallback = "last",
     .words = "last|first",
     .help = "column of the label or target"},
    {.key = "header",
     .type = GDC_WORD,
     .offset = offsetof(csv_options, header),
     .fallback = "auto",
     .words = "auto|yes|no",
     .help = "whether the first line holds names; auto: yes if no field of it is a number"},
    {.key = "separator",
     .type = GDC_WORD,
     .offset = offsetof(csv_options, separator),
     .fallback = "auto",
     .words = "auto|comma|semicolon|tab",
     .help = "between fields; auto: the first of the three in the first line"},
    {.key = "targets",
     .type = GDC_WORD,
     .offset = offsetof(csv_options, targets),
     .fallback = "auto",
     .words = TABLE_TARGETS,
     .help = TABLE_TARGETS_HELP},
    {.key = NULL},
};

typedef struct csv {
    const csv_options *options;
    char separator;
    int skip_first;
    size_t lines, columns;
} csv;

static char find_separator(const csv_options *o, slice line)
{
    static const char named[] = {0, ',', ';', '\t'};
    if (o->separator)
        return named[o->separator];
    for (const char *p = line.at; p < line.end; p++)
        if (*p == ',' || *p == ';' || *p == '\t')
            return *p;
    return ',';
}

/* The next field of a line; 0: there is none. *rest.at moves past the end of the line after the last one. */
static int next_field(slice *rest, char separator, slice *field)
{
    if (rest->at > rest->end)
        return 0;
    slice f = {rest->at, rest->at};
    while (f.end < rest->end && *f.end != separator)
        f.end++;
    rest->at = f.end + 1;
    *field = text_trim(f);
    return 1;
}

static slice unquoted(slice field)
{
    if (field.end - field.at >= 2 && *field.at == '"' && field.end[-1] == '"')
        return text_trim((slice){field.at + 1, field.end - 1});
    return field;
}

static int field_number(slice field, float *value)
{
    return text_number(unquoted(field), value);
}

/* Also nan, inf and what is beyond a float: no name of a column, though no number to learn from. */
static int is_numeric(slice field)
{
    char copy[64], *end = NULL;
    size_t length = (size_t)(unquoted(field).end - unquoted(field).at);
    if (length == 0 || length >= sizeof copy)
        return 0;
    memcpy(copy, unquoted(field).at, length);
    copy[length] = '\0';
    strtod(copy, &end);
    return end == copy + length;
}

typedef struct census {
    size_t fields, numbers;
    slice name; /* the last field that is no number */
} census;

static census count_fields(slice line, char separator)
{
    census c = {.fields = 0};
    slice field;
    for (; next_field(&line, separator, &field); c.fields++) {
        if (is_numeric(field))
            c.numbers++;
        else
            c.name = field;
    }
    return c;
}

/* A typing error in the first sample must not make a header of it. */
static gdc_status find_header(const csv_options *o, const text *where, const census *first, int *is_header)
{
    *is_header = o->header == HEADER_YES || (o->header == HEADER_AUTO && first->numbers == 0);
    if (o->header == HEADER_AUTO && first->numbers > 0 && first->numbers < first->fields)
        return text_fail(where, first->name,
                         "a number as in the other fields of the line (or names in all of them, or header=yes)");
    return GDC_OK;
}

static gdc_status survey(const csv_options *o, const bytes *file, csv *c)
{
    text where = text_begin(o->file, file);
    c->options = o;
    if (!text_next(&where))
        return gdc_fail(GDC_EDATA, "%s: no line with data, want numbers between commas", o->file);
    c->separator = find_separator(o, where.line);
    census first = count_fields(where.line, c->separator);
    c->columns = first.fields;
    if (c->columns < 2)
        return text_fail(&where, where.line, "two or more fields between , ; or tabs");
    gdc_status status = find_header(o, &where, &first, &c->skip_first);
    if (status)
        return status;
    for (c->lines = 1; text_next(&where);)
        c->lines++;
    if (c->lines == (size_t)c->skip_first)
        return gdc_fail(GDC_EDATA, "%s: line %zu: the data end after the header, want a sample", o->file, where.number);
    return GDC_OK;
}

static gdc_status take_line(const csv *c, const text *where, float *x, float *y)
{
    size_t label = c->options->label == LABEL_FIRST ? 0 : c->columns - 1, column = 0;
    slice rest = where->line, field;
    for (; next_field(&rest, c->separator, &field); column++) {
        float *to = column == label ? y : x + column - (column > label);
        if (column == c->columns)
            return text_fail(where, field, "no more fields than in the first line");
        if (!field_number(field, to))
            return text_fail(where, field, "a finite number");
    }
    if (column < c->columns)
        return gdc_fail(GDC_EDATA, "%s: line %zu: %zu fields, want %zu as in the first line", where->path,
                        where->number, column, c->columns);
    return GDC_OK;
}

static gdc_status take_lines(const csv *c, const bytes *file, data *into)
{
    text where = text_begin(c->options->file, file);
    if (c->skip_first)
        text_next(&where);
    for (size_t i = 0; text_next(&where); i++) {
        gdc_status status = take_line(c, &where, (float *)into->x + i * into->features, into->y + i);
        if (status)
            return status;
    }
    return GDC_OK;
}

/* A device may never end, and a pipe without a writer never begins. */
static gdc_status check_regular(const char *path)
{
    struct stat s;
    if (stat(path, &s) != 0)
        return gdc_fail(GDC_EDATA, "%s: cannot open: %s", path, strerror(errno));
    return S_ISREG(s.st_mode) ? GDC_OK : gdc_fail(GDC_EDATA, "%s: not a regular file: want one with a table", path);
}

static gdc_status csv_read(const void *values, uint64_t seed, data *into)
{
    const csv_options *o = values;
    csv c = {0};
    bytes file;
    (void)seed;
    gdc_status status = check_regular(o->file);
    if (!status)
        status = bytes_read(o->file, &file);
    if (status)
        return status;
    status = survey(o, &file, &c);
    if (!status)
        status = table_allocate(o->file, c.lines - (size_t)c.skip_first, c.columns - 1, into);
    if (!status)
        status = take_lines(&c, &file, into);
    bytes_free(&file);
    return status ? status : table_targets(o->file, o->targets, into);
}

extern const data_reader_ops data_csv;
const data_reader_ops data_csv = {
    .name = "csv",
    .help = "a table of numbers, one sample per line",
    .options = options,
    .options_bytes = sizeof(csv_options),
    .read = csv_read,
};

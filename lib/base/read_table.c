/* read_table.c - reads a table of numbers, and names the place of whatever is wrong in it.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "base/read_table.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- the file ---- */

typedef struct content {
    char *at; /* [count] and an end of text, so that strtod stops */
    size_t count, room;
} content;

static gdc_status fail_system(const gdc_table_source *source, const char *what, int reason)
{
    char why[128];
    if (strerror_r(reason, why, sizeof why) != 0)
        snprintf(why, sizeof why, "error %d", reason);
    return gdc_fail(GDC_EDATA, "%s: %.400s: cannot %s: %s: want a readable file of numbers between commas",
                    source->name, source->path, what, why);
}

static gdc_status widen(const gdc_table_source *source, content *c)
{
    size_t wider = c->room == 0 ? (size_t)1 << 16 : 2 * c->room;
    char *at = c->room < SIZE_MAX / 2 ? realloc(c->at, wider) : NULL;
    if (at == NULL)
        return gdc_fail(GDC_ENOMEM, "%s: %.400s: no memory for %zu bytes", source->name, source->path, wider);
    c->at = at;
    c->room = wider;
    return GDC_OK;
}

/* To the end instead of by the size, so that pipes can be read as well. */
static gdc_status read_stream(const gdc_table_source *source, FILE *stream, content *c)
{
    do {
        gdc_status status = c->count + 1 >= c->room ? widen(source, c) : GDC_OK;
        if (status != GDC_OK)
            return status;
        errno = 0;
        c->count += fread(c->at + c->count, 1, c->room - c->count - 1, stream);
        if (ferror(stream))
            return fail_system(source, "read", errno);
    } while (!feof(stream));
    c->at[c->count] = '\0';
    return GDC_OK;
}

/* A device may never end, a pipe without a writer never begins, and what several ranks read must be there more than once. */
static gdc_status check_plain(const gdc_table_source *source)
{
    struct stat s;
    if (stat(source->path, &s) != 0)
        return fail_system(source, "open", errno);
    if (!S_ISREG(s.st_mode))
        return gdc_fail(GDC_EDATA, "%s: %.400s: not a regular file: want one with numbers between commas", source->name,
                        source->path);
    if (s.st_size > source->most_bytes)
        return gdc_fail(GDC_EDATA, "%s: %.400s: %lld bytes: want at most %lld", source->name, source->path,
                        (long long)s.st_size, source->most_bytes);
    return GDC_OK;
}

static gdc_status read_file(const gdc_table_source *source, content *c)
{
    gdc_status status = source->most_bytes > 0 ? check_plain(source) : GDC_OK;
    if (status != GDC_OK)
        return status;
    FILE *stream = fopen(source->path, "rb");
    if (stream == NULL)
        return fail_system(source, "open", errno);
    status = read_stream(source, stream, c);
    fclose(stream);
    return status;
}

/* ---- the table ---- */

/* Where reading is: the next cell begins at `at`, the line ends at `end`. */
typedef struct cursor {
    const gdc_table_source *source;
    size_t line, column;
    const char *at, *end;
} cursor;

static gdc_status refuse(const cursor *c, const char *want, const char *from, const char *to)
{
    char got[32];
    size_t length = 0;
    for (; from < to && length < sizeof got - 1; from++)
        got[length++] = (char)(*from >= ' ' && *from <= '~' ? *from : '?');
    got[length] = '\0';
    return gdc_fail(GDC_EDATA, "%s: %.400s: line %zu, column %zu: %s, got '%s'", c->source->name, c->source->path,
                    c->line, c->column, want, got);
}

static bool is_blank(char letter)
{
    return letter == ' ' || letter == '\t' || letter == '\r';
}

/* strtod would also take hexadecimals, infinities, and blanks up to the next line: only a text of these letters gets as
 * far as it. */
static bool read_number(const char *from, const char *to, double *value)
{
    char *end;
    if (from == to || strspn(from, "+-.0123456789eE") != (size_t)(to - from))
        return false;
    *value = strtod(from, &end);
    return end == to;
}

static gdc_status read_cell(cursor *c, double *cell)
{
    char want[80];
    const char *from = c->at, *comma = memchr(from, ',', (size_t)(c->end - from)), *to = comma ? comma : c->end;
    c->at = to + 1;
    while (from < to && is_blank(*from))
        from++;
    while (from < to && is_blank(to[-1]))
        to--;
    if (read_number(from, to, cell) && *cell >= c->source->least && *cell <= c->source->most)
        return GDC_OK;
    snprintf(want, sizeof want, "want a number from %g to %g", c->source->least, c->source->most);
    return refuse(c, want, from, to);
}

static gdc_status refuse_length(const cursor *c, size_t columns)
{
    return gdc_fail(GDC_EDATA, "%s: %.400s: line %zu, column %zu: the row %s: want %zu cells as in the first row",
                    c->source->name, c->source->path, c->line, c->column, c->column > columns ? "goes on" : "ends",
                    columns);
}

/* The first row says how many columns there are: until it ends, table->columns is 0. */
static gdc_status read_row(cursor *c, gdc_table *table)
{
    double *cell = table->cell + table->rows * table->columns;
    for (c->column = 1; c->at <= c->end; c->column++) {
        gdc_status status = table->rows > 0 && c->column > table->columns ? refuse_length(c, table->columns)
                                                                          : read_cell(c, cell + c->column - 1);
        if (status != GDC_OK)
            return status;
    }
    if (table->rows > 0 && c->column <= table->columns)
        return refuse_length(c, table->columns);
    table->columns = c->column - 1;
    table->rows++;
    return GDC_OK;
}

static gdc_status read_rows(const content *file, cursor c, gdc_table *table)
{
    const char *rest = file->at, *stop = file->at + file->count;
    for (; rest < stop; rest = c.end + 1) {
        const char *newline = memchr(rest, '\n', (size_t)(stop - rest));
        c.at = rest;
        c.end = newline ? newline : stop;
        c.line++;
        gdc_status status = *c.at == '#' ? GDC_OK : read_row(&c, table);
        if (status != GDC_OK)
            return status;
    }
    if (table->rows == 0)
        return gdc_fail(GDC_EDATA, "%s: %.400s: line %zu, column 1: the file ends without a row: want %s",
                        c.source->name, c.source->path, c.line + 1, c.source->shape);
    return GDC_OK;
}

static size_t most_cells(const content *file)
{
    size_t cells = 1;
    for (size_t i = 0; i < file->count; i++)
        cells += file->at[i] == ',' || file->at[i] == '\n';
    return cells;
}

static gdc_status read_table(const content *file, cursor c, gdc_table *table)
{
    size_t cells = most_cells(file);
    gdc_table made = {.cell = cells <= SIZE_MAX / sizeof *made.cell ? malloc(cells * sizeof *made.cell) : NULL};
    if (made.cell == NULL)
        return gdc_fail(GDC_ENOMEM, "%s: %.400s: no memory for %zu cells", c.source->name, c.source->path, cells);
    gdc_status status = read_rows(file, c, &made);
    if (status == GDC_OK)
        *table = made;
    else
        gdc_table_free(&made);
    return status;
}

gdc_status gdc_table_read(const gdc_table_source *source, gdc_table *table)
{
    content file = {0};
    gdc_status status = read_file(source, &file);
    if (status == GDC_OK)
        status = read_table(&file, (cursor){.source = source}, table);
    free(file.at);
    return status;
}

void gdc_table_free(gdc_table *table)
{
    free(table->cell);
    *table = (gdc_table){0};
}

/* flags.c - command-line flags from a table.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "flags.h"
#include "gradcode/spec.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

gdc_status texts_add(texts *list, const char *item)
{
    const char **grown = realloc(list->item, ((size_t)list->count + 1) * sizeof *grown);
    if (grown == NULL)
        return gdc_fail(GDC_ENOMEM, "no memory for %d arguments", list->count + 1);
    list->item = grown;
    list->item[list->count++] = item;
    return GDC_OK;
}

void texts_free(texts *list)
{
    free(list->item);
    *list = (texts){.item = NULL};
}

static const char *describe(const flag *f)
{
    switch (f->kind) {
    case FLAG_INT:
    case FLAG_COUNT:
    case FLAG_SEED:
        return "a whole number";
    case FLAG_REAL:
        return "a number";
    case FLAG_WORD:
        return "a word";
    default:
        return "a text";
    }
}

static gdc_status out_of_bounds(const flag *f, const char *text)
{
    if (isinf(f->min))
        return gdc_fail(GDC_EINVAL, "--%s %s: want %s", f->name, text, describe(f));
    if (isinf(f->max) || f->max == 1e15)
        return gdc_fail(GDC_EINVAL, "--%s %s: want %s of at least %g%s%s", f->name, text, describe(f), f->min,
                        f->kind == FLAG_REAL && f->words != NULL ? " or the word " : "",
                        f->kind == FLAG_REAL && f->words != NULL ? f->words : "");
    return gdc_fail(GDC_EINVAL, "--%s %s: want %s from %g to %.16g", f->name, text, describe(f), f->min, f->max);
}

static gdc_status whole(const flag *f, const char *text, uint64_t *number)
{
    char *end = NULL;
    errno = 0;
    unsigned long long read = strtoull(text, &end, 10);
    bool is_number = text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0;
    bool is_bounded = (double)read >= f->min && (double)read <= f->max;
    if (!is_number || !is_bounded)
        return out_of_bounds(f, text);
    *number = read;
    return GDC_OK;
}

static gdc_status real(const flag *f, const char *text, double *number)
{
    if (f->words != NULL && strcmp(text, f->words) == 0) {
        *number = INFINITY;
        return GDC_OK;
    }
    char *end = NULL;
    double read = strtod(text, &end);
    if (end == text || *end != '\0' || isnan(read) || isinf(read) || read < f->min || read > f->max)
        return out_of_bounds(f, text);
    *number = read;
    return GDC_OK;
}

static gdc_status word(const flag *f, const char *text, int *index)
{
    size_t length = strlen(text);
    const char *at = f->words;
    for (int i = 0; at != NULL; i++) {
        const char *bar = strchr(at, '|');
        size_t width = bar != NULL ? (size_t)(bar - at) : strlen(at);
        if (width == length && strncmp(at, text, length) == 0) {
            *index = i;
            return GDC_OK;
        }
        at = bar != NULL ? bar + 1 : NULL;
    }
    return gdc_fail(GDC_EINVAL, "--%s %s: want one of %s", f->name, text, f->words);
}

static gdc_status store(const flag *f, const char *text, void *values)
{
    void *member = (char *)values + f->offset;
    uint64_t number = 0;
    gdc_status status = GDC_OK;
    switch (f->kind) {
    case FLAG_YES:
        *(bool *)member = true;
        return GDC_OK;
    case FLAG_INT:
        if ((status = whole(f, text, &number)) == GDC_OK)
            *(int *)member = (int)number;
        return status;
    case FLAG_COUNT:
        if ((status = whole(f, text, &number)) == GDC_OK)
            *(size_t *)member = (size_t)number;
        return status;
    case FLAG_SEED:
        return whole(f, text, member);
    case FLAG_REAL:
        return real(f, text, member);
    case FLAG_WORD:
        return word(f, text, member);
    case FLAG_TEXT:
        *(const char **)member = text;
        return GDC_OK;
    case FLAG_TEXTS:
        return texts_add(member, text);
    }
    return GDC_OK;
}

static const flag *by_letter(const flag *table, unsigned command, char letter)
{
    for (const flag *f = table; f->name != NULL; f++)
        if (f->letter == letter && (f->commands & command) != 0)
            return f;
    gdc_fail(GDC_EINVAL, "unknown flag -%c: want a long flag, or -s SPEC for a strategy", letter);
    return NULL;
}

enum { FLAGS_MAX = 63, NAME_MAX = 24 };

static const flag *by_name(const flag *table, unsigned command, const char *name, size_t length)
{
    char dashed[FLAGS_MAX][NAME_MAX], given[64];
    const char *names[FLAGS_MAX + 1] = {NULL};
    const flag *rows[FLAGS_MAX];
    int count = 0;
    for (const flag *f = table; f->name != NULL && count < FLAGS_MAX; f++) {
        if ((f->commands & command) == 0)
            continue;
        snprintf(dashed[count], NAME_MAX, "--%s", f->name);
        names[count] = dashed[count];
        rows[count++] = f;
    }
    snprintf(given, sizeof given, "--%.*s", (int)(length < 60 ? length : 60), name);
    int chosen = gdc_spec_choose("flag", given, names);
    return chosen < 0 ? NULL : rows[chosen];
}

/* Reads the flag at argv[i], and its value; returns how many arguments that took, 0 on error with *status
 * set. */
static int take(const flag *table, unsigned command, int left, char **argv, void *values, gdc_status *status)
{
    const char *text = argv[0];
    bool is_long = text[1] == '-';
    const char *name = text + (is_long ? 2 : 1);
    const char *equals = is_long ? strchr(name, '=') : NULL;
    size_t length = equals != NULL ? (size_t)(equals - name) : strlen(name);
    const flag *f = is_long ? by_name(table, command, name, length) : by_letter(table, command, name[0]);
    *status = GDC_EINVAL;
    if (f == NULL)
        return 0;
    const char *glued = is_long ? (equals != NULL ? equals + 1 : NULL) : (name[1] != '\0' ? name + 1 : NULL);
    bool needs = f->kind != FLAG_YES;
    if (!needs && glued != NULL) {
        *status = gdc_fail(GDC_EINVAL, "--%s takes no value, but was given '%s'", f->name, glued);
        return 0;
    }
    bool apart = needs && glued == NULL;
    if (apart && (left < 2 || strncmp(argv[1], "--", 2) == 0)) {
        *status = gdc_fail(GDC_EINVAL, "--%s: its value is missing, want %s (%s)", f->name, describe(f), f->value);
        return 0;
    }
    *status = store(f, apart ? argv[1] : glued, values);
    return *status != GDC_OK ? 0 : (apart ? 2 : 1);
}

gdc_status flags_parse(const flag *table, unsigned command, int argc, char **argv, void *values, texts *rest)
{
    gdc_status status = GDC_OK;
    for (int i = 0; i < argc && status == GDC_OK;) {
        if (argv[i][0] == '-' && argv[i][1] != '\0') {
            i += take(table, command, argc - i, argv + i, values, &status);
        } else {
            status = texts_add(rest, argv[i]);
            i++;
        }
    }
    return status;
}

void flags_print(const flag *table, unsigned command, FILE *out)
{
    for (const flag *f = table; f->name != NULL; f++) {
        if ((f->commands & command) == 0)
            continue;
        char left[64];
        char letter[8] = "    ";
        if (f->letter != 0)
            snprintf(letter, sizeof letter, "-%c, ", f->letter);
        snprintf(left, sizeof left, "%s--%s %s", letter, f->name, f->value != NULL ? f->value : "");
        fprintf(out, "  %-30s %s\n", left, f->help);
    }
}

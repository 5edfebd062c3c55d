/* numbers.c - strict reading of the numbers in specs.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "base/numbers.h"

#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WANT_BYTES = 160 };

/* ---- bounds ---- */

typedef struct bounds {
    double min, max;
    bool takes_inf;
} bounds;

static bounds bounds_of(const gdc_option *row)
{
    bool is_real = row->type == GDC_REAL;
    bounds widest = {is_real ? -HUGE_VAL : INT_MIN, is_real ? HUGE_VAL : INT_MAX, false};
    if (row->min == 0 && row->max == 0)
        return widest;
    return (bounds){fmax(row->min, widest.min), fmin(row->max, widest.max), is_real && isinf(row->max)};
}

static bool is_bound(const gdc_option *row, double bound)
{
    return row->type == GDC_REAL ? !isinf(bound) : bound > INT_MIN && bound < INT_MAX;
}

void gdc_describe_number(const gdc_option *row, char *text, size_t bytes)
{
    bounds b = bounds_of(row);
    bool low = is_bound(row, b.min), high = is_bound(row, b.max);
    const char *noun = row->type == GDC_REAL  ? "a number"
                       : row->type == GDC_INT ? "a whole number"
                                              : "a list a+b+c of whole numbers";
    const char *or_inf = b.takes_inf ? ", or inf" : "";
    const char * or = row->words ? ", or " : "", *word = row->words ? row->words : "";
    if (low && high)
        snprintf(text, bytes, "want %s from %.12g to %.12g%s%s", noun, b.min, b.max, or, word);
    else if (low)
        snprintf(text, bytes, "want %s of at least %.12g%s%s%s", noun, b.min, or_inf, or, word);
    else if (high)
        snprintf(text, bytes, "want %s of at most %.12g%s%s", noun, b.max, or, word);
    else
        snprintf(text, bytes, "want %s%s%s%s", noun, or_inf, or, word);
}

static gdc_status refuse(const char *name, const gdc_option *row, const char *text)
{
    char want[WANT_BYTES];
    gdc_describe_number(row, want, sizeof want);
    return gdc_fail(GDC_EINVAL, "%.100s: %s=%.100s: %s", name, row->key, text, want);
}

static gdc_status refuse_bound(const char *name, const gdc_option *row, const char *text, double nearest)
{
    char want[WANT_BYTES];
    gdc_describe_number(row, want, sizeof want);
    return gdc_fail(GDC_EINVAL, "%.100s: %s=%.100s: %s (nearest valid value: %.12g)", name, row->key, text, want,
                    nearest);
}

/* ---- reading ---- */

/* strtoll and strtod also take leading blanks, hexadecimals, "infinity" and "nan(...)": only these letters
 * get as far as them. */
static bool consists_of(const char *text, const char *letters)
{
    return *text != '\0' && text[strspn(text, letters)] == '\0';
}

static bool read_whole(const char *text, long long *value)
{
    char *end;
    if (!consists_of(text, "-0123456789"))
        return false;
    *value = strtoll(text, &end, 10);
    return end != text && *end == '\0';
}

static bool is_word(const gdc_option *row, const char *text)
{
    return row->words && strcmp(text, row->words) == 0;
}

gdc_status gdc_read_int(const char *name, const gdc_option *row, const char *text, int *value)
{
    bounds b = bounds_of(row);
    long long whole;
    if (is_word(row, text)) {
        *value = INT_MIN;
        return GDC_OK;
    }
    if (!read_whole(text, &whole))
        return refuse(name, row, text);
    if ((double)whole < b.min || (double)whole > b.max) /* overflow: strtoll gave its own end */
        return refuse_bound(name, row, text, (double)whole < b.min ? b.min : b.max);
    *value = (int)whole;
    return GDC_OK;
}

gdc_status gdc_read_real(const char *name, const gdc_option *row, const char *text, double *value)
{
    bounds b = bounds_of(row);
    char *end;
    if (is_word(row, text) || (b.takes_inf && strcmp(text, "inf") == 0)) {
        *value = is_word(row, text) ? NAN : HUGE_VAL;
        return GDC_OK;
    }
    if (!consists_of(text, "+-.0123456789eE"))
        return refuse(name, row, text);
    double real = strtod(text, &end);
    if (end == text || *end != '\0' || isinf(real))
        return refuse(name, row, text);
    if (real < b.min || real > b.max)
        return refuse_bound(name, row, text, real < b.min ? b.min : b.max);
    *value = real;
    return GDC_OK;
}

gdc_status gdc_read_ints(const char *name, const gdc_option *row, const char *text, gdc_ints *value)
{
    gdc_ints list = {.count = 0};
    for (const char *at = text;; at++) {
        char one[24];
        size_t length = strcspn(at, "+");
        if (length == 0 || length >= sizeof one)
            return refuse(name, row, text);
        if (list.count == GDC_INTS_MAX)
            return gdc_fail(GDC_EINVAL, "%.100s: %s=%.100s...: want at most %d numbers", name, row->key, text,
                            GDC_INTS_MAX);
        memcpy(one, at, length);
        one[length] = '\0';
        gdc_status status = gdc_read_int(name, row, one, &list.value[list.count++]);
        if (status != GDC_OK)
            return status;
        at += length;
        if (*at == '\0')
            break;
    }
    *value = list;
    return GDC_OK;
}

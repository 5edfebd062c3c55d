/* options.c - reads the items of a spec into a struct by a table of options, and says what would be right.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "base/choose.h"
#include "base/items.h"
#include "base/numbers.h"
#include "gradcode/spec.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { MOST_KEYS = 64, MOST_WORDS = 24, WORDS_BYTES = 256, WANT_BYTES = 320 };

/* ---- one value ---- */

/* word[] points into text, which "a|b|c" is copied to and cut up in. */
typedef struct word_list {
    char text[WORDS_BYTES];
    const char *word[MOST_WORDS + 1];
} word_list;

static void cut_words(const char *words, word_list *list)
{
    size_t bytes = strlen(words) + 1;
    int count = 0;
    assert(bytes <= sizeof list->text);
    memcpy(list->text, words, bytes);
    for (char *at = list->text; at != NULL; count++) {
        assert(count < MOST_WORDS);
        list->word[count] = at;
        at = strchr(at, '|');
        if (at != NULL)
            *at++ = '\0';
    }
    list->word[count] = NULL;
}

static void describe(const gdc_option *row, char *want, size_t bytes)
{
    word_list list;
    switch (row->type) {
    case GDC_WORD:
        cut_words(row->words, &list);
        gdc_choose_text("", list.word, want, bytes);
        break;
    case GDC_TEXT:
        snprintf(want, bytes, "want a text");
        break;
    case GDC_INT:
    case GDC_REAL:
    case GDC_INTS:
        gdc_describe_number(row, want, bytes);
        break;
    }
}

static void put(const gdc_option *row, void *values, const void *value, size_t bytes)
{
    memcpy((char *)values + row->offset, value, bytes);
}

static gdc_status read_word(const char *name, const gdc_option *row, const char *text, void *values)
{
    word_list list;
    char want[WANT_BYTES];
    cut_words(row->words, &list);
    for (int i = 0; list.word[i] != NULL; i++) {
        if (strcmp(list.word[i], text) == 0) {
            put(row, values, &i, sizeof i);
            return GDC_OK;
        }
    }
    gdc_choose_text(text, list.word, want, sizeof want);
    return gdc_fail(GDC_EINVAL, "%.100s: %s=%.100s: %s", name, row->key, text, want);
}

static gdc_status read_value(const char *name, const gdc_option *row, const char *text, void *values)
{
    int whole;
    double real;
    gdc_ints list = {.count = 0};
    gdc_status status;
    switch (row->type) {
    case GDC_INT:
        status = gdc_read_int(name, row, text, &whole);
        if (status == GDC_OK)
            put(row, values, &whole, sizeof whole);
        return status;
    case GDC_REAL:
        status = gdc_read_real(name, row, text, &real);
        if (status == GDC_OK)
            put(row, values, &real, sizeof real);
        return status;
    case GDC_WORD:
        return read_word(name, row, text, values);
    case GDC_TEXT:
        put(row, values, &text, sizeof text);
        return GDC_OK;
    case GDC_INTS:
        status = *text == '\0' ? GDC_OK : gdc_read_ints(name, row, text, &list);
        if (status == GDC_OK)
            put(row, values, &list, sizeof list);
        return status;
    }
    return gdc_fail(GDC_EINVAL, "%.100s: option %s has no known type", name, row->key);
}

/* ---- tables ---- */

static gdc_status find_item(gdc_spec *spec, const gdc_option *row, gdc_item **found)
{
    *found = NULL;
    for (int i = 0; i < spec->items; i++) {
        gdc_item *item = &spec->item[i];
        if (item->key == NULL ? !row->positional : strcmp(item->key, row->key) != 0)
            continue;
        if (*found != NULL)
            return gdc_fail(GDC_EINVAL, "%.100s: '%s' is given twice, as '%.100s' and as %s=%.100s: want it once",
                            gdc_spec_name(spec), row->key, (*found)->value, row->key, item->value);
        *found = item;
    }
    return GDC_OK;
}

/* A missing key has often been given with a wrong letter, which no table has complained about yet. */
static gdc_status miss(const gdc_spec *spec, const gdc_option *row)
{
    const char *const names[] = {row->key, NULL}, *misspelt = NULL;
    char want[WANT_BYTES];
    for (int i = 0; i < spec->items; i++)
        if (!spec->item[i].is_read && spec->item[i].key != NULL && gdc_choose_nearest(spec->item[i].key, names))
            misspelt = spec->item[i].key;
    describe(row, want, sizeof want);
    return gdc_fail(GDC_EINVAL, "%.100s: %s= is missing (%s): %s%s%.100s%s", gdc_spec_name(spec), row->key, row->help,
                    want, misspelt ? " (did you mean it by " : "", misspelt ? misspelt : "", misspelt ? "=?)" : "");
}

static gdc_status read_row(gdc_spec *spec, const gdc_option *row, void *values)
{
    gdc_item *item;
    gdc_status status = find_item(spec, row, &item);
    if (status != GDC_OK)
        return status;
    if (item == NULL && row->fallback == NULL)
        return miss(spec, row);
    if (item != NULL)
        item->is_read = true;
    return read_value(gdc_spec_name(spec), row, item != NULL ? item->value : row->fallback, values);
}

gdc_status gdc_spec_read(gdc_spec *spec, const gdc_option *table, void *values)
{
    gdc_status status = GDC_OK;
    for (const gdc_option *row = table; row->key != NULL && status == GDC_OK; row++)
        status = read_row(spec, row, values);
    return status;
}

static gdc_status refuse(const gdc_spec *spec, const gdc_item *item, const gdc_option *const *tables)
{
    const char *keys[MOST_KEYS + 1], *name = gdc_spec_name(spec);
    char want[640];
    int count = 0;
    for (; *tables != NULL; tables++)
        for (const gdc_option *row = *tables; row->key != NULL && count < MOST_KEYS; row++)
            keys[count++] = row->key;
    keys[count] = NULL;
    if (count == 0)
        return gdc_fail(GDC_EINVAL, "%.100s: '%.100s': want no options", name, item->key ? item->key : item->value);
    gdc_choose_text(item->key ? item->key : "", keys, want, sizeof want);
    if (item->key == NULL)
        return gdc_fail(GDC_EINVAL, "%.100s: '%.100s' needs its key before it, as in %s=%.100s: %s", name, item->value,
                        keys[0], item->value, want);
    return gdc_fail(GDC_EINVAL, "%.100s: unknown key '%.100s': %s", name, item->key, want);
}

static bool is_known(const gdc_item *item, const gdc_option *const *tables)
{
    for (; *tables != NULL; tables++)
        for (const gdc_option *row = *tables; row->key != NULL; row++)
            if (item->key == NULL ? row->positional : strcmp(item->key, row->key) == 0)
                return true;
    return false;
}

gdc_status gdc_spec_finish(const gdc_spec *spec, const gdc_option *const *tables)
{
    for (int i = 0; i < spec->items; i++)
        if (!spec->item[i].is_read && !is_known(&spec->item[i], tables))
            return refuse(spec, &spec->item[i], tables);
    return GDC_OK;
}

gdc_status gdc_spec_load(const char *text, const gdc_option *table, void *values, gdc_spec **spec)
{
    const gdc_option *const tables[] = {table, NULL};
    gdc_spec *made;
    gdc_status status = gdc_spec_parse(text, &made);
    if (status != GDC_OK)
        return status;
    status = gdc_spec_read(made, table, values);
    if (status == GDC_OK)
        status = gdc_spec_finish(made, tables);
    if (status != GDC_OK) {
        gdc_spec_destroy(made);
        return status;
    }
    *spec = made;
    return GDC_OK;
}

/* spec.c - splits specification strings `name[:item[,item]...]` into names, keys and values.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "gradcode/spec.h"
#include "base/items.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static char *copy_of(const char *text)
{
    size_t bytes = strlen(text) + 1;
    char *copy = malloc(bytes);
    if (copy != NULL)
        memcpy(copy, text, bytes);
    return copy;
}

static size_t count_of(const char *text, char letter)
{
    size_t count = 0;
    for (; *text != '\0'; text++)
        count += *text == letter;
    return count;
}

/* Unescapes one item in place from *from to *to, which never overtakes it, and leaves *from at the comma or
 * the end. */
static gdc_status split_item(gdc_spec *spec, char **from, char **to)
{
    gdc_item *item = &spec->item[spec->items++];
    char *read = *from, *write = *to;
    item->value = write;
    for (; *read != '\0' && *read != ','; read++) {
        if (*read == '\\' && *++read != ',' && *read != '\\')
            return gdc_fail(GDC_EINVAL, "'%.200s': want '\\,' for a comma or '\\\\' for a backslash after a '\\'",
                            spec->text);
        if (*read == '=' && item->key == NULL) {
            *write++ = '\0';
            item->key = item->value;
            item->value = write;
        } else {
            *write++ = *read;
        }
    }
    *from = read;
    *to = write;
    return GDC_OK;
}

/* item is the one that was split last; its value may not have its end yet, but *to is where that will be. */
static gdc_status check_item(const gdc_spec *spec, const gdc_item *item, const char *to)
{
    if (item->value == to && item->key != NULL)
        return gdc_fail(GDC_EINVAL, "'%.200s': '%.100s=' has no value: want %.100s=VALUE", spec->text, item->key,
                        *item->key == '\0' ? "KEY" : item->key);
    if (item->value == to)
        return gdc_fail(GDC_EINVAL, "'%.200s': an item is empty: want name:key=value,key=value", spec->text);
    if (item->key == NULL && item != spec->item)
        return gdc_fail(GDC_EINVAL, "'%.200s': only the first item may be a bare value: want key=value", spec->text);
    if (item->key != NULL && *item->key == '\0')
        return gdc_fail(GDC_EINVAL, "'%.200s': an item has no key: want key=value", spec->text);
    for (const gdc_item *before = spec->item; before < item; before++)
        if (before->key != NULL && strcmp(before->key, item->key) == 0)
            return gdc_fail(GDC_EINVAL, "'%.200s': '%.100s' is given twice: want it once", spec->text, item->key);
    return GDC_OK;
}

static gdc_status split_items(gdc_spec *spec, char *from)
{
    char *to = from;
    for (;;) {
        gdc_status status = split_item(spec, &from, &to);
        if (status == GDC_OK)
            status = check_item(spec, &spec->item[spec->items - 1], to);
        if (status != GDC_OK)
            return status;
        bool was_last = *from == '\0';
        *to++ = '\0';
        if (was_last)
            return GDC_OK;
        from++;
    }
}

static gdc_status split(gdc_spec *spec)
{
    size_t length = strcspn(spec->pieces, ":");
    bool has_items = spec->pieces[length] == ':';
    spec->pieces[length] = '\0';
    if (length == 0)
        return gdc_fail(GDC_EINVAL, "'%.200s': the name is empty: want name or name:key=value,...", spec->text);
    if (strpbrk(spec->pieces, ",=") != NULL)
        return gdc_fail(GDC_EINVAL, "'%.200s': want ':' between the name and its options, as in name:key=value",
                        spec->text);
    return has_items ? split_items(spec, spec->pieces + length + 1) : GDC_OK;
}

gdc_status gdc_spec_parse(const char *text, gdc_spec **spec)
{
    if (text == NULL || *text == '\0')
        return gdc_fail(GDC_EINVAL, "the specification is empty: want name or name:key=value,...");
    size_t items = count_of(text, ',') + 1;
    gdc_spec *made = items < INT_MAX ? calloc(1, sizeof *made) : NULL;
    if (made != NULL) {
        made->text = copy_of(text);
        made->pieces = copy_of(text);
        made->item = calloc(items, sizeof *made->item);
    }
    if (made == NULL || made->text == NULL || made->pieces == NULL || made->item == NULL) {
        gdc_spec_destroy(made);
        return gdc_fail(GDC_ENOMEM, "no memory for a specification of %zu bytes", strlen(text));
    }
    gdc_status status = split(made);
    if (status != GDC_OK) {
        gdc_spec_destroy(made);
        return status;
    }
    *spec = made;
    return GDC_OK;
}

void gdc_spec_destroy(gdc_spec *spec)
{
    if (spec == NULL)
        return;
    free(spec->text);
    free(spec->pieces);
    free(spec->item);
    free(spec);
}

const char *gdc_spec_name(const gdc_spec *spec)
{
    return spec->pieces;
}

const char *gdc_spec_text(const gdc_spec *spec)
{
    return spec->text;
}

const char *gdc_spec_value(const gdc_spec *spec, const char *key)
{
    for (int i = 0; i < spec->items; i++)
        if (spec->item[i].key != NULL && strcmp(spec->item[i].key, key) == 0)
            return spec->item[i].value;
    return NULL;
}

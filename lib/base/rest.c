/* rest.c - what a spec's tables left unread, as a spec of its own for somebody else.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "base/items.h"

#include <stdlib.h>
#include <string.h>

/* Appends text, escaped as the splitter wants it; out has room. */
static char *put_escaped(char *out, const char *text)
{
    for (; *text; text++) {
        if (*text == ',' || *text == '\\')
            *out++ = '\\';
        *out++ = *text;
    }
    return out;
}

gdc_status gdc_spec_rest(const gdc_spec *spec, const char *name, char **text)
{
    size_t room = strlen(name) + 2;
    for (int i = 0; i < spec->items; i++)
        room += 2 * strlen(spec->item[i].key ? spec->item[i].key : "") + 2 * strlen(spec->item[i].value) + 2;
    char *out = malloc(room);
    if (!out)
        return gdc_fail(GDC_ENOMEM, "%s: out of memory", name);
    strcpy(out, name);
    char *end = out + strlen(name);
    char separator = ':';
    for (int i = 0; i < spec->items; i++) {
        const gdc_item *item = &spec->item[i];
        if (item->is_read)
            continue;
        *end++ = separator;
        separator = ',';
        if (item->key) {
            end = put_escaped(end, item->key);
            *end++ = '=';
        }
        end = put_escaped(end, item->value);
    }
    *end = '\0';
    *text = out;
    return GDC_OK;
}

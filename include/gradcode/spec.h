/* spec.h - specification strings `name[:item[,item]...]` and the option tables that give them meaning.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * An item is key=value; the first may be the bare value of the table's positional option
 * (trace:FILE,scale=1). Specs are flat. Lists use `+`; `\,` escapes a comma and `\\` a backslash. A table of
 * rows {key, type, default, bounds, help} gives parsing, checking and help text. An unknown key, a missing,
 * malformed or impossible value is GDC_EINVAL with a sentence that names it, lists the valid ones and, for
 * numbers out of bounds, the nearest valid value. */
#ifndef GRADCODE_SPEC_H
#define GRADCODE_SPEC_H

#include "gradcode/status.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum gdc_option_type {
    GDC_INT,  /* int; the row's word, if it has one, gives INT_MIN */
    GDC_REAL, /* double; `inf` is accepted where max is infinite; the row's word gives NaN */
    GDC_WORD, /* int: index into the words of the row, "a|b|c" */
    GDC_TEXT, /* const char *: borrowed from the spec, valid until gdc_spec_destroy */
    GDC_INTS, /* gdc_ints: `3+5+7` */
} gdc_option_type;

enum { GDC_INTS_MAX = 256 };
typedef struct gdc_ints {
    int count;
    int value[GDC_INTS_MAX];
} gdc_ints;

/* One row; a table ends with a row whose key is NULL. */
typedef struct gdc_option {
    const char *key;
    gdc_option_type type;
    size_t offset;        /* offsetof(values struct, member) */
    const char *fallback; /* default as text; NULL: the key must be given; "" for GDC_TEXT, GDC_INTS: none */
    double min, max;      /* bounds of GDC_INT, GDC_REAL and of each entry of GDC_INTS, both inclusive; both 0: none */
    const char *words; /* GDC_WORD: "a|b|c"; GDC_INT, GDC_REAL: one word that may stand for a number, such as "auto" */
    const char *help;  /* one line with the unit */
    int positional;    /* 1: may be given bare as the first item */
} gdc_option;

typedef struct gdc_spec gdc_spec;

/* Splits text; keeps a copy. EINVAL: text is NULL or empty, has an empty name or item, a key twice, or a bare
 * item that is not the first. ENOMEM. */
GDC_API gdc_status gdc_spec_parse(const char *text, gdc_spec **spec);
GDC_API void gdc_spec_destroy(gdc_spec *spec); /* accepts NULL */

GDC_API const char *gdc_spec_name(const gdc_spec *spec);
/* The text as given to gdc_spec_parse. */
GDC_API const char *gdc_spec_text(const gdc_spec *spec);
/* The raw value of a key (NULL: not given), without marking it as read. */
GDC_API const char *gdc_spec_value(const gdc_spec *spec, const char *key);

/* Fills values (a struct laid out as the rows say) with the defaults, then with the items whose key is in
 * table, which it marks as read. Items of other keys are left for other tables. values is unspecified on
 * error. */
GDC_API gdc_status gdc_spec_read(gdc_spec *spec, const gdc_option *table, void *values);

/* EINVAL if an item was read by no table and is in none of `tables` (NULL-terminated array), whose keys the sentence lists. */
GDC_API gdc_status gdc_spec_finish(const gdc_spec *spec, const gdc_option *const *tables);

/* The items that no table has read, as a spec of another name (`name:item,item`); the caller frees *text.
 * ENOMEM. */
GDC_API gdc_status gdc_spec_rest(const gdc_spec *spec, const char *name, char **text);

/* The whole life of a spec that has one table: parse, read, finish. *spec must outlive GDC_TEXT values. */
GDC_API gdc_status gdc_spec_load(const char *text, const gdc_option *table, void *values, gdc_spec **spec);

/* The index of word in `names` (NULL-terminated); -1 with EINVAL's sentence recorded: "unknown WHAT 'word':
 * want a, b, c (did you mean b?)". */
GDC_API int gdc_spec_choose(const char *what, const char *word, const char *const *names);

#ifdef __cplusplus
}
#endif
#endif

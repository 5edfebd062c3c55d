/* flags.h - command-line flags from a table: `--flag value`, `--flag=value`, `-s value`.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef APPS_GRADCODE_FLAGS_H
#define APPS_GRADCODE_FLAGS_H

#include "gradcode/status.h"

#include <stddef.h>
#include <stdio.h>

typedef enum flag_kind {
    FLAG_YES,   /* bool; no value */
    FLAG_INT,   /* int */
    FLAG_COUNT, /* size_t */
    FLAG_SEED,  /* uint64_t */
    FLAG_REAL,  /* double; words: a word that stands for infinity */
    FLAG_WORD,  /* int: index into words "a|b" */
    FLAG_TEXT,  /* const char *, borrowed from argv */
    FLAG_TEXTS, /* texts: repeatable */
} flag_kind;

typedef struct texts {
    const char **item; /* [count], the strings are borrowed from argv */
    int count;
} texts;

typedef struct flag {
    const char *name; /* without dashes */
    char letter;      /* `-x`; 0: none */
    flag_kind kind;
    size_t offset;   /* of the member in the struct of values */
    double min, max; /* of INT, COUNT, REAL, inclusive */
    const char *words;
    const char *value; /* its name in the help */
    const char *help;
    unsigned commands; /* which commands take it */
} flag;

/* Fills values from argv[argc] by the rows whose commands & command; what is no flag goes to rest. The later
 * of two wins, texts collect. EINVAL: unknown flag (with the nearest), a value missing, malformed or out of
 * bounds. ENOMEM. */
gdc_status flags_parse(const flag *table, unsigned command, int argc, char **argv, void *values, texts *rest);
gdc_status texts_add(texts *list, const char *item);
void texts_free(texts *list);
void flags_print(const flag *table, unsigned command, FILE *out);

#endif

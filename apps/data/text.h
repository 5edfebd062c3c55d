/* text.h - lines and numbers of a text file in memory, with sentences that say where something is wrong.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef APPS_DATA_TEXT_H
#define APPS_DATA_TEXT_H

#include "data/bytes.h"

typedef struct slice {
    const char *at, *end;
} slice;

typedef struct text {
    const char *path;
    slice rest, line; /* line: the current one, without its end */
    size_t number;    /* of the current line, from 1 */
} text;

/* Stands before the first line; a byte order mark is skipped. The bytes must outlive the text. */
text text_begin(const char *path, const bytes *file);
/* Moves to the next line that is not blank; 0: there is none. */
int text_next(text *t);
/* Cuts leading and trailing blanks (also a carriage return). */
slice text_trim(slice s);
/* 1 if the slice is one finite decimal number within float's range, and nothing else. */
int text_number(slice s, float *value);
/* EDATA: "FILE: line L, byte C: want WANT, got 'TEXT'". */
gdc_status text_fail(const text *t, slice got, const char *want);

#endif

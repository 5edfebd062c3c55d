/* reading.h - the table in sentences, while it is being told.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef APPS_REPORT_READING_H
#define APPS_REPORT_READING_H

#include "report/parts.h"

typedef struct reading {
    const result *r;
    const result_figures *figures; /* [strategies] */
    const int *order;              /* [strategies] */
    int finished;                  /* the first so many of order have no error and a known effective round */
    int *some;                     /* [strategies] scratch: strategies that a sentence names */
    report_text text;
} reading;

/* Of the strategy at that place of the order. */
const result_strategy *reading_ranked(const reading *g, int rank);
const result_figures *reading_figures(const reading *g, int rank);

/* Begins a paragraph unless one is begun. */
void reading_begin(reading *g);

/* A number in words. */
typedef struct reading_words {
    char s[48];
} reading_words;

/* bias.c: was the gradient the exact one, how far was it off, and who bore it. */
bool reading_was_exact(const reading *g, int rank); /* measured so */
bool reading_is_off(const reading *g, int rank);    /* measured, or not promised where nothing was measured */
reading_words reading_distance(double error);       /* how far off a gradient was, against the right one's length */
void reading_say_exact(reading *g);
void reading_say_inexact(reading *g);
void reading_say_bias(reading *g);

#endif

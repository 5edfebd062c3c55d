/* parts.h - what the files of this folder share: order, wrapped text, the pieces of a written result.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef APPS_REPORT_PARTS_H
#define APPS_REPORT_PARTS_H

#include "report/result.h"

#include <jansson.h>

enum { REPORT_WIDTH = 100 };

/* order [strategies]: by effective round, unknown ones after, failed ones last; equals in the order of the
 * run. */
void report_order(const result *r, const result_figures *figures, int *order);

/* [strategies] of result_derive; NULL when out of memory. Caller frees. */
result_figures *report_figures(const result *r);

/* Text that is wrapped at REPORT_WIDTH, its further lines indented. Words longer than a line are cut. */
typedef struct report_text {
    FILE *out;
    int indent, column;
} report_text;
void report_say(report_text *t, const char *format, ...) GDC_PRINTF(2, 3);
void report_end(report_text *t); /* ends the line, if one was begun */
/* The specs of which [count] strategies: "A, B and C"; of more than most (REPORT_NAMES) "A, B, C and 7 more". end follows the last. */
enum { REPORT_NAMES = 4 };
void report_say_some(report_text *t, const result *r, const int *which, int count, int most, const char *end);
void report_say_specs(report_text *t, const result *r, const int *which, int count, const char *end);

/* Has any strategy used a gradient of an older model? */
bool report_has_stale(const result *r);

/* What a reader of the table must know: baselines, communication, memory, losses, real computation. */
void report_notes(const result *r, const result_figures *figures, const int *order, bool shows_gap, FILE *out);

/* workers.c: who was slow, as JSON and as a note. */
json_t *report_workers(const result *r, const result_strategy *s, bool *good);
void report_note_slowest(const result *r, report_text *t);
/* Whose vectors were not finite or did not match their checksum; nothing where there were none. */
void report_tell_erased(const result *r, const result_strategy *s, FILE *to);

/* critical_report.c: critical parameters, as JSON (null: not asked for) and as a note of one among several strategies. */
json_t *report_critical(const result_strategy *s, bool *good);
void report_tell_critical(const result *r, const result_strategy *s, FILE *to);

/* {cpu, cores, os, mpi}: describes the machine without naming it. NULL when out of memory. */
json_t *report_machine(const char *mpi);

/* The texts of the files. The plots are gnuplot scripts that read rounds.csv in their own folder. */
void report_rounds_csv(const result *r, FILE *out);
void report_arrivals_csv(const result *r, FILE *out);
bool report_has_losses(const result *r);
void report_loss_plot(const result *r, FILE *out); /* only where there are losses */
void report_times_plot(const result *r, FILE *out);

/* Runs gnuplot on the scripts in dir: loss.gp only with losses, none after an interruption. What goes wrong is a line on
 * stderr: the scripts are there to be run again. */
void report_run_plots(const result *r, const char *dir);

#endif

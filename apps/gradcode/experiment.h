/* experiment.h - what compare, train and simulate have in common: run every strategy, then show and keep the result.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef APPS_GRADCODE_EXPERIMENT_H
#define APPS_GRADCODE_EXPERIMENT_H

#include "run.h"

/* Runs c on the clock that the launcher implies; returns the exit code. who: the command, for sentences. */
int experiment(const launch *how, const char *who, const config *c, bool timing_only);

/* The result of a run without its strategies' figures. ENOMEM. */
gdc_status result_begin(const run *r, result *res);
/* Rank 0: table or JSON on stdout, files in --out, and the last line on stderr; returns the exit code. */
int result_conclude(const run *r, const char *who, result *res);

/* parallel.c: the same under mpirun; called on every rank. */
int run_parallel(const launch *how, const char *who, const config *c);

#endif

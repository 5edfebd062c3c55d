/* run.h - what all strategies of a run share: problem, data, batches, delays, faults, and which rounds are sampled.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef APPS_GRADCODE_RUN_H
#define APPS_GRADCODE_RUN_H

#include "command.h"
#include "config.h"
#include "gradcode/round.h"
#include "problems/batch.h"
#include "problems/problem.h"
#include "report/result.h"

/* One strategy, in the order of the run. */
typedef struct entry {
    char *spec;           /* as given */
    char *tuned;          /* the same with values for what is auto; NULL: nothing is */
    char *chosen;         /* those values, "k=5"; NULL: nothing is auto */
    char *careful;        /* the best of those that use at least .9 of a batch, where it is another one; else NULL */
    double careful_price; /* its time per used sample / that of the chosen one */
    bool exact, collective, steps_locally;
    double load;            /* shards held by the fullest worker */
    int rows;               /* most messages of one worker and round */
    char *note;             /* for the reader, to follow the spec in a sentence; NULL: nothing */
    int lead_in;            /* rounds that it watches by itself before it chooses; they are not measured */
    uint64_t first_version; /* of its warm-up and of the rounds that it watches */
    size_t rounds_most; /* measured rounds: as configured, or more until as many samples were used (resample=steps) */
} entry;

enum { SAMPLES_MAX = 25 };

typedef struct run {
    const config *config;
    bool under_mpi, timing_only, is_root;
    int workers, k;
    uint64_t warmup;  /* versions before the measured ones; measured round i is version warmup + 1 + i */
    uint64_t lead_in; /* the first of these are only for strategies that watch rounds of their own */

    data *data;
    problem problem; /* in the run's dtype */
    problem judge;   /* the same problem in double */
    bool owns_judge;
    gdc_dtype dtype;
    size_t dimension, element; /* element: bytes of a number */
    batch batch;
    double *samples; /* [k] samples per partition; NULL: timing only */

    gdc_delay *delay; /* NULL: pieces take what they take (mpirun without --delay) */
    gdc_fault *faults;
    entry *entries;
    int entry_count;

    double sync_s,
        sync_overhead_s; /* of sync, once it was run: mean round, and what of it is no computation; else NaN */

    size_t sampled_count;
    size_t sampled[SAMPLES_MAX]; /* measured rounds, ascending */

    size_t arrivals;     /* kept by the strategies that are done, see ARRIVALS_MAX */
    double last_shown_s; /* of the progress line */
} run;

/* Opens all that needs no communication; the same arguments give the same answer on every rank. EINVAL,
 * EDATA, ENOMEM. */
gdc_status run_open(const config *c, const launch *how, bool timing_only, run *r);
void run_close(run *r);

/* The first version that is used for a profile: it follows the measured ones. */
uint64_t run_profile_version(const run *r);

/* entries.c: the strategies of the run, `sync` first, drops doubled where --poll is finer than a piece; each
 * is opened once on a virtual clock, so that every mistake in a spec is found before anything runs. */
gdc_status entries_open(run *r);
void entries_close(run *r);
/* Joins a text to a note, "; " between them. ENOMEM. */
gdc_status note_add(char **note, const char *text);
/* What the reader must know of an entry, joined to what is there. */
gdc_status entry_add_note(entry *e, const char *text);
/* Opens each entry on a virtual clock and looks at what it is. */
gdc_status entries_look(run *r);

/* Options for opening a strategy of this run. act and observe are left to the caller. */
gdc_options run_options(const run *r, const entry *e);

/* progress.c: one rewritten line on stderr, if it is a terminal and the user wants it. */
/* In a log instead: one line when a strategy's measured rounds begin. */
void progress_begin(const run *r, const char *spec);
void progress_show(run *r, const char *what, size_t done, size_t all);
void progress_clear(const run *r);

/* act.c: what a fault of kind kill or stop does to this process. */
void act_on_self(void *context, const gdc_fault *fault);

#endif

/* result.h - what a run measured, and how it is shown: table, JSON, CSV, plots.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * NaN means "not known" everywhere and becomes null in JSON and `-` in the table. Strings are owned by the
 * result. */
#ifndef APPS_REPORT_RESULT_H
#define APPS_REPORT_RESULT_H

#include "gradcode/critical.h"
#include "gradcode/round.h"

#include <stdbool.h>
#include <stdio.h>

typedef struct result_round {
    double start_s, round_s; /* on the run's clock; start 0 = the strategy's first measured round */
    double used_fraction;
    double messages;
    double loss; /* of the model that the round updates, at start_s; NaN where not sampled */
    /* Of the vectors that entered: how many, how many of them computed on this round's model, and the sum of their staleness
     * (updates between the model that a vector was computed on and the one that it updates). */
    uint64_t vectors, fresh, staleness;
    uint64_t in_flight; /* the staleness that the vectors of busy workers had right after the update, summed */
    double told_loss;   /* mean loss per sample that the workers told; NaN: not told */
    double residual;    /* sqrt(||a^T R - 1||^2 / k) of the decode; NaN: not known */
} result_round;

typedef struct result_lost {
    int worker;
    long round;  /* measured round from 0; negative: warm-up */
    char how[8]; /* dead | stopped | silent */
    bool returned;
} result_lost;

typedef struct result_arrival {
    long round;
    int worker, index;
    double arrival_s; /* since the round began */
    gdc_fate fate;
} result_arrival;

/* One worker over the measured rounds. */
typedef struct result_worker {
    double pieces;     /* finished, by the worker */
    double used;       /* of those, the ones inside vectors that entered a gradient */
    double home_share; /* share of its home shard that entered, whoever computed it */
    double busy_s;     /* duration of the finished pieces */
    double compute_s;  /* of that, real computation */
    double erased;     /* vectors that were not finite or did not match their checksum */
} result_worker;

/* What the noise of the gradients says (critical.h). */
typedef struct result_critical {
    gdc_critical_estimates estimates;
    gdc_critical_setting setting; /* of the run: samples per update, mean staleness, one worker's share of the batch */
    gdc_critical_advice advice;   /* at the present |G|^2, steps in units of 1/L */
} result_critical;

typedef struct result_strategy {
    char *spec;
    bool exact, collective;
    char *error; /* NULL: none. "not run: worker 3 lost" when it never began */
    char *note;  /* what a reader must know of it, to follow its spec in a sentence; NULL: nothing */
    char
        *chosen; /* what an automatic tuning chose, as items of a spec ("tau=0.0123"); NULL: nothing was to be chosen */
    char *careful;        /* the best of those that use at least .9 of a batch; NULL: not known, or the one chosen */
    double careful_price; /* its time per used sample / that of the chosen one, on the profile */
    size_t rounds_completed;
    result_round *round;                /* [rounds_completed] */
    result_arrival *arrival;            /* [arrivals] */
    size_t arrivals, arrivals_left_out; /* left out: seen, but past ARRIVALS_MAX of the run */
    double load;                        /* r: shards held per worker (data memory factor) */
    double wall_s, ideal_round_s;
    double messages_per_round, bytes_per_round, work_ratio, used_fraction, least_worker_share;
    double gradient_error, loss_initial, loss_final, time_to_target_s;
    double compute_share; /* of the workers' piece time, the part that was real computation */
    double overrun_share;
    double amplification; /* largest of the measured rounds; NaN: nothing was decoded */
    double residual;      /* mean of the measured rounds; NaN: an all-reduce, or not known */
    /* Over the measured rounds; NaN where no vector was counted. */
    double vectors_per_update, staleness_mean, fresh_fraction; /* staleness_mean: staleness_sum / vectors */
    uint64_t staleness_sum, in_flight_last;                    /* exact; in_flight of the last measured round */
    double *
        class_loss; /* [classes] mean loss of each class's samples at the final model, without the regulariser; NaN for a
                           class without samples; NULL: not known */
    result_lost *lost;
    int lost_count;
    result_worker *worker;     /* [workers]; NULL: not known */
    result_critical *critical; /* NULL: not asked for, or nothing was completed */
} result_strategy;

typedef struct result {
    char *problem, *data; /* specs; "none" for timing only */
    size_t samples, dimension;
    int classes;  /* of the labels; 0: real targets, or timing only */
    char *dtype;  /* "f64" | "f32" */
    char **delay; /* [delays] specs */
    int delays;
    int workers, partitions; /* n, M */
    size_t batch, rounds, warmup;
    uint64_t seed;
    char *clock;                         /* "virtual" | "mpi" */
    double poll_s, bandwidth, latency_s; /* INFINITY: piece; INFINITY: free; 0 */
    double target_loss;                  /* NaN: none */
    double rate, momentum;
    bool nesterov, failed;
    bool interrupted; /* there may be no time to draw: the plots are left as scripts */
    int faults;       /* that were asked for */
    int strategies;
    result_strategy *strategy; /* [strategies], in the order of the run */
    char *mpi;                 /* the MPI library's name and version; NULL: none was used */
} result;

/* Rows of arrivals.csv. */
enum { ARRIVALS_MAX = 1000000 };
/* Arrivals of all strategies that are not in arrivals.csv. */
size_t result_arrivals_left_out(const result *r);

/* Frees all that r owns and zeroes it; r itself is the caller's. Accepts NULL. */
void result_free(result *r);

/* Derived from the per-round records, one definition for every view. A strategy with an error has no
 * speed-ups and is no baseline. */
typedef struct result_figures {
    double mean, ci95, p50, p99, min, max;     /* of round_s */
    double effective_round_s;                  /* mean / used_fraction */
    double speedup_vs_sync, speedup_effective; /* baseline sync, by mean and by effective round; NaN without it */
    double speedup_vs_waiting;                 /* baseline gc:code=uncoded, by mean */
    double speedup_effective_vs_waiting;       /* the same by effective round */
    double overhead_s; /* mean - ideal_round_s: the part of a round that is not computation (T^c); NaN with faults,
                          which the ideal does not know */
    /* The class whose loss is furthest above that of the same class under the baseline sync, and by how much: class_loss[c] -
     * class_loss[c] of sync, its largest over c. -1 and NaN without classes or without that baseline. */
    int worst_class;
    double class_loss_gap;
} result_figures;
result_figures result_derive(const result *r, int strategy);
/* Index of the baseline: the first strategy named sync (all-reduce), or gc:code=uncoded of load 1 (waits for
 * all through the master); -1: there is none, or it has an error. */
int result_baseline(const result *r, bool collective);

/* The table a person reads (at most 100 columns), sorted by effective speed-up (that is, by effective round),
 * units in the header row, both baselines named, then the notes (communication: free; data memory; lost
 * workers; errors). */
void result_print_table(const result *r, FILE *out);
/* A few sentences computed from the same figures: who was faster, whose gradient was exact, what was dropped.
 */
void result_print_reading(const result *r, FILE *out);
/* Critical parameters at length, where one strategy ran and was asked for them; of several they are notes of the table. */
void result_print_critical(const result *r, FILE *out);
/* result.json as text; NULL when out of memory. Caller frees. */
char *result_to_json(const result *r);
/* Creates dir (EINVAL if it holds a result.json and !overwrite: nothing is lost) and writes result.json,
 * rounds.csv, arrivals.csv and, if gnuplot is there, the plots; each file is written whole or not at all
 * (temporary name, then rename). */
gdc_status result_write(const result *r, const char *dir, bool overwrite);
/* Before the run: would result_write refuse? */
gdc_status result_check_dir(const char *dir, bool overwrite);
/* Before the run: creates dir and tries to write there; nothing but the folder is left. EINVAL, ENOMEM. */
gdc_status result_prepare_dir(const char *dir);

/* The version of the tool, as in result.json. */
const char *result_tool_version(void);

#endif

/* record.h - what is kept while a strategy runs: readings, and sampled models and gradients. Nothing is evaluated
 * here.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef APPS_GRADCODE_RECORD_H
#define APPS_GRADCODE_RECORD_H

#include "noise.h"
#include "run.h"

enum { SENTENCE_MAX = 1024 };

typedef struct record {
    const run *run;
    size_t rounds; /* measured rounds that were completed */
    size_t most; /* at most so many; below it goes on until as many samples were used as config->rounds batches have */
    double used; /* batches used so far */
    result_round *round; /* [most] */
    double wall_s;       /* from its own two readings */
    double amplification;
    noise noise;
    size_t kept;                      /* so many of run->sampled have model and gradient */
    char *models;                     /* [sampled_count][d]: the model that round updates */
    char *gradients;                  /* [sampled_count][d]: the sum over the batch that the update applied */
    void *last;                       /* [d] the final model */
    bool lent;                        /* a transfer into these buffers never ended: they stay allocated */
    gdc_worker_stats *before, *after; /* [n] at the two ends of the measured rounds */
    result_arrival *arrival;
    size_t arrivals, arrival_room, arrivals_left_out;
    double began_s;  /* of the first measured round, on the engine's clock */
    char chosen[96]; /* what the strategy chose by itself; "": nothing */
    gdc_status status;
    char error[SENTENCE_MAX]; /* why the strategy ended early; "" if it did not */
} record;

/* Everything is allocated and touched before the clock starts. keeps_samples: false for ranks that only
 * compute. */
gdc_status record_open(const run *r, const entry *e, bool keeps_samples, record *rec);
void record_close(record *rec);

/* Inside the clock: copies at most, and what --report critical costs. */
void record_model(record *rec, size_t round, const void *model);
void record_gradient(record *rec, size_t round, const void *gradient);
void record_round(record *rec, double start_s, double round_s, const gdc_round *round);
bool record_goes_on(const record *rec); /* is there another round to measure? */
void record_final(record *rec, const void *model);
/* gdc_options.observe with a record as context. */
void record_arrival(void *context, const gdc_arrival_note *note);
/* Keeps the last error's sentence, its version turned into the number of the round. */
void record_failure(record *rec, gdc_status status);

#endif

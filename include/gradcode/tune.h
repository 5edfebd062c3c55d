/* tune.h - automatic parameters: one `key=auto` in a strategy's spec, chosen from a profile, by one rule for all strategies.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Each candidate value is run on the virtual clock over the rounds of the profile (measured micro-batch times, profile.h), and
 * judged by its time per useful sample: (mean round + T^c) / used, with used the share of the batch's samples that entered a
 * gradient. The smallest wins. Of candidates within 1 % of it, the one that uses most of the batch, and of those the smallest
 * value for a code's load and the largest for the K family, wins: equal speed is taken for the better gradient and the
 * smaller memory.
 *
 * Keys: s, k, k0, load (whole numbers: every value that the strategy accepts, thinned out above 64) and tau (the candidates of
 * gdc_profile_choose, which are judged by its formula; the chosen one then runs like the others; with resample=batch its most= is
 * written beside it). A spec with profile= is left alone: that strategy chooses by itself, from rounds that it runs.
 *
 * A worker with a load computes more than its own shard in a round. A profile of M micro-batches has no times for those: they take
 * what the worker measured in the rounds that follow (gdc_delay_replay). Where such times can be had, give a profile of several times M
 * micro-batches a round; tau and T^c then come from the first M. Fill it with gdc_profile_set from what was measured, or from
 * gdc_delay_draw. */
#ifndef GRADCODE_TUNE_H
#define GRADCODE_TUNE_H

#include "gradcode/profile.h"
#include "gradcode/round.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gdc_trial { /* one candidate on the profile */
    char item[48];         /* "k=5"; "" : there was none */
    double round_s;        /* mean round, T^c included */
    double used;           /* samples used / samples of the batch */
    double sample_s;       /* round_s / used */
} gdc_trial;

typedef struct gdc_tuning {
    size_t size;       /* sizeof(gdc_tuning), set by the caller */
    int candidates;    /* that were judged */
    gdc_trial best;    /* by time per useful sample: what gdc_tune chooses */
    gdc_trial careful; /* the best of those that use at least .9 of the batch */
} gdc_tuning;

/* 1 if a key of the spec has the value auto, and none is profile. */
GDC_API int gdc_tune_is_wanted(const char *spec);

/* options as for gdc_open_virtual, options->strategy being the spec with `auto`; its delay and faults are not used. *spec: the same
 * spec with the value that was chosen, freed by the caller; tuning may be NULL. EINVAL: a bad spec, more than one auto, a key that
 * cannot be tuned, a profile whose micro-batches are no multiple of options->partitions. ENUMERIC: no candidate could be run. ENOMEM. */
GDC_API gdc_status gdc_tune(const gdc_options *options, const gdc_profile *profile, char **spec, gdc_tuning *tuning);

#ifdef __cplusplus
}
#endif
#endif

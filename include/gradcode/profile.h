/* profile.h - a table of measured micro-batch times, and what a threshold would have made of those rounds (arXiv 2306.10598).
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * I rounds x n workers x M micro-batches, none of them dropped. acc_m is the running sum of a worker's times in a round,
 * T = mean over rounds of the largest acc_M, T^c = (time of all rounds) / I - T: round time that is not computation.
 *
 *     GDC_CHECK_PIECE  keeps min(M, 1 + #{m < M: acc_m <= tau}) and takes acc_kept: the one that crosses tau counts
 *     GDC_CHECK_POLL   keeps #{acc_m <= tau} and takes min(tau, acc_M): the one that is running at tau is lost
 *
 * With T(tau) the mean over rounds of the largest time and c the share kept, the effective speed-up (time per useful sample,
 * against dropping nothing) is S = c (T + T^c) / (T(tau) + T^c).
 *
 * The same table gives the same numbers to the last bit on every rank: nothing is drawn, and the order of sums is fixed. */
#ifndef GRADCODE_PROFILE_H
#define GRADCODE_PROFILE_H

#include "gradcode/status.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gdc_profile gdc_profile;

typedef enum gdc_check { GDC_CHECK_PIECE, GDC_CHECK_POLL } gdc_check;

typedef struct gdc_threshold {
    double tau_s;   /* INFINITY: drops nothing */
    double kept;    /* c, 0..1 */
    double round_s; /* T(tau) + T^c */
    double full_s;  /* T + T^c */
    double speedup; /* S; 1 where no time passes at all */
} gdc_threshold;

/* A table of zeros. EINVAL: a size below 1, or more cells than INT_MAX. ENOMEM. */
GDC_API gdc_status gdc_profile_create(int workers, int rounds, int pieces, gdc_profile **profile);
GDC_API void gdc_profile_destroy(gdc_profile *profile); /* accepts NULL */

GDC_API int gdc_profile_workers(const gdc_profile *profile);
GDC_API int gdc_profile_rounds(const gdc_profile *profile);
GDC_API int gdc_profile_pieces(const gdc_profile *profile); /* M */

/* Seconds that micro-batch `piece` of a worker took in a round, all counted from 0. */
GDC_API void gdc_profile_set(gdc_profile *profile, int round, int worker, int piece, double seconds);
GDC_API double gdc_profile_get(const gdc_profile *profile, int round, int worker, int piece);

/* Seconds of all rounds together, from one update to the next; 0 (the default): T^c is 0. */
GDC_API void gdc_profile_set_wall(gdc_profile *profile, double seconds);
/* T^c, at least 0. */
GDC_API double gdc_profile_overhead(const gdc_profile *profile);

/* The table itself, *count numbers, ending with the wall time; valid until gdc_profile_destroy. For sharing by ONE all-reduce(SUM):
 * every rank writes its own worker's times, and one rank the wall time, into a table of zeros. */
GDC_API double *gdc_profile_raw(gdc_profile *profile, size_t *count);

/* Of the M times of a micro-batch: mean and standard deviation over all cells. */
GDC_API double gdc_profile_mean(const gdc_profile *profile);
GDC_API double gdc_profile_deviation(const gdc_profile *profile);

/* What tau >= 0 (INFINITY: nothing is dropped) would have made of these rounds. EINVAL: tau is negative or NaN. */
GDC_API gdc_status gdc_profile_judge(const gdc_profile *profile, double tau_s, gdc_check check,
                                     gdc_threshold *threshold);

/* The best threshold: the largest S over the observed acc_m, at most 1,000 quantiles of them; of equal ones the largest tau.
 * Candidates of 0 s, and those that keep less than one micro-batch per worker on average or less than least_kept of the batch,
 * are left out. All times 0: INFINITY.
 * ENUMERIC: a cell is negative or not finite (named). ENOMEM. */
GDC_API gdc_status gdc_profile_choose(const gdc_profile *profile, gdc_check check, double least_kept,
                                      gdc_threshold *threshold);

/* A larger batch makes up for what a threshold drops: *most = M' = ceil(M / kept), at most 4 M, micro-batches per worker and round.
 * is_fixed: the threshold is left as it is; else its tau grows until M of them are kept on average (seen on rounds of the profile
 * joined one after the other) if M' can give so many. threshold: in, as judged; out: tau_s and kept, which is a share of M. */
GDC_API void gdc_profile_enlarge(const gdc_profile *profile, gdc_check check, int is_fixed, gdc_threshold *threshold,
                                 int *most);

#ifdef __cplusplus
}
#endif
#endif

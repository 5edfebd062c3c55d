/* delay.h - delay models: how long a piece of work takes, as a pure function of (seed, worker, version, q).
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A model is at most one base followed by modifiers in the order given. A drawn time is the TOTAL duration of a piece, not an
 * addition. q is the running index of the pieces that a worker started since it received that version, whatever the strategy:
 * every strategy sees common random numbers, and nobody can choose a lucky partition.
 *
 *   bases      none:piece=0.001  exp:mean=  shifted-exp:shift=,mean= (shift + Exp; mean is that of the exponential part)
 *              pareto:alpha=,min= (P(more than x) = (min/x)^alpha)
 *              lognormal:mu= (mu (1 + min(Z/(2 e^4.5), 5.5)), Z ~ LogNormal(4, 1): the simulated delay of arXiv 2306.10598)
 *              trace:FILE,scale=1 (CSV of rounds x workers, lines that begin with # are headers; a piece takes scale * cell / M
 *              seconds, the cell in row (version - 1) mod rows and the worker's column; more workers than columns is an error)
 *              all but trace take per=piece (default) | round: one draw per worker and version, used for each of its pieces
 *   modifiers  jitter:sd=.05 (factor 1 + sd |N(0,1)| per piece)
 *              slow:workers=1,factor=10 (which=3+5 names the slow workers, else they are drawn by the seed)
 *              burst:p=.05,factor=10 (with probability p, per worker and version)
 *              spread:mean=1 (factor 1 + mean Exp(1) per worker and version)
 *              gilbert:in=.03,out=.3,factor=5 (a worker is good or bad per version: a good one turns bad with probability in, a
 *              bad one good with probability out; stationary from the start; in + out is above 0 and at most 1; a draw looks
 *              back over 1/(in + out) versions on average)
 *              stall:p=,extra= (extra seconds are added with probability p, per piece) */
#ifndef GRADCODE_DELAY_H
#define GRADCODE_DELAY_H

#include "gradcode/status.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gdc_delay gdc_delay;

/* specs[count] in the order base, modifiers; count = 0 means none:piece=0.001. workers = n, pieces = M (partitions per shard;
 * models that are given per shard divide by it). EINVAL: a bad spec, two bases, a base after a modifier, a worker named that
 * does not exist, a trace of fewer workers. EDATA: a trace that cannot be read, is ragged or empty, or has a cell that is no
 * number of seconds from 0 to 1e9 (file, line and column are named). ENOMEM. */
GDC_API gdc_status gdc_delay_create(const char *const *specs, int count, uint64_t seed, int workers, int pieces,
                                    gdc_delay **delay);
/* Replays measured times: a piece of version v takes what the profile (profile.h) has for that worker in round v - 1, micro-batch q;
 * the ones behind the last of a round are those that the worker measured next: round v - 1 + floor(q / M) mod I, micro-batch q mod M.
 * Keeps a pointer to profile. EINVAL: a time is negative or not finite. ENOMEM. */
struct gdc_profile;
GDC_API gdc_status gdc_delay_replay(const struct gdc_profile *profile, gdc_delay **delay);
GDC_API void gdc_delay_destroy(gdc_delay *delay); /* accepts NULL */

/* Seconds that the q-th piece (from 0) of a worker on a version takes; finite and >= 0. Thread-safe. */
GDC_API double gdc_delay_draw(const gdc_delay *delay, int worker, uint64_t version, uint64_t q);

/* For listings: the i-th model of the registry, NULL past the end. *options is its table, *help one line. */
struct gdc_option;
GDC_API const char *gdc_delay_model(int i, const struct gdc_option **options, const char **help);

#ifdef __cplusplus
}
#endif
#endif

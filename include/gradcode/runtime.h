/* runtime.h - closed forms of the K family: how long an update takes, how stale it is; AdaSync's rules for K.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * n workers, K mini-batches per update, X = time of one mini-batch (arXiv 1803.01113, 2003.10579). Mean time per update:
 *     K-sync         E[X_(K:n)], the mean of the K-th smallest of n; a shift is added to it
 *     K-batch-sync   K E[X] / n for exponential X; more where X is "new better than used"
 *     K-async        as K-sync for exponential X; less where X is new better than used, more under heavy tails
 *     K-batch-async  K E[X] / n for every law
 * Functions of numbers that make no sense (K outside 1..n, a mean that is not positive) give NaN. */
#ifndef GRADCODE_RUNTIME_H
#define GRADCODE_RUNTIME_H

#include "gradcode/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* E[X_(k:n)]: mean of the k-th smallest of n independent draws. Exponential with the given mean. */
GDC_API double gdc_order_mean_exp(int k, int n, double mean);
/* Pareto, P(X > x) = (min / x)^alpha for x >= min; INFINITY where it has no mean (k = n and alpha <= 1, and so on). */
GDC_API double gdc_order_mean_pareto(int k, int n, double alpha, double min);

/* Mean staleness (in updates) of a gradient that enters, for every delay law. */
GDC_API double gdc_staleness_k_async(int k, int n); /* (n - K) / K */
GDC_API double gdc_staleness_k_batch_async(
    int k, int n); /* (n - 1) / K: the K-th pusher reads the new model; K may exceed n */
/* Share of gradients with staleness 0, for exponential X. */
GDC_API double gdc_fresh_k_async(int k, int n);       /* K / n: staleness is geometric */
GDC_API double gdc_fresh_k_batch_async(int k, int n); /* 1 - (1/K) sum_{i=1..K} (1 - 1/n)^i */

/* AdaSync: the K that suits a loss which has fallen by the factor fall = F0 / F since K was k0; a real number, not clamped.
 * quad: K^2/(n - K) = fall * k0^2/(n - k0), for K-sync, and for K-async under exponential X; 1 <= k0 < n.
 * sqrt: K = k0 sqrt(fall), for the batch variants. */
GDC_API double gdc_adasync_quad(int k0, int n, double fall);
GDC_API double gdc_adasync_sqrt(int k0, double fall);
/* empirical: the K in k0..n with the least A T_K / fall + 1/K, given T_1..T_n as times[0..n-1] (rising); A makes k0 the best at
 * fall = 1: the geometric mean of (1/k0 - 1/(k0+1)) / (T_(k0+1) - T_k0) and the same one step below, or the one of them that
 * exists. k0 where neither does. */
GDC_API int gdc_adasync_empirical(int k0, int n, const double *times, double fall);
/* The K to use: rounded half up, at most n, never below now; now itself for NaN. */
GDC_API int gdc_adasync_step(double wanted, int now, int n);

#ifdef __cplusplus
}
#endif
#endif

/* critical.h - how much batch and how much delay a problem bears before more of either is wasted (arXiv 2103.02351).
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Noise model: the gradient of one sample deviates from the whole gradient G by E|noise|^2 = S = M |G|^2 + sigma^2. To reach
 * |G|^2 <= eps takes O(L F0 [(b (1 + tau) + M) / eps + sigma^2 / eps^2]) samples, b per update, each tau updates old: samples in
 * flight, b (1 + tau), cost nothing as long as they are below M + sigma^2 / eps. Beyond, they buy fewer steps but no fewer
 * samples. P workers that each compute mini-batches of m keep P m in flight, whatever K a strategy waits for.
 *
 *     gdc_critical_create(population, &critical);          options.norms = 1 at every rank
 *     each round: gdc_gradient(engine, model, gradient, &round);
 *                 gdc_critical_observe(critical, &round, dtype, d, gradient);    (round.h)
 *     gdc_critical_estimate(critical, &estimates);
 *     gdc_critical_advise(&estimates, &setting, &advice);
 *
 * This file knows numbers only: an update is told by two squared norms. */
#ifndef GRADCODE_CRITICAL_H
#define GRADCODE_CRITICAL_H

#include "gradcode/status.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gdc_critical gdc_critical;

/* population: samples that each batch is drawn from without replacement, in the units of the counts below: |G|^2 is then that of
 * the mean over this population, also where a batch is most or all of it. INFINITY: each sample is new, G is the expectation.
 * EINVAL: not positive. ENOMEM. */
GDC_API gdc_status gdc_critical_create(double population, gdc_critical **critical);
GDC_API void gdc_critical_destroy(gdc_critical *critical); /* accepts NULL */

/* One update. part_norm2: mean |g_l|^2 over gradients that are means of part_samples samples each; whole_norm2: |g|^2 of a mean of
 * whole_samples samples; all of one model. Allocates nothing. EINVAL: not finite, negative, or not 0 < part_samples <
 * whole_samples. */
GDC_API gdc_status gdc_critical_feed(gdc_critical *critical, double part_norm2, double part_samples, double whole_norm2,
                                     double whole_samples);

/* A value and its 95 % interval; NaN: not known. */
typedef struct gdc_interval {
    double value, low, high;
} gdc_interval;

/* gradient2, noise and ratio are of now: the two unbiased estimates of every update, |G|^2 = (b_b|g|^2 - b_s mean|g_l|^2) / (b_b -
 * b_s) and S = (mean|g_l|^2 - |g|^2) / (1/b_s - 1/b_b), averaged apart (exponentially, .99, corrected for the start) before any
 * ratio. Intervals by the delta method from the weighted variances of the updates.
 *
 * M and sigma^2 are the non-negative weighted least squares min sum n ((S - M |G|^2 - sigma^2) / S)^2 over levels: groups of n >=
 * 32 updates at about the same |G|^2, which is that of the updates before (an update's own noise must not choose its group),
 * corrected for what is left of the noise in the means of |G|^2. Groups with a mean below 0 are left out, single updates never.
 * Intervals by the delta method (sandwich) from the scatter inside the groups. Where all updates were at one level, M and sigma^2
 * cannot be told apart: value NaN, and the interval is what S >= M |G|^2 and S >= sigma^2 leave. */
typedef struct gdc_critical_estimates {
    size_t size;            /* sizeof(gdc_critical_estimates), set by the caller */
    uint64_t updates;       /* observed */
    int levels;             /* in the fit of M and sigma^2 */
    gdc_interval gradient2; /* |G|^2 */
    gdc_interval noise;     /* S */
    gdc_interval ratio;     /* S / |G|^2 = M + sigma^2 / |G|^2; high INFINITY: |G|^2 may be 0 */
    gdc_interval m, sigma2;
    double m_variance, sigma2_variance, covariance; /* of the two as fitted; NaN: not known */
} gdc_critical_estimates;

/* All unknown before the second update. */
GDC_API gdc_status gdc_critical_estimate(const gdc_critical *critical, gdc_critical_estimates *estimates);

/* What is, or might be, run. */
typedef struct gdc_critical_setting {
    double eps;        /* |G|^2 that is aimed at; 0: that of now */
    double batch;      /* b, samples of an update */
    double staleness;  /* tau, mean age of a gradient in updates; 0: synchronous */
    double mini_batch; /* m, samples that one worker has in flight; 0: not asked */
    double smoothness; /* L; 0: not known, steps are then in units of 1/L */
} gdc_critical_setting;

typedef struct gdc_critical_advice {
    size_t size; /* sizeof(gdc_critical_advice), set by the caller */
    gdc_interval
        batch; /* largest useful number of samples in flight, M + sigma^2 / eps: the largest useful batch at tau = 0 */
    double in_flight; /* what the setting has: b (1 + tau) */
    double staleness; /* largest useful tau at this b: batch / b - 1, at least 0 */
    double workers;   /* largest useful number of workers with m samples each: batch / m, at least 1 */
    /* Largest step size on the mean gradient for (b, tau) by the rule 1.5 / (L (1 + M/b + tau)): the mean over b samples has the
     * multiplicative noise M/b. M as fitted, or the largest that is possible where it is not known. */
    double step;
    double
        step_limit; /* where the scalar model with that M/b and tau (rounded up) becomes unstable, see gdc_critical_step; / L */
} gdc_critical_advice;

/* NaN where the estimates do not say. EINVAL: eps, staleness, mini_batch or smoothness negative, batch not positive, or one not
 * finite. */
GDC_API gdc_status gdc_critical_advise(const gdc_critical_estimates *estimates, const gdc_critical_setting *setting,
                                       gdc_critical_advice *advice);

/* Critical step size, in units of 1/lambda, of the exact scalar model x+ = x_t - eta lambda x_(t - staleness) (1 + z) with E z = 0,
 * E z^2 = noise, independent: E x^2 stays bounded iff eta is below it. noise = 0: 2 sin(pi / (2 (2 tau + 1))). EINVAL: noise
 * negative or not finite, staleness negative. */
GDC_API gdc_status gdc_critical_step(double noise, int staleness, double *step);

#ifdef __cplusplus
}
#endif
#endif

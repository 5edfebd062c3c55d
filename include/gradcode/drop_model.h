/* drop_model.h - what DropCompute (arXiv 2306.10598) gains where micro-batch times have light tails, by formulas.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Micro-batch times are independent with mean mu and deviation sigma; a worker's first m of them are taken as normal:
 *
 *     E[T]     = M mu + sigma sqrt(M) f(n), f the Gaussian maximum factor
 *     E[kept]  = sum_{m=1..M} Phi((tau - m mu) / (sigma sqrt m))               check=poll
 *              = 1 + sum_{m=1..M-1} Phi((tau - m mu) / (sigma sqrt m))         check=piece
 *     E[T(tau)] = min(tau, E[T]) for poll; min(tau + mu + sigma, E[T]) for piece, whose last micro-batch runs on
 *     S        = E[kept] / M (E[T] + T^c) / (E[T(tau)] + T^c)
 *
 * Good to a few per cent for light tails (200 workers or fewer, pieces within about 30 % of their mean). Under log-normal times E[T]
 * and S come out too low (200 workers, poll: 1.26 where simulation gives 1.37 to 1.40): take gdc_profile_choose on measured
 * times there, and this to extrapolate. */
#ifndef GRADCODE_DROP_MODEL_H
#define GRADCODE_DROP_MODEL_H

#include "gradcode/profile.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gdc_drop_model {
    size_t size;                /* set by gdc_drop_model_init */
    int workers;                /* n >= 1. Default 1 */
    int pieces;                 /* M >= 1, micro-batches per worker and round. Default 1 */
    double mean_s, deviation_s; /* mu > 0, sigma >= 0 of a micro-batch. Default 1, 0 */
    double overhead_s;          /* T^c >= 0. Default 0 */
} gdc_drop_model;

GDC_API void gdc_drop_model_init(gdc_drop_model *model);
/* The model of a measured profile: its sizes, mean, deviation and T^c. */
GDC_API void gdc_drop_model_of(const gdc_profile *profile, gdc_drop_model *model);

/* f(n): the expected largest of n standard normals, (1 - g) Phi^-1(1 - 1/n) + g Phi^-1(1 - 1/(e n)) with Euler's g; 0 for n = 1. */
GDC_API double gdc_drop_model_factor(int workers);

/* These three: EINVAL if the model (or tau < 0) is impossible; the sentence names it. */

/* E[T], without T^c. */
GDC_API gdc_status gdc_drop_model_time(const gdc_drop_model *model, double *seconds);
/* Expected kept share, round time and effective speed-up at tau. */
GDC_API gdc_status gdc_drop_model_judge(const gdc_drop_model *model, double tau_s, gdc_check check,
                                        gdc_threshold *threshold);
/* The best of 1,000 thresholds spread over (0, E[T]] that keep at least one micro-batch per worker on average. */
GDC_API gdc_status gdc_drop_model_choose(const gdc_drop_model *model, gdc_check check, gdc_threshold *threshold);

#ifdef __cplusplus
}
#endif
#endif

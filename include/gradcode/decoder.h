/* decoder.h - the decoder: takes arrivals one at a time and says when, and how, they give the full gradient.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The decoder knows only rows. Arrivals R can give the full gradient iff the all-ones vector is in the span of their rows:
 * weights a with a^T R = 1^T. The residual is rho = a^T R - 1, the gate ||rho||_inf <= 1e-7. Weights depend only on the SET of
 * accepted arrivals, never on their order.
 *
 * Where the plan cuts gradients into m blocks (plan.h), block v is decoded by weights of its own: a_v^T R is 1 on the columns of
 * block v and 0 on all others. The arrivals give the full gradient iff they give every block.
 *
 * Use:  create once; per round: reset, offer ... until complete, weights. Not thread-safe. A round allocates nothing after the
 * first ones. */
#ifndef GRADCODE_DECODER_H
#define GRADCODE_DECODER_H

#include "gradcode/plan.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gdc_decoder gdc_decoder;

typedef struct gdc_decode {
    size_t size;          /* sizeof(gdc_decode), set by the caller */
    double residual;      /* ||a^T R - 1||_inf, of the worst block */
    double residual_rms;  /* sqrt(||a^T R - 1||_2^2 / k), over all blocks: / (m k) */
    double amplification; /* sum_i |a_i| ||row_i||_1 / k, of the worst block */
    int missing;          /* partitions j of which some |rho| is above the gate */
} gdc_decode;

/* Keeps a pointer to plan, which must outlive the decoder. ENOMEM (the sentence says how much is wanted). */
GDC_API gdc_status gdc_decoder_create(const gdc_plan *plan, gdc_decoder **decoder);
GDC_API void gdc_decoder_destroy(gdc_decoder *decoder); /* accepts NULL */
GDC_API void gdc_decoder_reset(gdc_decoder *decoder);

/* Offers message (worker, index). Returns 1: accepted, the decode may use it; 0: redundant: it was offered before, an equal
 * row was, or all that it could contribute to is decodable already. */
GDC_API int gdc_decoder_offer(gdc_decoder *decoder, int worker, int index);

/* Would gdc_decoder_offer accept the message now? Changes nothing. */
GDC_API int gdc_decoder_wants(const gdc_decoder *decoder, int worker, int index);

/* 1 iff the accepted arrivals give the full gradient. O(1). */
GDC_API int gdc_decoder_complete(const gdc_decoder *decoder);

/* Weights of all messages: weight[i], i counted in (worker, index) order over all workers' messages; 0 for what was not
 * accepted. Plans of m blocks: weight [m x messages], that of message i in block v at v * messages + i. Where complete,
 * exact to the gate; where not, the least-squares best (minimum ||a^T R - 1||_2), and missing > 0. missing (may be NULL)
 * [k]: 1 for each partition that is not decodable. quality may be NULL. ENUMERIC: complete, and yet the residual is above
 * the gate (never returned silently wrong). ENOMEM. */
GDC_API gdc_status gdc_decoder_weights(gdc_decoder *decoder, double *weight, unsigned char *missing,
                                       gdc_decode *quality);

#ifdef __cplusplus
}
#endif
#endif

/* draw.h - seeded draws: pure functions of a key, made by a counter-based generator (Philox 4x64-10 of
 * Random123). SPDX-License-Identifier: BSD-3-Clause
 *
 * There is no state: the same key gives the same number on every rank and in every order, and on every
 * machine, up to the last bit of libm's log and cos in the exponential and the normal. */
#ifndef GRADCODE_DRAW_H
#define GRADCODE_DRAW_H

#include "gradcode/status.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gdc_key {
    uint64_t seed;
    uint64_t purpose; /* keeps unrelated uses apart */
    uint64_t a, b, c; /* e.g. worker, version, index */
} gdc_key;

GDC_API void gdc_draw_bits(
    gdc_key key, uint64_t bits[4]); /* the generator's whole block: counter {a, b, c, purpose}, key {seed, 0} */
GDC_API double gdc_draw_uniform(gdc_key key);     /* (0, 1), 53 bits, never 0 or 1 */
GDC_API double gdc_draw_exponential(gdc_key key); /* mean 1 */
GDC_API double gdc_draw_normal(gdc_key key);      /* mean 0, variance 1 */
GDC_API uint64_t gdc_draw_below(gdc_key key,
                                uint64_t bound); /* uniform on 0..bound-1, without modulo bias beyond 2^-64 */
/* A uniformly random permutation of 0..count-1 (Fisher-Yates; key.c is replaced by the step). */
GDC_API void gdc_draw_permutation(gdc_key key, int count, int *permutation);

#ifdef __cplusplus
}
#endif
#endif

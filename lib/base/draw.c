/* draw.c - draws without state over Philox 4x64-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3").
 * SPDX-License-Identifier: BSD-3-Clause */
#include "gradcode/draw.h"

#include <Random123/philox.h>
#include <math.h>

void gdc_draw_bits(gdc_key key, uint64_t bits[4])
{
    philox4x64_ctr_t counter = {{key.a, key.b, key.c, key.purpose}};
    philox4x64_key_t secret = {{key.seed, 0}};
    philox4x64_ctr_t block = philox4x64(counter, secret);
    for (int i = 0; i < 4; i++)
        bits[i] = block.v[i];
}

/* The odd multiples of 2^-53: symmetric about 1/2, and neither end can be hit. */
static double uniform_of(uint64_t bits)
{
    return (double)((bits >> 11) | 1) * 0x1p-53;
}

double gdc_draw_uniform(gdc_key key)
{
    uint64_t bits[4];
    gdc_draw_bits(key, bits);
    return uniform_of(bits[0]);
}

double gdc_draw_exponential(gdc_key key)
{
    return -log(gdc_draw_uniform(key));
}

double gdc_draw_normal(gdc_key key)
{
    const double two_pi = 6.283185307179586;
    uint64_t bits[4];
    gdc_draw_bits(key, bits);
    return sqrt(-2 * log(uniform_of(bits[0]))) * cos(two_pi * uniform_of(bits[1]));
}

/* The upper half of a 128-bit product, by schoolbook on halves. */
static uint64_t high_product(uint64_t a, uint64_t b)
{
    const uint64_t mask = UINT32_MAX;
    uint64_t a0 = a & mask, a1 = a >> 32, b0 = b & mask, b1 = b >> 32;
    uint64_t middle = a1 * b0 + (a0 * b0 >> 32);
    return a1 * b1 + (middle >> 32) + ((a0 * b1 + (middle & mask)) >> 32);
}

/* floor(x * bound / 2^128) of a 128-bit x. */
uint64_t gdc_draw_below(gdc_key key, uint64_t bound)
{
    uint64_t bits[4];
    gdc_draw_bits(key, bits);
    uint64_t low = bits[0] * bound, carried = low + high_product(bits[1], bound);
    return high_product(bits[0], bound) + (carried < low);
}

void gdc_draw_permutation(gdc_key key, int count, int *permutation)
{
    for (int i = 0; i < count; i++)
        permutation[i] = i;
    for (int i = count - 1; i > 0; i--) {
        key.c = (uint64_t)i;
        uint64_t j = gdc_draw_below(key, (uint64_t)i + 1);
        int kept = permutation[i];
        permutation[i] = permutation[j];
        permutation[j] = kept;
    }
}

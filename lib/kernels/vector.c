/* vector.c - the plain twins of the kernels, and vectors whose type is known at run time.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/vector.h"

void gdc_combine_f64_ref(size_t count, int m, const double *weight, const double *const *in, bool accumulate,
                         double *out)
{
    for (size_t j = 0; j < count; j++) {
        double sum = accumulate ? out[j] : 0;
        for (int i = 0; i < m; i++)
            sum += weight[i] * in[i][j];
        out[j] = sum;
    }
}

void gdc_combine_f32_ref(size_t count, int m, const double *weight, const float *const *in, bool accumulate, float *out)
{
    for (size_t j = 0; j < count; j++) {
        float sum = accumulate ? out[j] : 0;
        for (int i = 0; i < m; i++)
            sum += (float)weight[i] * in[i][j];
        out[j] = sum;
    }
}

size_t gdc_element_bytes(bool f32)
{
    return f32 ? sizeof(float) : sizeof(double);
}

/* Pointers are copied to ones of the right type, so many at a time: out is read once more for each further
 * group, and the order of additions, hence every bit, stays. */
enum { GROUP = 64 };

static void combine_group(bool f32, size_t count, int m, const double *weight, const void *const *in, bool accumulate,
                          void *out)
{
    const double *doubles[GROUP];
    const float *floats[GROUP];
    for (int i = 0; i < m; i++) {
        doubles[i] = f32 ? NULL : in[i];
        floats[i] = f32 ? in[i] : NULL;
    }
    if (f32)
        gdc_combine_f32(count, m, weight, floats, accumulate, out);
    else
        gdc_combine_f64(count, m, weight, doubles, accumulate, out);
}

void gdc_combine(bool f32, size_t count, int m, const double *weight, const void *const *in, bool accumulate, void *out)
{
    for (int i = 0; i == 0 || i < m; i += GROUP)
        combine_group(f32, count, m - i < GROUP ? m - i : GROUP, weight + i, in + i, accumulate || i > 0, out);
}

void gdc_scale(bool f32, size_t count, double factor, void *x)
{
    if (f32)
        gdc_scale_f32(count, factor, x);
    else
        gdc_scale_f64(count, factor, x);
}

bool gdc_all_finite(bool f32, size_t count, const void *x)
{
    return f32 ? gdc_all_finite_f32(count, x) : gdc_all_finite_f64(count, x);
}

double gdc_norm2(bool f32, size_t count, const void *x)
{
    return f32 ? gdc_norm2_f32(count, x) : gdc_norm2_f64(count, x);
}

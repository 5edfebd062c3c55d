/* vector.h - long vectors of float or double: sums at memory speed, each with a plain `_ref` twin.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GDC_KERNELS_VECTOR_H
#define GDC_KERNELS_VECTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* out[count] = sum_i weight[i] * in[i][count], added in the order of i (same order, same bits for every blocking); accumulate: out
 * += instead. float vectors: weights are rounded to float first. m = 0 gives zeros. No overlap. One pass over memory. */
void gdc_combine_f64(size_t count, int m, const double *weight, const double *const *in, bool accumulate, double *out);
void gdc_combine_f32(size_t count, int m, const double *weight, const float *const *in, bool accumulate, float *out);
void gdc_combine_f64_ref(size_t count, int m, const double *weight, const double *const *in, bool accumulate,
                         double *out);
void gdc_combine_f32_ref(size_t count, int m, const double *weight, const float *const *in, bool accumulate,
                         float *out);

/* x *= factor */
void gdc_scale_f64(size_t count, double factor, double *x);
void gdc_scale_f32(size_t count, double factor, float *x);

/* True iff every number is finite. */
bool gdc_all_finite_f64(size_t count, const double *x);
bool gdc_all_finite_f32(size_t count, const float *x);

/* sum of squares, in double */
double gdc_norm2_f64(size_t count, const double *x);
double gdc_norm2_f32(size_t count, const float *x);

/* ---- the same for a vector whose type is known at run time; f32: elements are float, else double ---- */
size_t gdc_element_bytes(bool f32);
void gdc_combine(bool f32, size_t count, int m, const double *weight, const void *const *in, bool accumulate,
                 void *out);
void gdc_scale(bool f32, size_t count, double factor, void *x);
bool gdc_all_finite(bool f32, size_t count, const void *x);
double gdc_norm2(bool f32, size_t count, const void *x);

#endif

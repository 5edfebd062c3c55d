/* layer.h - one dense layer of scores: s = x W^T + b, and its gradient.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Its parameters are W [outputs x inputs] row-major, then b [outputs] if has_bias. All matrices are row-major and of dtype. */
#ifndef APPS_PROBLEMS_LAYER_H
#define APPS_PROBLEMS_LAYER_H

#include "gradcode/round.h"

#include <stdbool.h>

typedef struct layer {
    gdc_dtype dtype;
    size_t inputs, outputs;
    bool has_bias;
} layer;

size_t layer_weights(const layer *l); /* numbers in W */
size_t layer_parameters(const layer *l);
/* s [rows x outputs] = x [rows x inputs] W^T + b */
void layer_forward(const layer *l, size_t rows, const void *x, const void *parameters, void *s);
/* sum += scale * gradient of the parameters, for derivatives s [rows x outputs]; ones: [rows] of 1 */
void layer_backward(const layer *l, size_t rows, double scale, const void *s, const void *x, const void *ones,
                    void *sum);
/* x [rows x inputs] = s W: the derivatives of the inputs */
void layer_inward(const layer *l, size_t rows, const void *s, const void *parameters, void *x);

#endif

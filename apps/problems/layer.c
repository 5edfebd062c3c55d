/* layer.c - a dense layer through two or three matrix products.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "problems/layer.h"

#include "problems/real.h"

#include <string.h>

size_t layer_weights(const layer *l)
{
    return l->outputs * l->inputs;
}

size_t layer_parameters(const layer *l)
{
    return layer_weights(l) + (l->has_bias ? l->outputs : 0);
}

void layer_forward(const layer *l, size_t rows, const void *x, const void *parameters, void *s)
{
    size_t row = l->outputs * real_bytes(l->dtype);
    if (l->has_bias)
        for (size_t i = 0; i < rows; i++)
            memcpy((char *)s + i * row, real_from(l->dtype, parameters, layer_weights(l)), row);
    else
        memset(s, 0, rows * row);
    real_forward(l->dtype, (real_shape){rows, l->inputs, l->outputs}, x, parameters, s);
}

void layer_backward(const layer *l, size_t rows, double scale, const void *s, const void *x, const void *ones,
                    void *sum)
{
    real_backward(l->dtype, (real_shape){rows, l->inputs, l->outputs}, scale, s, x, sum);
    if (l->has_bias)
        real_backward(l->dtype, (real_shape){rows, 1, l->outputs}, scale, s, ones,
                      real_at(l->dtype, sum, layer_weights(l)));
}

void layer_inward(const layer *l, size_t rows, const void *s, const void *parameters, void *x)
{
    real_inward(l->dtype, (real_shape){rows, l->inputs, l->outputs}, s, parameters, x);
}

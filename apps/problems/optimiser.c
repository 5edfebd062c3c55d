/* optimiser.c - steps of gradient descent with heavy-ball or Nesterov's momentum.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "problems/optimiser.h"

#include "problems/real.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

gdc_status optimiser_init(gdc_dtype dtype, size_t dimension, double rate, double momentum, int nesterov, optimiser *out)
{
    if (!(rate > 0) || !isfinite(rate))
        return gdc_fail(GDC_EINVAL, "rate=%g: want a finite number above 0", rate);
    if (!(momentum >= 0 && momentum < 1))
        return gdc_fail(GDC_EINVAL, "momentum=%g: want 0 or more and less than 1", momentum);
    if (nesterov && !(momentum > 0))
        return gdc_fail(GDC_EINVAL, "nesterov with momentum=%g: want a momentum above 0, such as 0.9", momentum);
    if (dimension < 1 || dimension > INT_MAX)
        return gdc_fail(GDC_EINVAL, "%zu parameters: want 1 to %d", dimension, INT_MAX);
    optimiser o = {.dtype = dtype, .dimension = dimension, .rate = rate, .momentum = momentum, .nesterov = nesterov};
    if (momentum > 0) {
        o.velocity = calloc(dimension, real_bytes(dtype));
        if (!o.velocity)
            return gdc_fail(GDC_ENOMEM, "no memory for the velocity of %zu parameters", dimension);
    }
    *out = o;
    return GDC_OK;
}

void optimiser_reset(optimiser *o)
{
    if (o->velocity)
        memset(o->velocity, 0, o->dimension * real_bytes(o->dtype));
}

void optimiser_free(optimiser *o)
{
    free(o->velocity);
    o->velocity = NULL;
}

void optimiser_step(optimiser *o, const void *gradient, void *model)
{
    if (!o->velocity) {
        real_axpy(o->dtype, o->dimension, -o->rate, gradient, model);
        return;
    }
    real_scale(o->dtype, o->dimension, o->momentum, o->velocity);
    real_axpy(o->dtype, o->dimension, 1, gradient, o->velocity);
    if (o->nesterov)
        real_axpy(o->dtype, o->dimension, -o->rate, gradient, model);
    real_axpy(o->dtype, o->dimension, o->nesterov ? -o->rate * o->momentum : -o->rate, o->velocity, model);
}

/* optimiser.h - SGD with momentum or Nesterov's momentum; its state lives with whoever updates the model.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef APPS_PROBLEMS_OPTIMISER_H
#define APPS_PROBLEMS_OPTIMISER_H

#include "gradcode/round.h"

typedef struct optimiser {
    gdc_dtype dtype;
    size_t dimension;
    double rate, momentum;
    int nesterov;
    void *velocity; /* [dimension]; NULL without momentum */
} optimiser;

gdc_status optimiser_init(gdc_dtype dtype, size_t dimension, double rate, double momentum, int nesterov,
                          optimiser *out);
void optimiser_reset(optimiser *o); /* velocity = 0 */
void optimiser_free(optimiser *o);
/* velocity = momentum * velocity + gradient; model -= rate * (nesterov ? gradient + momentum * velocity :
 * velocity). gradient is the mean gradient, regulariser included; left as it is. */
void optimiser_step(optimiser *o, const void *gradient, void *model);

#endif

/* trainer.h - who updates the model: model, gradient and optimiser, the same for every strategy and both clocks.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef APPS_GRADCODE_TRAINER_H
#define APPS_GRADCODE_TRAINER_H

#include "problems/optimiser.h"
#include "run.h"

typedef struct trainer {
    const run *run;
    void *model, *gradient; /* [d]; NULL: timing only */
    optimiser optimiser;
} trainer;

gdc_status trainer_open(const run *r, trainer *t);
void trainer_close(trainer *t);
/* The initial model, an optimiser at rest. */
void trainer_reset(trainer *t);
/* gradient holds a sum over the batch: divides by its size, adds the regulariser once, and steps. */
void trainer_step(trainer *t);

/* What a partial needs. engine: asked whether the round is over (NULL: nobody to ask). */
typedef struct work {
    const run *run;
    gdc_engine *engine;
} work;

/* gdc_partial_fn with a struct work as context. */
int work_partial(void *context, gdc_task *task, void *sum);

#endif

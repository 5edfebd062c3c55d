/* trainer.c - model updates and partial gradients.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "trainer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Samples between two looks at the round, whoever asks: the same cut everywhere gives the same bits
 * everywhere. */
enum { CHUNK = 256 };

gdc_status trainer_open(const run *r, trainer *t)
{
    *t = (trainer){.run = r};
    if (r->timing_only)
        return GDC_OK;
    t->model = calloc(r->dimension, r->element);
    t->gradient = calloc(r->dimension, r->element);
    if (t->model == NULL || t->gradient == NULL)
        return gdc_fail(GDC_ENOMEM, "no memory for a model of %zu numbers", r->dimension);
    const config *c = r->config;
    return optimiser_init(r->dtype, r->dimension, c->rate, c->momentum, c->nesterov, &t->optimiser);
}

void trainer_close(trainer *t)
{
    optimiser_free(&t->optimiser);
    free(t->model);
    free(t->gradient);
}

void trainer_reset(trainer *t)
{
    const run *r = t->run;
    if (r->timing_only)
        return;
    r->problem.ops->initial(r->problem.self, r->config->seed, t->model);
    optimiser_reset(&t->optimiser);
}

static void divide(const run *r, void *vector)
{
    double size = (double)r->batch.size;
    if (r->dtype == GDC_F64) {
        for (size_t i = 0; i < r->dimension; i++)
            ((double *)vector)[i] /= size;
    } else {
        for (size_t i = 0; i < r->dimension; i++)
            ((float *)vector)[i] /= (float)size;
    }
}

void trainer_step(trainer *t)
{
    const run *r = t->run;
    if (r->timing_only)
        return;
    divide(r, t->gradient);
    if (r->problem.ops->regularise != NULL)
        r->problem.ops->regularise(r->problem.self, t->model, t->gradient);
    optimiser_step(&t->optimiser, t->gradient, t->model);
}

int work_partial(void *context, gdc_task *task, void *sum)
{
    const work *w = context;
    const run *r = w->run;
    bool can_cut = isfinite(r->config->poll_s);
    sample_range range[2];
    int ranges = batch_ranges(&r->batch, task->version, task->partition, range);
    double loss = 0;
    for (int i = 0; i < ranges; i++) {
        for (size_t done = 0; done < range[i].count; done += CHUNK) {
            size_t count = range[i].count - done < CHUNK ? range[i].count - done : CHUNK;
            loss += r->problem.ops->add(r->problem.self, range[i].first + done, count, task->scale, task->model, sum);
            if (w->engine != NULL && gdc_poll(w->engine) == 1 && can_cut)
                return GDC_CUT;
        }
    }
    task->loss = loss;
    return 0;
}

/* linear.c - gradients of losses of linear scores, a chunk of samples at a time.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "problems/linear.h"

#include "gradcode/draw.h"
#include "problems/layer.h"
#include "problems/real.h"

#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 256 }; /* samples converted at a time: they stay in cache between the two products */
enum { START_ZEROS, START_NORMAL };

const gdc_option linear_option_table[] = {
    {.key = "l2",
     .type = GDC_REAL,
     .offset = offsetof(linear_options, l2),
     .fallback = "0",
     .min = 0,
     .max = 1e6,
     .help = "adds l2/2 times the squared weights (not the bias) to the mean loss"},
    {.key = "bias",
     .type = GDC_INT,
     .offset = offsetof(linear_options, bias),
     .fallback = "1",
     .min = 0,
     .max = 1,
     .help = "1: one more parameter per output, added to its score"},
    {.key = "start",
     .type = GDC_WORD,
     .offset = offsetof(linear_options, start),
     .fallback = "zeros",
     .words = "zeros|normal",
     .help = "initial parameters; normal: seeded, standard deviation 0.01"},
    {.key = NULL},
};

typedef struct linear {
    const data *set;
    layer layer;
    linear_options options;
    linear_loss_fn loss;
    void *rows;    /* [CHUNK x features] */
    void *scores;  /* [CHUNK x outputs]: scores, then their derivatives */
    void *ones;    /* [CHUNK] */
    double *score; /* [outputs] of one sample */
} linear;

size_t linear_dimension(const void *self)
{
    const linear *p = self;
    return layer_parameters(&p->layer);
}

static gdc_status allocate_scratch(linear *p)
{
    const layer *l = &p->layer;
    size_t size = real_bytes(l->dtype);
    p->rows = calloc(CHUNK * l->inputs, size);
    p->scores = calloc(CHUNK * l->outputs, size);
    p->ones = real_ones(l->dtype, CHUNK);
    p->score = calloc(l->outputs, sizeof *p->score);
    if (!p->rows || !p->scores || !p->ones || !p->score)
        return gdc_fail(GDC_ENOMEM, "no memory for %d samples of %zu features", CHUNK, l->inputs);
    return GDC_OK;
}

gdc_status linear_open(const linear_options *options, const data *set, gdc_dtype dtype, size_t outputs,
                       linear_loss_fn loss, void **self)
{
    if (set->features >= INT_MAX / outputs)
        return gdc_fail(GDC_EINVAL, "%zu outputs of %zu features: want at most %d parameters", outputs, set->features,
                        INT_MAX);
    linear *p = malloc(sizeof *p);
    if (!p)
        return gdc_fail(GDC_ENOMEM, "no memory for a problem");
    *p = (linear){
        .set = set, .layer = {dtype, set->features, outputs, options->bias}, .options = *options, .loss = loss};
    gdc_status status = allocate_scratch(p);
    if (status)
        linear_close(p);
    else
        *self = p;
    return status;
}

void linear_close(void *self)
{
    linear *p = self;
    if (!p)
        return;
    free(p->rows);
    free(p->scores);
    free(p->ones);
    free(p->score);
    free(p);
}

void linear_initial(const void *self, uint64_t seed, void *model)
{
    static const uint64_t purpose = 0x696e697469616c6du;
    const linear *p = self;
    size_t count = linear_dimension(p);
    for (size_t i = 0; i < count; i++) {
        double value = 0;
        if (p->options.start == START_NORMAL)
            value = 0.01 * gdc_draw_normal((gdc_key){.seed = seed, .purpose = purpose, .a = i});
        real_store(p->layer.dtype, 1, &value, real_at(p->layer.dtype, model, i));
    }
}

static void forward(const linear *p, size_t first, size_t count, const void *model)
{
    real_rows(p->layer.dtype, p->set, first, count, p->rows);
    layer_forward(&p->layer, count, p->rows, model, p->scores);
}

/* scores -> derivatives and losses [count]. The loss of a sample is computed in double in either type. */
static void differentiate(const linear *p, size_t first, size_t count, double *loss)
{
    size_t outputs = p->layer.outputs;
    for (size_t i = 0; i < count; i++) {
        void *score = real_at(p->layer.dtype, p->scores, i * outputs);
        real_load(p->layer.dtype, outputs, score, p->score);
        loss[i] = p->loss(outputs, p->set->y[first + i], p->score);
        real_store(p->layer.dtype, outputs, p->score, score);
    }
}

double linear_add(const void *self, size_t first, size_t count, double scale, const void *model, void *sum)
{
    const linear *p = self;
    double loss[CHUNK], total = 0;
    for (size_t part; count; first += part, count -= part) {
        part = count < CHUNK ? count : CHUNK;
        forward(p, first, part, model);
        differentiate(p, first, part, loss);
        layer_backward(&p->layer, part, scale, p->scores, p->rows, p->ones, sum);
        for (size_t i = 0; i < part; i++)
            total += loss[i];
    }
    return total;
}

void linear_losses(const void *self, size_t first, size_t count, const void *model, double *loss)
{
    const linear *p = self;
    for (size_t part; count; first += part, count -= part, loss += part) {
        part = count < CHUNK ? count : CHUNK;
        forward(p, first, part, model);
        differentiate(p, first, part, loss);
    }
}

void linear_regularise(const void *self, const void *model, void *gradient)
{
    const linear *p = self;
    if (p->options.l2 > 0)
        real_axpy(p->layer.dtype, layer_weights(&p->layer), p->options.l2, model, gradient);
}

double linear_penalty(const void *self, const void *model)
{
    const linear *p = self;
    return p->options.l2 > 0 ? p->options.l2 / 2 * real_dot(p->layer.dtype, layer_weights(&p->layer), model, model) : 0;
}

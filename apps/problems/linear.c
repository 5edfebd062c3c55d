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

enum { CHUNK = PROBLEM_SAMPLES }; /* samples converted at a time: they stay in cache between the two products */
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
    void *scores;  /* [CHUNK x models x outputs]: scores, then their derivatives; one model but in linear_losses */
    void *stack;   /* W of PROBLEM_MODELS models, then their b */
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
    p->scores = calloc(CHUNK * PROBLEM_MODELS * l->outputs, size);
    p->stack = calloc(PROBLEM_MODELS * layer_parameters(l), size);
    p->ones = real_ones(l->dtype, CHUNK);
    p->score = calloc(l->outputs, sizeof *p->score);
    if (!p->rows || !p->scores || !p->stack || !p->ones || !p->score)
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
    free(p->stack);
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

/* The loss of one sample, whose scores become derivatives; computed in double in either type. */
static double differentiate(const linear *p, double label, void *score)
{
    size_t outputs = p->layer.outputs;
    real_load(p->layer.dtype, outputs, score, p->score);
    double loss = p->loss(outputs, label, p->score);
    real_store(p->layer.dtype, outputs, p->score, score);
    return loss;
}

double linear_add(const void *self, size_t first, size_t count, double scale, const void *model, void *sum)
{
    const linear *p = self;
    double loss = 0;
    for (size_t part; count; first += part, count -= part) {
        part = count < CHUNK ? count : CHUNK;
        real_rows(p->layer.dtype, p->set, first, part, p->rows);
        layer_forward(&p->layer, part, p->rows, model, p->scores);
        for (size_t i = 0; i < part; i++)
            loss += differentiate(p, p->set->y[first + i], real_at(p->layer.dtype, p->scores, i * p->layer.outputs));
        layer_backward(&p->layer, part, scale, p->scores, p->rows, p->ones, sum);
    }
    return loss;
}

/* The models one below the other: a layer of so many times the outputs. */
static layer stack_models(const linear *p, const void *const *models, int many)
{
    const layer *l = &p->layer;
    size_t size = real_bytes(l->dtype), weights = layer_weights(l), biases = layer_parameters(l) - weights;
    char *w = p->stack, *b = w + (size_t)many * weights * size;
    for (int m = 0; m < many; m++, w += weights * size, b += biases * size) {
        memcpy(w, models[m], weights * size);
        memcpy(b, real_from(l->dtype, models[m], weights), biases * size);
    }
    return (layer){l->dtype, l->inputs, (size_t)many * l->outputs, l->has_bias};
}

void linear_losses(const void *self, size_t first, size_t count, const void *const *models, int many, double *loss)
{
    const linear *p = self;
    layer all = stack_models(p, models, many);
    real_rows(all.dtype, p->set, first, count, p->rows);
    layer_forward(&all, count, p->rows, p->stack, p->scores);
    for (size_t i = 0; i < count; i++)
        for (size_t m = 0; m < (size_t)many; m++) {
            void *score = real_at(all.dtype, p->scores, i * all.outputs + m * p->layer.outputs);
            loss[m * count + i] = differentiate(p, p->set->y[first + i], score);
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

/* linear.c - gradients of losses of linear scores, a chunk of samples at a time.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "problems/linear.h"

#include "gradcode/draw.h"
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
    gdc_dtype dtype;
    size_t outputs;
    linear_options options;
    linear_loss_fn loss;
    void *rows;    /* [CHUNK x features] of dtype */
    void *scores;  /* [CHUNK x outputs] of dtype: scores, then their derivatives */
    void *ones;    /* [CHUNK] of dtype */
    double *score; /* [outputs] of one sample */
} linear;

static size_t weights(const linear *p)
{
    return p->outputs * p->set->features;
}

size_t linear_dimension(const void *self)
{
    const linear *p = self;
    return weights(p) + (p->options.bias ? p->outputs : 0);
}

static gdc_status allocate_scratch(linear *p)
{
    size_t size = real_bytes(p->dtype);
    p->rows = calloc(CHUNK * p->set->features, size);
    p->scores = calloc(CHUNK * p->outputs, size);
    p->ones = calloc(CHUNK, size);
    p->score = calloc(p->outputs, sizeof *p->score);
    if (!p->rows || !p->scores || !p->ones || !p->score)
        return gdc_fail(GDC_ENOMEM, "no memory for %d samples of %zu features", CHUNK, p->set->features);
    for (size_t i = 0; i < CHUNK; i++)
        real_store(p->dtype, 1, &(double){1}, real_at(p->dtype, p->ones, i));
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
    *p = (linear){.set = set, .dtype = dtype, .outputs = outputs, .options = *options, .loss = loss};
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
        real_store(p->dtype, 1, &value, real_at(p->dtype, model, i));
    }
}

/* rows = the samples, scores = W x + b */
static void forward(const linear *p, size_t first, size_t count, const void *model)
{
    if (p->dtype == GDC_F64)
        data_rows_f64(p->set, first, count, p->rows);
    else
        data_rows_f32(p->set, first, count, p->rows);
    size_t row = p->outputs * real_bytes(p->dtype);
    memset(p->scores, 0, count * row);
    if (p->options.bias)
        for (size_t i = 0; i < count; i++)
            memcpy((char *)p->scores + i * row, real_from(p->dtype, model, weights(p)), row);
    real_forward(p->dtype, (real_shape){count, p->set->features, p->outputs}, p->rows, model, p->scores);
}

/* scores -> derivatives; the sum of the losses. The loss of a sample is computed in double in either type. */
static double differentiate(const linear *p, size_t first, size_t count)
{
    double loss = 0;
    for (size_t i = 0; i < count; i++) {
        void *score = real_at(p->dtype, p->scores, i * p->outputs);
        real_load(p->dtype, p->outputs, score, p->score);
        loss += p->loss(p->outputs, p->set->y[first + i], p->score);
        real_store(p->dtype, p->outputs, p->score, score);
    }
    return loss;
}

static void backward(const linear *p, size_t count, double scale, void *sum)
{
    real_backward(p->dtype, (real_shape){count, p->set->features, p->outputs}, scale, p->scores, p->rows, sum);
    if (p->options.bias)
        real_backward(p->dtype, (real_shape){count, 1, p->outputs}, scale, p->scores, p->ones,
                      real_at(p->dtype, sum, weights(p)));
}

double linear_add(const void *self, size_t first, size_t count, double scale, const void *model, void *sum)
{
    const linear *p = self;
    double loss = 0;
    for (size_t part; count; first += part, count -= part) {
        part = count < CHUNK ? count : CHUNK;
        forward(p, first, part, model);
        loss += differentiate(p, first, part);
        backward(p, part, scale, sum);
    }
    return loss;
}

void linear_regularise(const void *self, const void *model, void *gradient)
{
    const linear *p = self;
    if (p->options.l2 > 0)
        real_axpy(p->dtype, weights(p), p->options.l2, model, gradient);
}

double linear_loss(const void *self, const void *model)
{
    const linear *p = self;
    double sum = 0;
    for (size_t first = 0, part; first < p->set->samples; first += part) {
        part = p->set->samples - first < CHUNK ? p->set->samples - first : CHUNK;
        forward(p, first, part, model);
        sum += differentiate(p, first, part);
    }
    double squares = p->options.l2 > 0 ? real_dot(p->dtype, weights(p), model, model) : 0;
    return sum / (double)p->set->samples + p->options.l2 / 2 * squares;
}

/* mlp.c - a perceptron with one hidden layer: cross-entropy of softmax(W2 tanh(W1 x + b1) + b2).
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The hidden units are tanh, not ReLU: the loss then has continuous derivatives, which the bounds that strategies are judged by
 * assume and finite differences can check. The model is W1 [hidden x features], b1 [hidden], W2 [classes x hidden], b2 [classes];
 * it starts at Glorot's normal weights (variance 2 / (inputs + outputs)), seeded, and biases of 0: from zeros the hidden units
 * would never come to differ. */
#include "gradcode/draw.h"
#include "problems/layer.h"
#include "problems/real.h"
#include "problems/softmax.h"

#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

enum { CHUNK = PROBLEM_SAMPLES, HIDDEN_MAX = 1000000 };

typedef struct mlp_options {
    int hidden;
    double l2;
} mlp_options;

static const gdc_option option_table[] = {
    {.key = "hidden",
     .type = GDC_INT,
     .offset = offsetof(mlp_options, hidden),
     .fallback = "32",
     .min = 1,
     .max = HIDDEN_MAX,
     .help = "units of the hidden layer"},
    {.key = "l2",
     .type = GDC_REAL,
     .offset = offsetof(mlp_options, l2),
     .fallback = "0",
     .min = 0,
     .max = 1e6,
     .help = "adds l2/2 times the squared weights (not the biases) to the mean loss"},
    {.key = NULL},
};

typedef struct mlp {
    const data *set;
    gdc_dtype dtype;
    layer inner, outer;
    double l2;
    void *rows;     /* [CHUNK x features] */
    void *units;    /* [CHUNK x hidden]: tanh of the inner layer */
    void *slopes;   /* [CHUNK x hidden]: derivatives with respect to what tanh is taken of */
    void *scores;   /* [CHUNK x classes]: scores, then their derivatives */
    void *ones;     /* [CHUNK] */
    double *number; /* [hidden or classes] of one sample */
} mlp;

static size_t mlp_dimension(const void *self)
{
    const mlp *p = self;
    return layer_parameters(&p->inner) + layer_parameters(&p->outer);
}

/* The parameters of the outer layer within a model. */
static const void *outer_of(const mlp *p, const void *model)
{
    return real_from(p->dtype, model, layer_parameters(&p->inner));
}

static gdc_status allocate_scratch(mlp *p)
{
    size_t size = real_bytes(p->dtype), hidden = p->inner.outputs, classes = p->outer.outputs;
    p->rows = calloc(CHUNK * p->inner.inputs, size);
    p->units = calloc(CHUNK * hidden, size);
    p->slopes = calloc(CHUNK * hidden, size);
    p->scores = calloc(CHUNK * classes, size);
    p->ones = real_ones(p->dtype, CHUNK);
    p->number = calloc(hidden > classes ? hidden : classes, sizeof *p->number);
    if (!p->rows || !p->units || !p->slopes || !p->scores || !p->ones || !p->number)
        return gdc_fail(GDC_ENOMEM, "no memory for %d samples of %zu features and %zu hidden units", CHUNK,
                        p->inner.inputs, hidden);
    return GDC_OK;
}

static void mlp_close(void *self)
{
    mlp *p = self;
    if (!p)
        return;
    free(p->rows);
    free(p->units);
    free(p->slopes);
    free(p->scores);
    free(p->ones);
    free(p->number);
    free(p);
}

static gdc_status check_size(const mlp_options *o, const data *set)
{
    double numbers = o->hidden * ((double)set->features + set->classes + 1) + set->classes;
    if (numbers < INT_MAX)
        return GDC_OK;
    return gdc_fail(GDC_EINVAL, "mlp: hidden=%d with %zu features: want at most %d parameters, so at most hidden=%d",
                    o->hidden, set->features, INT_MAX,
                    (int)((double)INT_MAX / ((double)set->features + 2.0 * set->classes + 1)));
}

static gdc_status mlp_open(const void *values, const data *set, gdc_dtype dtype, void **self)
{
    const mlp_options *o = values;
    gdc_status status = softmax_wants("mlp", set);
    if (!status)
        status = check_size(o, set);
    if (status)
        return status;
    mlp *p = malloc(sizeof *p);
    if (!p)
        return gdc_fail(GDC_ENOMEM, "no memory for a problem");
    size_t hidden = (size_t)o->hidden;
    *p = (mlp){.set = set,
               .dtype = dtype,
               .inner = {dtype, set->features, hidden, true},
               .outer = {dtype, hidden, (size_t)set->classes, true},
               .l2 = o->l2};
    status = allocate_scratch(p);
    if (status)
        mlp_close(p);
    else
        *self = p;
    return status;
}

static void start_layer(const layer *l, uint64_t seed, uint64_t which, void *parameters)
{
    static const uint64_t purpose = 0x676c6f726f74u;
    double deviation = sqrt(2 / ((double)l->inputs + (double)l->outputs));
    size_t weights = layer_weights(l), count = layer_parameters(l);
    for (size_t i = 0; i < count; i++) {
        gdc_key key = {.seed = seed, .purpose = purpose, .a = i, .b = which};
        double value = i < weights ? deviation * gdc_draw_normal(key) : 0;
        real_store(l->dtype, 1, &value, real_at(l->dtype, parameters, i));
    }
}

static void mlp_initial(const void *self, uint64_t seed, void *model)
{
    const mlp *p = self;
    start_layer(&p->inner, seed, 0, model);
    start_layer(&p->outer, seed, 1, real_at(p->dtype, model, layer_parameters(&p->inner)));
}

/* rows -> units -> scores */
static void forward(const mlp *p, size_t count, const void *model)
{
    size_t hidden = p->inner.outputs;
    layer_forward(&p->inner, count, p->rows, model, p->units);
    for (size_t i = 0; i < count; i++) {
        void *unit = real_at(p->dtype, p->units, i * hidden);
        real_load(p->dtype, hidden, unit, p->number);
        for (size_t h = 0; h < hidden; h++)
            p->number[h] = tanh(p->number[h]);
        real_store(p->dtype, hidden, p->number, unit);
    }
    layer_forward(&p->outer, count, p->units, outer_of(p, model), p->scores);
}

/* scores -> derivatives and losses [count], in double as in the linear problems. */
static void differentiate(const mlp *p, size_t first, size_t count, double *loss)
{
    size_t classes = p->outer.outputs;
    for (size_t i = 0; i < count; i++) {
        void *score = real_at(p->dtype, p->scores, i * classes);
        real_load(p->dtype, classes, score, p->number);
        loss[i] = softmax_cross_entropy(classes, p->set->y[first + i], p->number);
        real_store(p->dtype, classes, p->number, score);
    }
}

/* slopes *= tanh' = 1 - units^2 */
static void through_tanh(const mlp *p, size_t count)
{
    size_t numbers = count * p->inner.outputs;
    if (p->dtype == GDC_F64) {
        const double *unit = p->units;
        double *slope = p->slopes;
        for (size_t i = 0; i < numbers; i++)
            slope[i] *= 1 - unit[i] * unit[i];
    } else {
        const float *unit = p->units;
        float *slope = p->slopes;
        for (size_t i = 0; i < numbers; i++)
            slope[i] *= 1 - unit[i] * unit[i];
    }
}

static void backward(const mlp *p, size_t count, double scale, const void *model, void *sum)
{
    layer_backward(&p->outer, count, scale, p->scores, p->units, p->ones,
                   real_at(p->dtype, sum, layer_parameters(&p->inner)));
    layer_inward(&p->outer, count, p->scores, outer_of(p, model), p->slopes);
    through_tanh(p, count);
    layer_backward(&p->inner, count, scale, p->slopes, p->rows, p->ones, sum);
}

static double mlp_add(const void *self, size_t first, size_t count, double scale, const void *model, void *sum)
{
    const mlp *p = self;
    double loss[CHUNK], total = 0;
    for (size_t part; count; first += part, count -= part) {
        part = count < CHUNK ? count : CHUNK;
        real_rows(p->dtype, p->set, first, part, p->rows);
        forward(p, part, model);
        differentiate(p, first, part, loss);
        backward(p, part, scale, model, sum);
        for (size_t i = 0; i < part; i++)
            total += loss[i];
    }
    return total;
}

static void mlp_losses(const void *self, size_t first, size_t count, const void *const *models, int many, double *loss)
{
    const mlp *p = self;
    real_rows(p->dtype, p->set, first, count, p->rows);
    for (int m = 0; m < many; m++, loss += count) {
        forward(p, count, models[m]);
        differentiate(p, first, count, loss);
    }
}

static void mlp_regularise(const void *self, const void *model, void *gradient)
{
    const mlp *p = self;
    if (!(p->l2 > 0))
        return;
    real_axpy(p->dtype, layer_weights(&p->inner), p->l2, model, gradient);
    real_axpy(p->dtype, layer_weights(&p->outer), p->l2, outer_of(p, model),
              real_at(p->dtype, gradient, layer_parameters(&p->inner)));
}

static double mlp_penalty(const void *self, const void *model)
{
    const mlp *p = self;
    const void *outer = outer_of(p, model);
    if (!(p->l2 > 0))
        return 0;
    return p->l2 / 2 *
           (real_dot(p->dtype, layer_weights(&p->inner), model, model) +
            real_dot(p->dtype, layer_weights(&p->outer), outer, outer));
}

extern const problem_ops problem_mlp;
const problem_ops problem_mlp = {
    .name = "mlp",
    .help = "softmax over one hidden layer of tanh units; hidden x (features + 1) + classes x (hidden + 1) parameters",
    .options = option_table,
    .options_bytes = sizeof(mlp_options),
    .data = "fashion-mnist",
    .open = mlp_open,
    .close = mlp_close,
    .dimension = mlp_dimension,
    .initial = mlp_initial,
    .add = mlp_add,
    .regularise = mlp_regularise,
    .penalty = mlp_penalty,
    .losses = mlp_losses,
};

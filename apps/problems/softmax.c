/* softmax.c - multinomial logistic regression: cross-entropy of softmax(W x + b), any number of classes.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "problems/softmax.h"

#include "problems/linear.h"

#include <math.h>

/* log(sum exp) is taken relative to the largest score: the largest exponent is 0, nothing overflows. */
double softmax_cross_entropy(size_t outputs, double label, double *score)
{
    size_t wanted = (size_t)label;
    double largest = score[0], sum = 0;
    for (size_t c = 1; c < outputs; c++)
        largest = fmax(largest, score[c]);
    double own = score[wanted] - largest;
    for (size_t c = 0; c < outputs; c++)
        sum += score[c] = exp(score[c] - largest);
    for (size_t c = 0; c < outputs; c++)
        score[c] /= sum;
    score[wanted] -= 1;
    return log(sum) - own;
}

gdc_status softmax_wants(const char *who, const data *set)
{
    if (set->classes >= 2)
        return GDC_OK;
    return gdc_fail(GDC_EINVAL,
                    "%s: %s has real targets: want 2 or more classes (targets=class for csv and libsvm, classes= for "
                    "synthetic)",
                    who, set->name);
}

static gdc_status softmax_open(const void *options, const data *set, gdc_dtype dtype, void **self)
{
    gdc_status status = softmax_wants("softmax", set);
    return status ? status : linear_open(options, set, dtype, (size_t)set->classes, softmax_cross_entropy, self);
}

extern const problem_ops problem_softmax;
const problem_ops problem_softmax = {
    .name = "softmax",
    .help = "multinomial logistic regression; classes x (features + 1) parameters",
    .options = linear_option_table,
    .options_bytes = sizeof(linear_options),
    .data = "fashion-mnist",
    .open = softmax_open,
    .close = linear_close,
    .dimension = linear_dimension,
    .initial = linear_initial,
    .add = linear_add,
    .regularise = linear_regularise,
    .penalty = linear_penalty,
    .losses = linear_losses,
};

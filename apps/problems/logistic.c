/* logistic.c - binary logistic regression: log(1 + exp(-z)) for label 1, log(1 + exp(z)) for label 0.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "problems/linear.h"

#include <math.h>

/* Only exp of a negative number is taken: nothing overflows, and a certain answer keeps its small loss. */
static double log_loss(size_t outputs, double label, double *score)
{
    (void)outputs;
    double z = *score, small = exp(-fabs(z));
    double probability = (z >= 0 ? 1 : small) / (1 + small);
    double against = label > 0 ? -z : z;
    /* 1 - probability would cancel where probability is near 1 */
    *score = label > 0 ? -(z >= 0 ? small : 1) / (1 + small) : probability;
    return log1p(small) + fmax(against, 0);
}

static gdc_status logistic_open(const void *options, const data *set, gdc_dtype dtype, void **self)
{
    if (set->classes != 2)
        return gdc_fail(GDC_EINVAL,
                        "logistic: %s has %d classes: want 2 (softmax takes more; classes=0 are real targets)",
                        set->name, set->classes);
    return linear_open(options, set, dtype, 1, log_loss, self);
}

extern const problem_ops problem_logistic;
const problem_ops problem_logistic = {
    .name = "logistic",
    .help = "binary logistic regression; features + 1 parameters",
    .options = linear_option_table,
    .options_bytes = sizeof(linear_options),
    .data = "synthetic:classes=2",
    .open = logistic_open,
    .close = linear_close,
    .dimension = linear_dimension,
    .initial = linear_initial,
    .add = linear_add,
    .regularise = linear_regularise,
    .penalty = linear_penalty,
    .losses = linear_losses,
};

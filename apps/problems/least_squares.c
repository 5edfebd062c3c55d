/* least_squares.c - linear regression: half the squared error of w x + b.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "problems/linear.h"

static double half_square(size_t outputs, double target, double *score)
{
    (void)outputs;
    *score -= target;
    return *score * *score / 2;
}

static gdc_status least_squares_open(const void *options, const data *set, gdc_dtype dtype, void **self)
{
    if (set->classes)
        return gdc_fail(GDC_EINVAL,
                        "least-squares: %s has %d classes: want real targets (targets=real for csv and "
                        "libsvm, classes=0 for synthetic)",
                        set->name, set->classes);
    return linear_open(options, set, dtype, 1, half_square, self);
}

extern const problem_ops problem_least_squares;
const problem_ops problem_least_squares = {
    .name = "least-squares",
    .help = "linear regression; features + 1 parameters",
    .options = linear_option_table,
    .options_bytes = sizeof(linear_options),
    .data = "synthetic",
    .open = least_squares_open,
    .close = linear_close,
    .dimension = linear_dimension,
    .initial = linear_initial,
    .add = linear_add,
    .regularise = linear_regularise,
    .penalty = linear_penalty,
    .losses = linear_losses,
};

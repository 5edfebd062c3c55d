/* linear.h - what the problems have in common: scores = W x + b, a loss of the scores, l2/2 of W squared.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The model is W [outputs x features] row-major, then b [outputs] unless bias=0. A problem adds only the loss
 * of one sample. The regulariser leaves b alone. */
#ifndef APPS_PROBLEMS_LINEAR_H
#define APPS_PROBLEMS_LINEAR_H

#include "problems/problem.h"

/* The loss of one sample; score [outputs] holds its scores and is replaced by the derivative with respect to
 * them. */
typedef double (*linear_loss_fn)(size_t outputs, double label, double *score);

typedef struct linear_options {
    double l2;
    int bias, start;
} linear_options;
extern const gdc_option linear_option_table[];

/* The functions of problem_ops but for `open`, which ends in linear_open. EINVAL: the model has above INT_MAX
 * parameters. */
gdc_status linear_open(const linear_options *options, const data *set, gdc_dtype dtype, size_t outputs,
                       linear_loss_fn loss, void **self);
void linear_close(void *self);
size_t linear_dimension(const void *self);
void linear_initial(const void *self, uint64_t seed, void *model);
double linear_add(const void *self, size_t first, size_t count, double scale, const void *model, void *sum);
void linear_regularise(const void *self, const void *model, void *gradient);
double linear_penalty(const void *self, const void *model);
void linear_losses(const void *self, size_t first, size_t count, const void *const *models, int many, double *loss);

#endif

/* problem.h - what is being minimised: a sum over samples of a loss, plus a regulariser.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A problem sees sample ranges, never workers; it is one file that ends in one table. Vectors are of
 * gdc_dtype; arithmetic runs in that type through CBLAS. */
#ifndef APPS_PROBLEMS_PROBLEM_H
#define APPS_PROBLEMS_PROBLEM_H

#include "data/data.h"
#include "gradcode/round.h"

typedef struct problem_ops {
    const char *name;
    const char *help;
    const gdc_option *options;
    size_t options_bytes;
    const char *data; /* default of --data */
    /* EINVAL: data do not fit. The data must outlive the problem. */
    gdc_status (*open)(const void *options, const data *set, gdc_dtype dtype, void **problem);
    void (*close)(void *problem); /* accepts NULL */
    size_t (*dimension)(const void *problem);
    void (*initial)(const void *problem, uint64_t seed, void *model);
    /* sum += scale * sum over samples [first, first + count) of the gradient; returns the sum of their losses
     * (unscaled) */
    double (*add)(const void *problem, size_t first, size_t count, double scale, const void *model, void *sum);
    /* gradient += gradient of the regulariser, which belongs to the MEAN loss; may be NULL */
    void (*regularise)(const void *problem, const void *model, void *gradient);
    double (*penalty)(const void *problem, const void *model); /* the regulariser itself; NULL as regularise */
    /* loss [many x count]: of each sample of [first, first + count) at each of up to PROBLEM_MODELS models; count at most
     * PROBLEM_SAMPLES */
    void (*losses)(const void *problem, size_t first, size_t count, const void *const *models, int many, double *loss);
} problem_ops;

/* Models that are evaluated in one pass over the samples: with few outputs a matrix product of one model alone takes twice as
 * long as its share in the product of four. */
enum { PROBLEM_MODELS = 4, PROBLEM_SAMPLES = 256 };

extern const problem_ops *const problems[]; /* NULL-terminated: softmax, logistic, least-squares, mlp */

typedef struct problem {
    const problem_ops *ops;
    void *self;
    const data *set;
} problem;

gdc_status problem_open(const char *spec, const data *set, gdc_dtype dtype, problem *out);
void problem_close(problem *p);
/* loss [many]: the mean loss over all samples, regulariser included, of each of any number of models. */
void problem_losses(const problem *p, const void *const *models, int many, double *loss);
/* The same of one model, and class_sum [classes], unless NULL: the sums of the samples' losses by class, without the
 * regulariser. */
double problem_loss(const problem *p, const void *model, double *class_sum);

/* The table row for a spec's name; NULL with the sentence recorded. */
const problem_ops *problem_find(const char *spec);

#endif

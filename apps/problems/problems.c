/* problems.c - the registry of problems; opens one from its spec.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "problems/problem.h"

#include <stdlib.h>

extern const problem_ops problem_softmax, problem_logistic, problem_least_squares, problem_mlp;

const problem_ops *const problems[] = {&problem_softmax, &problem_logistic, &problem_least_squares, &problem_mlp, NULL};

static const problem_ops *choose_problem(const gdc_spec *spec)
{
    const char *names[sizeof problems / sizeof *problems] = {NULL};
    for (int i = 0; problems[i]; i++)
        names[i] = problems[i]->name;
    int chosen = gdc_spec_choose("problem", gdc_spec_name(spec), names);
    return chosen < 0 ? NULL : problems[chosen];
}

const problem_ops *problem_find(const char *text)
{
    gdc_spec *spec = NULL;
    if (gdc_spec_parse(text, &spec))
        return NULL;
    const problem_ops *found = choose_problem(spec);
    gdc_spec_destroy(spec);
    return found;
}

gdc_status problem_open(const char *text, const data *set, gdc_dtype dtype, problem *out)
{
    const problem_ops *ops = problem_find(text);
    if (!ops)
        return GDC_EINVAL;
    void *values = calloc(1, ops->options_bytes), *self = NULL;
    if (!values)
        return gdc_fail(GDC_ENOMEM, "%s: no memory for its options", ops->name);
    gdc_spec *spec = NULL;
    gdc_status status = gdc_spec_load(text, ops->options, values, &spec);
    if (!status)
        status = ops->open(values, set, dtype, &self);
    gdc_spec_destroy(spec);
    free(values);
    if (!status)
        *out = (problem){ops, self, set};
    return status;
}

void problem_close(problem *p)
{
    if (p->ops)
        p->ops->close(p->self);
    *p = (problem){.ops = NULL};
}

/* Adds up the losses of at most PROBLEM_MODELS models; class_sum as problem_loss, of a single model. */
static void evaluate(const problem *p, const void *const *models, int many, double *mean, double *class_sum)
{
    const data *set = p->set;
    double loss[PROBLEM_MODELS * PROBLEM_SAMPLES];
    for (int m = 0; m < many; m++)
        mean[m] = 0;
    for (size_t first = 0, part; first < set->samples; first += part) {
        part = set->samples - first < PROBLEM_SAMPLES ? set->samples - first : PROBLEM_SAMPLES;
        p->ops->losses(p->self, first, part, models, many, loss);
        for (int m = 0; m < many; m++)
            for (size_t i = 0; i < part; i++)
                mean[m] += loss[(size_t)m * part + i];
        for (size_t i = 0; class_sum && i < part; i++)
            class_sum[(size_t)set->y[first + i]] += loss[i];
    }
    for (int m = 0; m < many; m++)
        mean[m] = mean[m] / (double)set->samples + (p->ops->penalty ? p->ops->penalty(p->self, models[m]) : 0);
}

void problem_losses(const problem *p, const void *const *models, int many, double *loss)
{
    for (int part; many > 0; models += part, loss += part, many -= part) {
        part = many < PROBLEM_MODELS ? many : PROBLEM_MODELS;
        evaluate(p, models, part, loss, NULL);
    }
}

double problem_loss(const problem *p, const void *model, double *class_sum)
{
    double loss;
    for (int c = 0; class_sum && c < p->set->classes; c++)
        class_sum[c] = 0;
    evaluate(p, &model, 1, &loss, class_sum);
    return loss;
}

/* softmax.h - the loss of problems with classes, whatever makes the scores.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef APPS_PROBLEMS_SOFTMAX_H
#define APPS_PROBLEMS_SOFTMAX_H

#include "problems/problem.h"

/* Cross-entropy of softmax(score) against the label; score [outputs] becomes the derivative with respect to it. */
double softmax_cross_entropy(size_t outputs, double label, double *score);
/* EINVAL with the sentence for data without classes. */
gdc_status softmax_wants(const char *who, const data *set);

#endif

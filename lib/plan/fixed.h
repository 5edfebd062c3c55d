/* fixed.h - one weight for every message, whoever is missing: decoding without looking.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GDC_PLAN_FIXED_H
#define GDC_PLAN_FIXED_H

#include "plan/decoder.h"

#include <stdbool.h>

/* With 1/c as the weight of all messages together the gradient is exact, c being the sum of all rows if that is the same on every
 * partition. If a uniformly random share q of the workers arrives, weights of 1/(c q) are right on average. *weight = 1/c.
 * Returns false where there is no such c. scratch [messages] */
bool gdc_fixed_weight(const gdc_plan *plan, gdc_decoder *decoder, double *scratch, double *weight);

#endif

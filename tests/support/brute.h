/* brute.h - the rank test by the book: Gaussian elimination with full pivoting in long double over all k
 * partitions (columns where there are several blocks). SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_SUPPORT_BRUTE_H
#define TESTS_SUPPORT_BRUTE_H

#include "plan/plan.h"

#include <stdbool.h>

typedef struct brute brute;

brute *brute_create(const gdc_plan *plan); /* dense copies of all rows */
void brute_destroy(brute *b);

/* Is the all-ones vector (of every block) in the span of the rows of the marked messages? given [messages]. Aborts the test
 * program when rounding leaves the answer open: what is left of all-ones must be below 1e-9 or above 1e-5. */
bool brute_spans(brute *b, const unsigned char *given);

#endif

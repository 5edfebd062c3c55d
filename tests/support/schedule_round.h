/* schedule_round.h - is a round of a random schedule right, and could it have been?
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_SUPPORT_SCHEDULE_ROUND_H
#define TESTS_SUPPORT_SCHEDULE_ROUND_H

#include "gradcode/round.h"
#include "plan/plan.h"

#include <stdbool.h>

typedef struct schedule_round {
    const double *sum; /* [k] */
    int k, busy;       /* busy: workers that are at work on a model after the round */
    double tolerance;
    gdc_round round;
} schedule_round;

/* Each entry is the version, to the relative tolerance. */
bool is_exact_round(const schedule_round *round);
/* What is left out is no fault: each entry is the version, or nothing. A schedule's judge. */
bool is_whole_or_left_out(void *context, const schedule_round *round);
/* Do the rows that are not lost [rows] give the gradient? */
bool is_decodable(const gdc_plan *plan, const bool *lost);

#endif

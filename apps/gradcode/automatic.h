/* automatic.h - key=auto in the strategies of a run: one profile, one rule, for all of them.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The profile holds the times of micro-batches in rounds of `sync` that are not among the measured ones: on the virtual clock
 * they are drawn, under mpirun they are run and shared by one all-reduce. */
#ifndef APPS_GRADCODE_AUTOMATIC_H
#define APPS_GRADCODE_AUTOMATIC_H

#include "gradcode/profile.h"
#include "run.h"

bool automatic_is_wanted(const run *r);
/* The times of the first `pieces` pieces of each of the first `workers`, as the delays draw them for versions that are not measured;
 * all 0 without delays. EINVAL, ENOMEM as gdc_profile_create. */
gdc_status profile_draw(const run *r, int workers, int rounds, int pieces, gdc_profile **profile);
/* Chooses from the drawn durations of the versions that follow the measured ones; without any all times are 0. */
gdc_status automatic_by_draws(run *r);
/* Chooses anew from a profile. EINVAL with the strategy's sentence, ENOMEM. */
gdc_status automatic_choose(run *r, const gdc_profile *profile);

/* Under mpirun, collective, at start-up: runs the rounds, shares their times, chooses. A worker that is lost meanwhile ends
 * the start-up. */
struct session;
gdc_status automatic_by_rounds(run *r, struct session *s);

#endif

/* profile.h - the inside of a profile: one flat table, so that one all-reduce can share it.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GDC_STRAGGLING_PROFILE_H
#define GDC_STRAGGLING_PROFILE_H

#include "gradcode/profile.h"
#include "gradcode/statistics.h"

struct gdc_profile {
    int workers, rounds, pieces;
    size_t cells;  /* workers * rounds * pieces */
    double *table; /* [cells + 1]: round by round, worker by worker; last the wall time of all rounds */
};

/* The times [M] of a worker in a round. */
const double *gdc_profile_row(const gdc_profile *profile, int round, int worker);
/* T: mean over rounds of the longest computation. */
double gdc_profile_computation(const gdc_profile *profile);

#endif

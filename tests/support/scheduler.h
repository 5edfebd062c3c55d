/* scheduler.h - a transport that does everything a network may do, chosen by a seed: delivers in any order
 * that matching allows, lets control overtake models, stops, kills and wakes workers, erases vectors.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Payloads are integers: the gradient of partition p at version v is v times the p-th unit vector, so an
 * exact round's sum is v everywhere, and a stale, lost or doubled contribution shows. An extra mini-batch p + q*k goes where p
 * goes. */
#ifndef TESTS_SUPPORT_SCHEDULER_H
#define TESTS_SUPPORT_SCHEDULER_H

#include "engine/policy.h"
#include "support/schedule_round.h"

#include <stdint.h>

typedef struct schedule {
    const char *strategy;      /* a spec; or, with ops, the spec of the code */
    const gdc_policy_ops *ops; /* a policy of the test's own; NULL: strategy names one */
    int workers, partitions;   /* n, M */
    int rounds;
    uint64_t seed;
    int kill_permille, stop_permille, erase_permille;          /* per action */
    double tolerance;                                          /* of each entry relative to the version; 0: equal */
    bool (*judge)(void *context, const schedule_round *round); /* is the round right? NULL: each entry is the version */
    void *context;
} schedule;

typedef struct schedule_report {
    int finished, failed;                         /* rounds */
    int stale;                                    /* entries that are no sum of this round's contributions */
    int wrong;                                    /* rounds with a wrong entry */
    int stuck;                                    /* rounds in which nothing could happen any more */
    int early;                                    /* rounds failed although the live workers could have decoded */
    int most_models, most_controls, most_vectors; /* outstanding for one worker at once */
    int extra_models;                             /* a model given to a worker that had not said READY */
} schedule_report;

/* Runs one schedule; returns false when memory or the strategy fails. */
bool schedule_run(const schedule *s, schedule_report *report);

#endif

/* world.h - a master and its workers on a network of which every single event is chosen by the test: what is delivered next, whose
 * piece ends, when a timer fires, who stops, dies, or sends what cannot be read.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Real coordinator, pump, policy, worker machines and sums. Each worker has a line of its own for models, works, limits, rings and
 * its messages, each in order: all that matching allows, and more. Payloads are integers: the gradient of partition p at version v
 * is v times the p-th unit vector; a message whose payload is not exactly its span, and a round whose sum is not v everywhere, are
 * counted. */
#ifndef TESTS_SUPPORT_WORLD_H
#define TESTS_SUPPORT_WORLD_H

#include "engine/policy.h"
#include "support/line.h"
#include "transport/pump.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum world_kind {
    WORLD_MESSAGE, /* the worker's oldest message reaches the master */
    WORLD_ERASED,  /* the same, spoilt; only where it has a vector */
    WORLD_PIECE,   /* its piece ends */
    WORLD_FAIL,    /* ... in a failure */
    WORLD_MODEL,   /* it receives ... */
    WORLD_WORK,
    WORLD_LIMIT,
    WORLD_RING,
    WORLD_TICK,  /* time goes on to the master's timer */
    WORLD_BEGIN, /* the next round begins */
    WORLD_STOP,  /* the worker stands still, and its messages on their way do not; ... and goes on */
    WORLD_CONT,
    WORLD_KILL, /* the worker dies: what it has sent is delivered, then the master learns of it */
} world_kind;

typedef struct world_act {
    unsigned char kind, worker;
} world_act;

enum { WORLD_ACTS_MAX = 128, WORLD_WORKERS_MAX = 16 };

typedef struct world_key {
    uint64_t a, b;
} world_key;

typedef struct world_desk {
    struct gdc_worker *machine;
    struct gdc_sums *sums;
    line model, work, limit, ring, out;
    bool dead, stopped, computing;
    int partition;
    double piece_s;        /* what it says its pieces take; NaN: nothing */
    uint64_t rung;         /* highest ring that it took */
    int limit_now;         /* lowest limit of its model */
    uint64_t kept_version; /* of a limit that came before its model */
    int kept_limit;
    world_key history; /* what it went through since its model came */
} world_desk;

typedef struct world_counts {
    int rounds, wrong_rounds, wrong_messages, messages, works, most_models, overflows; /* rounds: that ended well */
} world_counts;

typedef struct world {
    gdc_strategy_parts parts;
    gdc_pump *pump;
    gdc_wire wire;
    world_desk *desk; /* [workers] */
    int workers, k;
    double *sum, now_s;
    uint64_t version;
    bool was_counted; /* the round's result */
    world_counts count;
} world;

/* strategy: a spec whose policy has a worker half of its own. NULL: it cannot be opened, see gdc_last_error. */
world *world_create(const char *strategy, int workers, int partitions, uint64_t seed);
void world_destroy(world *w);
/* As created anew, for a policy whose begin() forgets everything. */
void world_restart(world *w);

/* What can happen now, without WORLD_ERASED, WORLD_FAIL and those that befall workers. */
int world_acts(const world *w, world_act *acts);
void world_do(world *w, world_act act);
bool world_may_erase(const world *w, int worker); /* its oldest message has a vector */

/* For memories of what was seen: two worlds with the same keys go on alike. All but the policy's own state. */
world_key world_outer_key(const world *w);
void world_key_add(world_key *key, uint64_t value);

#endif

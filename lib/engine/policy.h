/* policy.h - a policy is a small state machine with two halves: the master's (answers READY, judges arrivals, says when the round
 * is over, gives weights) and the worker's (what to do at each boundary between partitions).
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A policy is one file in lib/policies/ that ends in one table, and one word in the list of CMakeLists.txt. It does no I/O, reads
 * no clock, and never sees RING on the worker's side, nor WORK unless it asks to: those are the machine's. */
#ifndef GDC_ENGINE_POLICY_H
#define GDC_ENGINE_POLICY_H

#include "gradcode/profile.h"
#include "gradcode/spec.h"
#include "plan/plan.h"

#include <stdbool.h>
#include <stdint.h>

/* ---- the master's half ---- */

enum { GDC_BARE = -1, GDC_SPAN = -2 }; /* index of a message that is no row of the plan */

typedef struct gdc_arrival {
    int worker, index;
    uint64_t version;
    gdc_span span;     /* valid for GDC_SPAN */
    int done;          /* pieces finished on this model */
    int ack;           /* a promise of the worker's half, free for the policy */
    bool ready;        /* carries READY: "I have nothing to do" */
    bool sound;        /* payload passed checksum and finiteness; false: an erasure, shown to the policy all the same */
    uint64_t finished; /* pieces since the start */
    double piece_s;    /* last piece's time; NaN: not known */
    double loss;       /* NaN: not known */
    double norm2;      /* sum of |partial|^2 over the parts that are new in it; NaN: not known */
} gdc_arrival;

/* What becomes of the arrival's vector. KEEP: it is slot's until FOLD_SLOT, FREE_SLOT or the end of the round. FOLD: sum +=
 * weight * vector at once. KEEP and FOLD count as DISCARD for an arrival that is BARE or unsound. */
typedef struct gdc_verdict {
    enum { GDC_DISCARD, GDC_KEEP, GDC_FOLD } fate;
    int slot;
    double weight;
} gdc_verdict;

/* Rides in MODEL. */
typedef struct gdc_hint {
    int limit;        /* pieces of the worker's own shard that it should do at most; INT_MAX: none */
    double nominal_s; /* typical time of a piece; NaN: not known */
} gdc_hint;

/* The one answer to a READY. */
typedef struct gdc_answer {
    enum { GDC_PARK, GDC_GIVE_MODEL, GDC_GIVE_WORK } give;
    gdc_span work;
    gdc_hint hint;
    double again_s; /* PARK: ask again at this time; 0: only at begin and after a death */
} gdc_answer;

struct gdc_coordinator;
struct gdc_reason;
typedef struct gdc_scene {
    const gdc_plan *plan;
    const double *samples; /* [k] of each partition; NULL: all count as equal */
    uint64_t version;
    double now_s, began_s;
    const bool *dead;         /* [n] */
    int live;                 /* workers that are not */
    const uint64_t *assigned; /* [n]: version that worker w last got; 0: none */
    struct gdc_coordinator *self;
} gdc_scene;

/* What a policy may say besides answers and verdicts, from begin, ready, arrival, lost and finish: */
void gdc_tell_limit(const gdc_scene *scene, int worker,
                    int limit); /* ignored unless the worker is busy on the current version */
void gdc_fold_slot(const gdc_scene *scene, int slot,
                   double weight); /* sum += weight * kept vector; the slot is free again */
/* Where the plan has several blocks: block `block` of the sum += weight * kept vector. Blocks in ascending order; one slot may enter
 * several blocks. */
void gdc_fold_block(const gdc_scene *scene, int slot, int block, double weight);
void gdc_free_slot(const gdc_scene *scene, int slot);
/* A parked worker is asked again at this time instead of the one that it was parked with; 0: only at begin and after a death.
 * Ignored unless it is parked, and for the worker that ready() is being asked about, whose answer says so. */
void gdc_ask_again(const gdc_scene *scene, int worker, double at_s);
/* From finish, once: what was folded on arrival is multiplied by the factor, which is known only now. */
void gdc_scale_sum(const gdc_scene *scene, double factor);

typedef struct gdc_outcome {
    double used;     /* share of the batch's samples whose gradient entered, times k; extra mini-batches: above k */
    bool exact;      /* everything entered; a policy that promises it need not say so */
    double scale;    /* factor that made up for the others */
    double residual; /* sqrt(||rho||^2/k) */
    double amplification; /* NaN: nothing was decoded */
    const unsigned char
        *entered; /* [k] of a policy that overlaps: 1 for each partition that entered; valid until begin */
} gdc_outcome;

/* ---- the worker's half ---- */

typedef struct gdc_boundary {
    int worker, done; /* done: pieces finished on this model */
    uint64_t version;
    double since_model_s, piece_s; /* piece_s: the last piece's time; 0 before the first */
    gdc_hint hint;
    const gdc_plan *plan;
} gdc_boundary;

typedef struct gdc_step {
    enum {
        GDC_COMPUTE,    /* partition */
        GDC_SEND,       /* a row, or a span */
        GDC_REPORT,     /* no vector (BARE) */
        GDC_REDUCE,     /* take part in the all-reduce with what is accumulated */
        GDC_LOCAL_STEP, /* a mini-batch is complete: move the own model by it; what is reduced goes on adding up */
        GDC_WAIT,
    } kind;
    int partition; /* COMPUTE */
    double cut_s;  /* COMPUTE: stop the piece after so long, if pieces can be cut; 0: never */
    int index;     /* SEND: message index, or GDC_SPAN */
    gdc_span span; /* SEND with GDC_SPAN */
    int done, ack; /* trailer of SEND and REPORT */
    bool ready;    /* SEND, REPORT: this message is the READY */
} gdc_step;

/* ---- the table ---- */

/* What a strategy does as opened: the table's word, unless its options say otherwise. */
typedef struct gdc_traits {
    int slots;         /* slots are 0 .. slots - 1 */
    bool cancels;      /* rings the rest when a round ends */
    bool counts_stale; /* arrivals of older versions reach arrival(); the transport delivers none between two rounds */
    bool exact;        /* promises the full gradient: the residual gate applies */
    bool local_steps;  /* workers move a model of their own between two mini-batches (GDC_LOCAL_STEP) */
    bool overlaps;     /* vectors that enter have partitions in common, and not all need enter: see outcome.entered */
    bool adapts;       /* what it waits for depends on the losses that it is told */
} gdc_traits;

/* Rounds that a policy watches before it chooses its parameters: `warmup` rounds, then `rounds` that are profiled. */
typedef struct gdc_lesson {
    int warmup, rounds; /* rounds = 0: nothing to learn */
} gdc_lesson;

typedef struct gdc_policy_ops {
    const char *name;
    const char *help; /* one line */
    const gdc_option *options;
    size_t options_bytes;
    const char
        *code; /* default of code=; NULL: takes no code, its plan is that of plan(), else `uncoded` with load 1 */
    bool takes_blocks; /* decodes plans of several blocks: keeps vectors and folds them block by block */
    bool collective;   /* no master half: models and the reduction come from the transport; takes no code */
    gdc_traits traits;
    size_t half_bytes; /* the worker half's own state, zeroed once, one per worker */
    /* copies what it needs of options. can_cut: pieces can be cut (--poll). traits: those of the table, to be changed here where
     * options or the plan change them. */
    gdc_status (*open)(const void *options, const gdc_plan *plan, bool can_cut, void **state, gdc_traits *traits);
    /* optional, for a policy that takes no code: its plan, as its own options say */
    gdc_status (*plan)(const void *options, int workers, int partitions, uint64_t seed, gdc_plan **plan);
    void (*close)(void *state); /* accepts NULL */

    /* master's half; NULL for a collective policy */
    void (*begin)(void *state, const gdc_scene *scene); /* then ready() for every parked worker, oldest first */
    /* optional; MODEL only if assigned != version, WORK only if equal. NULL: the round's model, once; then parked */
    gdc_answer (*ready)(void *state, const gdc_scene *scene, int worker);
    gdc_verdict (*arrival)(void *state, const gdc_scene *scene,
                           const gdc_arrival *arrival); /* BARE, unsound too; before ready() */
    bool (*over)(void *state, const gdc_scene *scene);  /* O(1): asked after every event */
    /* Could the round end with what has arrived and what workers w with !gone[w] may yet send? Asked at begin and after a loss.
     * missing [k] or NULL: 1 for each partition that cannot be had. */
    bool (*can_finish)(void *state, const gdc_scene *scene, const bool *gone, unsigned char *missing);
    /* optional: a worker has died during the round; comes before can_finish and ready */
    void (*lost)(void *state, const gdc_scene *scene, int worker);
    /* optional: the policy's own words in the sentence of a round that cannot finish without those gone */
    void (*explain)(void *state, const gdc_scene *scene, const bool *gone, struct gdc_reason *reason);
    /* fold_slot in (worker, index) order. ENUMERIC: above the gate. */
    gdc_status (*finish)(void *state, const gdc_scene *scene, gdc_outcome *outcome);
    /* optional: would arrival() want the vector of this message? NULL: always */
    bool (*wants)(void *state, const gdc_scene *scene, int worker, int index);

    /* collective policies: what a reduction is worth that brought `kept` samples over all workers where the batch has `wanted`
     * (kept may exceed it): scale and exact are read. */
    gdc_outcome (*reduced)(const void *state, double kept, double wanted);
    /* collective policies, optional: the rounds to be profiled, in which nothing may be dropped; then, once and between two
     * rounds, what was seen. learn gets the same table on every rank and must come to the same state. */
    gdc_lesson (*lesson)(const void *state);
    gdc_status (*learn)(void *state, const gdc_profile *profile);

    /* optional: what the policy has chosen by itself, such as "tau=0.123"; "" while it has not. Owned by the state. */
    const char *(*chosen)(const void *state);

    /* worker's half; NULL next: walk the plan, send each due row, the last one READY */
    void (*start)(const void *state, void *half, const gdc_boundary *boundary); /* a MODEL was accepted */
    gdc_step (*next)(const void *state, void *half,
                     const gdc_boundary *boundary); /* again after each SEND/REPORT, piece or cut */
    /* optional: a WORK has come. true: the half sees to it, next() is asked and owes its READY; false: the machine computes the
     * span in order and sends it. Not asked after a piece has failed on this model. */
    bool (*work)(const void *state, void *half, const gdc_boundary *boundary, gdc_span span);
} gdc_policy_ops;

extern const gdc_policy_ops *const gdc_policy_registry[]; /* NULL-terminated, generated from the list */

/* A policy opened from its spec, with its plan. */
typedef struct gdc_strategy_parts {
    const gdc_policy_ops *ops;
    void *state;
    gdc_traits traits;
    gdc_plan *plan;
} gdc_strategy_parts;

gdc_status gdc_strategy_open(const char *spec, int workers, int partitions, uint64_t seed, bool can_cut,
                             gdc_strategy_parts *parts);
void gdc_strategy_close(gdc_strategy_parts *parts);
/* Rounds of its lesson, those before the profile included. */
int gdc_parts_lead_in(const gdc_strategy_parts *parts);
const char *gdc_parts_chosen(const gdc_strategy_parts *parts); /* never NULL */

#endif

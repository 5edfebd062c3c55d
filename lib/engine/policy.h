/* policy.h - a policy is a small state machine with two halves: the master's (answers READY, judges arrivals, says when the round
 * is over, gives weights) and the worker's (what to do at each boundary between partitions).
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A policy is one file in lib/policies/ that ends in one table, and one word in the list of CMakeLists.txt. It does no I/O, reads
 * no clock, and never sees RING or WORK on the worker's side: those are the machine's. */
#ifndef GDC_ENGINE_POLICY_H
#define GDC_ENGINE_POLICY_H

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
    double norm2;      /* |payload|^2; NaN: not known */
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
typedef struct gdc_scene {
    const gdc_plan *plan;
    const double *samples; /* [k] of each partition; NULL: all count as equal */
    uint64_t version;
    double now_s, began_s;
    const bool *dead;         /* [n] */
    const uint64_t *assigned; /* [n]: version that worker w last got; 0: none */
    struct gdc_coordinator *self;
} gdc_scene;

/* What a policy may say besides answers and verdicts, from begin, ready, arrival and finish: */
void gdc_tell_limit(const gdc_scene *scene, int worker,
                    int limit); /* ignored unless the worker is busy on the current version */
void gdc_fold_slot(const gdc_scene *scene, int slot,
                   double weight); /* sum += weight * kept vector; the slot is free again */
/* Where the plan has several blocks: block `block` of the sum += weight * kept vector. Blocks in ascending order; one slot may enter
 * several blocks. */
void gdc_fold_block(const gdc_scene *scene, int slot, int block, double weight);
void gdc_free_slot(const gdc_scene *scene, int slot);

typedef struct gdc_outcome {
    double used;          /* share of the batch's samples whose gradient entered, times k */
    bool exact;           /* everything entered; a policy that promises it need not say so */
    double scale;         /* factor that made up for the others */
    double residual;      /* sqrt(||rho||^2/k) */
    double amplification; /* NaN: nothing was decoded */
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
        GDC_LOCAL_STEP, /* apply the accumulated gradient to the own model */
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
    bool counts_stale; /* arrivals of older versions reach arrival() */
    bool exact;        /* promises the full gradient: the residual gate applies */
} gdc_traits;

typedef struct gdc_policy_ops {
    const char *name;
    const char *help; /* one line */
    const gdc_option *options;
    size_t options_bytes;
    const char *code;  /* default of code=; NULL: the policy takes no code, its plan is `uncoded` with load 1 */
    bool takes_blocks; /* decodes plans of several blocks: keeps vectors and folds them block by block */
    bool collective;   /* no master half: models and the reduction come from the transport; takes no code */
    gdc_traits traits;
    size_t half_bytes; /* the worker half's own state, zeroed once, one per worker */
    /* copies what it needs of options. can_cut: pieces can be cut (--poll). traits: those of the table, to be changed here where
     * options or the plan change them. */
    gdc_status (*open)(const void *options, const gdc_plan *plan, bool can_cut, void **state, gdc_traits *traits);
    void (*close)(void *state); /* accepts NULL */

    /* master's half; NULL for a collective policy */
    void (*begin)(void *state, const gdc_scene *scene); /* then ready() for every parked worker, oldest first */
    gdc_answer (*ready)(void *state, const gdc_scene *scene,
                        int worker); /* MODEL only if assigned != version, WORK only if equal */
    gdc_verdict (*arrival)(void *state, const gdc_scene *scene,
                           const gdc_arrival *arrival); /* BARE, unsound too; before ready() */
    bool (*over)(void *state, const gdc_scene *scene);  /* O(1): asked after every event */
    /* Could the round end with what has arrived and what workers w with !gone[w] may yet send? Asked at begin and after a loss.
     * missing [k] or NULL: 1 for each partition that cannot be had. */
    bool (*can_finish)(void *state, const gdc_scene *scene, const bool *gone, unsigned char *missing);
    /* fold_slot in (worker, index) order. ENUMERIC: above the gate. */
    gdc_status (*finish)(void *state, const gdc_scene *scene, gdc_outcome *outcome);
    /* optional: would arrival() want the vector of this message? NULL: always */
    bool (*wants)(void *state, const gdc_scene *scene, int worker, int index);

    /* collective policies: the factor of the reduced sum, given samples kept and wanted over all workers */
    double (*scale)(const void *state, double kept, double wanted);

    /* worker's half; NULL next: walk the plan, send each due row, the last one READY */
    void (*start)(const void *state, void *half, const gdc_boundary *boundary); /* a MODEL was accepted */
    gdc_step (*next)(const void *state, void *half,
                     const gdc_boundary *boundary); /* again after each SEND/REPORT, piece or cut */
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

#endif

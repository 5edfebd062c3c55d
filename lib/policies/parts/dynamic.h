/* dynamic.h - the inside of the dynamic strategy: the master's books, and the worker's half.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Shard s = the M partitions ("pieces") from s*M on; worker s owns it, load - 1 others hold it too. What the master knows of
 * a shard's pieces, in order of index:
 *
 *     0 .. taken          accepted as the owner's prefix
 *     taken .. done       finished by the owner, by its own report, and not yet sent
 *     done                runs at the owner
 *     done + 1 .. leased  not started: the last of them is the next to be leased
 *     leased .. M         each was leased to somebody at least once */
#ifndef GDC_POLICIES_DYNAMIC_H
#define GDC_POLICIES_DYNAMIC_H

#include "engine/parking.h"
#include "engine/policy.h"
#include "policies/parts/ranking.h"

typedef struct gdc_dynamic_options {
    int load, clusters, place, permute;
    int early, pool, progress, reproducible;
    double theta, theta2, nominal;
} gdc_dynamic_options;

enum { GDC_PIECE_NONE, GDC_PIECE_HELD, GDC_PIECE_FOLDED };

typedef struct gdc_dynamic_piece {
    unsigned char state;
    int slot;         /* HELD */
    double overdue_s; /* leased and not there: from then on it may be leased once more */
} gdc_dynamic_piece;

typedef struct gdc_dynamic_shard {
    int taken, done, leased;
    int ack;        /* the owner has promised never to put pieces from here on into a prefix */
    int open;       /* pieces that are neither HELD nor FOLDED */
    bool is_left;   /* the owner computes none of it by itself any more: it has nothing to do, or is dead */
    double heard_s; /* the owner's last sign of life in this round */
    double due_s; /* earliest moment at which one of its pieces may be leased although it was started; INFINITY: none */
    int due;      /* ... this one */
} gdc_dynamic_shard;

typedef struct gdc_dynamic_worker {
    int lease;         /* partition that it computes on behalf of the master; -1: none */
    int erased;        /* its vectors of this round that were */
    bool has_quit;     /* failed or spoilt too often: gets no work in this round */
    bool is_idle;      /* parked: nothing that it could do was left */
    bool asks;         /* early: said READY with pieces of its own left */
    uint64_t finished; /* pieces whose time was noted */
} gdc_dynamic_worker;

typedef struct gdc_dynamic {
    gdc_dynamic_options options;
    const gdc_plan *plan;
    int workers, pieces; /* n, M */
    int load;
    int *held;                  /* [n * load] shards of each worker, its own first; NULL: everybody holds everything */
    int *holder;                /* [n * load] workers of each shard; NULL likewise */
    gdc_dynamic_shard *shard;   /* [n] */
    gdc_dynamic_piece *piece;   /* [k] */
    gdc_dynamic_worker *worker; /* [n] */
    int settled;                /* pieces that are HELD or FOLDED */
    /* slots of HELD pieces */
    int pool, slots, free_slots;
    int *free_slot;    /* [slots] stack */
    int *piece_in;     /* [slots] partition in a slot; -1: free */
    gdc_ranking start; /* shards with pieces that nobody has started, the neediest first */
    gdc_ranking due;   /* shards by the moment at which one of their pieces may be had, at once if it was not started */
    gdc_ranking longest; /* early: shards by pieces left */
    /* idle workers, oldest first; only one has a timer: the first of the pieces to become due will be its own */
    gdc_parking idle;
    gdc_ranking wake; /* not where everybody holds everything: shards that have idle holders, as `due` */
    int *idlers;      /* [n] idle holders of a shard */
    int armed;        /* who has the timer; -1: nobody */
    double armed_s;
    /* times of pieces */
    double nominal_s; /* NaN: none was ever seen */
    double *times;    /* [times_max] of this round */
    int times_seen, times_max;
} gdc_dynamic;

static inline int gdc_dynamic_shard_of(const gdc_dynamic *d, int partition)
{
    return partition / d->pieces;
}

/* dynamic_books.c */
bool gdc_dynamic_books_init(gdc_dynamic *d); /* false: out of memory */
void gdc_dynamic_books_free(gdc_dynamic *d);
void gdc_dynamic_books_begin(gdc_dynamic *d, const gdc_scene *scene);
/* Judges a sound vector over `span` (R1, R2). */
gdc_verdict gdc_dynamic_take(gdc_dynamic *d, const gdc_scene *scene, int worker, gdc_span span);
/* The owner promises never to put its pieces from ack on into a prefix (R3). */
void gdc_dynamic_promise(gdc_dynamic *d, const gdc_scene *scene, int shard, int ack);

/* dynamic_times.c */
bool gdc_dynamic_times_init(gdc_dynamic *d);
void gdc_dynamic_times_begin(gdc_dynamic *d);
void gdc_dynamic_times_note(gdc_dynamic *d, const gdc_arrival *arrival);
double gdc_dynamic_late_s(const gdc_dynamic *d, double theta); /* theta typical times; 0 as long as none is known */

/* dynamic_lease.c */
bool gdc_dynamic_lease_init(gdc_dynamic *d);
void gdc_dynamic_lease_free(gdc_dynamic *d);
void gdc_dynamic_lease_begin(gdc_dynamic *d);
void gdc_dynamic_rank(gdc_dynamic *d, int shard); /* after any change of the shard */
/* The worker's lease has ended, with its vector or without. */
void gdc_dynamic_end_lease(gdc_dynamic *d, int worker);
/* What an idle worker on the current version does next (R5). */
gdc_answer gdc_dynamic_lease(gdc_dynamic *d, const gdc_scene *scene, int worker);

/* dynamic_wake.c */
bool gdc_dynamic_wake_init(gdc_dynamic *d);
void gdc_dynamic_wake_free(gdc_dynamic *d);
void gdc_dynamic_wake_begin(gdc_dynamic *d);
void gdc_dynamic_wake_rank(gdc_dynamic *d, int shard); /* part of gdc_dynamic_rank */
void gdc_dynamic_set_idle(gdc_dynamic *d, int worker, bool is_idle);
/* Sees to it that an idle worker is asked when a piece becomes due. Returns when `asking` is to be asked again, the worker that
 * ready() is about (-1: nobody); 0: it has no timer. */
double gdc_dynamic_arm(gdc_dynamic *d, const gdc_scene *scene, int asking);

/* dynamic_half.c */
typedef struct gdc_dynamic_half {
    int base;        /* own pieces before it have been sent */
    int spoken;      /* boundary at which something was sent or reported; -1: none yet */
    int told;        /* limit last promised */
    int mixed;       /* own pieces before it cannot be told apart in the sums any more */
    int foreign;     /* early: pieces of others finished on this model */
    gdc_span work;   /* early: what the master has answered; count 0: nothing */
    bool is_running; /* early: that piece is being computed */
    bool is_through; /* with its own; from then on leases are the machine's business */
} gdc_dynamic_half;

void gdc_dynamic_start(const void *state, void *half, const gdc_boundary *boundary);
gdc_step gdc_dynamic_next(const void *state, void *half, const gdc_boundary *boundary);
bool gdc_dynamic_work(const void *state, void *half, const gdc_boundary *boundary, gdc_span span);

#endif

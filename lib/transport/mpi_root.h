/* mpi_root.h - the inside of the root's side: one book per worker, what is being sent, what is being received.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 *   mpi_root.c     a round: begin, sweep until the pump says over
 *   mpi_post.c     sending: MODEL and STOP out of shared buffers with counted references, at most one CTRL per worker
 *   mpi_receive.c  receiving: probe, check the size, receive, deliver in the order of each worker's sends
 *   mpi_lost.c     who is gone, stopped or silent, and when a round must be given up
 *   mpi_finish.c   shutdown */
#ifndef GDC_TRANSPORT_MPI_ROOT_H
#define GDC_TRANSPORT_MPI_ROOT_H

#include "transport/mpi_idle.h"
#include "transport/mpi_message.h"
#include "transport/mpi_setup.h"
#include "transport/pump.h"

enum { GDC_HISTORY = 32 };

/* A model (or the final one, or a bare STOP) that may be on its way to many workers; never written while refs > 0. */
typedef struct gdc_model_buffer {
    uint64_t version;
    int refs;             /* sends that wait or run */
    bool is_sealed;       /* the trailer is written */
    int units;            /* the trailer alone, or with a payload before it */
    unsigned char *bytes; /* NULL: not allocated yet */
} gdc_model_buffer;

/* What the root knows of one worker. */
typedef struct gdc_book {
    bool is_dead;  /* final, and the pump knows: proved gone, or left */
    bool has_left; /* said LEAVE: alive, wants a STOP and says BYE */
    bool said_bye;
    bool is_suspect; /* a label: stopped or silent */
    bool is_stopped; /* by its state when it was last looked at */
    bool is_dying;   /* proof of death was seen; its last messages are being drained */
    double dying_s;
    bool was_told;             /* STOP is on its way */
    gdc_model_buffer farewell; /* a bare STOP */
    gdc_model_buffer *sending, *waiting;
    bool work_waits, ring_waits, limit_waits;
    gdc_span work;
    uint64_t work_version, ring_version, limit_version;
    int limit;
    double answered_s, heard_s;
    int history_count; /* answers so far; the last GDC_HISTORY times from answer to READY are kept */
    double history[GDC_HISTORY];
} gdc_book;

/* A matched message: it has been taken out of MPI's queue and must be received. */
typedef struct gdc_receive {
    MPI_Request request;
    int worker, tag, units;
    bool is_strange;         /* wrong size or tag: nothing in it is believed but the tag's READY */
    bool is_done, is_broken; /* broken: MPI reported an error for it */
    unsigned char *buffer;   /* of the pool, or an own allocation if is_foreign */
    bool is_foreign;
} gdc_receive;

typedef struct gdc_mpi_root {
    gdc_link link;
    gdc_options options;
    const gdc_strategy_parts *parts;
    gdc_wire wire;
    gdc_pump *pump;
    double origin_s;
    gdc_book *book; /* [n] */
    bool *gone;     /* scratch [n] */

    /* sending */
    MPI_Request *request;    /* [2n]: MODEL or STOP of worker w, then CTRL of worker w */
    int *completed;          /* scratch [2n] */
    MPI_Status *status;      /* scratch [2n] */
    int active;              /* requests that are not null */
    unsigned char *ctrl;     /* [2n] trailers: CTRL of worker w, then its farewell */
    gdc_model_buffer *model; /* [models_max] */
    int models_max;
    gdc_model_buffer *current; /* of the running round */
    gdc_model_buffer *stop;    /* with the final model; NULL: none, workers get their farewell */

    /* receiving */
    unsigned char **pool, **free_buffer; /* all message buffers; those that are free, last in first out */
    int pool_count, pool_max, free_count;
    gdc_receive *pending; /* matched and not yet delivered, in the order of matching */
    int pending_count, pending_max;
    unsigned *blocked, stamp; /* [n]: an earlier message of this worker is incomplete, if equal to stamp */
    uint64_t strange_count;   /* messages that were not believed */

    /* waiting */
    gdc_idle idle;
    double began_s;           /* the running round */
    double looked_s, moved_s; /* the last look at all workers, the last message */
    double expire_s;          /* when the running round is given up */
    int dying_count;
    bool somebody_lost;
    bool is_stopping;
    double shutdown_at_s;
    gdc_status error; /* of a call that cannot return one, with its sentence */
    char reason[512];
} gdc_mpi_root;

double gdc_root_now(const gdc_mpi_root *root);
/* One turn of the loop: receive, send, timers, losses, and a pause if nothing moved. */
void gdc_root_turn(gdc_mpi_root *root);
void gdc_root_fail(gdc_mpi_root *root, gdc_status status); /* keeps the first */

/* mpi_post.c */
gdc_status gdc_root_load_model(gdc_mpi_root *root, uint64_t version, const void *model);
void gdc_root_give_model(gdc_mpi_root *root, int worker, gdc_hint hint);
void gdc_root_give_work(gdc_mpi_root *root, int worker, uint64_t version, gdc_span span);
void gdc_root_ring(gdc_mpi_root *root, int worker, uint64_t version);
void gdc_root_limit(gdc_mpi_root *root, int worker, uint64_t version, int limit);
gdc_status gdc_root_load_stop(gdc_mpi_root *root, uint64_t version, const void *model);
void gdc_root_give_stop(gdc_mpi_root *root, int worker);
void gdc_root_forget(gdc_mpi_root *root, int worker); /* nothing that waits is sent any more */
bool gdc_root_progress(gdc_mpi_root *root);           /* true: a send was completed or started */

/* mpi_receive.c */
bool gdc_root_sweep(gdc_mpi_root *root, bool *drained); /* drained: the queue was seen empty. True: something came */
void gdc_root_release(gdc_mpi_root *root, unsigned char *buffer);
gdc_status gdc_root_reserve(gdc_mpi_root *root, int count); /* so many free buffers */
void gdc_root_abandon(gdc_mpi_root *root,
                      int worker); /* incomplete receives of it are left alone until the process ends */
void gdc_root_free_pool(gdc_mpi_root *root);

/* mpi_lost.c */
void gdc_root_watch(gdc_mpi_root *root, double now_s);
void gdc_root_proved_dead(gdc_mpi_root *root, int worker);
void gdc_root_heard(gdc_mpi_root *root, int worker, double now_s);
void gdc_root_has_left(gdc_mpi_root *root, int worker, double now_s);

/* mpi_finish.c */
gdc_status gdc_root_finish(gdc_mpi_root *root, const void *model);
gdc_status gdc_root_close(gdc_mpi_root *root, int *missing);

/* mpi_root.c. create is local: the set-up has agreed already. On failure root is left empty. */
gdc_status gdc_root_create(const gdc_link *link, const gdc_options *options, const gdc_strategy_parts *parts,
                           gdc_mpi_root **root);
void gdc_root_destroy(gdc_mpi_root *root); /* accepts NULL; leaves alone what MPI may still read or write */
gdc_status gdc_root_round(gdc_mpi_root *root, uint64_t version, const void *model, void *gradient, gdc_round *round);

#endif

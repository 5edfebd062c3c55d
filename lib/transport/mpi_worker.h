/* mpi_worker.h - the inside of a worker's side: two model buffers, a pool of sends, machine, and running piece.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 *   mpi_worker.c     the loop over the machine's steps
 *   mpi_progress.c   receiving and moving messages, waiting, the root's presence
 *   mpi_send.c       DATA, SPAN and BARE
 *   mpi_piece.c      a piece: delays, cuts, failures, faults on purpose
 *   mpi_leave.c      STOP, LEAVE, BYE */
#ifndef GDC_TRANSPORT_MPI_WORKER_H
#define GDC_TRANSPORT_MPI_WORKER_H

#include "engine/sums.h"
#include "engine/worker.h"
#include "transport/mpi_idle.h"
#include "transport/mpi_message.h"
#include "transport/mpi_setup.h"

#include <stdatomic.h>

typedef struct gdc_send {
    MPI_Request request;
    void *vector; /* out of the sums; not touched before the request is complete */
} gdc_send;

typedef struct gdc_mpi_worker {
    gdc_link link;
    gdc_options options; /* faults are a copy of this worker's own */
    gdc_fault *fault;    /* [options.fault_count] */
    bool *struck;        /* [options.fault_count] */
    const gdc_strategy_parts *parts;
    int id;
    gdc_worker *machine;
    gdc_sums *sums;
    double origin_s;

    /* A model is held until a newer one has been accepted; the receive is always posted on the other buffer. */
    unsigned char *model[2];
    int held; /* which one; -1: none yet */
    MPI_Request model_request;
    bool model_came; /* the posted receive is complete, with so many units */
    int model_units;
    bool model_is_sound;
    unsigned char *ctrl;
    MPI_Request ctrl_request;

    gdc_send *send; /* [sends] */
    int sends, sending;
    unsigned char *bare;
    MPI_Request bare_request;
    bool owes_ready;      /* #READY = 1 + #MODEL + #WORK */
    bool sent_of_version; /* a vector of the model that it holds was sent */

    bool has_piece;
    int partition;
    double began_s, cut_s;
    uint64_t q;

    uint64_t failed_version;
    int failed_rounds; /* in a row */
    bool tell_error;   /* in the next BARE */
    double model_at_s, piece_s;
    gdc_worker_stats stats;

    bool everything_is_over; /* RING for all versions: the root is finishing */
    atomic_bool over;        /* for gdc_is_over from any thread */
    bool is_through;         /* STOP was obeyed and BYE said */
    bool somebody_lost;      /* the STOP said so */
    const void *final_model;
    gdc_status broken; /* what gdc_next returns from now on */
    gdc_idle idle;
    double heard_s, looked_s;
} gdc_mpi_worker;

double gdc_mpi_worker_now(const gdc_mpi_worker *worker);

/* mpi_progress.c */
gdc_status gdc_mpi_worker_post_model(gdc_mpi_worker *worker);
gdc_status gdc_mpi_worker_post_ctrl(gdc_mpi_worker *worker);
/* Own sends and CTRL; true: something moved. */
bool gdc_mpi_worker_progress(gdc_mpi_worker *worker);
/* The same and the answer that is waited for. */
bool gdc_mpi_worker_listen(gdc_mpi_worker *worker);
/* Listens once and pauses if nothing came. EROOT: the root is gone. */
gdc_status gdc_mpi_worker_pause(gdc_mpi_worker *worker);
gdc_status gdc_mpi_worker_look_at_root(gdc_mpi_worker *worker);
bool gdc_mpi_worker_sends_large(const gdc_mpi_worker *worker);

/* mpi_send.c */
gdc_status gdc_mpi_worker_send(gdc_mpi_worker *worker, const gdc_step *step);
gdc_status gdc_mpi_worker_report(gdc_mpi_worker *worker, const gdc_step *step, unsigned flags);

/* mpi_piece.c */
/* Makes ready for a piece. *started false: it is over or has failed already, and the machine knows. */
gdc_status gdc_mpi_worker_start_piece(gdc_mpi_worker *worker, const gdc_step *step, bool *started);
gdc_status gdc_mpi_worker_submit(gdc_mpi_worker *worker, const gdc_task *task, int code);
enum { GDC_LOST_AFTER = 3 }; /* failed rounds in a row that lose a worker */
/* Does to itself what options.faults say for this moment. */
void gdc_mpi_worker_strike(gdc_mpi_worker *worker, gdc_fault_moment at);
/* Is there a nan or corrupt fault to be done to the vector being sent? Says so once. */
bool gdc_mpi_worker_spoils(gdc_mpi_worker *worker, gdc_fault_kind kind);

/* mpi_leave.c */
gdc_status gdc_mpi_worker_obey_stop(gdc_mpi_worker *worker, const gdc_trailer *stop);
gdc_status gdc_mpi_worker_leave(gdc_mpi_worker *worker);
gdc_status gdc_mpi_worker_close(gdc_mpi_worker *worker, int *missing);

/* mpi_worker.c. create is local; start posts the receives, after all ranks have agreed that they go on. */
gdc_status gdc_mpi_worker_create(const gdc_link *link, const gdc_options *options, const gdc_strategy_parts *parts,
                                 gdc_mpi_worker **worker);
gdc_status gdc_mpi_worker_start(gdc_mpi_worker *worker);
void gdc_mpi_worker_destroy(gdc_mpi_worker *worker); /* accepts NULL; leaves alone what MPI may still read or write */
gdc_status gdc_mpi_worker_next(gdc_mpi_worker *worker, gdc_task *task, void **sum);

#endif

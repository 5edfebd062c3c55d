/* drop_handle.h - the inside of a gdc_drop: one worker of the all-reduce family, with its machine and its pieces.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GDC_API_DROP_HANDLE_H
#define GDC_API_DROP_HANDLE_H

#include "engine/sums.h"
#include "engine/watch.h"
#include "engine/worker.h"
#include "gradcode/drop.h"
#include "transport/mpi_reduce.h"

struct gdc_drop {
    gdc_reducer reducer;
    gdc_options options; /* arrays are own copies */
    gdc_strategy_parts parts;
    double *samples;  /* [k] */
    gdc_fault *fault; /* [options.fault_count] of this rank */
    bool *struck;
    int id;
    gdc_worker *machine;
    gdc_sums *sums;         /* for gdc_drop_gradient */
    unsigned char *own;     /* [reducer.count] what gdc_drop_buffer lends */
    unsigned char *reduced; /* [reducer.count] */
    gdc_watch watch;        /* the rounds that the policy learns from; its table has this rank's times only */
    gdc_profile *shared;    /* everybody's; NULL: nothing to learn */
    unsigned char *local;   /* [reducer.count] the own model of gdc_drop_gradient; NULL: no local steps */
    unsigned char *total;   /* [reducer.count] the sum of its mini-batches that were stepped on */
    double origin_s;
    gdc_status broken;
    uint64_t next_version;

    /* of the running round */
    bool is_open, is_at_reduce;
    bool wants_cut;      /* the policy wants to cut pieces */
    bool can_cut_pieces; /* and they can be: gdc_drop_gradient runs them */
    bool has_piece;
    bool has_failed;
    int steps; /* local steps taken */
    int partition;
    double cut_s, began_s;
    uint64_t q;
    gdc_round round;
    double wanted; /* samples of the whole batch */
    gdc_worker_stats stats;
};

double gdc_drop_now(const gdc_drop *drop);

/* drop_piece.c */
void gdc_drop_start_piece(gdc_drop *drop, const gdc_step *step);
/* The computation is done: sleeps until the drawn duration is over, or cuts. Returns true iff the piece counts. */
bool gdc_drop_end_piece(gdc_drop *drop);
void gdc_drop_strike(gdc_drop *drop, gdc_fault_moment at);
/* A fault that spoils the vector is due: said once. */
bool gdc_drop_spoils(gdc_drop *drop);

/* drop_norms.c: nothing without options.norms. part, reduced [reducer.count] */
void gdc_drop_put_norms(const gdc_drop *drop, double norm2, void *part);
void gdc_drop_take_norms(const gdc_drop *drop, const void *reduced, gdc_round *round);

#endif

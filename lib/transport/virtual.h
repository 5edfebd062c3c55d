/* virtual.h - the inside of the virtual transport: n worker machines, one event queue, no threads.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A piece takes exactly what the delay model says; arithmetic takes no time. Real gradients are computed
 * late: when the master receives a vector that it may want, by the encode path, with the model version that
 * the sender held. */
#ifndef GDC_TRANSPORT_VIRTUAL_H
#define GDC_TRANSPORT_VIRTUAL_H

#include "engine/watch.h"
#include "engine/worker.h"
#include "transport/events.h"
#include "transport/pump.h"

typedef struct gdc_version { /* a model, shared by all that hold it */
    uint64_t number;
    int refs;
    void *model; /* NULL: timing only */
    struct gdc_version *next_free;
} gdc_version;

typedef struct gdc_virtual_worker {
    gdc_worker *machine;
    gdc_version *model; /* what it holds; NULL: none yet */
    uint64_t epoch;     /* of its running piece: events of other epochs are void */
    bool is_computing;
    double piece_at_s, piece_end_s;
    bool is_dead, is_stopped;
    uint64_t stop_epoch;
    double resume_s;         /* INFINITY: never */
    double piece_s;          /* time spent in finished pieces */
    double last_piece_s;     /* in the last of them */
    bool sent_of_version;    /* a vector of the model that it holds was sent */
    bool poison;             /* its next vector is an erasure */
    uint64_t failed_version; /* last version in which its callback failed */
    int failed_rounds;       /* failed rounds in a row */
    bool has_reduced;        /* all-reduce: waits in the reduction */
} gdc_virtual_worker;

typedef struct gdc_virtual {
    gdc_options options;
    const gdc_strategy_parts *parts;
    int workers;
    gdc_partial_fn partial; /* NULL: timing only */
    void *context;
    gdc_delay *own_delay; /* where the options name none */
    const gdc_delay *delay;
    gdc_fault *faults; /* own copy */
    bool *struck;      /* [fault_count] */
    gdc_wire wire;
    gdc_pump *pump;
    gdc_events events;
    gdc_virtual_worker *worker; /* [workers] */
    double now_s;
    double link_out_s, link_in_s; /* the master's link is busy until then */
    gdc_version *current, *free_versions;
    void **pool; /* free vectors */
    int pooled, pool_size;
    void *scratch;
    bool *silent;    /* scratch [workers] */
    int stopped;     /* workers that stand still */
    int dead;        /* workers that are no more */
    double expire_s; /* INFINITY: no deadline runs */
    bool out_of_memory;
    int reducing;      /* all-reduce: workers that wait in the reduction */
    gdc_status broken; /* all-reduce: a rank was lost, no further rounds */
    gdc_watch watch;   /* all-reduce: the rounds that the policy learns from */
    void *local;       /* all-reduce: the own model of the worker whose steps are computed; NULL: no local steps */
} gdc_virtual;

size_t gdc_virtual_model_bytes(const gdc_virtual *v);
size_t gdc_virtual_vector_bytes(const gdc_virtual *v);  /* of a message: shorter where the plan has several blocks */
void gdc_virtual_push(gdc_virtual *v, gdc_event event); /* a failure is remembered in out_of_memory */
void *gdc_virtual_take_vector(gdc_virtual *v);          /* NULL: out of memory, remembered */

/* versions */
gdc_version *gdc_virtual_new_version(gdc_virtual *v, uint64_t number, const void *model);
void gdc_virtual_drop_version(gdc_virtual *v, gdc_version *version);

/* workers: asks the machine for steps and acts on them until it waits */
void gdc_virtual_drive(gdc_virtual *v, int worker);
/* handles an event at a worker; false if it is no worker's event */
bool gdc_virtual_worker_event(gdc_virtual *v, const gdc_event *event);
/* the master's finding that a worker is gone */
void gdc_virtual_lost(gdc_virtual *v, int worker, const char *how);
/* the wire: what the pump says on its way out; vectors and reports on their way in */
gdc_wire gdc_virtual_wire(gdc_virtual *v);
void gdc_virtual_arrive(gdc_virtual *v, gdc_event *event);
void gdc_virtual_deliver(gdc_virtual *v, gdc_event *event);
/* sends a worker's message on its way */
void gdc_virtual_send(gdc_virtual *v, int worker, const gdc_step *step);

/* the all-reduce family */
gdc_status gdc_virtual_reduce_round(gdc_virtual *v, void *gradient, gdc_round *round);

#endif

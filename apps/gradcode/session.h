/* session.h - the tool's own messages under mpirun: orders from rank 0 to the workers, notes back.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 *   rank 0                                              worker
 *   session_open ............ collective, bounded ..... session_open
 *   per strategy: GO(e) to every live worker            waits, sleeping; runs strategy e
 *                 collects notes, evaluates alone       NOTE(e), and the readings if it is worker 0 of an
 * all-reduce BYE to every live worker                            closes what is open, NOTE(-1)
 *
 * After session_open nobody blocks on a peer: Isend or Irecv, then Test with a bound. */
#ifndef APPS_GRADCODE_SESSION_H
#define APPS_GRADCODE_SESSION_H

#include "process.h"
#include "record.h"

#include <mpi.h>

typedef struct order {
    int entry; /* -1: BYE */
    int calm;  /* BYE: nobody was lost, closing may be collective */
} order;

/* What a worker says after a strategy. The counts cover the measured rounds of an all-reduce; 0 elsewhere. */
typedef struct note {
    int entry, status, error_code;
    int has_readings; /* worker 0 of an all-reduce: rounds, models and gradients follow */
    uint64_t pieces, messages, bytes, overran, rounds, kept;
    double home_used, compute_s, piece_s, wall_s, amplification;
    noise_reading noise;
    char chosen[96]; /* by the strategy itself */
    char sentence[SENTENCE_MAX];
} note;

typedef struct session session;

typedef struct peer {
    process who;
    bool is_near, is_lost, owes; /* owes: a note for `entry` */
    int entry;
    order order;
    note note;
    MPI_Request order_request, note_request;
} peer;

struct session {
    MPI_Comm comm, workers_comm; /* workers_comm: NULL on rank 0 */
    int rank, workers;
    process root;
    bool root_is_near;
    double looked_s;
    peer *peer; /* rank 0: [workers] */
};

/* Collective over MPI_COMM_WORLD. Ends the process if a rank dies meanwhile and the others would hang. EMPI,
 * ENOMEM. */
gdc_status session_open(session *s);
/* Collective, at start-up only: the failure of the lowest rank that failed becomes everybody's. */
gdc_status session_agree(session *s, gdc_status mine);
/* Collective, at start-up only, but ranks may come late: table[count] becomes the sum over all ranks. ETIMEDOUT, at rank 0: a
 * worker of this host is gone; at a worker: the root is. EMPI. */
gdc_status session_share(session *s, double *table, size_t count);
/* Rank 0. */
void session_order(session *s, int about, bool calm); /* about: entry, -1 = BYE */
/* Waits for the notes that are owed. From the first note on (or at once, if at_once) the others have
 * patience_s; a worker whose process is gone is lost, one that is stopped is not waited for. After an
 * interruption only worker 0, which keeps the readings, is waited for, and half a second at most. */
void session_collect(session *s, double patience_s, bool at_once);
/* The lowest worker that is lost, or still owes an old note; -1: all are here. */
int session_absent(session *s);
/* "dead", "stopped" or "silent": of a worker that is lost or owes a note. */
const char *session_how_lost(const peer *p);
/* Receives what worker 0 announced into rec. ETIMEDOUT: it did not come (rec->lent is then set). */
gdc_status session_take_readings(session *s, record *rec);
/* BYE, the last notes, and an end for workers of this host that do not answer within 3 s. */
void session_farewell(session *s);

/* Worker. False: the root is gone. */
bool session_await(session *s, order *o);
bool session_tell(session *s, const note *n);
bool session_give_readings(session *s, const record *rec);
bool session_root_lives(session *s); /* looks at most once a second */

/* Both, last: frees what may be freed. */
void session_close(session *s, bool calm);

double session_clock(void); /* monotonic, seconds */
void session_sleep(double seconds);

#endif

/* mpi_setup.h - the only collective part: duplicate the communicator, agree, learn who sits where.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Who sends what: every rank takes part in one MPI_Comm_dup, one MPI_Allreduce of "my options are good", one
 * MPI_Allgather of a fixed record and, once its memory is there, one more MPI_Allreduce; where one of these
 * shows a failure, the lowest failing rank's status and sentence go to all by one MPI_Bcast. Nothing collective
 * follows but the reductions of the all-reduce family and the last MPI_Comm_free. */
#ifndef GDC_TRANSPORT_MPI_SETUP_H
#define GDC_TRANSPORT_MPI_SETUP_H

#include "engine/policy.h"
#include "gradcode/round.h"
#include "transport/mpi_process.h"

#include <mpi.h>

typedef struct gdc_link {
    MPI_Comm comm;
    MPI_Datatype unit; /* 64 bytes: counts stay below INT_MAX up to 128 GiB */
    int rank, ranks;
    int root; /* its rank; -1: all ranks are workers */
    int workers;
    bool f32, checksum;
    size_t dimension, payload_bytes; /* of a model */
    int message_units;               /* with the trailer */
    size_t length, vector_bytes;     /* of a worker's vector: shorter where the plan has several blocks */
    int vector_units;                /* with the trailer */
    gdc_process *process;            /* [ranks] */
    int spins;                       /* for gdc_idle */
} gdc_link;

/* Collective over comm. local: what this rank has found wrong with its options so far (its sentence in
 * gdc_last_error); every rank gets the first failing rank's status and sentence. options and parts are read
 * only where local is GDC_OK. */
gdc_status gdc_link_open(MPI_Comm comm, gdc_status local, const gdc_options *options, const gdc_strategy_parts *parts,
                         int root, gdc_link *link);
/* Collective: the same status and sentence for all, that of the first rank with a failure. */
gdc_status gdc_link_agree(const gdc_link *link, gdc_status local);
/* everybody: all ranks are alive and close; else the communicator is left behind, since freeing it is collective. */
void gdc_link_close(gdc_link *link, bool everybody);

int gdc_link_rank_of(const gdc_link *link, int worker);
int gdc_link_worker_of(const gdc_link *link, int rank); /* not the root's */
/* Is /proc of this rank able to speak of the other? */
bool gdc_link_sees(const gdc_link *link, int rank);

/* EMPI with MPI's own words unless code is MPI_SUCCESS. */
gdc_status gdc_mpi_check(int code, const char *what);
/* 64-byte aligned, zeroed and thereby touched: first rounds must not pay the page faults. NULL when out of memory. */
void *gdc_mpi_buffer(size_t bytes);

#endif

/* mpi_engine.h - the transport over MPI, as the public functions see it.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GDC_TRANSPORT_MPI_ENGINE_H
#define GDC_TRANSPORT_MPI_ENGINE_H

#include "transport/transport.h"

#include <mpi.h>

/* Collective over comm. local: what the caller found wrong with the options on this rank so far (sentence in
 * gdc_last_error); options and parts are read only where it is GDC_OK. Every rank gets the same status and
 * sentence. Keeps a pointer to parts. *ops is the table of this rank's side. EINVAL, ENOMEM, EMPI. */
gdc_status gdc_mpi_create(MPI_Comm comm, gdc_status local, const gdc_options *options, const gdc_strategy_parts *parts,
                          int root, const gdc_transport_ops **ops, void **self);

#endif

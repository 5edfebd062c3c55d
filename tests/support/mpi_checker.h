/* mpi_checker.h - a layer between a test program and MPI (through the profiling interface) that watches the
 * library's traffic. SPDX-License-Identifier: BSD-3-Clause
 *
 * Every communicator made by MPI_Comm_dup counts as the library's: programs under test make theirs with
 * MPI_Comm_split. It finds
 *   - a send buffer that changed between MPI_Isend and completion,
 *   - MPI_Cancel or MPI_Request_free of a send,
 *   - after checker_setup_done(): a blocking call, or a collective other than MPI_Iallreduce,
 *   - more than one MODEL or CTRL outstanding to a worker, more DATA outstanding from a worker than
 * checker_set_most_data(),
 *   - at MPI_Comm_free: a live request, or a message that nobody received. */
#ifndef TESTS_SUPPORT_MPI_CHECKER_H
#define TESTS_SUPPORT_MPI_CHECKER_H

void checker_setup_done(void);
void checker_setup_begins(void); /* of a further engine: collectives are allowed again */
void checker_set_most_data(int most);
int checker_reductions(void); /* that the library has started here */
/* Prints what was found on stderr and returns how many. nobody_lost: live requests on the library's
 * communicators count as well. */
int checker_report(int nobody_lost);

#endif

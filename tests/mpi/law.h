/* law.h - laws that hold on all ranks: each rank counts what fails, all agree at the end of a law, rank 0 says so.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_MPI_LAW_H
#define TESTS_MPI_LAW_H

#include "gradcode/status.h"

#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef struct law {
    int failures, total; /* of the running law; of all */
    int laws;
} law;

GDC_PRINTF(3, 4) static inline int expect(law *l, int holds, const char *format, ...)
{
    if (!holds && l->failures++ < 5) {
        int rank;
        va_list arguments;
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        va_start(arguments, format);
        fprintf(stderr, "rank %d: ", rank);
        vfprintf(stderr, format, arguments);
        fprintf(stderr, "; last error: %s\n", gdc_last_error());
        va_end(arguments);
    }
    return holds;
}

/* Collective over MPI_COMM_WORLD. */
GDC_PRINTF(2, 3) static inline void law_end(law *l, const char *format, ...)
{
    int rank, failures = 0;
    va_list arguments;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Allreduce(&l->failures, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) {
        va_start(arguments, format);
        printf("%s ", failures ? "NOT ok" : "ok");
        vprintf(format, arguments);
        printf("\n");
        fflush(stdout);
        va_end(arguments);
    }
    l->total += failures;
    l->laws++;
    l->failures = 0;
}

/* Every rank has the same sentence. */
static inline int same_sentence(const char *text)
{
    char first[1024] = "";
    int mine, all;
    strncpy(first, text, sizeof first - 1);
    MPI_Bcast(first, sizeof first, MPI_CHAR, 0, MPI_COMM_WORLD);
    mine = strcmp(first, text) == 0;
    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return all;
}

#endif

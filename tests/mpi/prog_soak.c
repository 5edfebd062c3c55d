/* prog_soak.c - ten thousand rounds beside a slow worker: nothing grows, and it skips what is over.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "gradcode/engine.h"
#include "mpi/law.h"
#include "support/integer_problem.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { D = 400 };

static double resident_bytes(void)
{
    long size = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file && fscanf(file, "%ld %ld", &size, &resident) != 2) {
        resident = 0;
    }
    if (file) {
        fclose(file);
    }
    return (double)resident * (double)sysconf(_SC_PAGESIZE);
}

static int slow_partial(void *context, gdc_task *task, void *sum)
{
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    return integer_partial(context, task, sum);
}

int main(int argc, char **argv)
{
    law l = {.failures = 0};
    int rank, rounds = argc > 1 ? atoi(argv[1]) : 10000;
    gdc_options options;
    gdc_engine *engine = NULL;
    integer_problem p = {.dimension = D, .fail_partition = -1, .nan_partition = -1};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    gdc_options_init(&options);
    options.dimension = D;
    options.partitions = 2;
    expect(&l, gdc_open(MPI_COMM_WORLD, &options, &engine) == GDC_OK, "gdc_open");
    double early = 0;
    if (rank == 0) {
        double model[D] = {0}, gradient[D];
        int k = gdc_workers(engine) * options.partitions;
        for (int r = 0; r < rounds; r++) {
            gdc_status status = gdc_gradient(engine, model, gradient, NULL);
            expect(&l, status == GDC_OK && gradient[D - 1] == integer_total(k, (uint64_t)r + 1, D - 1), "round %d: %s",
                   r, gdc_strerror(status));
            early = r == rounds / 10 ? resident_bytes() : early;
        }
        double grown = resident_bytes() - early;
        expect(&l, grown < 2e6, "the root has grown by %.3g MB", grown / 1e6);
    } else {
        gdc_status status = gdc_work(engine, rank == 1 ? slow_partial : integer_partial, &p);
        expect(&l, status == GDC_OK, "gdc_work: %s", gdc_strerror(status));
        expect(&l, rank != 1 || p.calls < rounds, "the slow worker computed %d pieces in %d rounds", p.calls, rounds);
        expect(&l, resident_bytes() < 200e6, "a worker holds %.3g MB", resident_bytes() / 1e6);
    }
    expect(&l, gdc_close(engine, NULL) == GDC_OK, "gdc_close");
    law_end(&l, "%d rounds with one slow worker: nothing grows, and it skips what is over", rounds);
    MPI_Finalize();
    return l.total ? 1 : 0;
}

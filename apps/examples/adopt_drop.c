/* adopt_drop.c - an all-reduce training loop that adopts DropCompute; the lines that it takes are marked. The threshold is chosen
 * after 25 steps, alike on all ranks: mpicc adopt_drop.c -lgradcode && mpirun -n 4 ./a.out
 * SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200809L /* nanosleep, which stands for work here */
#include <gradcode/drop.h>      /* + */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { D = 3, MICRO = 4, STEPS = 150 };

/* gradient += that of 0.5 (a.x - a.truth)^2 for one sample a of the partition; every eleventh takes ten times as long. */
static void add_gradient(int partition, int step, const double *x, double *gradient)
{
    static const double truth[D] = {1, -2, 3};
    double a[D], error = 0;
    for (int i = 0; i < D; i++) {
        a[i] = (double)((partition * 7 + step * 3 + i * 5) % 9 - 4) / 4;
        error += a[i] * (x[i] - truth[i]);
    }
    for (int i = 0; i < D; i++)
        gradient[i] += error * a[i];
    long microseconds = (partition * 3 + step * 5) % 11 ? 200 : 2000;
    nanosleep(&(struct timespec){.tv_nsec = microseconds * 1000}, NULL);
}

int main(int argc, char **argv)
{
    int rank, ranks, partition;
    double x[D] = {0}, gradient[D], used = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    gdc_options options;   /* + */
    gdc_drop *drop = NULL; /* + */
    gdc_round round = {.size = sizeof round};
    gdc_options_init(&options);                                         /* + */
    options.strategy = "drop:tau=auto";                                 /* + */
    options.partitions = MICRO;                                         /* + */
    options.dimension = D;                                              /* + */
    gdc_status status = gdc_drop_open(MPI_COMM_WORLD, &options, &drop); /* + */
    for (int step = 0; status == GDC_OK && step < STEPS; step++) {
        for (int i = 0; i < D; i++)
            gradient[i] = 0;
        status = gdc_drop_begin(drop);          /* + */
        while (gdc_drop_more(drop, &partition)) /* was: for (m = 0; m < MICRO; m++) */
            add_gradient(partition, step, x, gradient);
        if (status == GDC_OK)
            status = gdc_drop_reduce(drop, gradient, &round); /* was: MPI_Allreduce */
        used += round.used / STEPS;
        for (int i = 0; i < D; i++)
            x[i] -= 0.8 * gradient[i] / (ranks * MICRO);
    }
    if (status != GDC_OK)
        fprintf(stderr, "rank %d: %s: %s\n", rank, gdc_strerror(status), gdc_last_error());
    else if (rank == 0)
        printf("model %.2f %.2f %.2f\nchosen %s\nused %.2f\n", x[0], x[1], x[2], gdc_drop_chosen(drop), used);
    gdc_drop_close(drop); /* + */
    MPI_Finalize();
    return status == GDC_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}

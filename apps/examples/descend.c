/* descend.c - least squares by gradient coding, whole: mpicc descend.c -lgradcode -lm && mpirun -n 5 ./a.out
 * SPDX-License-Identifier: BSD-3-Clause */
#include <gradcode/engine.h>
#include <stdio.h>

enum { D = 3 };

/* sum += scale * gradient of partition p of 0.5 sum_i (model_i - p)^2; the best model is the mean of all p. */
static int partial(void *context, gdc_task *task, void *sum)
{
    (void)context;
    for (int i = 0; i < D; i++)
        ((double *)sum)[i] += task->scale * (((const double *)task->model)[i] - task->partition);
    return 0;
}

int main(int argc, char **argv)
{
    int rank, k, missing = 0;
    double model[D] = {0}, gradient[D];
    gdc_options options;
    gdc_engine *engine = NULL;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &k);
    gdc_options_init(&options); /* gc:code=fractional,load=2: any one worker may be late, stopped or dead */
    options.dimension = D;
    gdc_status status = gdc_open(MPI_COMM_WORLD, &options, &engine);
    if (status == GDC_OK && rank > 0)
        status = gdc_work(engine, partial, NULL);
    for (int round = 0; status == GDC_OK && rank == 0 && round < 100; round++) {
        status = gdc_gradient(engine, model, gradient, NULL);
        for (int i = 0; status == GDC_OK && i < D; i++)
            model[i] -= 0.5 * gradient[i] / (k - 1);
    }
    if (status == GDC_OK && rank == 0)
        status = gdc_finish(engine, model);
    if (status != GDC_OK)
        fprintf(stderr, "rank %d: %s: %s\n", rank, gdc_strerror(status), gdc_last_error());
    gdc_close(engine, &missing);
    if (rank == 0)
        printf("model %g %g %g\n", model[0], model[1], model[2]);
    return gdc_mpi_finalize(missing ? 10 : 0, status != GDC_OK);
}

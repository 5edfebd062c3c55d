/* prog_peers.c - without a root every rank goes by its own options and memory: what differs on one of them stops all.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "api/drop_handle.h"
#include "gradcode/drop.h"
#include "mpi/law.h"
#include "support/mpi_checker.h"

#include <stdlib.h>

enum { MICRO = 3, D = 4 };

/* Local steps of which rank 1 has other options, or of which all have the same (name NULL). */
static void opens_or_refuses(law *l, int rank, const char *name, const gdc_options *other)
{
    gdc_options options;
    gdc_drop *drop = NULL;
    gdc_options_init(&options);
    options.local_rate = .25;
    if (rank == 1)
        options = *other;
    options.strategy = "local:steps=2";
    options.partitions = MICRO;
    options.dimension = D;
    checker_setup_begins();
    gdc_status status = gdc_drop_open(MPI_COMM_WORLD, &options, &drop);
    if (name) {
        expect(l, status == GDC_EINVAL && strstr(gdc_last_error(), name), "status %s", gdc_strerror(status));
        expect(l, same_sentence(gdc_last_error()), "another sentence than on rank 0");
    } else {
        expect(l, status == GDC_OK, "status %s", gdc_strerror(status));
        gdc_drop_close(drop);
    }
    law_end(l, "%s%s on one rank", name ? "refuses another " : "opens with the same options", name ? name : "");
}

static void options_must_be_the_same(law *l, int rank, int ranks)
{
    gdc_options same, version, sizes, speed;
    double *samples = malloc((size_t)(ranks * MICRO) * sizeof *samples);
    for (int i = 0; i < ranks * MICRO; i++)
        samples[i] = 2;
    gdc_options_init(&same);
    same.local_rate = .25;
    version = sizes = speed = same;
    version.first_version = 2;
    sizes.samples = samples;
    speed.local_rate = .5;
    opens_or_refuses(l, rank, NULL, &same);
    opens_or_refuses(l, rank, "first_version", &version);
    opens_or_refuses(l, rank, "samples", &sizes);
    opens_or_refuses(l, rank, "local_rate", &speed);
    free(samples);
}

/* Else the others would wait for it in the next reduction. */
static void one_that_cannot_learn_stops_all(law *l, int rank)
{
    gdc_options options;
    gdc_drop *drop = NULL;
    gdc_options_init(&options);
    options.strategy = "sync";
    options.dimension = D;
    checker_setup_begins();
    if (!expect(l, gdc_drop_open(MPI_COMM_WORLD, &options, &drop) == GDC_OK, "gdc_drop_open"))
        MPI_Abort(MPI_COMM_WORLD, 1);
    checker_setup_done();
    expect(l, gdc_reducer_agree(&drop->reducer, GDC_OK) == GDC_OK, "nobody has failed");
    gdc_status local = rank == 1 ? gdc_fail(GDC_ENOMEM, "no memory to sort") : GDC_OK;
    gdc_status status = gdc_reducer_agree(&drop->reducer, local);
    expect(l, status == GDC_ENOMEM && strstr(gdc_last_error(), "worker 1 failed"), "status %s", gdc_strerror(status));
    expect(l, rank != 1 || strstr(gdc_last_error(), "no memory to sort"), "rank 1 does not know why");
    gdc_drop_close(drop);
    law_end(l, "one that cannot learn stops all");
}

int main(int argc, char **argv)
{
    law l = {.failures = 0};
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    options_must_be_the_same(&l, rank, ranks);
    one_that_cannot_learn_stops_all(&l, rank);
    MPI_Finalize();
    return l.total ? 1 : 0;
}

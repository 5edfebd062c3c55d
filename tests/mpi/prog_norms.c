/* prog_norms.c - squared norms of partials over MPI: those of a plain loop, and those of the virtual clock.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "gradcode/critical.h"
#include "gradcode/draw.h"
#include "gradcode/drop.h"
#include "gradcode/engine.h"
#include "mpi/law.h"
#include "support/mpi_checker.h"

#include <math.h>
#include <stdlib.h>

enum { D = 33, M = 2, MOST = 32, ROUNDS = 12 };

/* What a partition gives at a version: normal, so that every rounding shows. */
static double gradient_at(uint64_t version, int partition, size_t i)
{
    return gdc_draw_normal((gdc_key){.seed = 5, .purpose = 1, .a = version, .b = (uint64_t)partition, .c = i});
}

static int partial(void *context, gdc_task *task, void *sum)
{
    int f32 = *(const int *)context;
    for (size_t i = 0; i < D; i++) {
        double value = task->scale * gradient_at(task->version, task->partition, i);
        if (f32)
            ((float *)sum)[i] += (float)value;
        else
            ((double *)sum)[i] += value;
    }
    return 0;
}

static double share(int p)
{
    return 3 + p % 2;
}

typedef struct told {
    double norm2, part_samples, samples;
    double parts;
} told;

/* All partitions once, by a plain loop. */
static told plain(uint64_t version, int k)
{
    double norms = 0, squares = 0, samples = 0;
    for (int p = 0; p < k; p++) {
        for (size_t i = 0; i < D; i++)
            norms += pow(gradient_at(version, p, i), 2);
        squares += share(p) * share(p);
        samples += share(p);
    }
    return (told){.norm2 = norms / squares, .part_samples = squares / samples, .samples = samples, .parts = k};
}

static void expect_told(law *l, const gdc_round *round, told want, double tolerance)
{
    expect(l, (double)round->parts == want.parts, "round %llu: %llu parts", (unsigned long long)round->version,
           (unsigned long long)round->parts);
    expect(l, fabs(round->norm2 / want.norm2 - 1) <= tolerance, "norm2 %.17g, not %.17g", round->norm2, want.norm2);
    expect(l, fabs(round->part_samples / want.part_samples - 1) <= tolerance, "part_samples %g", round->part_samples);
    expect(l, fabs(round->samples / want.samples - 1) <= tolerance, "samples %g", round->samples);
}

static gdc_options options_of(const char *strategy, double *samples, int workers, int f32)
{
    gdc_options options;
    gdc_options_init(&options);
    for (int p = 0; p < workers * M; p++)
        samples[p] = share(p);
    options.strategy = strategy;
    options.partitions = M;
    options.dimension = D;
    options.dtype = f32 ? GDC_F32 : GDC_F64;
    options.samples = samples;
    options.norms = 1;
    return options;
}

/* ---- through a master ---- */

/* bitwise: every vector enters, in the order of workers, on both clocks. */
typedef struct star {
    const char *strategy;
    int f32, bitwise;
    int once; /* every partition is told once */
} star;

static void run_root(law *l, gdc_engine *engine, gdc_engine *twin, const star *what, gdc_critical *critical)
{
    double gradient[D], again[D];
    static const double model[D];
    int k = gdc_workers(engine) * M, missing = 0;
    for (uint64_t v = 1; v <= ROUNDS; v++) {
        gdc_round round = {.size = sizeof round}, second = {.size = sizeof second};
        expect(l, gdc_gradient(engine, model, gradient, &round) == GDC_OK, "round %d", (int)v);
        expect(l, gdc_gradient(twin, model, again, &second) == GDC_OK, "virtual round %d", (int)v);
        if (what->once)
            expect_told(l, &round, plain(v, k), what->f32 ? 1e-6 : 1e-13);
        expect(l, round.parts >= (uint64_t)k && isfinite(round.norm2), "round %d told nothing", (int)v);
        expect(l, !what->bitwise || (round.norm2 == second.norm2 && round.parts == second.parts),
               "norm2 %.17g, on the virtual clock %.17g", round.norm2, second.norm2);
        gdc_status status = gdc_critical_observe(critical, &round, what->f32 ? GDC_F32 : GDC_F64, D, gradient);
        expect(l, status == GDC_OK, "gdc_critical_observe");
    }
    expect(l, gdc_finish(engine, NULL) == GDC_OK && gdc_close(engine, &missing) == GDC_OK && missing == 0, "the end");
}

static void run_star(law *l, MPI_Comm comm, star what)
{
    int rank, ranks;
    double samples[MOST];
    gdc_engine *engine = NULL, *twin = NULL;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    gdc_options options = options_of(what.strategy, samples, ranks - 1, what.f32);
    expect(l, gdc_open(comm, &options, &engine) == GDC_OK, "gdc_open");
    checker_setup_done();
    if (rank == 0) {
        gdc_critical *critical = NULL;
        gdc_critical_estimates e = {.size = sizeof e};
        expect(l, gdc_open_virtual(&options, ranks - 1, partial, &what.f32, &twin) == GDC_OK, "gdc_open_virtual");
        expect(l, gdc_critical_create(INFINITY, &critical) == GDC_OK, "gdc_critical_create");
        run_root(l, engine, twin, &what, critical);
        gdc_critical_estimate(critical, &e);
        expect(l, e.updates == ROUNDS && e.noise.value > 0, "%d updates were observed", (int)e.updates);
        gdc_critical_destroy(critical);
        gdc_close(twin, NULL);
    } else {
        expect(l, gdc_work(engine, partial, &what.f32) == GDC_OK && gdc_close(engine, NULL) == GDC_OK, "gdc_work");
    }
    checker_setup_begins();
    law_end(l, "%s %s: norms over MPI", what.strategy, what.f32 ? "f32" : "f64");
}

/* ---- all-reduce ---- */

static void run_reduce(law *l, MPI_Comm comm, const char *strategy, int f32, int own_loop)
{
    int rank, ranks, partition;
    double samples[MOST], gradient[D + 1], model[D] = {0};
    gdc_drop *drop = NULL;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    gdc_options options = options_of(strategy, samples, ranks, f32);
    expect(l, gdc_drop_open(comm, &options, &drop) == GDC_OK, "gdc_drop_open");
    checker_setup_done();
    for (uint64_t v = 1; v <= ROUNDS; v++) {
        gdc_round round = {.size = sizeof round};
        gdc_status status = GDC_OK;
        if (own_loop) {
            for (size_t i = 0; i < D; i++)
                gradient[i] = 0;
            gdc_drop_begin(drop);
            while (gdc_drop_more(drop, &partition))
                partial(&f32, &(gdc_task){.version = v, .partition = partition, .scale = 1}, gradient);
            status = gdc_drop_reduce(drop, gradient, &round);
            expect(l, round.parts == 0 && isnan(round.norm2), "an own loop cannot be measured");
        } else {
            status = gdc_drop_gradient(drop, model, partial, &f32, gradient, &round);
            expect_told(l, &round, plain(v, ranks * M), f32 ? 1e-5 : 1e-13);
        }
        expect(l, status == GDC_OK && round.used == 1 && round.scale == 1, "round %d", (int)v);
    }
    checker_setup_begins();
    expect(l, gdc_drop_close(drop) == GDC_OK, "gdc_drop_close");
    law_end(l, "%s %s%s: norms in an all-reduce", strategy, f32 ? "f32" : "f64", own_loop ? ", own loop" : "");
}

/* A rank without norms would reduce fewer numbers than the others. */
static void run_disagreement(law *l, MPI_Comm comm)
{
    int rank, ranks;
    double samples[MOST];
    gdc_drop *drop = NULL;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    gdc_options options = options_of("sync", samples, ranks, 0);
    options.norms = rank != 1;
    expect(l, gdc_drop_open(comm, &options, &drop) == GDC_EINVAL, "ranks differ in norms");
    expect(l, strstr(gdc_last_error(), "norms") != NULL && same_sentence(gdc_last_error()), "the sentence");
    law_end(l, "ranks that differ in norms are refused");
}

int main(int argc, char **argv)
{
    law l = {.failures = 0};
    MPI_Comm comm;
    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    run_star(&l, comm, (star){.strategy = "gc:code=uncoded", .bitwise = 1, .once = 1});
    run_star(&l, comm, (star){.strategy = "gc:code=uncoded", .bitwise = 1, .once = 1, .f32 = 1});
    run_star(&l, comm, (star){.strategy = "gc:code=fractional,load=2", .once = 1});
    run_star(&l, comm, (star){.strategy = "gc:code=uncoded,load=2,message=1,walk=two-ended", .once = 1});
    run_star(&l, comm, (star){.strategy = "gc:code=cyclic,load=2"});
    run_reduce(&l, comm, "sync", 0, 0);
    run_reduce(&l, comm, "drop:tau=inf", 1, 0);
    run_reduce(&l, comm, "sync", 0, 1);
    run_disagreement(&l, comm);
    expect(&l, checker_report(1) == 0, "the checker found something");
    law_end(&l, "the checker found nothing");
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return l.total ? 1 : 0;
}

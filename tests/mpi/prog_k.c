/* prog_k.c - the K family over MPI: K counted, staleness conserved as integers, sums right, whatever arrives between rounds.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * prog_k PART: one PART-th of the rounds. A partition of shard w at version v gives 1, v, 1 at coordinate 2 + w and 1 at the last; its loss is v. */
#include "gradcode/engine.h"
#include "mpi/law.h"
#include "support/mpi_checker.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { M = 2 };

typedef struct run {
    const char *strategy;
    int k; /* 0: of its own choice */
    int distinct, stale, cancels;
    size_t dimension;
    int rounds;
    double poll_s;
} run;

typedef struct problem {
    size_t dimension;
    int workers;
    int wrong_models, repeated;
    uint64_t version;
    int partition;
} problem;

static int partial(void *context, gdc_task *task, void *sum)
{
    problem *p = context;
    double *out = sum, version = (double)task->version;
    int home = task->partition % (p->workers * M) / M;
    p->wrong_models += ((const double *)task->model)[0] != version;
    p->repeated += task->version == p->version && task->partition <= p->partition; /* ids of one worker rise */
    p->version = task->version;
    p->partition = task->partition;
    out[0] += task->scale;
    out[1] += task->scale * version;
    out[2 + home] += task->scale;
    out[p->dimension - 1] += task->scale;
    task->loss = version;
    return 0;
}

static void pause_ms(long ms)
{
    nanosleep(&(struct timespec){.tv_nsec = ms * 1000000}, NULL);
}

static int is_near(double value, double wanted)
{
    return fabs(value - wanted) <= 1e-9 * (1 + fabs(wanted));
}

static void check_sum(law *l, const run *what, int n, const double *g, const gdc_round *r)
{
    double count = (double)r->vectors, version = (double)r->version;
    int most = 0;
    for (int w = 0; w < n; w++) {
        int gave = (int)round(g[2 + w] / r->scale / M);
        most = gave > most ? gave : most;
    }
    expect(l, r->vectors > 0 && (what->k == 0 || r->vectors == (uint64_t)what->k), "%llu vectors",
           (unsigned long long)r->vectors);
    expect(l, is_near(r->scale, n / count) && is_near(r->used, count / n), "scale %g, used %g", r->scale, r->used);
    expect(l, is_near(g[0] / r->scale, M * count) && g[what->dimension - 1] == g[0], "%g partitions in the sum",
           g[0] / r->scale);
    expect(l, is_near(g[1] / r->scale, M * (count * version - (double)r->staleness)), "versions in the sum: %g",
           g[1] / r->scale);
    expect(l, !what->distinct || most <= 1, "a worker gave %d times", most);
    expect(l, what->stale || (r->staleness == 0 && r->fresh == r->vectors && r->in_flight == 0), "stale vectors");
    expect(l, is_near(r->loss, version - (double)r->staleness / count), "loss %g", r->loss);
}

static void run_root(law *l, gdc_engine *engine, const run *what)
{
    double *model = calloc(what->dimension, sizeof *model), *g = calloc(what->dimension, sizeof *g);
    uint64_t stale = 0, aged = 0;
    int n = gdc_workers(engine), missing = -1, most = 0;
    pause_ms(what->stale ? 100 : 0); /* all have said READY by then, so that all begin with the first model */
    for (int i = 0; i < what->rounds; i++) {
        gdc_round r = {.size = sizeof r};
        model[0] = i + 1;
        gdc_status status = gdc_gradient(engine, model, g, &r);
        if (!expect(l, status == GDC_OK, "round %d: %s", i + 1, gdc_strerror(status)))
            break;
        check_sum(l, what, n, g, &r);
        stale += r.staleness;
        aged += (uint64_t)(what->distinct ? n - (int)r.vectors : n - 1);
        expect(l, !what->stale || what->cancels || stale + r.in_flight == aged,
               "round %d: staleness %llu + in flight %llu instead of %llu", i + 1, (unsigned long long)stale,
               (unsigned long long)r.in_flight, (unsigned long long)aged);
        most = (int)r.vectors > most ? (int)r.vectors : most;
        if (i % 4 == 0)
            pause_ms(8); /* meanwhile several vectors come, more than the next round wants */
    }
    expect(l, gdc_finish(engine, model) == GDC_OK, "gdc_finish");
    expect(l, gdc_close(engine, &missing) == GDC_OK && missing == 0, "gdc_close: %d missing", missing);
    expect(l, what->k > 0 || most >= 1, "no round at all");
    free(model);
    free(g);
}

static void run_worker(law *l, gdc_engine *engine, const run *what, int n)
{
    problem p = {.dimension = what->dimension, .workers = n};
    gdc_status status = gdc_work(engine, partial, &p);
    expect(l, status == GDC_OK, "gdc_work: %s", gdc_strerror(status));
    expect(l, p.wrong_models == 0 && p.repeated == 0, "%d wrong models, %d mini-batches twice", p.wrong_models,
           p.repeated);
    expect(l, gdc_close(engine, NULL) == GDC_OK, "gdc_close at a worker");
}

static void run_one(law *l, const run *what)
{
    const char *spec = "lognormal:mu=0.0005";
    int rank, ranks;
    gdc_options options;
    gdc_engine *engine = NULL;
    gdc_delay *delay = NULL;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    gdc_options_init(&options);
    options.strategy = what->strategy;
    options.partitions = M;
    options.dimension = what->dimension;
    options.poll_s = what->poll_s;
    expect(l, gdc_delay_create(&spec, 1, 3, ranks - 1, M, &delay) == GDC_OK, "the delay");
    options.delay = delay;
    gdc_status status = gdc_open(MPI_COMM_WORLD, &options, &engine);
    if (expect(l, status == GDC_OK, "gdc_open: %s", gdc_strerror(status))) {
        checker_setup_done();
        checker_set_most_data(3);
        if (rank == 0)
            run_root(l, engine, what);
        else
            run_worker(l, engine, what, ranks - 1);
        checker_setup_begins();
    }
    gdc_delay_destroy(delay);
    law_end(l, "%s d=%zu: %d rounds", what->strategy, what->dimension, what->rounds);
}

int main(int argc, char **argv)
{
    law l = {.failures = 0};
    MPI_Init(&argc, &argv);
    static const run runs[] = {
        {"k-sync:k=3", 3, 1, 0, 1, 40, 60, 5e-4},
        {"k-sync:k=3,cancel=0", 3, 1, 0, 0, 40, 60, INFINITY},
        {"k-batch-sync:k=6", 6, 0, 0, 1, 40, 40, 5e-4},
        {"k-batch-sync:k=3,cancel=0", 3, 0, 0, 0, 40, 60, INFINITY},
        {"k-async:k=2", 2, 1, 1, 0, 40, 100, INFINITY},
        {"k-async:k=2,cancel=1", 2, 1, 1, 1, 40, 60, 5e-4},
        {"k-batch-async:k=1", 1, 0, 1, 0, 40, 150, INFINITY},
        {"k-batch-async:k=3", 3, 0, 1, 0, 40, 100, INFINITY},
        {"k-batch-async:k=9", 9, 0, 1, 0, 40, 40, INFINITY},
        {"k-batch-async:k=2", 2, 0, 1, 0, 60000, 40, INFINITY},
        {"k-async:k=3", 3, 1, 1, 0, 60000, 40, INFINITY},
        {"adasync:base=k-sync,k0=2,every=0.02", 0, 1, 0, 1, 40, 60, 5e-4},
        {"adasync:base=k-async,k0=1,every=0.02,rule=empirical", 0, 1, 1, 0, 40, 60, INFINITY},
        {"adasync:base=k-batch-async,k0=1,every=0.02", 0, 0, 1, 0, 40, 60, INFINITY},
    };
    int part = argc > 1 ? atoi(argv[1]) : 1;
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        run what = runs[i];
        what.rounds /= part > 0 ? part : 1;
        run_one(&l, &what);
    }
    expect(&l, checker_report(1) == 0, "the checker found something");
    law_end(&l, "the checker found nothing");
    MPI_Finalize();
    return l.total ? 1 : 0;
}

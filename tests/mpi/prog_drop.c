/* prog_drop.c - the laws of the all-reduce family.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * sync equals an independent loop over MPI_Iallreduce bit for bit, tau = inf equals sync, dropped micro-batches are
 * counted and scaled as they should be, and whoever spoils a sum is named. */
#include "gradcode/draw.h"
#include "gradcode/drop.h"
#include "mpi/law.h"
#include "support/mpi_checker.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

enum { MICRO = 3, ROUNDS = 6 };

typedef struct problem {
    size_t dimension;
    int f32, rank, ranks;
    int pause_ms; /* per micro-batch, of ranks >= slow_from */
    int slow_from;
    int fail_rank; /* its callback fails with code 5; -1: none */
    int nan_rank;
} problem;

static double value_at(int partition, uint64_t step, size_t i)
{
    gdc_key key = {.seed = 3, .purpose = 9, .a = (uint64_t)partition, .b = step, .c = i % 61};
    return gdc_draw_normal(key) * (1 + (double)(i % 13));
}

static void add(const problem *p, int partition, uint64_t step, double scale, void *sum)
{
    for (size_t i = 0; i < p->dimension; i++) {
        double value = scale * value_at(partition, step, i);
        if (p->f32) {
            ((float *)sum)[i] += (float)value;
        } else {
            ((double *)sum)[i] += value;
        }
    }
    if (p->pause_ms > 0 && p->rank >= p->slow_from) {
        nanosleep(&(struct timespec){.tv_nsec = p->pause_ms * 1000000L}, NULL);
    }
}

static size_t bytes_of(const problem *p)
{
    return (p->dimension + 1) * (p->f32 ? sizeof(float) : sizeof(double));
}

/* ---- the independent loop: 30 lines that know nothing of the library ----------------------------- */

static void plain_round(const problem *p, uint64_t step, void *out)
{
    void *part = calloc(1, bytes_of(p));
    MPI_Request request;
    int done = 0;
    if (!part) {
        abort();
    }
    for (int m = 0; m < MICRO; m++) {
        add(p, p->rank * MICRO + m, step, 1, part);
    }
    MPI_Iallreduce(part, out, (int)p->dimension + 1, p->f32 ? MPI_FLOAT : MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD,
                   &request);
    while (!done) {
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
    }
    free(part);
}

/* ---- the library --------------------------------------------------------------------------------- */

static gdc_drop *open_drop(law *l, const problem *p, const char *strategy, gdc_options *options)
{
    gdc_drop *drop = NULL;
    options->strategy = strategy;
    options->partitions = MICRO;
    options->dimension = p->dimension;
    options->dtype = p->f32 ? GDC_F32 : GDC_F64;
    checker_setup_begins();
    expect(l, gdc_drop_open(MPI_COMM_WORLD, options, &drop) == GDC_OK, "gdc_drop_open(%s)", strategy);
    checker_setup_done();
    return drop;
}

/* A loop of its own; returns the number of micro-batches of this rank. */
static int loop_round(law *l, gdc_drop *drop, const problem *p, uint64_t step, void *gradient, gdc_round *round)
{
    int partition, count = 0;
    memset(gradient, 0, bytes_of(p) / (p->dimension + 1) * p->dimension);
    expect(l, gdc_drop_begin(drop) == GDC_OK, "gdc_drop_begin");
    while (gdc_drop_more(drop, &partition)) {
        expect(l, partition == p->rank * MICRO + count, "micro-batch %d", partition);
        add(p, partition, step, 1, gradient);
        count++;
    }
    gdc_status status = gdc_drop_reduce(drop, gradient, round);
    expect(l, status == GDC_OK, "gdc_drop_reduce: %s", gdc_strerror(status));
    return count;
}

static int partial(void *context, gdc_task *task, void *sum)
{
    problem *p = context;
    if (p->rank == p->fail_rank) {
        return 5;
    }
    add(p, task->partition, task->version, task->scale, sum);
    if (p->rank == p->nan_rank) {
        *(double *)sum = NAN;
    }
    return 0;
}

static void equals_plain_loop(law *l, const problem *p, const char *strategy, int lends)
{
    gdc_options options;
    gdc_options_init(&options);
    gdc_drop *drop = open_drop(l, p, strategy, &options);
    size_t used = bytes_of(p) / (p->dimension + 1) * p->dimension;
    void *wanted = calloc(1, bytes_of(p)), *own = calloc(1, bytes_of(p));
    void *gradient = lends && drop ? gdc_drop_buffer(drop) : own;
    for (uint64_t step = 1; drop && step <= ROUNDS; step++) {
        gdc_round round = {.size = sizeof round};
        plain_round(p, step, wanted);
        int count = loop_round(l, drop, p, step, gradient, &round);
        expect(l, count == MICRO && round.exact && round.used == 1 && round.scale == 1,
               "step %d: something was dropped", (int)step);
        expect(l, memcmp(gradient, wanted, used) == 0, "step %d differs from the plain loop", (int)step);
    }
    expect(l, gdc_drop_close(drop) == GDC_OK, "gdc_drop_close");
    free(wanted);
    free(own);
    law_end(l, "%s d=%zu %s%s equals a plain loop over MPI_Iallreduce bit for bit", strategy, p->dimension,
            p->f32 ? "f32" : "f64", lends ? " (lent buffer)" : "");
}

static void callback_equals_plain_loop(law *l, problem *p, const char *strategy)
{
    gdc_options options;
    gdc_options_init(&options);
    gdc_drop *drop = open_drop(l, p, strategy, &options);
    double *wanted = calloc(1, bytes_of(p)), *gradient = calloc(1, bytes_of(p));
    for (uint64_t step = 1; drop && step <= ROUNDS; step++) {
        gdc_round round = {.size = sizeof round};
        plain_round(p, step, wanted);
        gdc_status status = gdc_drop_gradient(drop, wanted, partial, p, gradient, &round);
        expect(l, status == GDC_OK && round.exact, "gdc_drop_gradient: %s", gdc_strerror(status));
        double worst = 0; /* micro-batches are added up in another order than the loop's */
        for (size_t i = 0; i < p->dimension; i++) {
            worst = fmax(worst, fabs(gradient[i] - wanted[i]));
        }
        expect(l, worst < 1e-12, "off by %g", worst);
    }
    gdc_drop_close(drop);
    free(wanted);
    free(gradient);
    law_end(l, "%s through a callback d=%zu", strategy, p->dimension);
}

/* The upper half of the ranks is slow and drops all but its first micro-batch. */
static void drops_and_scales(law *l, problem p, const char *norm, const double *samples)
{
    char spec[64];
    gdc_options options;
    gdc_options_init(&options);
    snprintf(spec, sizeof spec, "drop:tau=0.5,norm=%s", norm);
    p.pause_ms = 600;
    options.samples = samples;
    gdc_drop *drop = open_drop(l, &p, spec, &options);
    double *wanted = calloc(1, bytes_of(&p)), *gradient = calloc(1, bytes_of(&p)), kept = 0, all = 0;
    gdc_round round = {.size = sizeof round};
    int count = drop ? loop_round(l, drop, &p, 1, gradient, &round) : -1;
    expect(l, count == (p.rank >= p.slow_from ? 1 : MICRO), "%d micro-batches of rank %d", count, p.rank);
    problem fast = p;
    fast.pause_ms = 0;
    for (int r = 0; r < p.ranks; r++) {
        for (int m = 0; m < MICRO; m++) {
            double size = samples ? samples[r * MICRO + m] : 1;
            all += size;
            if (r < p.slow_from || m == 0) {
                kept += size;
                add(&fast, r * MICRO + m, 1, 1, wanted);
            }
        }
    }
    double scale = strcmp(norm, "by-kept") == 0 ? all / kept : 1, worst = 0;
    for (size_t i = 0; i < p.dimension; i++) {
        worst = fmax(worst, fabs(gradient[i] - scale * wanted[i]));
    }
    expect(l, worst < 1e-11, "%s is off by %g", norm, worst);
    expect(l, fabs(round.used - kept / all) < 1e-14 && fabs(round.scale - scale) < 1e-14 && !round.exact,
           "used %.17g, scale %.17g", round.used, round.scale);
    gdc_drop_close(drop);
    free(wanted);
    free(gradient);
    law_end(l, "%s with unequal kept%s", norm, samples ? " and unequal sizes" : "");
}

/* Every piece is drawn longer than tau and is cut: nothing is kept. */
static void keeps_nothing(law *l, problem p, const char *norm)
{
    char spec[64];
    const char *delays[] = {"none:piece=0.05"};
    gdc_delay *delay = NULL;
    gdc_options options;
    gdc_options_init(&options);
    snprintf(spec, sizeof spec, "drop:tau=0.01,check=poll,norm=%s", norm);
    gdc_delay_create(delays, 1, 1, p.ranks, MICRO, &delay);
    options.delay = delay;
    options.poll_s = 1e-3;
    gdc_drop *drop = open_drop(l, &p, spec, &options);
    double *gradient = calloc(1, bytes_of(&p));
    gdc_round round = {.size = sizeof round};
    gradient[0] = 7;
    expect(l, drop && gdc_drop_gradient(drop, gradient, partial, &p, gradient, &round) == GDC_OK, "gdc_drop_gradient");
    for (size_t i = 0; i < p.dimension; i++) {
        expect(l, gradient[i] == 0, "element %zu is %g", i, gradient[i]);
    }
    expect(l, round.used == 0 && round.scale == 1 && !round.exact, "used %g scale %g", round.used, round.scale);
    int partition;
    expect(l, gdc_drop_begin(drop) == GDC_OK, "gdc_drop_begin");
    while (gdc_drop_more(drop, &partition)) {}
    expect(l, gdc_drop_reduce(drop, gradient, NULL) == GDC_EINVAL, "an own loop cannot cut, and must be told so");
    gdc_drop_close(drop);
    gdc_delay_destroy(delay);
    free(gradient);
    law_end(l, "%s with nothing kept", norm);
}

static void names_who_spoils(law *l, problem p, int fails)
{
    gdc_options options;
    gdc_options_init(&options);
    gdc_drop *drop = open_drop(l, &p, "sync", &options);
    double *gradient = calloc(1, bytes_of(&p));
    char name[32];
    p.fail_rank = fails ? 1 : -1;
    p.nan_rank = fails ? -1 : 1;
    snprintf(name, sizeof name, "worker %d is not finite", 1);
    gdc_status status = gdc_drop_gradient(drop, gradient, partial, &p, gradient, NULL);
    expect(l, status == GDC_ENUMERIC && strstr(gdc_last_error(), name), "status %s", gdc_strerror(status));
    p.fail_rank = p.nan_rank = -1;
    expect(l, gdc_drop_gradient(drop, gradient, partial, &p, gradient, NULL) == GDC_OK, "the next round");
    gdc_drop_close(drop);
    free(gradient);
    law_end(l, "%s is an error that names its rank everywhere", fails ? "a failed callback" : "a NaN");
}

static void refuses(law *l, const problem *p, const char *strategy, size_t dimension, const char *word)
{
    gdc_options options;
    gdc_drop *drop = NULL;
    gdc_options_init(&options);
    options.strategy = strategy;
    options.dimension = dimension;
    (void)p;
    checker_setup_begins();
    gdc_status status = gdc_drop_open(MPI_COMM_WORLD, &options, &drop);
    expect(l, status == GDC_EINVAL && strstr(gdc_last_error(), word), "status %s", gdc_strerror(status));
    expect(l, same_sentence(gdc_last_error()), "another sentence than on rank 0");
    law_end(l, "refuses %s with d=%zu", strategy, dimension);
}

/* Rank 1 comes long after the deadline of the others; nobody hangs, and nobody takes its late sum for the round's. */
static void gives_up(law *l, problem p)
{
    gdc_options options;
    gdc_options_init(&options);
    options.round_deadline_s = .3;
    p.pause_ms = p.rank == 1 ? 900 : 0;
    p.slow_from = 1;
    gdc_drop *drop = open_drop(l, &p, "sync", &options);
    double *gradient = calloc(1, bytes_of(&p));
    gdc_status status = gdc_drop_gradient(drop, gradient, partial, &p, gradient, NULL);
    expect(l, p.rank == 1 || (status == GDC_ETIMEDOUT && strstr(gdc_last_error(), "0.3 s")), "status %s",
           gdc_strerror(status));
    status = p.rank == 1 ? GDC_ETIMEDOUT : gdc_drop_gradient(drop, gradient, partial, &p, gradient, NULL);
    expect(l, status == GDC_ETIMEDOUT, "a further round: %s", gdc_strerror(status));
    expect(l, gdc_drop_close(drop) == GDC_OK, "gdc_drop_close");
    free(gradient);
    law_end(l, "a rank that comes after the deadline is an error of the others, in time");
}

int main(int argc, char **argv)
{
    law l = {.failures = 0};
    problem p = {.fail_rank = -1, .nan_rank = -1};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &p.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p.ranks);
    p.slow_from = p.ranks / 2;
    static const size_t dimensions[] = {1, 1000, 100001};
    for (int d = 0; d < 3; d++) {
        p.dimension = dimensions[d];
        equals_plain_loop(&l, &p, "sync", 0);
        equals_plain_loop(&l, &p, "drop:tau=inf", 1);
        equals_plain_loop(&l, &p, "drop:tau=inf,norm=by-kept", 0);
    }
    p.f32 = 1;
    p.dimension = 1000;
    equals_plain_loop(&l, &p, "sync", 0);
    equals_plain_loop(&l, &p, "drop:tau=inf,norm=by-kept", 1);
    p.f32 = 0;
    callback_equals_plain_loop(&l, &p, "sync");
    callback_equals_plain_loop(&l, &p, "drop:tau=inf");
    double *samples = calloc((size_t)p.ranks * MICRO, sizeof *samples);
    for (int i = 0; samples && i < p.ranks * MICRO; i++) {
        samples[i] = 100 + i;
    }
    p.dimension = 20;
    drops_and_scales(&l, p, "by-max", NULL);
    drops_and_scales(&l, p, "by-kept", NULL);
    drops_and_scales(&l, p, "by-kept", samples);
    keeps_nothing(&l, p, "by-max");
    keeps_nothing(&l, p, "by-kept");
    names_who_spoils(&l, p, 0);
    names_who_spoils(&l, p, 1);
    refuses(&l, &p, "gc:code=fractional,load=1", 10, "master");
    refuses(&l, &p, "sync", 2147483647, "dimension=2147483647");
    refuses(&l, &p, "drop", 10, "tau");
    expect(&l, checker_report(1) == 0, "the checker found something");
    law_end(&l, "the checker found nothing");
    gives_up(&l, p); /* leaves a reduction behind, so it comes last */
    free(samples);
    MPI_Finalize();
    return l.total ? 1 : 0;
}

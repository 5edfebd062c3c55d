/* prog_dynamic.c - the dynamic strategy between processes: leases, limits, promises and spans on the wire.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Integer gradients, so that a stale, lost or doubled piece shows. The delays are slept, one worker being slower than the others;
 * the root stops a worker and lets it go on, or (argument "kill", under recovery) kills one. Argument "few": not all kinds. */
#include "gradcode/engine.h"
#include "mpi/law.h"
#include "support/integer_problem.h"
#include "support/mpi_checker.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

enum { PIECES = 6, RANKS_MAX = 64 };

typedef struct place {
    int rank, workers;
    long pid[RANKS_MAX];
} place;

static gdc_engine *open_engine(law *l, const char *strategy, size_t dimension, const gdc_delay *delay)
{
    gdc_options options;
    gdc_engine *engine = NULL;
    gdc_options_init(&options);
    options.strategy = strategy;
    options.dimension = dimension;
    options.partitions = PIECES;
    options.delay = delay;
    checker_setup_begins();
    expect(l, gdc_open(MPI_COMM_WORLD, &options, &engine) == GDC_OK, "gdc_open of %s", strategy);
    checker_setup_done();
    return engine;
}

static gdc_delay *open_delay(const place *at)
{
    const char *specs[] = {"none:piece=.001", "jitter:sd=.3", "slow:which=1,factor=4"};
    gdc_delay *delay = NULL;
    if (gdc_delay_create(specs, 3, 5, at->workers, PIECES, &delay) != GDC_OK) {
        abort();
    }
    return delay;
}

static int partial(void *context, gdc_task *task, void *sum)
{
    task->loss = task->partition + 1;
    return integer_partial(context, task, sum);
}

static void expect_exact(law *l, gdc_engine *engine, const place *at, size_t dimension, uint64_t version)
{
    double *model = calloc(2 * dimension, sizeof *model), *gradient = model + dimension;
    gdc_round round = {.size = sizeof round};
    int k = at->workers * PIECES, wrong = 0;
    if (!model) {
        abort();
    }
    gdc_status status = gdc_gradient(engine, model, gradient, &round);
    for (size_t i = 0; status == GDC_OK && i < dimension; i++) {
        wrong += gradient[i] != integer_total(k, version, i);
    }
    expect(l, status == GDC_OK && wrong == 0 && round.exact, "round %d: %s, %d entries are wrong", (int)version,
           gdc_strerror(status), wrong);
    expect(l, status != GDC_OK || fabs(round.loss - (k + 1) / 2.) < 1e-9, "round %d: loss %g", (int)version,
           round.loss);
    free(model);
}

static gdc_worker_stats stats_of(const gdc_engine *engine, int worker)
{
    gdc_worker_stats stats = {.size = sizeof stats};
    gdc_stats(engine, worker, &stats);
    return stats;
}

static void serve(law *l, gdc_engine *engine, size_t dimension)
{
    integer_problem p = {.dimension = dimension, .fail_partition = -1, .nan_partition = -1};
    expect(l, gdc_work(engine, partial, &p) == GDC_OK, "gdc_work");
}

/* ---- laws ---------------------------------------------------------------------------------------- */

static int is_helped(const gdc_engine *engine, int worker, int rounds)
{
    return stats_of(engine, worker).used < PIECES * rounds;
}

/* Rounds go on until somebody has helped the slow worker, however busy the machine is. */
static void is_exact(law *l, const place *at, const char *strategy, size_t dimension, int least)
{
    gdc_delay *delay = open_delay(at);
    gdc_engine *engine = open_engine(l, strategy, dimension, delay);
    if (at->rank == 0) {
        double used = 0, until_s = gdc_now(engine) + 30;
        int rounds = 0;
        while (rounds < least || (!is_helped(engine, 1, rounds) && gdc_now(engine) < until_s)) {
            expect_exact(l, engine, at, dimension, (uint64_t)++rounds);
        }
        for (int w = 0; w < at->workers; w++) {
            gdc_worker_stats stats = stats_of(engine, w);
            used += stats.used;
            expect(l, stats.home_used == PIECES * rounds, "of shard %d %g pieces were used", w, stats.home_used);
        }
        expect(l, used == (double)PIECES * at->workers * rounds, "%g pieces were used", used);
        expect(l, is_helped(engine, 1, rounds), "nobody has helped the slow worker in 30 s of rounds");
    } else {
        serve(l, engine, dimension);
    }
    expect(l, gdc_close(engine, NULL) == GDC_OK, "gdc_close");
    gdc_delay_destroy(delay);
    law_end(l, "%s, d = %zu: every piece once in every round, and the slow worker is helped", strategy, dimension);
}

static void survives_a_stop(law *l, const place *at)
{
    enum { D = 100, ROUNDS = 40, STOPS = 10, GOES_ON = 25 };
    gdc_delay *delay = open_delay(at);
    gdc_engine *engine = open_engine(l, "dynamic:load=2", D, delay);
    if (at->rank == 0) {
        uint64_t before = 0;
        double until_s = gdc_now(engine) + 30;
        for (int v = 1; v <= ROUNDS || (stats_of(engine, 2).pieces <= before && gdc_now(engine) < until_s); v++) {
            if (v == STOPS) {
                kill((pid_t)at->pid[3], SIGSTOP);
            }
            expect_exact(l, engine, at, D, (uint64_t)v);
            if (v == GOES_ON) {
                before = stats_of(engine, 2).pieces;
                kill((pid_t)at->pid[3], SIGCONT);
            }
        }
        expect(l, stats_of(engine, 2).pieces > before, "worker 2 has not come back");
    } else {
        serve(l, engine, D);
    }
    expect(l, gdc_close(engine, NULL) == GDC_OK, "gdc_close");
    gdc_delay_destroy(delay);
    law_end(l, "a worker that stands still for a while is done without, and comes back");
}

/* Nothing collective can follow: the root alone says how it went. */
static int survives_a_death(const place *at)
{
    enum {
        D = 100,
        ROUNDS = 40,
        DIES = 15,
        MOST = 4000
    }; /* the root looks once a second: rounds go on until it has seen it */
    law l = {.failures = 0};
    gdc_delay *delay = open_delay(at);
    gdc_engine *engine = open_engine(&l, "dynamic:load=2", D, delay);
    int missing = 0;
    if (at->rank == 0) {
        for (int v = 1; v <= ROUNDS || (stats_of(engine, 1).health != GDC_DEAD && v <= MOST); v++) {
            if (v == DIES) {
                kill((pid_t)at->pid[2], SIGKILL);
            }
            expect_exact(&l, engine, at, D, (uint64_t)v);
        }
        expect(&l, stats_of(engine, 1).health == GDC_DEAD, "worker 1 is not called dead");
    } else {
        serve(&l, engine, D);
    }
    expect(&l, gdc_close(engine, &missing) == GDC_OK && missing > 0, "gdc_close misses %d", missing);
    gdc_delay_destroy(delay);
    expect(&l, checker_report(0) == 0, "the checker found something");
    if (at->rank == 0) {
        printf("%s a worker's death is made up for in every round\n", l.failures ? "NOT ok" : "ok");
        fflush(stdout);
    }
    return l.failures;
}

int main(int argc, char **argv)
{
    law l = {.failures = 0};
    place at = {.rank = 0};
    long pid = (long)getpid();
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &at.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &at.workers);
    at.workers--;
    MPI_Allgather(&pid, 1, MPI_LONG, at.pid, 1, MPI_LONG, MPI_COMM_WORLD);
    checker_set_most_data(4);
    if (argc > 1 && strcmp(argv[1], "kill") == 0) {
        int failures = survives_a_death(&at);
        gdc_mpi_finalize(2, failures ? 1 : 0);
        return failures ? 1 : 0;
    }
    is_exact(&l, &at, "dynamic:load=2", 100, 40);
    is_exact(&l, &at, "dynamic:load=3,progress=0", 20000, 20); /* above 64 kB two vectors are in flight at most */
    survives_a_stop(&l, &at);
    if (argc == 1) {
        is_exact(&l, &at, "dynamic:load=4", 100, 40);
        is_exact(&l, &at, "dynamic:load=3,pool=0", 100, 20);
        is_exact(&l, &at, "dynamic:load=4,early=1", 100, 20);
        is_exact(&l, &at, "dynamic:load=3,reproducible=1", 100, 20);
    }
    expect(&l, checker_report(1) == 0, "the checker found something");
    law_end(&l, "the checker found nothing");
    MPI_Finalize();
    return l.total ? 1 : 0;
}

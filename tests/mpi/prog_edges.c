/* prog_edges.c - what is refused, and how rounds go on when a worker errs.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Failed callbacks, spoiled vectors, leaving early, giving up a piece; two handles at once. */
#include "gradcode/engine.h"
#include "mpi/law.h"
#include "support/integer_problem.h"
#include "support/mpi_checker.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

enum { D = 40 };

typedef struct place {
    int rank, ranks, workers;
    int is_root, id; /* root is rank 0 */
} place;

static gdc_options usual(void)
{
    gdc_options options;
    gdc_options_init(&options);
    options.dimension = D;
    return options;
}

static gdc_engine *open_engine(law *l, const gdc_options *options)
{
    gdc_engine *engine = NULL;
    checker_setup_begins();
    expect(l, gdc_open(MPI_COMM_WORLD, options, &engine) == GDC_OK, "gdc_open");
    checker_setup_done();
    return engine;
}

/* ---- refusals ------------------------------------------------------------------------------------ */

static void is_refused(law *l, const gdc_options *options, const char *word, const char *what)
{
    gdc_engine *engine = NULL;
    checker_setup_begins();
    gdc_status status = gdc_open(MPI_COMM_WORLD, options, &engine);
    expect(l, status == GDC_EINVAL && strstr(gdc_last_error(), word), "%s: status %s", what, gdc_strerror(status));
    expect(l, same_sentence(gdc_last_error()), "%s: another sentence than on rank 0", what);
    law_end(l, "all ranks refuse %s alike", what);
}

static void refuses(law *l, const place *at)
{
    int last = at->rank == at->ranks - 1;
    gdc_options o = usual();
    o.strategy = "gc:code=nonsense";
    is_refused(l, &o, "nonsense", "an unknown code");
    o = usual();
    o.strategy = last ? "gc:code=fractional,load=99" : "gc:code=fractional,load=2";
    is_refused(l, &o, "load", "what only the last rank cannot do");
    o = usual();
    o.dimension = last ? D + 1 : D;
    is_refused(l, &o, "dimension", "different dimensions");
    o = usual();
    o.root = last ? 1 : 0;
    is_refused(l, &o, "root", "different roots");
    o = usual();
    o.strategy = last ? "gc:code=uncoded" : "gc:code=fractional,load=2";
    is_refused(l, &o, "strategy", "different strategies");
    o = usual();
    o.dtype = last ? GDC_F32 : GDC_F64;
    is_refused(l, &o, "dtype", "different types");
    o = usual();
    o.root = at->ranks;
    is_refused(l, &o, "root", "a root that does not exist");
    o = usual();
    o.strategy = "sync";
    is_refused(l, &o, "gdc_drop_open", "an all-reduce strategy");
    o = usual();
    o.poll_s = 0;
    is_refused(l, &o, "poll_s", "a poll of 0 seconds");
    o = usual();
    o.dimension = 0;
    is_refused(l, &o, "dimension", "no dimension");
    o = usual();
    gdc_fault kill = {.kind = GDC_FAULT_KILL, .worker = 1, .version = 1};
    o.faults = &kill;
    o.fault_count = 1;
    is_refused(l, &o, "act", "a kill without somebody who does it");
    o = usual();
    o.strategy = "gc:code=uncoded,message=1";
    o.partitions = 16377;
    is_refused(l, &o, "16376", "more rows than there are tags");
}

/* ---- rounds that somebody spoils ----------------------------------------------------------------- */

typedef struct watcher {
    int erased, by_worker;
} watcher;

static void observe(void *context, const gdc_arrival_note *note)
{
    watcher *w = context;
    if (note->fate == GDC_FATE_ERASED) {
        w->erased++;
        w->by_worker = note->worker;
    }
}

static int round_is_exact(gdc_engine *engine, int k, uint64_t version)
{
    double model[D] = {0}, gradient[D];
    gdc_round round = {.size = sizeof round};
    if (gdc_gradient(engine, model, gradient, &round) != GDC_OK || round.version != version) {
        return 0;
    }
    for (size_t i = 0; i < D; i++) {
        if (gradient[i] != integer_total(k, version, i)) {
            return 0;
        }
    }
    return 1;
}

static void spoiled(law *l, const place *at, gdc_fault_kind kind, const char *what)
{
    gdc_fault fault = {.kind = kind, .worker = 1, .version = 3};
    watcher seen = {0};
    gdc_options o = usual();
    o.faults = &fault;
    o.fault_count = 1;
    o.observe = observe;
    o.observe_context = &seen;
    o.strategy = "gc:code=fractional,load=2";
    gdc_engine *engine = open_engine(l, &o);
    integer_problem p = {.dimension = D, .fail_partition = -1, .nan_partition = -1};
    if (at->is_root) {
        for (uint64_t v = 1; v <= 40; v++) {
            expect(l, round_is_exact(engine, at->workers, v), "round %d", (int)v);
        }
        expect(l, seen.erased <= 1 && (seen.erased == 0 || seen.by_worker == 1), "%d erased", seen.erased);
    } else {
        expect(l, gdc_work(engine, integer_partial, &p) == GDC_OK, "gdc_work");
    }
    expect(l, gdc_close(engine, NULL) == GDC_OK, "gdc_close");
    law_end(l, "%s is an erasure, and the rounds stay exact", what);
}

/* Where every vector is needed, an erased one is an error that names its worker, and the next round is good again. */
static void spoiled_and_needed(law *l, const place *at)
{
    gdc_fault faults[2] = {{.kind = GDC_FAULT_NAN, .worker = 1, .version = 2},
                           {.kind = GDC_FAULT_CORRUPT, .worker = 0, .version = 4}};
    watcher seen = {0};
    gdc_options o = usual();
    o.faults = faults;
    o.fault_count = 2;
    o.strategy = "gc:code=uncoded";
    o.observe = observe;
    o.observe_context = &seen;
    gdc_engine *engine = open_engine(l, &o);
    integer_problem p = {.dimension = D, .fail_partition = -1, .nan_partition = -1};
    double model[D] = {0}, gradient[D];
    if (at->is_root) {
        for (uint64_t v = 1; v <= 5; v++) {
            if (v == 2 || v == 4) {
                gdc_status status = gdc_gradient(engine, model, gradient, NULL);
                expect(l, status == GDC_EUNRECOVERABLE, "round %d: %s", (int)v, gdc_strerror(status));
                expect(l, seen.by_worker == (v == 2 ? 1 : 0), "erased was worker %d", seen.by_worker);
            } else {
                expect(l, round_is_exact(engine, at->workers, v), "round %d", (int)v);
            }
        }
        expect(l, seen.erased == 2, "%d erased", seen.erased);
    } else {
        expect(l, gdc_work(engine, integer_partial, &p) == GDC_OK, "gdc_work");
    }
    expect(l, gdc_close(engine, NULL) == GDC_OK, "gdc_close");
    law_end(l, "an erasure that cannot be made up for is an error of that round alone");
}

static int failing(void *context, gdc_task *task, void *sum)
{
    (void)context;
    (void)task;
    ((double *)sum)[0] += 1e9; /* must not be sent */
    return 42;
}

static int has_left(const gdc_engine *engine, int worker)
{
    gdc_worker_stats stats = {.size = sizeof stats};
    return gdc_stats(engine, worker, &stats) == GDC_OK && stats.health == GDC_DEAD;
}

static void failing_worker(law *l, const place *at)
{
    gdc_options o = usual();
    gdc_engine *engine = open_engine(l, &o);
    integer_problem p = {.dimension = D, .fail_partition = -1, .nan_partition = -1};
    int missing = -1;
    if (at->is_root) {
        double until_s = gdc_now(engine) + 30;
        for (uint64_t v = 1; v <= 200 || (!has_left(engine, 1) && gdc_now(engine) < until_s); v++) {
            expect(l, round_is_exact(engine, at->workers, v), "round %d", (int)v);
        }
        gdc_worker_stats stats = {.size = sizeof stats};
        expect(l, gdc_stats(engine, 1, &stats) == GDC_OK && stats.health == GDC_DEAD && stats.error == 42 && stats.lost,
               "health %d error %d", (int)stats.health, stats.error);
        expect(l, gdc_close(engine, &missing) == GDC_OK && missing == 0, "missing %d", missing);
    } else {
        gdc_status status = gdc_work(engine, at->id == 1 ? failing : integer_partial, &p);
        expect(l, status == (at->id == 1 ? GDC_ENUMERIC : GDC_OK), "gdc_work: %s", gdc_strerror(status));
        expect(l, at->id != 1 || strstr(gdc_last_error(), "42"), "the code is not named");
        expect(l, gdc_close(engine, NULL) == GDC_OK, "gdc_close");
    }
    law_end(l, "a callback that fails three rounds in a row loses its worker, and the rounds stay exact");
}

/* Worker 1 serves a few pieces by hand and closes; the others go on. With `held`, it closes with a piece in its
 * hands. */
static void leaving_worker(law *l, const place *at, int pieces, int held)
{
    gdc_options o = usual();
    gdc_engine *engine = open_engine(l, &o);
    integer_problem p = {.dimension = D, .fail_partition = -1, .nan_partition = -1};
    int missing = -1;
    if (at->is_root) {
        double until_s = gdc_now(engine) + 30;
        for (uint64_t v = 1; v <= 200 || (!has_left(engine, 1) && gdc_now(engine) < until_s); v++) {
            expect(l, round_is_exact(engine, at->workers, v), "round %d", (int)v);
        }
        expect(l, has_left(engine, 1), "worker 1 has not left in 30 s of rounds");
        expect(l, gdc_close(engine, &missing) == GDC_OK && missing == 0, "missing %d", missing);
    } else if (at->id != 1) {
        expect(l, gdc_work(engine, integer_partial, &p) == GDC_OK, "gdc_work");
        expect(l, gdc_close(engine, NULL) == GDC_OK, "gdc_close");
    } else {
        gdc_task task;
        void *sum;
        for (int i = 0; i < pieces; i++) {
            expect(l, gdc_next(engine, &task, &sum) == GDC_OK && task.partition >= 0, "gdc_next");
            expect(l, gdc_submit(engine, &task, integer_partial(&p, &task, sum)) == GDC_OK, "gdc_submit");
        }
        if (held) {
            expect(l, gdc_next(engine, &task, &sum) == GDC_OK && task.partition >= 0, "gdc_next");
            expect(l, gdc_next(engine, &task, &sum) == GDC_EINVAL, "a second gdc_next without a submit");
        }
        expect(l, gdc_close(engine, NULL) == GDC_OK, "gdc_close");
    }
    law_end(l, "a worker that closes after %d pieces%s is let go, and the rounds stay exact", pieces,
            held ? " and one in its hands" : "");
}

static void too_many_lost(law *l, const place *at)
{
    gdc_options o = usual();
    o.strategy = "gc:code=uncoded";
    gdc_engine *engine = open_engine(l, &o);
    integer_problem p = {.dimension = D, .fail_partition = -1, .nan_partition = -1};
    double model[D] = {0}, gradient[D];
    if (at->is_root) {
        for (int r = 0; r < 3; r++) {
            gdc_status status = gdc_gradient(engine, model, gradient, NULL);
            expect(l, status == GDC_EUNRECOVERABLE && strstr(gdc_last_error(), "1"), "round %d: %s", r,
                   gdc_strerror(status));
        }
        expect(l, gdc_close(engine, NULL) == GDC_OK, "gdc_close");
    } else {
        expect(l, at->id == 1 || gdc_work(engine, integer_partial, &p) == GDC_OK, "gdc_work");
        expect(l, gdc_close(engine, NULL) == GDC_OK, "gdc_close");
    }
    law_end(l, "without a worker that is needed each round says so, and closing works");
}

/* A callback that polls and gives up when its round is over. */
typedef struct poller {
    integer_problem problem;
    gdc_engine *engine;
    int is_slow, cut;
} poller;

static int polling(void *context, gdc_task *task, void *sum)
{
    poller *p = context;
    for (int i = 0; p->is_slow && i < 4000; i++) {
        nanosleep(&(struct timespec){.tv_nsec = 500000}, NULL);
        if (gdc_poll(p->engine)) {
            p->cut++;
            ((double *)sum)[0] += 1e9;
            return gdc_is_over(p->engine) ? GDC_CUT : -1;
        }
    }
    nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL); /* a round lasts long enough for the slow one to begin */
    return integer_partial(&p->problem, task, sum);
}

static uint64_t models_given(const gdc_engine *engine, int worker)
{
    gdc_worker_stats stats = {.size = sizeof stats};
    return gdc_stats(engine, worker, &stats) == GDC_OK ? stats.bytes / (D * sizeof(double)) : 0;
}

static void polling_worker(law *l, const place *at)
{
    gdc_options o = usual();
    gdc_engine *engine = open_engine(l, &o);
    poller p = {.problem = {.dimension = D, .fail_partition = -1, .nan_partition = -1},
                .engine = engine,
                .is_slow = at->id == 1};
    if (at->is_root) {
        double until_s = gdc_now(engine) + 30;
        for (uint64_t v = 1; v <= 60 || (models_given(engine, 1) < 20 && gdc_now(engine) < until_s); v++) {
            expect(l, round_is_exact(engine, at->workers, v), "round %d", (int)v);
        }
    } else {
        expect(l, gdc_work(engine, polling, &p) == GDC_OK, "gdc_work");
        expect(l, at->id != 1 || p.cut > 0, "nothing was cut");
        expect(l, gdc_final_model(engine) == NULL, "a final model that nobody sent");
    }
    expect(l, gdc_close(engine, NULL) == GDC_OK, "gdc_close");
    law_end(l, "a callback that gives up when gdc_poll says so leaves no trace in the sums");
}

static void two_at_once(law *l, const place *at)
{
    gdc_options o = usual();
    gdc_engine *first = open_engine(l, &o);
    o.strategy = "gc:code=uncoded";
    gdc_engine *second = open_engine(l, &o);
    integer_problem p = {.dimension = D, .fail_partition = -1, .nan_partition = -1};
    gdc_engine *order[2] = {second, first};
    for (int e = 0; e < 2; e++) {
        for (uint64_t v = 1; at->is_root && v <= 20; v++) {
            expect(l, round_is_exact(order[e], at->workers, v), "engine %d, round %d", e, (int)v);
        }
        gdc_status status = at->is_root ? gdc_finish(order[e], NULL) : gdc_work(order[e], integer_partial, &p);
        expect(l, status == GDC_OK, "engine %d: %s", e, gdc_strerror(status));
    }
    expect(l, gdc_close(first, NULL) == GDC_OK && gdc_close(second, NULL) == GDC_OK, "gdc_close");
    law_end(l, "two handles at once do not disturb each other");
}

int main(int argc, char **argv)
{
    law l = {.failures = 0};
    place at;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &at.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &at.ranks);
    at.workers = at.ranks - 1;
    at.is_root = at.rank == 0;
    at.id = at.rank - 1;
    refuses(&l, &at);
    spoiled(&l, &at, GDC_FAULT_NAN, "a NaN");
    spoiled(&l, &at, GDC_FAULT_CORRUPT, "a vector that differs from its checksum");
    spoiled_and_needed(&l, &at);
    failing_worker(&l, &at);
    leaving_worker(&l, &at, 0, 0);
    leaving_worker(&l, &at, 2, 0);
    leaving_worker(&l, &at, 2, 1);
    too_many_lost(&l, &at);
    polling_worker(&l, &at);
    two_at_once(&l, &at);
    expect(&l, checker_report(1) == 0, "the checker found something");
    law_end(&l, "the checker found nothing");
    MPI_Finalize();
    return l.total ? 1 : 0;
}

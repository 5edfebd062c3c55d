/* prog_rounds.c - rounds inside a program that owns MPI.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * They run on a split communicator, with messages of the program's own in flight on MPI_COMM_WORLD, and with integer
 * gradients, so that sums of 0/1 codes are equal and a stale or doubled contribution shows. */
#include "gradcode/draw.h"
#include "gradcode/engine.h"
#include "mpi/law.h"
#include "support/mpi_checker.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

typedef struct problem {
    size_t dimension;
    int f32, worker;
    int pause_us;      /* the longest pause inside a piece; 0: none */
    int wrong_models;  /* pieces that saw a model that is not that version's */
    unsigned computed; /* pieces */
} problem;

static double model_at(uint64_t version, size_t i)
{
    return (double)(version % 1000) + (double)(i % 7);
}

/* Partition p at the model of `version`: (p + 1) * (version mod 1000) + i mod 5 + model_i. */
static double gradient_at(int p, uint64_t version, size_t i)
{
    return (double)(p + 1) * (double)(version % 1000) + (double)(i % 5) + model_at(version, i);
}

static double total_at(int k, uint64_t version, size_t i)
{
    return (double)(version % 1000) * k * (k + 1) / 2 + k * ((double)(i % 5) + model_at(version, i));
}

static double number(const problem *p, const void *vector, size_t i)
{
    return p->f32 ? (double)((const float *)vector)[i] : ((const double *)vector)[i];
}

static void pause_a_little(const problem *p, const gdc_task *task)
{
    gdc_key key = {
        .seed = 7, .purpose = 1, .a = (uint64_t)task->worker, .b = task->version, .c = (uint64_t)task->partition};
    if (p->pause_us > 0) {
        long us = (long)gdc_draw_below(key, (uint64_t)p->pause_us);
        nanosleep(&(struct timespec){.tv_nsec = us * 1000}, NULL);
    }
}

static int partial(void *context, gdc_task *task, void *sum)
{
    problem *p = context;
    p->computed++;
    p->wrong_models += number(p, task->model, 0) != model_at(task->version, 0) ||
                       number(p, task->model, p->dimension - 1) != model_at(task->version, p->dimension - 1);
    pause_a_little(p, task);
    for (size_t i = 0; i < p->dimension; i++) {
        double value = task->scale * gradient_at(task->partition, task->version, i);
        if (p->f32) {
            ((float *)sum)[i] += (float)value;
        } else {
            ((double *)sum)[i] += value;
        }
    }
    return 0;
}

static void *new_vector(const problem *p)
{
    void *vector = calloc(p->dimension, p->f32 ? sizeof(float) : sizeof(double));
    if (!vector) {
        abort();
    }
    return vector;
}

static void fill_model(const problem *p, uint64_t version, void *model)
{
    for (size_t i = 0; i < p->dimension; i++) {
        if (p->f32) {
            ((float *)model)[i] = (float)model_at(version, i);
        } else {
            ((double *)model)[i] = model_at(version, i);
        }
    }
}

/* The largest relative deviation from the total. */
static double deviation(const problem *p, int k, uint64_t version, const void *gradient)
{
    double worst = 0;
    for (size_t i = 0; i < p->dimension; i++) {
        double wanted = total_at(k, version, i), error = fabs(number(p, gradient, i) - wanted) / wanted;
        worst = error > worst || isnan(error) ? error : worst;
    }
    return worst;
}

/* Models are whole, messages one block long. */
static void check_bytes(law *l, const gdc_engine *engine, const problem *p, int worker, const gdc_worker_stats *stats)
{
    size_t blocks = (size_t)gdc_plan_blocks(gdc_engine_plan(engine)), number = p->f32 ? sizeof(float) : sizeof(double);
    uint64_t length = (p->dimension + blocks - 1) / blocks, messages = stats->messages * length * number;
    uint64_t models = (stats->bytes - messages) / (p->dimension * number);
    expect(l, messages + models * p->dimension * number == stats->bytes && models >= 1,
           "worker %d: %llu bytes with %llu messages", worker, (unsigned long long)stats->bytes,
           (unsigned long long)stats->messages);
}

static void run_root(law *l, gdc_engine *engine, const problem *p, const gdc_options *options, int rounds,
                     double tolerance)
{
    void *model = new_vector(p), *gradient = new_vector(p);
    int k = gdc_workers(engine) * options->partitions, missing = -1;
    for (int r = 0; r < rounds; r++) {
        uint64_t version = options->first_version + (uint64_t)r;
        gdc_round round = {.size = sizeof round};
        fill_model(p, version, model);
        gdc_status status = gdc_gradient(engine, model, gradient, &round);
        if (!expect(l, status == GDC_OK, "round %d: %s", r, gdc_strerror(status))) {
            break;
        }
        double off = deviation(p, k, version, gradient);
        expect(l, off <= tolerance, "round %d is off by %g", r, off);
        expect(l, round.version == version && round.exact && round.used == 1, "round %d: version, exact or used", r);
        expect(l, round.messages > 0 && round.ended_s >= round.began_s, "round %d: messages or times", r);
    }
    fill_model(p, 999, model);
    expect(l, gdc_finish(engine, model) == GDC_OK, "gdc_finish");
    for (int w = 0; w < gdc_workers(engine); w++) {
        gdc_worker_stats stats = {.size = sizeof stats};
        expect(l, gdc_stats(engine, w, &stats) == GDC_OK && stats.health == GDC_ALIVE && !stats.lost,
               "worker %d was lost", w);
        check_bytes(l, engine, p, w, &stats);
    }
    expect(l, gdc_close(engine, &missing) == GDC_OK && missing == 0, "gdc_close: %d missing", missing);
    free(model);
    free(gradient);
}

static void run_worker(law *l, gdc_engine *engine, problem *p, int id)
{
    gdc_worker_stats stats = {.size = sizeof stats};
    gdc_status status = gdc_work(engine, partial, p);
    expect(l, status == GDC_OK, "gdc_work: %s", gdc_strerror(status));
    const void *model = gdc_final_model(engine);
    expect(l, model && number(p, model, p->dimension - 1) == model_at(999, p->dimension - 1), "the final model");
    expect(l, p->wrong_models == 0, "%d pieces saw a wrong model", p->wrong_models);
    expect(l, gdc_stats(engine, id, &stats) == GDC_OK && stats.pieces <= p->computed, "pieces of worker %d", id);
    expect(l, gdc_close(engine, NULL) == GDC_OK, "gdc_close at a worker");
}

/* Messages of the program itself, with the library's tags, on another communicator: sent before, received after. */
enum { FOREIGN = 4 };
static const int foreign_tag[FOREIGN] = {1, 2, 3, 17};

static void send_foreign(int rank, int ranks, int *out, MPI_Request *requests)
{
    for (int i = 0; i < FOREIGN; i++) {
        out[i] = 1000 * rank + i;
        MPI_Isend(&out[i], 1, MPI_INT, (rank + 1) % ranks, foreign_tag[i], MPI_COMM_WORLD, &requests[i]);
    }
}

static void receive_foreign(law *l, int rank, int ranks, MPI_Request *requests)
{
    for (int i = 0; i < FOREIGN; i++) {
        int in = -1, before = (rank + ranks - 1) % ranks;
        MPI_Recv(&in, 1, MPI_INT, before, foreign_tag[i], MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        expect(l, in == 1000 * before + i, "a message of the program itself was lost: %d", in);
    }
    MPI_Waitall(FOREIGN, requests, MPI_STATUSES_IGNORE);
}

typedef struct run {
    const char *strategy;
    int partitions, root, f32;
    size_t dimension;
    int rounds, pause_us;
    double poll_s, tolerance;
    uint64_t first_version;
    const char *slow; /* a delay spec; NULL: none */
} run;

static void run_one(law *l, MPI_Comm comm, const run *what)
{
    int rank, ranks, world_rank, world, out[FOREIGN];
    MPI_Request requests[FOREIGN];
    gdc_options options;
    gdc_engine *engine = NULL;
    gdc_delay *delay = NULL;
    problem p = {.dimension = what->dimension, .f32 = what->f32, .pause_us = what->pause_us};
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &world);
    gdc_options_init(&options);
    options.strategy = what->strategy;
    options.partitions = what->partitions;
    options.dimension = what->dimension;
    options.dtype = what->f32 ? GDC_F32 : GDC_F64;
    options.root = what->root;
    options.first_version = what->first_version;
    options.poll_s = what->poll_s;
    if (what->slow) {
        const char *specs[] = {"none:piece=0.001", what->slow};
        expect(l, gdc_delay_create(specs, 2, 1, ranks - 1, what->partitions, &delay) == GDC_OK, "the delay");
        options.delay = delay;
    }
    send_foreign(world_rank, world, out, requests);
    gdc_status status = gdc_open(comm, &options, &engine);
    if (expect(l, status == GDC_OK, "gdc_open: %s", gdc_strerror(status))) {
        checker_setup_done();
        checker_set_most_data(what->dimension > 8000 ? 2 : 2 + what->partitions * 2);
        if (rank == what->root) {
            run_root(l, engine, &p, &options, what->rounds, what->tolerance);
        } else {
            run_worker(l, engine, &p, rank < what->root ? rank : rank - 1);
        }
        checker_setup_begins();
    }
    receive_foreign(l, world_rank, world, requests);
    gdc_delay_destroy(delay);
    law_end(l, "%s M=%d d=%zu %s root=%d: %d rounds", what->strategy, what->partitions, what->dimension,
            what->f32 ? "f32" : "f64", what->root, what->rounds);
}

int main(int argc, char **argv)
{
    law l = {.failures = 0};
    int rank, ranks;
    MPI_Comm comm;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comm); /* the other way round */
    static const char *const strategies[] = {"gc:code=uncoded", "gc:code=fractional,load=2", "gc:code=cyclic,load=3",
                                             "gc:code=uncoded,load=2,message=1,walk=two-ended"};
    static const size_t dimensions[] = {10, 1000, 100000, 1000000};
    static const int rounds[] = {40, 40, 6, 3}, partitions[] = {1, 2, 1, 3};
    for (int d = 0; d < 4; d++) {
        for (int s = d == 3 ? 1 : 0; s < (d == 3 ? 3 : 4); s++) { /* the largest for two of them: it takes long */
            run_one(&l, comm,
                    &(run){.strategy = strategies[s],
                           .partitions = partitions[s],
                           .dimension = dimensions[d],
                           .rounds = rounds[d],
                           .pause_us = 1500,
                           .poll_s = INFINITY,
                           .tolerance = s == 2 ? 1e-9 : 0,
                           .first_version = 1,
                           .root = (d + s) % ranks});
        }
    }
    run_one(&l, comm,
            &(run){.strategy = strategies[1],
                   .partitions = 2,
                   .dimension = 777,
                   .rounds = 30,
                   .poll_s = INFINITY,
                   .f32 = 1,
                   .first_version = (1ull << 32) - 2});
    run_one(&l, comm,
            &(run){.strategy = strategies[1],
                   .partitions = 1,
                   .dimension = 50,
                   .rounds = 60,
                   .poll_s = 5e-4,
                   .first_version = (1ull << 31) - 2,
                   .slow = "slow:which=0,factor=40"});
    run_one(&l, comm,
            &(run){.strategy = strategies[1],
                   .partitions = 1,
                   .dimension = 50,
                   .rounds = 60,
                   .poll_s = INFINITY,
                   .first_version = 1,
                   .slow = "slow:which=1,factor=40"});
    static const run shortened[] = {
        {.dimension = 10, .partitions = 1, .rounds = 40, .tolerance = 1e-9},
        {.dimension = 1, .partitions = 2, .rounds = 20, .tolerance = 1e-9},
        {.dimension = 777, .partitions = 2, .rounds = 30, .tolerance = 1e-3, .f32 = 1},
        {.dimension = 100001, .partitions = 1, .rounds = 6, .tolerance = 1e-9},
    };
    for (int i = 0; i < 4; i++) {
        run what = shortened[i];
        what.strategy = "gc:code=dual,load=3,shorten=2";
        what.pause_us = 1500;
        what.poll_s = i % 2 ? 5e-4 : INFINITY;
        what.first_version = 1;
        what.root = i % ranks;
        run_one(&l, comm, &what);
    }
    expect(&l, checker_report(1) == 0, "the checker found something");
    law_end(&l, "the checker found nothing");
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return l.total ? 1 : 0;
}

/* prog_drop_auto.c - what the all-reduce family chooses by itself, and local SGD: the same on every rank.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The times of all ranks are shared by exactly one reduction and one more says that all have learnt from them, tau is the
 * same everywhere, what is reduced is what was kept, and local steps equal a plain loop of them. */
#include "gradcode/drop.h"
#include "mpi/law.h"
#include "support/mpi_checker.h"

#include <math.h>
#include <stdlib.h>

enum { MICRO = 4, WARMUP = 5, PROFILE = 3, LEAD = WARMUP + PROFILE, D = 12 };

typedef struct problem {
    int rank, ranks;
    int calls;      /* of the callback */
    int fails_once; /* at this version the callback of rank 1 fails; 0: never */
} problem;

/* A pull towards a place of the partition's own. */
static double pull(int partition, uint64_t version, int i, double x)
{
    return x - (double)((partition * 5 + i * 3 + (int)version) % 7);
}

static void add(int partition, uint64_t version, const double *x, double scale, double *sum)
{
    for (int i = 0; i < D; i++) {
        sum[i] += scale * pull(partition, version, i, x[i]);
    }
}

static int partial(void *context, gdc_task *task, void *sum)
{
    problem *p = context;
    p->calls++;
    if (p->rank == 1 && task->version == (uint64_t)p->fails_once) {
        return 5;
    }
    add(task->partition, task->version, task->model, task->scale, sum);
    return 0;
}

static gdc_drop *open_drop(law *l, const char *strategy, gdc_options *options)
{
    gdc_drop *drop = NULL;
    options->strategy = strategy;
    options->partitions = MICRO;
    options->dimension = D;
    checker_setup_begins();
    if (!expect(l, gdc_drop_open(MPI_COMM_WORLD, options, &drop) == GDC_OK, "gdc_drop_open(%s)", strategy)) {
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    checker_setup_done();
    return drop;
}

/* The sum over ranks of what each has, by the test's own means. */
static void add_up(const double *mine, double *all, int count)
{
    MPI_Allreduce(mine, all, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void expect_near(law *l, const double *got, const double *want)
{
    for (int i = 0; i < D; i++) {
        expect(l, fabs(got[i] - want[i]) < 1e-11, "element %d is %.17g, want %.17g", i, got[i], want[i]);
    }
}

/* Which partitions a rank may be asked for: its own, in order, then their extra mini-batches. */
static int is_next(const problem *p, int partition, int count)
{
    return partition == p->rank * MICRO + count % MICRO + count / MICRO * p->ranks * MICRO;
}

/* A loop of its own; returns the micro-batches that this rank computed. */
static int loop_round(law *l, gdc_drop *drop, const problem *p, uint64_t version, double *gradient, gdc_round *round)
{
    const double x[D] = {1, 2, 3};
    double want[D] = {0}, sum[D];
    int partition, count = 0;
    *round = (gdc_round){.size = sizeof *round};
    memset(gradient, 0, D * sizeof *gradient);
    expect(l, gdc_drop_begin(drop) == GDC_OK, "gdc_drop_begin");
    while (gdc_drop_more(drop, &partition)) {
        expect(l, is_next(p, partition, count), "micro-batch %d of rank %d", partition, p->rank);
        add(partition, version, x, 1, gradient);
        add(partition, version, x, 1, want);
        count++;
    }
    gdc_status status = gdc_drop_reduce(drop, gradient, round);
    expect(l, status == GDC_OK, "gdc_drop_reduce: %s", gdc_strerror(status));
    add_up(want, sum, D);
    expect_near(l, gradient, sum);
    return count;
}

static double tau_of(law *l, const gdc_drop *drop)
{
    const char *text = gdc_drop_chosen(drop);
    expect(l, strncmp(text, "tau=", 4) == 0, "chosen: '%s'", text);
    expect(l, same_sentence(text), "'%s' is not what rank 0 chose", text);
    return strncmp(text, "tau=", 4) == 0 ? strtod(text + 4, NULL) : 0;
}

static gdc_delay *slow_delay(const problem *p)
{
    const char *delays[] = {"exp:mean=0.002"};
    gdc_delay *delay = NULL;
    gdc_delay_create(delays, 1, 3, p->ranks, MICRO, &delay);
    return delay;
}

static void chooses_alike_in_an_own_loop(law *l, const problem *p)
{
    gdc_options options;
    gdc_options_init(&options);
    gdc_delay *delay = slow_delay(p);
    options.delay = delay;
    gdc_drop *drop = open_drop(l, "drop:tau=auto,profile=3", &options);
    double gradient[D];
    gdc_round round;
    for (uint64_t v = 1; v <= LEAD; v++) {
        int count = loop_round(l, drop, p, v, gradient, &round), before = checker_reductions();
        expect(l, count == MICRO && round.used == 1 && round.exact, "round %d dropped", (int)v);
        expect(l, gdc_drop_chosen(drop)[0] == 0 && before > 0, "chosen in round %d", (int)v);
    }
    int before = checker_reductions();
    loop_round(l, drop, p, LEAD + 1, gradient, &round);
    expect(l, checker_reductions() == before + 3, "%d reductions", checker_reductions() - before);
    double tau = tau_of(l, drop), kept = 0, all = 0;
    expect(l, tau > 0 && tau < 2, "tau=%g", tau);
    for (uint64_t v = LEAD + 2; v <= LEAD + 6; v++) {
        before = checker_reductions();
        double mine = loop_round(l, drop, p, v, gradient, &round);
        expect(l, checker_reductions() == before + 1, "%d reductions", checker_reductions() - before);
        add_up(&mine, &kept, 1);
        all = p->ranks * MICRO;
        expect(l, fabs(round.used - kept / all) < 1e-12 && round.exact == (kept == all), "used %g", round.used);
    }
    gdc_drop_close(drop);
    gdc_delay_destroy(delay);
    law_end(l, "tau=auto in an own loop is the same on every rank, by two reductions more");
}

static void chooses_alike_through_a_callback(law *l, problem p, const char *strategy, int fails)
{
    gdc_options options;
    gdc_options_init(&options);
    gdc_delay *delay = slow_delay(&p);
    options.delay = delay;
    options.poll_s = 1e-4;
    gdc_drop *drop = open_drop(l, strategy, &options);
    double x[D] = {1, 2, 3}, gradient[D];
    p.fails_once = fails;
    for (int v = 1; v <= LEAD + (fails > 0); v++) {
        gdc_round round = {.size = sizeof round};
        gdc_status status = gdc_drop_gradient(drop, x, partial, &p, gradient, &round);
        expect(l, status == (v == fails ? GDC_ENUMERIC : GDC_OK), "round %d: %s", v, gdc_strerror(status));
        expect(l, v == fails || (round.exact && round.used == 1), "round %d dropped", v);
        expect(l, gdc_drop_chosen(drop)[0] == 0, "chosen in round %d", v);
    }
    for (int v = 0; v < 4; v++) {
        gdc_round round = {.size = sizeof round};
        expect(l, gdc_drop_gradient(drop, x, partial, &p, gradient, &round) == GDC_OK, "a round by tau");
        expect(l, round.used > 0 && round.used <= 4, "used %g", round.used);
        tau_of(l, drop);
    }
    gdc_drop_close(drop);
    gdc_delay_destroy(delay);
    law_end(l, "%s%s chooses the same on every rank", strategy, fails ? " with a failed round in its profile" : "");
}

/* Up to 5 of 4 micro-batches, and time enough for all of them. */
static void enlarges_the_batch(law *l, const problem *p)
{
    gdc_options options;
    gdc_options_init(&options);
    gdc_drop *drop = open_drop(l, "drop:tau=100,resample=batch,most=5", &options);
    double gradient[D];
    gdc_round round;
    for (uint64_t v = 1; v <= 3; v++) {
        int count = loop_round(l, drop, p, v, gradient, &round);
        expect(l, count == 5 && fabs(round.used - 1.25) < 1e-12 && !round.exact && round.scale == 1,
               "%d micro-batches, used %g", count, round.used);
    }
    gdc_drop_close(drop);
    law_end(l, "resample=batch goes on past M");
}

/* ---- local SGD ----------------------------------------------------------------------------------- */

static const double rate = .25;

static void plain_local(const problem *p, uint64_t version, int steps, const double *model, double *all)
{
    double own[D], total[D] = {0};
    memcpy(own, model, sizeof own);
    for (int h = 0; h < steps; h++) {
        double batch[D] = {0};
        for (int m = 0; m < MICRO; m++) {
            add(p->rank * MICRO + m + h * p->ranks * MICRO, version, own, 1, batch);
        }
        for (int i = 0; i < D; i++) {
            total[i] += batch[i];
            own[i] -= rate * batch[i] / MICRO;
        }
    }
    add_up(total, all, D);
}

/* As the header says. */
static void own_local_round(law *l, gdc_drop *drop, const problem *p, uint64_t version, const double *model,
                            double *gradient)
{
    double own[D], batch[D] = {0};
    int partition, what, count = 0, steps = 0;
    memcpy(own, model, sizeof own);
    memset(gradient, 0, D * sizeof *gradient);
    gdc_drop_begin(drop);
    while ((what = gdc_drop_more(drop, &partition)) != GDC_DROP_REDUCE) {
        if (what == GDC_DROP_PIECE) {
            expect(l, is_next(p, partition, count++), "micro-batch %d", partition);
            add(partition, version, own, 1, batch);
            continue;
        }
        expect(l, partition == -1 && count == ++steps * MICRO, "a step after %d micro-batches", count);
        for (int i = 0; i < D; i++) {
            own[i] -= rate * batch[i] / MICRO;
            gradient[i] += batch[i];
            batch[i] = 0;
        }
    }
    for (int i = 0; i < D; i++) {
        gradient[i] += batch[i];
    }
    expect(l, gdc_drop_reduce(drop, gradient, NULL) == GDC_OK, "gdc_drop_reduce");
}

static void local_equals_plain_loop(law *l, problem *p, int steps)
{
    gdc_options options;
    char spec[32];
    gdc_options_init(&options);
    options.local_rate = rate;
    snprintf(spec, sizeof spec, "local:steps=%d", steps);
    gdc_drop *drop = open_drop(l, spec, &options);
    double x[D] = {4, -3, 2, 1}, want[D], gradient[D];
    for (uint64_t v = 1; v <= 6; v++) {
        gdc_round round = {.size = sizeof round};
        plain_local(p, v, steps, x, want);
        if (v % 2 == 1) {
            expect(l, gdc_drop_gradient(drop, x, partial, p, gradient, &round) == GDC_OK, "gdc_drop_gradient");
            expect(l, fabs(round.used - steps) < 1e-12 && round.exact == (steps == 1), "used %g", round.used);
        } else {
            own_local_round(l, drop, p, v, x, gradient);
        }
        expect_near(l, gradient, want);
        for (int i = 0; i < D; i++) {
            x[i] -= rate * gradient[i] / (p->ranks * MICRO);
        }
    }
    gdc_drop_close(drop);
    law_end(l, "%s equals a plain loop, through a callback and by an own loop", spec);
}

/* Pieces of 20 ms and tau = 1 ms: the step that crosses it counts, the others are not taken. */
static void late_steps_are_not_taken(law *l, problem *p)
{
    const char *delays[] = {"none:piece=0.02"};
    gdc_delay *delay = NULL;
    gdc_options options;
    gdc_options_init(&options);
    gdc_delay_create(delays, 1, 1, p->ranks, MICRO, &delay);
    options.delay = delay;
    options.local_rate = rate;
    gdc_drop *drop = open_drop(l, "local:steps=3,tau=.001", &options);
    double x[D] = {1}, want[D], gradient[D];
    gdc_round round = {.size = sizeof round};
    plain_local(p, 1, 1, x, want);
    p->calls = 0;
    expect(l, gdc_drop_gradient(drop, x, partial, p, gradient, &round) == GDC_OK, "gdc_drop_gradient");
    expect(l, p->calls == MICRO && round.used == 1 && !round.exact, "%d calls, used %g", p->calls, round.used);
    expect_near(l, gradient, want);
    gdc_drop_close(drop);
    gdc_delay_destroy(delay);
    law_end(l, "missing local steps count as zero");
}

static void one_step_is_sync(law *l, problem *p)
{
    gdc_options options;
    gdc_options_init(&options);
    gdc_drop *local = open_drop(l, "local:steps=1", &options), *sync = open_drop(l, "sync", &options);
    double x[D] = {.1, .7}, a[D], b[D];
    for (int v = 0; v < 5; v++) {
        expect(l, gdc_drop_gradient(local, x, partial, p, a, NULL) == GDC_OK, "local");
        expect(l, gdc_drop_gradient(sync, x, partial, p, b, NULL) == GDC_OK, "sync");
        expect(l, memcmp(a, b, sizeof a) == 0, "round %d differs", v);
        for (int i = 0; i < D; i++) {
            x[i] -= .3 * a[i] / (p->ranks * MICRO);
        }
    }
    gdc_drop_close(local);
    gdc_drop_close(sync);
    law_end(l, "one local step is sync bit for bit");
}

static void refuses(law *l, const char *strategy, double local_rate, const char *word)
{
    gdc_options options;
    gdc_drop *drop = NULL;
    gdc_options_init(&options);
    options.strategy = strategy;
    options.dimension = D;
    options.local_rate = local_rate;
    checker_setup_begins();
    gdc_status status = gdc_drop_open(MPI_COMM_WORLD, &options, &drop);
    expect(l, status == GDC_EINVAL && strstr(gdc_last_error(), word), "status %s", gdc_strerror(status));
    expect(l, same_sentence(gdc_last_error()), "another sentence than on rank 0");
    law_end(l, "refuses %s", strategy);
}

int main(int argc, char **argv)
{
    law l = {.failures = 0};
    problem p = {.calls = 0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &p.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p.ranks);
    chooses_alike_in_an_own_loop(&l, &p);
    chooses_alike_through_a_callback(&l, p, "drop:tau=auto,profile=3,check=poll", 0);
    chooses_alike_through_a_callback(&l, p, "drop:tau=auto,profile=3,resample=batch", 0);
    chooses_alike_through_a_callback(&l, p, "drop:tau=auto,profile=3", WARMUP + 2);
    enlarges_the_batch(&l, &p);
    local_equals_plain_loop(&l, &p, 1);
    local_equals_plain_loop(&l, &p, 2);
    local_equals_plain_loop(&l, &p, 3);
    late_steps_are_not_taken(&l, &p);
    one_step_is_sync(&l, &p);
    refuses(&l, "drop:tau=0", 0, "at least 1e-09, or inf, or auto");
    refuses(&l, "drop:tau=1,resample=batch", 0, "profile=1 to 1000");
    refuses(&l, "local:steps=2", 0, "local_rate=0");
    expect(&l, checker_report(1) == 0, "the checker found something");
    law_end(&l, "the checker found nothing");
    MPI_Finalize();
    return l.total ? 1 : 0;
}

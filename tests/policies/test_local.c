/* test_local.c - local SGD on the virtual clock against a plain loop of it.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gradcode/delay.h"
#include "gradcode/round.h"

#include <math.h>
#include <string.h>

enum { N = 5, M = 3, K = N * M, D = 4, ROUNDS = 20 };

/* Partition p pulls the model towards a place of its own, by size[p] samples of equal gradients. */
typedef struct pulls {
    double size[K];
    double fail_from; /* coordinate 0 above this is a NaN */
} pulls;

static double place(uint64_t version, int partition, int i)
{
    return (double)((partition * 7 + i * 3 + (int)version) % 11) - 5;
}

static int pull(void *context, gdc_task *task, void *sum)
{
    const pulls *p = context;
    const double *x = task->model;
    for (int i = 0; i < D; i++)
        ((double *)sum)[i] +=
            task->scale * p->size[task->partition % K] * (x[i] - place(task->version, task->partition, i));
    if (x[0] > p->fail_from)
        ((double *)sum)[0] = NAN;
    return 0;
}

typedef struct bench {
    gdc_options options;
    gdc_delay *delay;
    gdc_engine *engine;
    pulls pulls;
} bench;

static void open_bench(bench *b, const char *strategy, int equal)
{
    const char *spec = "exp:mean=1";
    b->pulls.fail_from = INFINITY;
    for (int p = 0; p < K; p++)
        b->pulls.size[p] = equal ? 1 : 1 + p % 4;
    gdc_options_init(&b->options);
    b->options.strategy = strategy;
    b->options.partitions = M;
    b->options.dimension = D;
    b->options.samples = equal ? NULL : b->pulls.size;
    b->options.local_rate = .125;
    assert_int_equal(gdc_delay_create(&spec, 1, 5, N, M, &b->delay), GDC_OK);
    b->options.delay = b->delay;
    if (gdc_open_virtual(&b->options, N, pull, &b->pulls, &b->engine) != GDC_OK)
        fail_msg("%s: %s", strategy, gdc_last_error());
}

static void close_bench(bench *b)
{
    gdc_close(b->engine, NULL);
    gdc_delay_destroy(b->delay);
}

/* Steps of a worker: all of them, or as many as end with the one that crosses tau. */
static int steps_of(const bench *b, int worker, uint64_t version, int steps, double tau, double *time_s)
{
    double acc = 0;
    int taken = 0;
    while (taken < steps && (taken == 0 || acc <= tau)) {
        for (int m = 0; m < M; m++)
            acc += gdc_delay_draw(b->delay, worker, version, (uint64_t)(taken * M + m));
        taken++;
    }
    *time_s = fmax(*time_s, acc);
    return taken;
}

/* One worker's local SGD; total += its gradients. */
static double descend(const bench *b, int worker, uint64_t version, int steps, const double *model, double *total)
{
    double own[D], samples = 0;
    memcpy(own, model, sizeof own);
    for (int p = worker * M; p < (worker + 1) * M; p++)
        samples += b->pulls.size[p];
    for (int h = 0; h < steps; h++) {
        double batch[D] = {0};
        gdc_task task = {.version = version, .model = own, .scale = 1};
        for (int p = worker * M; p < (worker + 1) * M; p++) {
            task.partition = p + h * K;
            pull((void *)&b->pulls, &task, batch);
        }
        for (int i = 0; i < D; i++) {
            total[i] += batch[i];
            own[i] -= .125 * batch[i] / samples;
        }
    }
    return steps * samples;
}

static void check_local(const char *strategy, int steps, double tau, int equal)
{
    bench b;
    double x[D] = {4, -3, 2, 1}, batch = 0, least = steps, most = 0;
    open_bench(&b, strategy, equal);
    for (int p = 0; p < K; p++)
        batch += b.pulls.size[p];
    assert_true(gdc_is_exact(b.engine) == (steps == 1) && gdc_is_collective(b.engine));
    for (uint64_t v = 1; v <= ROUNDS; v++) {
        double g[D], want[D] = {0}, used = 0, time_s = 0;
        gdc_round round = {.size = sizeof round};
        for (int w = 0; w < N; w++) {
            int taken = steps_of(&b, w, v, steps, tau, &time_s);
            used += descend(&b, w, v, taken, x, want);
            least = fmin(least, taken);
            most = fmax(most, taken);
        }
        assert_int_equal(gdc_gradient(b.engine, x, g, &round), GDC_OK);
        for (int i = 0; i < D; i++) {
            assert_true(fabs(g[i] - want[i]) < 1e-10);
            x[i] -= .125 * g[i] / batch;
        }
        assert_true(fabs(round.used - used / batch) < 1e-12 && round.scale == 1);
        assert_int_equal(round.exact, steps == 1);
        assert_true(fabs(round.ended_s - round.began_s - time_s) < 1e-9);
    }
    assert_true(most == steps && (isinf(tau) ? least == steps : least < steps));
    close_bench(&b);
}

static void local_steps_equal_a_plain_loop(void **state)
{
    (void)state;
    check_local("local:steps=1", 1, INFINITY, 1);
    check_local("local:steps=4", 4, INFINITY, 1);
    check_local("local:steps=4", 4, INFINITY, 0);
}

static void missing_steps_count_as_zero(void **state)
{
    (void)state;
    check_local("local:steps=4,tau=7", 4, 7, 1);
    check_local("local:steps=4,tau=7", 4, 7, 0);
}

/* With equal shards a round of local SGD is the average of the workers' models. */
static void the_update_is_the_average_of_the_models(void **state)
{
    bench b;
    double x[D] = {4, -3, 2, 1}, g[D], mean[D] = {0};
    (void)state;
    open_bench(&b, "local:steps=3", 1);
    for (int w = 0; w < N; w++) {
        double total[D] = {0};
        descend(&b, w, 1, 3, x, total);
        for (int i = 0; i < D; i++)
            mean[i] += (x[i] - .125 * total[i] / M) / N;
    }
    assert_int_equal(gdc_gradient(b.engine, x, g, NULL), GDC_OK);
    for (int i = 0; i < D; i++)
        assert_true(fabs(x[i] - .125 * g[i] / K - mean[i]) < 1e-12);
    close_bench(&b);
}

static void one_step_is_sync_bit_for_bit(void **state)
{
    bench b, s;
    double x[D] = {.1, .2, .3, .7};
    (void)state;
    open_bench(&b, "local:steps=1", 0);
    open_bench(&s, "sync", 0);
    for (int v = 0; v < ROUNDS; v++) {
        double g[D], h[D];
        gdc_round rb = {.size = sizeof rb}, rs = {.size = sizeof rs};
        assert_int_equal(gdc_gradient(b.engine, x, g, &rb), GDC_OK);
        assert_int_equal(gdc_gradient(s.engine, x, h, &rs), GDC_OK);
        assert_memory_equal(g, h, sizeof g);
        assert_true(rb.exact && rb.used == 1 && rb.ended_s == rs.ended_s);
        for (int i = 0; i < D; i++)
            x[i] -= .1 * g[i] / K;
    }
    close_bench(&b);
    close_bench(&s);
}

static void a_diverging_own_model_is_an_error_that_names_the_worker(void **state)
{
    bench b;
    double x[D] = {0}, g[D];
    (void)state;
    open_bench(&b, "local:steps=2", 1);
    b.pulls.fail_from = 1e-9; /* the first step moves some model above it */
    assert_int_equal(gdc_gradient(b.engine, x, g, NULL), GDC_ENUMERIC);
    assert_non_null(strstr(gdc_last_error(), "worker"));
    b.pulls.fail_from = INFINITY;
    assert_int_equal(gdc_gradient(b.engine, x, g, NULL), GDC_OK);
    close_bench(&b);
}

static void steps_without_a_rate_are_refused(void **state)
{
    gdc_options options;
    gdc_engine *engine = NULL;
    pulls p = {.fail_from = INFINITY};
    (void)state;
    gdc_options_init(&options);
    options.strategy = "local:steps=2";
    options.dimension = D;
    assert_int_equal(gdc_open_virtual(&options, N, pull, &p, &engine), GDC_EINVAL);
    assert_non_null(strstr(gdc_last_error(), "local_rate=0"));
    options.local_rate = -1;
    assert_int_equal(gdc_open_virtual(&options, N, pull, &p, &engine), GDC_EINVAL);
    options.local_rate = NAN;
    assert_int_equal(gdc_open_virtual(&options, N, pull, &p, &engine), GDC_EINVAL);
    assert_null(engine);
    options.local_rate = 0; /* timing only: no model moves */
    assert_int_equal(gdc_open_virtual(&options, N, NULL, NULL, &engine), GDC_OK);
    gdc_close(engine, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(local_steps_equal_a_plain_loop),
        cmocka_unit_test(missing_steps_count_as_zero),
        cmocka_unit_test(the_update_is_the_average_of_the_models),
        cmocka_unit_test(one_step_is_sync_bit_for_bit),
        cmocka_unit_test(a_diverging_own_model_is_an_error_that_names_the_worker),
        cmocka_unit_test(steps_without_a_rate_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

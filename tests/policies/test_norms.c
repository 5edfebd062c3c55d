/* test_norms.c - squared norms of partials: both encode paths, and what a round tells.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/norms.h"
#include "engine/sums.h"
#include "gradcode/draw.h"
#include "plan/plan.h"
#include "support/virtual_bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t seed = 1;

/* ---- both encode paths --------------------------------------------------------------------------- */

enum { WORKERS = 6, LONG = 37 };

/* Not integers: the order and the rounding of every sum show. */
static double drawn(int partition, size_t i)
{
    return gdc_draw_normal((gdc_key){.seed = seed, .purpose = 1, .a = (uint64_t)partition, .b = i});
}

static int drawn_partial(void *context, gdc_task *task, void *sum)
{
    bool f32 = *(const bool *)context;
    for (size_t i = 0; i < LONG; i++) {
        double value = task->scale * drawn(task->partition, i);
        if (f32)
            ((float *)sum)[i] += (float)value;
        else
            ((double *)sum)[i] += value;
    }
    return 0;
}

static double norm2_of(int partition, bool f32)
{
    double sum = 0;
    for (size_t i = 0; i < LONG; i++) {
        double x = f32 ? (double)(float)drawn(partition, i) : drawn(partition, i);
        sum += x * x;
    }
    return sum;
}

typedef struct desk {
    const gdc_plan *plan;
    int worker;
    bool f32;
    gdc_sums *sums;
    double plain; /* norms of the parts that are new in the next row, by a plain loop */
} desk;

static void compute(desk *k, int partition)
{
    gdc_task task = {.size = sizeof task, .worker = k->worker, .partition = partition};
    assert_true(gdc_sums_open(k->sums, partition));
    void *sum = gdc_sums_target(k->sums, partition, &task.scale);
    drawn_partial(&k->f32, &task, sum);
    gdc_sums_added(k->sums, partition);
}

static void check_row(desk *k, int index)
{
    double out[LONG], scratch[LONG];
    gdc_task task = {.size = sizeof task, .worker = k->worker};
    gdc_told told = {.norms = true};
    size_t bytes = LONG * (k->f32 ? sizeof(float) : sizeof(double));
    assert_int_equal(gdc_encode_row(k->plan, k->worker, index, k->f32 ? GDC_F32 : GDC_F64, LONG, drawn_partial, &k->f32,
                                    &task, scratch, out, &told),
                     0);
    void *live = gdc_sums_take_row(k->sums, index);
    assert_memory_equal(live, out, bytes);
    assert_true(told.norm2 == gdc_sums_norm2(k->sums));
    assert_true(fabs(told.norm2 - k->plain) <= 1e-13 * k->plain);
    gdc_sums_give(k->sums, live);
}

static void check_worker(const gdc_plan *plan, int worker, bool f32)
{
    desk k = {.plan = plan, .worker = worker, .f32 = f32};
    int next = 0;
    assert_int_equal(gdc_sums_create(plan, worker, true, f32 ? GDC_F32 : GDC_F64, LONG, 512, 1, true, &k.sums), GDC_OK);
    for (int i = 0; i < gdc_plan_held(plan, worker); i++) {
        int p = gdc_plan_walk(plan, worker, i);
        compute(&k, p);
        k.plain += norm2_of(p, f32);
        for (; next < gdc_plan_rows(plan, worker) && gdc_plan_row(plan, worker, next)->after == i + 1; next++) {
            check_row(&k, next);
            k.plain = 0;
        }
    }
    assert_int_equal(next, gdc_plan_rows(plan, worker));
    gdc_sums_destroy(k.sums);
}

static void both_encode_paths_agree_to_the_bit(void **state)
{
    static const char *const codes[] = {"uncoded",
                                        "uncoded:load=3,message=1,walk=two-ended",
                                        "uncoded:load=2,message=1",
                                        "fractional:load=3",
                                        "cyclic:load=3",
                                        "circulant:load=4",
                                        "mmc:load=3,orders=1+2+3",
                                        "mmc:load=3,orders=2+3,clusters=2"};
    (void)state;
    for (size_t c = 0; c < sizeof codes / sizeof *codes; c++)
        for (int partitions = 1; partitions <= 3; partitions += 2) {
            gdc_plan *plan;
            assert_int_equal(gdc_plan_create(codes[c], WORKERS, WORKERS * partitions, seed, &plan), GDC_OK);
            for (int w = 0; w < WORKERS; w++) {
                check_worker(plan, w, false);
                check_worker(plan, w, true);
            }
            gdc_plan_destroy(plan);
        }
}

static void check_span(desk *k, gdc_span span)
{
    double out[LONG], scratch[LONG], plain = 0;
    gdc_task task = {.size = sizeof task};
    gdc_told told = {.norms = true};
    assert_int_equal(gdc_encode_span(span, GDC_F64, LONG, drawn_partial, &k->f32, &task, scratch, out, &told), 0);
    void *live = gdc_sums_take_span(k->sums, span);
    for (int i = 0; i < span.count; i++)
        plain += norm2_of(span.first + i, false);
    assert_memory_equal(live, out, sizeof out);
    assert_true(told.norm2 == gdc_sums_norm2(k->sums));
    assert_true(fabs(told.norm2 - plain) <= 1e-13 * plain);
    gdc_sums_give(k->sums, live);
}

/* What is taken tells of itself only, whatever else is open. */
static void spans_tell_their_own_norms(void **state)
{
    gdc_plan *plan;
    desk k = {.f32 = false};
    int pieces = 0;
    (void)state;
    assert_int_equal(gdc_plan_create("uncoded", 2, 12, 1, &plan), GDC_OK);
    assert_int_equal(gdc_sums_create(plan, 0, false, GDC_F64, LONG, 512, 2, true, &k.sums), GDC_OK);
    compute(&k, 0);
    compute(&k, 1);
    compute(&k, 2);
    check_span(&k, (gdc_span){0, 3}); /* accumulator and piece */
    compute(&k, 3);
    compute(&k, 4);
    compute(&k, 9);
    check_span(&k, (gdc_span){9, 1}); /* the piece alone */
    check_span(&k, (gdc_span){3, 2}); /* the accumulator alone */
    compute(&k, 5);
    compute(&k, 6);
    gdc_sums_cut(k.sums);
    check_span(&k, (gdc_span){5, 1}); /* what was cut is forgotten */
    compute(&k, 7);
    gdc_sums_abandon(k.sums);
    gdc_sums_give(k.sums, gdc_sums_take_all(k.sums, &pieces));
    assert_true(pieces == 0 && gdc_sums_norm2(k.sums) == 0);
    compute(&k, 8);
    compute(&k, 9);
    gdc_sums_give(k.sums, gdc_sums_take_all(k.sums, &pieces));
    assert_true(gdc_sums_norm2(k.sums) == norm2_of(8, false) + norm2_of(9, false) && pieces == 2);
    gdc_sums_destroy(k.sums);
    gdc_plan_destroy(plan);
}

/* ---- what a round tells -------------------------------------------------------------------------- */

static double share(int p) /* unequal sizes, counted in samples */
{
    return 2 + p % 3;
}

static double integer_norm2(uint64_t version, int partition)
{
    double sum = 0;
    for (size_t i = 0; i < D; i++)
        sum += pow((double)version * (partition + 1) + (double)i, 2);
    return sum;
}

/* Adds partition p, as a plain loop sees it. */
typedef struct plain {
    double norms, squares, samples;
    uint64_t parts;
} plain;

static void add_plain(plain *x, uint64_t version, int p)
{
    x->norms += integer_norm2(version, p);
    x->squares += share(p) * share(p);
    x->samples += share(p);
    x->parts++;
}

static void expect_round(const gdc_round *round, const plain *x, double samples)
{
    assert_int_equal(round->parts, x->parts);
    assert_true(fabs(round->norm2 - x->norms / x->squares) <= 1e-13 * round->norm2);
    assert_true(fabs(round->part_samples - x->squares / x->samples) <= 1e-13 * round->part_samples);
    assert_true(fabs(round->samples - samples) <= 1e-12 * samples);
}

enum { MOST = 24 };

static double open_unequal(bench *b, const char *strategy, int partitions, double samples[MOST])
{
    double total = 0;
    for (int p = 0; p < N * partitions; p++)
        total += samples[p] = share(p);
    open_bench(b, strategy, "exp:mean=1", partitions);
    b->options.samples = samples;
    b->options.norms = 1;
    start_bench(b);
    return total;
}

/* Every partition enters once. */
static void check_whole(const char *strategy, int partitions)
{
    bench b;
    double samples[MOST], total = open_unequal(&b, strategy, partitions, samples);
    for (uint64_t v = 1; v <= 10; v++) {
        double g[D];
        plain x = {0};
        gdc_round round = {.size = sizeof round};
        assert_int_equal(gdc_gradient(b.engine, model, g, &round), GDC_OK);
        for (int p = 0; p < N * partitions; p++)
            add_plain(&x, v, p);
        expect_round(&round, &x, total);
        for (size_t i = 0; i < D; i++)
            assert_true(g[i] == integer_total(N * partitions, v, i));
    }
    close_bench(&b);
}

static void exact_rounds_tell_the_norms_of_all_parts(void **state)
{
    (void)state;
    for (int m = 1; m <= 4; m++) {
        check_whole("sync", m);
        check_whole("drop:tau=inf", m);
        check_whole("gc:code=uncoded", m);
        check_whole("gc:code=uncoded,load=3,message=1,walk=two-ended", m);
        check_whole("gc:code=fractional,load=3", m);
    }
}

static void dropped_parts_tell_nothing(void **state)
{
    enum { M = 4 };
    bench b;
    double samples[MOST], before[N] = {0};
    uint64_t dropped = 0;
    (void)state;
    open_unequal(&b, "drop:tau=2", M, samples);
    for (uint64_t v = 1; v <= 30; v++) {
        double g[D], kept = 0;
        plain x = {0};
        gdc_round round = {.size = sizeof round};
        assert_int_equal(gdc_gradient(b.engine, model, g, &round), GDC_OK);
        for (int w = 0; w < N; w++) {
            gdc_worker_stats stats = {.size = sizeof stats};
            assert_int_equal(gdc_stats(b.engine, w, &stats), GDC_OK);
            for (int p = w * M; p < w * M + (int)(stats.used - before[w]); p++) {
                add_plain(&x, v, p);
                kept += share(p);
            }
            before[w] = stats.used;
        }
        expect_round(&round, &x, kept);
        dropped += N * M - round.parts;
    }
    assert_true(dropped > 20);
    close_bench(&b);
}

typedef struct watch {
    bool entered[N];
} watch;

static void see(void *context, const gdc_arrival_note *note)
{
    if (note->fate == GDC_FATE_KEPT)
        ((watch *)context)->entered[note->worker] = true;
}

static void who_is_ignored_tells_nothing(void **state)
{
    enum { M = 2 };
    bench b;
    double samples[MOST];
    watch seen;
    (void)state;
    for (int p = 0; p < N * M; p++)
        samples[p] = share(p);
    open_bench(&b, "ignore:s=2", "exp:mean=1", M);
    b.options.samples = samples;
    b.options.norms = 1;
    b.options.observe = see;
    b.options.observe_context = &seen;
    start_bench(&b);
    for (uint64_t v = 1; v <= 30; v++) {
        double g[D], kept = 0;
        plain x = {0};
        gdc_round round = {.size = sizeof round};
        memset(&seen, 0, sizeof seen);
        assert_int_equal(gdc_gradient(b.engine, model, g, &round), GDC_OK);
        for (int p = 0; p < N * M; p++)
            if (seen.entered[p / M]) {
                add_plain(&x, v, p);
                kept += share(p);
            }
        assert_int_equal(x.parts, (N - 2) * M);
        expect_round(&round, &x, kept);
    }
    close_bench(&b);
}

static void norms_are_told_only_when_asked_for(void **state)
{
    static const char *const strategies[] = {"sync", "gc:code=cyclic,load=3", "ignore:s=1"};
    (void)state;
    for (int s = 0; s < 3; s++) {
        bench b;
        double g[D];
        gdc_round round = {.size = sizeof round};
        open_bench(&b, strategies[s], "exp:mean=1", 2);
        start_bench(&b);
        assert_int_equal(gdc_gradient(b.engine, model, g, &round), GDC_OK);
        assert_true(round.parts == 0 && isnan(round.norm2) && isnan(round.part_samples));
        assert_true(fabs(round.samples - round.used * 2 * N) < 1e-12); /* partitions count as 1 */
        close_bench(&b);
    }
    bench b;
    open_bench(&b, "sync", "exp:mean=1", 1);
    b.options.norms = 2;
    assert_int_equal(gdc_open_virtual(&b.options, N, integer_partial, &b.problem, &b.engine), GDC_EINVAL);
    gdc_delay_destroy(b.delay);
}

/* What overflows says nothing, rather than infinity. */
static void sums_of_norms_that_overflow_are_not_told(void **state)
{
    gdc_plan *plan;
    gdc_norms norms = {.parts = 0};
    gdc_round round = {.size = sizeof round};
    (void)state;
    assert_int_equal(gdc_plan_create("uncoded", 2, 4, 1, &plan), GDC_OK);
    for (int p = 0; p < 2; p++)
        gdc_norms_add_span(&norms, plan, NULL, (gdc_span){p, 1}, 1e308);
    gdc_norms_tell(&norms, &round);
    assert_true(isnan(round.norm2) && round.parts == 2);
    gdc_plan_destroy(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_encode_paths_agree_to_the_bit),
        cmocka_unit_test(spans_tell_their_own_norms),
        cmocka_unit_test(exact_rounds_tell_the_norms_of_all_parts),
        cmocka_unit_test(dropped_parts_tell_nothing),
        cmocka_unit_test(who_is_ignored_tells_nothing),
        cmocka_unit_test(norms_are_told_only_when_asked_for),
        cmocka_unit_test(sums_of_norms_that_overflow_are_not_told),
    };
    if (getenv("GDC_TEST_SEED"))
        seed = strtoull(getenv("GDC_TEST_SEED"), NULL, 10);
    printf("seed %llu\n", (unsigned long long)seed);
    return cmocka_run_group_tests(tests, NULL, NULL);
}

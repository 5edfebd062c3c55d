/* test_dynamic_losses.c - the dynamic strategy when workers die, stand still, or send what cannot be used.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/virtual_bench.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const kinds[] = {
    "dynamic:load=2",
    "dynamic:load=6",
    "dynamic:load=3,pool=0",
    "dynamic:load=3,pool=1",
    "dynamic:load=3,early=1",
    "dynamic:load=2,progress=0",
    "dynamic:load=3,reproducible=1",
    "dynamic:load=3,clusters=2",
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static gdc_engine *open_faulty(bench *b, const char *strategy, const gdc_fault *faults, int count)
{
    open_bench(b, strategy, "none:piece=1", 4);
    b->options.faults = faults;
    b->options.fault_count = count;
    start_bench(b);
    return b->engine;
}

static void expect_round(gdc_engine *engine, uint64_t v)
{
    double g[D];
    if (gdc_gradient(engine, model, g, NULL) != GDC_OK)
        fail_msg("round %d: %s", (int)v, gdc_last_error());
    for (size_t c = 0; c < D; c++)
        assert_true(g[c] == integer_total(N * 4, v, c));
}

static void a_death_at_any_moment_is_made_up_for(void **state)
{
    static const gdc_fault_moment moments[] = {GDC_AT_COMPUTE, GDC_AT_SENT, GDC_AT_MODEL};
    (void)state;
    for (int i = 0; i < KINDS; i++)
        for (int m = 0; m < 3; m++) {
            bench b;
            gdc_fault fault = {.kind = GDC_FAULT_KILL, .worker = 2, .version = 3, .at = moments[m]};
            gdc_engine *engine = open_faulty(&b, kinds[i], &fault, 1);
            for (uint64_t v = 1; v <= 12; v++)
                expect_round(engine, v);
            close_bench(&b);
        }
}

/* What a dead worker had not sent is leased at once, however long running pieces are waited for. */
static void nobody_waits_for_the_dead(void **state)
{
    const char *specs[] = {"none:piece=1", "slow:which=2,factor=2.1"};
    gdc_fault fault = {.kind = GDC_FAULT_KILL, .worker = 2, .version = 1, .at = GDC_AT_SENT};
    gdc_options options;
    gdc_delay *delay;
    gdc_engine *engine;
    gdc_round round = {.size = sizeof round};
    (void)state;
    gdc_options_init(&options);
    options.strategy = "dynamic:load=2,place=ring,permute=0,nominal=1,theta=10,theta2=20";
    options.partitions = 6;
    options.faults = &fault;
    options.fault_count = 1;
    assert_int_equal(gdc_delay_create(specs, 2, 1, N, 6, &delay), GDC_OK);
    options.delay = delay;
    assert_int_equal(gdc_open_virtual(&options, N, NULL, NULL, &engine), GDC_OK);
    assert_int_equal(gdc_gradient(engine, NULL, NULL, &round), GDC_OK);
    /* At 6 s worker 1 takes the last piece over; at 6.3 s worker 2 sends three, and dies with two left. */
    assert_true(fabs(round.ended_s - round.began_s - 9) < 1e-9);
    gdc_close(engine, NULL);
    gdc_delay_destroy(delay);
}

static void a_worker_that_stood_still_comes_back(void **state)
{
    (void)state;
    for (int i = 0; i < KINDS; i++) {
        bench b;
        gdc_fault fault = {.kind = GDC_FAULT_STOP, .worker = 1, .version = 3, .at = GDC_AT_COMPUTE, .for_s = 40};
        gdc_engine *engine = open_faulty(&b, kinds[i], &fault, 1);
        gdc_worker_stats before = {.size = sizeof before}, after = {.size = sizeof after};
        for (uint64_t v = 1; v <= 5; v++)
            expect_round(engine, v);
        assert_int_equal(gdc_stats(engine, 1, &before), GDC_OK);
        assert_int_equal(before.health, GDC_SUSPECT);
        for (uint64_t v = 6; v <= 40; v++)
            expect_round(engine, v);
        assert_int_equal(gdc_stats(engine, 1, &after), GDC_OK);
        assert_true(after.returned && after.health == GDC_ALIVE && after.pieces > before.pieces + 50);
        close_bench(&b);
    }
}

static void spoilt_vectors_are_computed_again(void **state)
{
    (void)state;
    for (int i = 0; i < KINDS; i++) {
        bench b;
        gdc_fault faults[] = {{.kind = GDC_FAULT_NAN, .worker = 1, .version = 2},
                              {.kind = GDC_FAULT_CORRUPT, .worker = 4, .version = 4}};
        gdc_engine *engine = open_faulty(&b, kinds[i], faults, 2);
        for (uint64_t v = 1; v <= 8; v++)
            expect_round(engine, v);
        close_bench(&b);
    }
}

static void a_shard_without_a_holder_is_an_error_that_names_them(void **state)
{
    bench b;
    gdc_fault faults[] = {{.kind = GDC_FAULT_KILL, .worker = 1, .version = 3, .at = GDC_AT_COMPUTE},
                          {.kind = GDC_FAULT_KILL, .worker = 2, .version = 5, .at = GDC_AT_COMPUTE}};
    double g[D];
    (void)state;
    gdc_engine *engine =
        open_faulty(&b, "dynamic:load=2,place=ring,permute=0", faults, 2); /* worker w holds w, w + 1 */
    for (uint64_t v = 1; v <= 4; v++)
        expect_round(engine, v);
    for (int r = 0; r < 2; r++) {
        assert_int_equal(gdc_gradient(engine, model, g, NULL), GDC_EUNRECOVERABLE);
        if (!strstr(gdc_last_error(), "workers 1-2") || !strstr(gdc_last_error(), "partitions 8-11") ||
            !strstr(gdc_last_error(), "shard 2 has no holder left, of workers 1, 2"))
            fail_msg("%s", gdc_last_error());
    }
    close_bench(&b);
}

static void what_nobody_can_compute_is_an_error_that_names_it(void **state)
{
    (void)state;
    for (int i = 0; i < 2 * KINDS; i++) {
        bench b;
        double g[D];
        open_bench(&b, kinds[i / 2], "none:piece=1", 4);
        if (i % 2)
            b.problem.nan_partition = 9;
        else
            b.problem.fail_partition = 9;
        start_bench(&b);
        assert_int_equal(gdc_gradient(b.engine, model, g, NULL), GDC_EUNRECOVERABLE);
        if (!strstr(gdc_last_error(), "partition 9 of") || !strstr(gdc_last_error(), "shard 2"))
            fail_msg("%s: %s", kinds[i / 2], gdc_last_error());
        b.problem.nan_partition = b.problem.fail_partition = -1;
        expect_round(b.engine, 2);
        close_bench(&b);
    }
}

/* ---- bad values ---- */

static void bad_values_are_refused_with_the_nearest(void **state)
{
    static const char *const bad[][2] = {
        {"dynamic:load=7", "nearest is 6"},
        {"dynamic:load=0", "load"},
        {"dynamic:load=3,clusters=4", "clusters"},
        {"dynamic:walk=two-ended", "unknown"},
        {"dynamic:message=1", "message"},
        {"dynamic:code=cyclic", "code"},
        {"dynamic:place=far", "spread"},
        {"dynamic:pool=-2", "pool"},
        {"dynamic:theta=-1", "theta"},
        {"dynamic:early=-1", "early"},
        {"dynamic:nominal=-1", "nominal"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(gdc_strategy_check(bad[i][0], N, 4, 1, NULL, NULL), GDC_EINVAL);
        if (!strstr(gdc_last_error(), bad[i][1]))
            fail_msg("%s: %s", bad[i][0], gdc_last_error());
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_death_at_any_moment_is_made_up_for),
        cmocka_unit_test(nobody_waits_for_the_dead),
        cmocka_unit_test(a_worker_that_stood_still_comes_back),
        cmocka_unit_test(spoilt_vectors_are_computed_again),
        cmocka_unit_test(a_shard_without_a_holder_is_an_error_that_names_them),
        cmocka_unit_test(what_nobody_can_compute_is_an_error_that_names_it),
        cmocka_unit_test(bad_values_are_refused_with_the_nearest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

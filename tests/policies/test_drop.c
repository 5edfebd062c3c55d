/* test_drop.c - DropCompute on the virtual clock, against its definitions.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/virtual_bench.h"

#include <math.h>
#include <stdbool.h>

typedef struct expected {
    double time_s;
    int kept[N];
} expected;

/* The definitions of theory: acc_m is the running sum of a worker's times. */
static expected drop_oracle(const gdc_delay *delay, uint64_t version, int M, double tau, bool poll)
{
    expected e = {0};
    for (int w = 0; w < N; w++) {
        double acc = 0, end = 0;
        int within = 0, before_last = 0;
        double at[8];
        for (int m = 0; m < M; m++) {
            acc += gdc_delay_draw(delay, w, version, (uint64_t)m);
            at[m] = acc;
            within += acc <= tau;
            before_last += m < M - 1 && acc <= tau;
        }
        e.kept[w] = poll ? within : 1 + before_last;
        end = poll ? fmin(tau, acc) : at[e.kept[w] - 1];
        e.time_s = fmax(e.time_s, end);
    }
    return e;
}

static void check_drop(const char *strategy, double tau, bool poll, bool by_kept)
{
    enum { M = 4 };
    bench b;
    open_bench(&b, strategy, "exp:mean=1", M);
    b.options.poll_s = 0.01;
    start_bench(&b);
    int dropped = 0;
    for (uint64_t v = 1; v <= 50; v++) {
        double g[D], want[D] = {0};
        gdc_round round = {.size = sizeof round};
        expected e = drop_oracle(b.delay, v, M, tau, poll);
        int kept = 0;
        for (int w = 0; w < N; w++) {
            kept += e.kept[w];
            for (int m = 0; m < e.kept[w]; m++)
                for (size_t i = 0; i < D; i++)
                    want[i] += (double)v * (w * M + m + 1) + (double)i;
        }
        assert_int_equal(gdc_gradient(b.engine, model, g, &round), GDC_OK);
        assert_true(fabs(round.ended_s - round.began_s - e.time_s) < 1e-9);
        assert_true(fabs(round.used - (double)kept / (N * M)) < 1e-12);
        assert_int_equal(round.exact, kept == N * M);
        double scale = by_kept && kept > 0 ? (double)(N * M) / kept : 1;
        for (size_t i = 0; i < D; i++)
            assert_true(fabs(g[i] - scale * want[i]) <= 1e-12 * fabs(scale * want[i]));
        dropped += N * M - kept;
    }
    assert_true(dropped > 0);
    close_bench(&b);
}

static void dropping_follows_its_definition(void **state)
{
    (void)state;
    check_drop("drop:tau=2", 2, false, false);
    check_drop("drop:tau=2,norm=by-kept", 2, false, true);
    check_drop("drop:tau=2,check=poll", 2, true, false);
    check_drop("drop:tau=2,check=poll,norm=by-kept", 2, true, true);
}

/* acc_m = m exactly: the micro-batch that ends at tau is within, the next one crosses it and counts
 * (check=piece). */
static void the_threshold_itself_is_within(void **state)
{
    static const struct {
        const char *strategy;
        double used, time_s;
    } ties[] = {{"drop:tau=2", 3. / 4, 3},
                {"drop:tau=2,check=poll", 2. / 4, 2},
                {"drop:tau=4", 1, 4},
                {"drop:tau=4,check=poll", 1, 4}};
    (void)state;
    for (int i = 0; i < 4; i++) {
        const char *spec = "none:piece=1";
        gdc_options options;
        gdc_delay *delay;
        gdc_engine *engine;
        gdc_round round = {.size = sizeof round};
        gdc_options_init(&options);
        options.strategy = ties[i].strategy;
        options.partitions = 4;
        options.poll_s = 0;
        assert_int_equal(gdc_delay_create(&spec, 1, 1, N, 4, &delay), GDC_OK);
        options.delay = delay;
        assert_int_equal(gdc_open_virtual(&options, N, NULL, NULL, &engine), GDC_OK);
        assert_int_equal(gdc_gradient(engine, NULL, NULL, &round), GDC_OK);
        assert_true(round.used == ties[i].used);
        assert_true(round.ended_s - round.began_s == ties[i].time_s);
        gdc_close(engine, NULL);
        gdc_delay_destroy(delay);
    }
}

static void nothing_kept_is_zero_and_never_nan(void **state)
{
    static const char *const strategies[] = {"drop:tau=1e-9,check=poll", "drop:tau=1e-9,check=poll,norm=by-kept"};
    (void)state;
    for (int s = 0; s < 2; s++) {
        bench b;
        double g[D];
        gdc_round round = {.size = sizeof round};
        open_bench(&b, strategies[s], "none:piece=1", 2);
        b.options.poll_s = 0;
        start_bench(&b);
        assert_int_equal(gdc_gradient(b.engine, model, g, &round), GDC_OK);
        assert_true(round.used == 0);
        for (int i = 0; i < D; i++)
            assert_true(g[i] == 0);
        close_bench(&b);
    }
}

static void unequal_samples_weigh_by_kept(void **state)
{
    double samples[2 * N];
    bench b;
    gdc_round round = {.size = sizeof round};
    double g[D];
    (void)state;
    for (int p = 0; p < 2 * N; p++)
        samples[p] = 1 + p;
    open_bench(&b, "drop:tau=1e-9,norm=by-kept", "none:piece=1", 2);
    b.options.samples = samples;
    start_bench(&b);
    assert_int_equal(gdc_gradient(b.engine, model, g, &round), GDC_OK);
    double kept = 0, wanted = 0;
    for (int p = 0; p < 2 * N; p++) {
        wanted += samples[p];
        kept += p % 2 == 0 ? samples[p] : 0;
    }
    assert_true(fabs(round.scale - wanted / kept) < 1e-12);
    close_bench(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dropping_follows_its_definition),
        cmocka_unit_test(the_threshold_itself_is_within),
        cmocka_unit_test(nothing_kept_is_zero_and_never_nan),
        cmocka_unit_test(unequal_samples_weigh_by_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

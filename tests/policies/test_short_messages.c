/* test_short_messages.c - rounds whose messages are shorter than the gradient, on the virtual clock: exact in both types, charged by
 * their length, exact under losses and erasures.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/normal_problem.h"
#include "support/virtual_bench.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ROUNDS = 20 };

static void name_strategy(char *spec, size_t bytes, int load, int shorten, const char *more)
{
    snprintf(spec, bytes, "gc:code=dual,load=%d,shorten=%d,tries=3%s", load, shorten, more);
}

/* ---- exact ---- */

static void check_rounds(const char *strategy, size_t dimension, int partitions, double poll_s)
{
    bench b;
    double g[D];
    open_bench(&b, strategy, "exp:mean=1", partitions);
    b.options.poll_s = poll_s;
    b.options.dimension = b.problem.dimension = dimension;
    start_bench(&b);
    for (uint64_t v = 1; v <= ROUNDS; v++) {
        gdc_round round = {.size = sizeof round};
        assert_int_equal(gdc_gradient(b.engine, model, g, &round), GDC_OK);
        assert_true(round.exact && round.used == 1 && round.scale == 1);
        assert_true(round.residual <= 1e-10 && round.amplification >= 1 - 1e-12);
        for (size_t i = 0; i < dimension; i++) {
            double want = integer_total(N * partitions, v, i);
            assert_true(fabs(g[i] - want) <= 1e-10 * want);
        }
    }
    close_bench(&b);
}

static void every_length_gives_the_whole_batch(void **state)
{
    static const char *const placements[] = {"", ",place=random", ",speeds=2+1+2+2+1+1"};
    (void)state;
    for (int m = 2; m <= 4; m++)
        for (int load = m; load <= 5; load++)
            for (size_t d = 1; d <= D; d++)
                for (int p = 0; p < (load <= 4 ? 3 : 2); p++) {
                    char spec[128];
                    name_strategy(spec, sizeof spec, load, m, placements[p]);
                    check_rounds(spec, d, 1 + (int)d % 2, d % 3 == 0 ? 0 : INFINITY);
                }
}

static void float32_gives_the_whole_batch_to_its_precision(void **state)
{
    (void)state;
    for (size_t d = 1; d <= NORMAL_MOST_D; d++) {
        const char *specs[] = {"exp:mean=1"};
        float g[NORMAL_MOST_D], w[NORMAL_MOST_D] = {0};
        normal_problem problem = {.f32 = true, .d = d};
        gdc_options options;
        gdc_engine *engine;
        gdc_delay *delay;
        gdc_options_init(&options);
        options.strategy = "gc:code=dual,load=4,shorten=2";
        options.dtype = GDC_F32;
        options.dimension = d;
        assert_int_equal(gdc_delay_create(specs, 1, 3, N, 1, &delay), GDC_OK);
        options.delay = delay;
        assert_int_equal(gdc_open_virtual(&options, N, normal_partial, &problem, &engine), GDC_OK);
        for (int r = 0; r < ROUNDS; r++) {
            gdc_round round = {.size = sizeof round};
            assert_int_equal(gdc_gradient(engine, w, g, &round), GDC_OK);
            for (size_t i = 0; i < d; i++) {
                double want = 0, largest = 0;
                for (int j = 0; j < N; j++) {
                    want += normal_at(j, i);
                    for (size_t c = 0; c < d; c++)
                        largest = fmax(largest, fabs(normal_at(j, c)));
                }
                assert_true(fabs((double)g[i] - want) <= 4 * N * largest * round.amplification * FLT_EPSILON);
            }
        }
        gdc_close(engine, NULL);
        gdc_delay_destroy(delay);
    }
}

/* More words about slots than workers: every message enters every block. */
static void many_blocks_of_many_workers_are_folded(void **state)
{
    enum { WORKERS = 24, LONG = 30 };
    (void)state;
    double w[LONG] = {0}, g[LONG];
    integer_problem problem = {.dimension = LONG, .fail_partition = -1, .nan_partition = -1};
    gdc_options options;
    gdc_engine *engine;
    gdc_options_init(&options);
    options.strategy = "gc:code=dual,load=9,shorten=8,tries=1";
    options.dimension = LONG;
    assert_int_equal(gdc_open_virtual(&options, WORKERS, integer_partial, &problem, &engine), GDC_OK);
    for (uint64_t v = 1; v <= 3; v++) {
        assert_int_equal(gdc_gradient(engine, w, g, NULL), GDC_OK);
        for (size_t i = 0; i < LONG; i++)
            assert_true(fabs(g[i] - integer_total(WORKERS, v, i)) <= 1e-9 * integer_total(WORKERS, v, i));
    }
    gdc_close(engine, NULL);
}

/* ---- length ---- */

/* Everybody is awaited (load = shorten), so that every round has N models out and N messages in. */
static void messages_are_as_long_as_a_block_and_models_stay_whole(void **state)
{
    (void)state;
    for (int m = 1; m <= 4; m++)
        for (size_t d = 1; d <= D; d++) {
            bench b;
            char spec[64];
            double g[D];
            name_strategy(spec, sizeof spec, m, m, "");
            open_bench(&b, spec, "exp:mean=1", 1);
            b.options.dimension = b.problem.dimension = d;
            start_bench(&b);
            for (int r = 0; r < ROUNDS; r++)
                assert_int_equal(gdc_gradient(b.engine, model, g, NULL), GDC_OK);
            for (int w = 0; w < N; w++) {
                gdc_worker_stats stats = {.size = sizeof stats};
                size_t length = (d + (size_t)m - 1) / (size_t)m;
                assert_int_equal(gdc_stats(b.engine, w, &stats), GDC_OK);
                assert_int_equal(stats.messages, ROUNDS);
                assert_int_equal(stats.bytes, ROUNDS * (d + length) * sizeof(double));
                assert_true(stats.used == ROUNDS * m && stats.home_used == ROUNDS);
            }
            close_bench(&b);
        }
}

static double round_time(int load, int shorten, size_t dimension, double bandwidth)
{
    const char *specs[] = {"none:piece=1"};
    char strategy[64];
    gdc_options options;
    gdc_delay *delay;
    gdc_engine *engine;
    gdc_options_init(&options);
    name_strategy(strategy, sizeof strategy, load, shorten, "");
    options.strategy = strategy;
    options.dimension = dimension;
    options.bandwidth = bandwidth;
    assert_int_equal(gdc_delay_create(specs, 1, 1, N, 1, &delay), GDC_OK);
    options.delay = delay;
    assert_int_equal(gdc_open_virtual(&options, N, NULL, NULL, &engine), GDC_OK);
    gdc_round round = {.size = sizeof round};
    for (int r = 0; r < 3; r++)
        assert_int_equal(gdc_gradient(engine, NULL, NULL, &round), GDC_OK);
    gdc_close(engine, NULL);
    gdc_delay_destroy(delay);
    return round.ended_s - round.began_s;
}

/* N models out one after the other, then the last worker's pieces and its message in. */
static void a_link_carries_a_message_in_a_fraction_of_the_time(void **state)
{
    (void)state;
    for (int m = 1; m <= 4; m++) {
        double wire_s = 1000 * sizeof(double) / 1e6, length = ceil(1000.0 / m) / 1000;
        assert_true(fabs(round_time(m, m, 1000, 1e6) - (m + (N + length) * wire_s)) < 1e-9);
    }
}

/* ---- losses ---- */

static gdc_status play(const char *strategy, const char *const *specs, int faults, int rounds, gdc_worker_stats *stats)
{
    bench b;
    gdc_fault fault[4];
    double g[D];
    gdc_status status = GDC_OK;
    open_bench(&b, strategy, "exp:mean=1", 1);
    for (int i = 0; i < faults; i++)
        assert_int_equal(gdc_fault_parse(specs[i], N, 1, &fault[i]), GDC_OK);
    b.options.faults = fault;
    b.options.fault_count = faults;
    start_bench(&b);
    for (uint64_t v = 1; status == GDC_OK && v <= (uint64_t)rounds; v++) {
        status = gdc_gradient(b.engine, model, g, NULL);
        for (size_t i = 0; status == GDC_OK && i < D; i++)
            assert_true(fabs(g[i] - integer_total(N, v, i)) <= 1e-10 * integer_total(N, v, i));
    }
    for (int w = 0; stats && w < N; w++) {
        stats[w].size = sizeof *stats;
        assert_int_equal(gdc_stats(b.engine, w, &stats[w]), GDC_OK);
    }
    close_bench(&b);
    return status;
}

static void survives_load_minus_shorten_deaths_and_names_what_is_missing_after_one_more(void **state)
{
    static const char *const kills[] = {"kill:worker=1,round=3", "kill:worker=4,round=6", "kill:worker=2,round=9"};
    (void)state;
    assert_int_equal(play("gc:code=dual,load=4,shorten=2", kills, 2, ROUNDS, NULL), GDC_OK);
    assert_int_equal(play("gc:code=dual,load=4,shorten=2", kills, 3, ROUNDS, NULL), GDC_EUNRECOVERABLE);
    assert_non_null(strstr(gdc_last_error(), "workers 1-2, 4"));
    assert_non_null(strstr(gdc_last_error(), "partition"));
}

static void an_erased_message_is_made_up_for_by_the_others(void **state)
{
    static const char *const spoils[] = {"nan:worker=0,round=2", "corrupt:worker=3,round=5", "nan:worker=5,round=5"};
    gdc_worker_stats stats[N];
    (void)state;
    assert_int_equal(play("gc:code=dual,load=4,shorten=2", spoils, 3, ROUNDS, stats), GDC_OK);
    assert_int_equal(stats[0].erased + stats[3].erased + stats[5].erased, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_length_gives_the_whole_batch),
        cmocka_unit_test(float32_gives_the_whole_batch_to_its_precision),
        cmocka_unit_test(many_blocks_of_many_workers_are_folded),
        cmocka_unit_test(messages_are_as_long_as_a_block_and_models_stay_whole),
        cmocka_unit_test(a_link_carries_a_message_in_a_fraction_of_the_time),
        cmocka_unit_test(survives_load_minus_shorten_deaths_and_names_what_is_missing_after_one_more),
        cmocka_unit_test(an_erased_message_is_made_up_for_by_the_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

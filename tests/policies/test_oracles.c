/* test_oracles.c - published and derived values out of engine and decoder on the virtual clock: n = k = 20,
 * T_i(m) = m (0.01 + Exp(mean 0.1)), one draw per worker and round, workers interrupted at once (arXiv
 * 1903.01974's setting). SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gradcode/round.h"

#include <math.h>
#include <stdio.h>

enum { WORKERS = 20, ROUNDS = 20000 };

typedef struct means {
    double round_s, messages;
} means;

static means simulate(const char *strategy)
{
    const char *spec = "shifted-exp:shift=0.01,mean=0.1,per=round";
    gdc_delay *delay;
    gdc_engine *engine;
    gdc_options options;
    means m = {0, 0};
    gdc_options_init(&options);
    options.strategy = strategy;
    options.poll_s = 0;
    assert_int_equal(gdc_delay_create(&spec, 1, 2026, WORKERS, 1, &delay), GDC_OK);
    options.delay = delay;
    assert_int_equal(gdc_open_virtual(&options, WORKERS, NULL, NULL, &engine), GDC_OK);
    for (int r = 0; r < ROUNDS; r++) {
        gdc_round round = {.size = sizeof round};
        assert_int_equal(gdc_gradient(engine, NULL, NULL, &round), GDC_OK);
        m.round_s += (round.ended_s - round.began_s) / ROUNDS;
        m.messages += (double)round.messages / ROUNDS;
    }
    gdc_close(engine, NULL);
    gdc_delay_destroy(delay);
    return m;
}

static void expect(const char *strategy, double round_s, double messages)
{
    means m = simulate(strategy);
    printf("%-28s %.4f s (oracle %.4f)  %.2f messages (oracle %.2f)\n", strategy, m.round_s, round_s, m.messages,
           messages);
    assert_true(fabs(m.round_s / round_s - 1) < 0.02);
    assert_true(fabs(m.messages / messages - 1) < 0.02);
}

static void waiting_for_all_has_its_closed_form(void **state)
{
    double harmonic = 0;
    (void)state;
    for (int i = 1; i <= WORKERS; i++)
        harmonic += 1.0 / i;
    expect("gc:code=uncoded", 0.01 + 0.1 * harmonic, 20);
}

static void cyclic_meets_the_table(void **state)
{
    (void)state;
    expect("gc:code=cyclic,load=2,tries=1", .539, 19);
    expect("gc:code=cyclic,load=3,tries=1", .660, 18);
    expect("gc:code=cyclic,load=4,tries=1", .746, 17);
    expect("gc:code=cyclic,load=5,tries=1", .808, 16);
}

static void fractional_meets_the_table(void **state)
{
    (void)state;
    expect("gc:code=fractional,load=4", .270, 8.6);
    expect("gc:code=fractional,load=5", .259, 6.8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waiting_for_all_has_its_closed_form),
        cmocka_unit_test(cyclic_meets_the_table),
        cmocka_unit_test(fractional_meets_the_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_oracles.c - published and derived values out of engine and decoder on the virtual clock: n = k = 20,
 * T_i(m) = m (0.01 + Exp(mean 0.1)), one draw per worker and round, workers interrupted at once (arXiv
 * 1903.01974's setting). SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/round_means.h"

static void waiting_for_all_has_its_closed_form(void **state)
{
    double harmonic = 0;
    (void)state;
    for (int i = 1; i <= MEANS_WORKERS; i++)
        harmonic += 1.0 / i;
    expect_means("gc:code=uncoded", 0.01 + 0.1 * harmonic, 20);
}

static void cyclic_meets_the_table(void **state)
{
    (void)state;
    expect_means("gc:code=cyclic,load=2,tries=1", .539, 19);
    expect_means("gc:code=cyclic,load=3,tries=1", .660, 18);
    expect_means("gc:code=cyclic,load=4,tries=1", .746, 17);
    expect_means("gc:code=cyclic,load=5,tries=1", .808, 16);
}

static void fractional_meets_the_table(void **state)
{
    (void)state;
    expect_means("gc:code=fractional,load=4", .270, 8.6);
    expect_means("gc:code=fractional,load=5", .259, 6.8);
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

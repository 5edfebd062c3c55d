/* test_oracles_mmc.c - multi-message gradient coding with clusters out of engine and decoder on the virtual clock, against the
 * table of two independent simulations; and what coding can never do: finish before uncoded messages on the same walk.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/exactness.h"
#include "support/round_means.h"

/* ---- the table ---- */

static void clustering_meets_the_table(void **state)
{
    (void)state;
    expect_means("gc:code=mmc,load=2,clusters=5", .403, 17.3);
    expect_means("gc:code=mmc,load=2,clusters=4", .426, 17.6);
    expect_means("gc:code=mmc,load=3,clusters=5", .366, 13.5);
    expect_means("gc:code=mmc,load=3,clusters=4", .418, 14.6);
    expect_means("gc:code=mmc,load=4,clusters=5", .270, 8.6);
    expect_means("gc:code=mmc,load=4,clusters=4", .361, 11.1);
    expect_means("gc:code=mmc,load=5,clusters=4", .259, 6.8);
}

/* With order 1 among them, two orders equal uncoded messages. */
static void two_orders_meet_the_table(void **state)
{
    (void)state;
    expect_means("gc:code=mmc,load=2,clusters=5,orders=1+2", .249, 31.5);
    expect_means("gc:code=mmc,load=2,clusters=4,orders=1+2", .249, 31.5);
    expect_means("gc:code=mmc,load=3,clusters=5,orders=2+3", .317, 27.4);
    expect_means("gc:code=mmc,load=3,clusters=4,orders=2+3", .309, 27.1);
    expect_means("gc:code=mmc,load=4,clusters=5,orders=3+4", .250, 18.1);
    expect_means("gc:code=mmc,load=4,clusters=4,orders=3+4", .331, 22.6);
    expect_means("gc:code=mmc,load=5,clusters=4,orders=4+5", .247, 14.2);
}

static void uncoded_messages_meet_the_table(void **state)
{
    (void)state;
    expect_means("gc:code=uncoded,load=2", .249, 31.4);
    expect_means("gc:code=uncoded,load=2,clusters=5", .249, 31.5);
    expect_means("gc:code=uncoded,load=3", .206, 37.2);
    expect_means("gc:code=uncoded,load=3,clusters=5", .205, 37.3);
    expect_means("gc:code=uncoded,load=4", .182, 40.3);
    expect_means("gc:code=uncoded,load=4,clusters=5", .177, 39.5);
    expect_means("gc:code=uncoded,load=5", .168, 42.0);
    expect_means("gc:code=uncoded,load=5,clusters=4", .164, 41.2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clustering_meets_the_table),
        cmocka_unit_test(two_orders_meet_the_table),
        cmocka_unit_test(uncoded_messages_meet_the_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

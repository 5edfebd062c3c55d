/* test_spec_words.c - a word that may stand for a number.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gradcode/spec.h"

#include <limits.h>
#include <math.h>
#include <string.h>

typedef struct values {
    int rounds;
    double tau;
} values;

/* clang-format off */
static const gdc_option table[] = {
    {.key = "rounds", .type = GDC_INT, .offset = offsetof(values, rounds), .fallback = "auto", .min = 1, .max = 8, .words = "auto", .help = "rounds"},
    {.key = "tau", .type = GDC_REAL, .offset = offsetof(values, tau), .fallback = "2", .min = 1, .max = INFINITY, .words = "auto", .help = "s"},
    {.key = NULL},
};
/* clang-format on */

static gdc_status load(const char *text, values *v)
{
    gdc_spec *spec = NULL;
    gdc_status status = gdc_spec_load(text, table, v, &spec);
    gdc_spec_destroy(spec);
    return status;
}

static void a_word_may_stand_for_a_number(void **state)
{
    values v;
    (void)state;
    assert_int_equal(load("x", &v), GDC_OK);
    assert_true(v.rounds == INT_MIN && v.tau == 2);
    assert_int_equal(load("x:rounds=3,tau=auto", &v), GDC_OK);
    assert_true(v.rounds == 3 && isnan(v.tau));
    assert_int_equal(load("x:tau=inf", &v), GDC_OK);
    assert_true(isinf(v.tau));
}

static void what_is_neither_is_refused(void **state)
{
    values v;
    (void)state;
    assert_int_equal(load("x:rounds=0", &v), GDC_EINVAL);
    assert_non_null(strstr(gdc_last_error(), "want a whole number from 1 to 8, or auto (nearest valid value: 1)"));
    assert_int_equal(load("x:tau=autos", &v), GDC_EINVAL);
    assert_non_null(strstr(gdc_last_error(), "want a number of at least 1, or inf, or auto"));
    assert_int_equal(load("x:tau=nan", &v), GDC_EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_word_may_stand_for_a_number),
        cmocka_unit_test(what_is_neither_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

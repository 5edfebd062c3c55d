/* test_keys.c - the keys of a strategy: those of its own, and where it takes a code, those of the code, never both.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/policy.h"
#include "gradcode/round.h"

#include <string.h>

static bool has_key(const gdc_option *options, const char *key)
{
    for (; options->key; options++)
        if (strcmp(options->key, key) == 0)
            return true;
    return false;
}

static void no_key_of_a_policy_that_takes_a_code_is_the_codes_too(void **state)
{
    const gdc_option *options;
    const char *code;
    (void)state;
    for (int p = 0; gdc_policy_registry[p]; p++)
        for (int c = 0; gdc_policy_registry[p]->code && (code = gdc_code(c, &options, NULL)); c++)
            for (const gdc_option *o = gdc_policy_registry[p]->options; o->key; o++)
                if (has_key(options, o->key))
                    fail_msg("%s= is a key of %s and of the code %s", o->key, gdc_policy_registry[p]->name, code);
}

static void a_policy_says_itself_what_its_plan_is_or_takes_a_code(void **state)
{
    (void)state;
    for (int p = 0; gdc_policy_registry[p]; p++)
        assert_false(gdc_policy_registry[p]->code && gdc_policy_registry[p]->plan);
    assert_int_equal(gdc_strategy_check("dynamic:load=3,place=random,clusters=2", 6, 2, 1, NULL, NULL), GDC_OK);
    assert_int_equal(gdc_strategy_check("dynamic:code=uncoded", 6, 2, 1, NULL, NULL), GDC_EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_key_of_a_policy_that_takes_a_code_is_the_codes_too),
        cmocka_unit_test(a_policy_says_itself_what_its_plan_is_or_takes_a_code),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

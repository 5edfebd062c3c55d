/* test_fault.c - specifications of faults on purpose.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gradcode/fault.h"

#include <string.h>

static gdc_fault parse(const char *spec)
{
    gdc_fault fault;
    gdc_status status = gdc_fault_parse(spec, 8, 100, &fault);
    if (status != GDC_OK)
        print_message("%s\n", gdc_last_error());
    assert_int_equal(status, GDC_OK);
    return fault;
}

static void refuses(const char *spec, const char *const *parts)
{
    gdc_fault fault = {.worker = -7};
    assert_int_equal(gdc_fault_parse(spec, 8, 100, &fault), GDC_EINVAL);
    assert_int_equal(fault.worker, -7);
    for (; *parts != NULL; parts++)
        if (strstr(gdc_last_error(), *parts) == NULL)
            fail_msg("'%s' without '%s'", gdc_last_error(), *parts);
}
#define REFUSES(spec, ...) refuses(spec, (const char *const[]){__VA_ARGS__, NULL})

static void every_kind_is_known_by_its_name(void **state)
{
    (void)state;
    assert_int_equal(parse("kill:worker=3,round=20").kind, GDC_FAULT_KILL);
    assert_int_equal(parse("stop:worker=3,round=20").kind, GDC_FAULT_STOP);
    assert_int_equal(parse("nan:worker=3,round=20").kind, GDC_FAULT_NAN);
    assert_int_equal(parse("corrupt:worker=3,round=20").kind, GDC_FAULT_CORRUPT);
}

static void every_moment_is_known_by_its_name(void **state)
{
    (void)state;
    assert_int_equal(parse("kill:worker=3,round=20").at, GDC_AT_COMPUTE);
    assert_int_equal(parse("kill:worker=3,round=20,at=compute").at, GDC_AT_COMPUTE);
    assert_int_equal(parse("kill:worker=3,round=20,at=sent").at, GDC_AT_SENT);
    assert_int_equal(parse("kill:worker=3,round=20,at=model").at, GDC_AT_MODEL);
}

static void rounds_count_from_the_first_version(void **state)
{
    gdc_fault fault;
    (void)state;
    assert_true(parse("kill:worker=3,round=0").version == 100);
    assert_true(parse("kill:worker=3,round=20").version == 120);
    assert_int_equal(parse("kill:worker=3,round=20").worker, 3);
    assert_int_equal(gdc_fault_parse("kill:worker=0,round=5", 1, UINT64_C(0x100000000), &fault), GDC_OK);
    assert_true(fault.version == UINT64_C(0x100000005));
}

static void a_stop_lasts_for_ever_or_as_long_as_told(void **state)
{
    (void)state;
    assert_true(parse("stop:worker=3,round=20").for_s == 0);
    assert_true(parse("stop:worker=3,round=20,for=2.5").for_s == 2.5);
}

static void bad_specs_say_what_would_be_right(void **state)
{
    (void)state;
    REFUSES("kil:worker=3,round=20", "unknown fault 'kil'", "want kill, stop, nan, corrupt", "did you mean kill?");
    REFUSES("kill:worker=8,round=20", "worker=8", "8 workers", "nearest valid value: 7");
    REFUSES("kill:worker=-1,round=20", "worker=-1", "nearest valid value: 0");
    REFUSES("kill:worker=3", "round= is missing");
    REFUSES("kill:round=3", "worker= is missing");
    REFUSES("kill:worker=3,round=-2", "round=-2", "nearest valid value: 0");
    REFUSES("kill:worker=3,round=1.5", "round=1.5", "whole number");
    REFUSES("kill:worker=3,round=1,at=send", "at=send", "want compute, sent, model", "did you mean sent?");
    REFUSES("kill:worker=3,round=1,when=2", "unknown key 'when'", "worker, round, at, for");
    REFUSES("kill:worker=3,round=1,for=2", "for=", "only for stop");
    REFUSES("stop:worker=3,round=1,for=-2", "for=-2", "nearest valid value: 0");
    REFUSES("stop:worker=3,round=1,for=inf", "for=inf", "want a number");
    REFUSES("", "empty");
    REFUSES(NULL, "empty");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_is_known_by_its_name),
        cmocka_unit_test(every_moment_is_known_by_its_name),
        cmocka_unit_test(rounds_count_from_the_first_version),
        cmocka_unit_test(a_stop_lasts_for_ever_or_as_long_as_told),
        cmocka_unit_test(bad_specs_say_what_would_be_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

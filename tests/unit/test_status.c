/* test_status.c - statuses, their texts and the sentence of the last failure.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gradcode/status.h"

#include <pthread.h>
#include <string.h>

static void every_status_has_a_text_of_its_own(void **state)
{
#define ROW(name, meaning) {GDC_##name, meaning},
    static const struct {
        gdc_status status;
        const char *meaning;
    } rows[] = {GDC_STATUS_LIST(ROW)};
#undef ROW
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_string_equal(gdc_strerror(rows[i].status), rows[i].meaning);
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(rows[i].meaning, rows[j].meaning);
    }
}

static void numbers_that_are_no_status_have_a_text(void **state)
{
    (void)state;
    assert_true(strlen(gdc_strerror((gdc_status)-1)) > 0);
    assert_true(strlen(gdc_strerror((gdc_status)12345)) > 0);
}

static void fail_returns_its_status_and_records_the_sentence(void **state)
{
    (void)state;
    assert_int_equal(gdc_fail(GDC_EDATA, "row %d of %s", 7, "file"), GDC_EDATA);
    assert_string_equal(gdc_last_error(), "row 7 of file");
}

static void a_sentence_can_be_wrapped_into_the_next(void **state)
{
    (void)state;
    (void)gdc_fail(GDC_EINVAL, "inner");
    assert_int_equal(gdc_fail(GDC_EDATA, "outer: %s", gdc_last_error()), GDC_EDATA);
    assert_string_equal(gdc_last_error(), "outer: inner");
}

static void long_sentences_are_cut_at_1023_bytes(void **state)
{
    char text[3000];
    (void)state;
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    (void)gdc_fail(GDC_EINVAL, "%s", text);
    assert_int_equal(strlen(gdc_last_error()), 1023);
}

static void *fail_elsewhere(void *before)
{
    *(size_t *)before = strlen(gdc_last_error());
    (void)gdc_fail(GDC_EINVAL, "elsewhere");
    return NULL;
}

static void each_thread_has_its_own_sentence(void **state)
{
    pthread_t thread;
    size_t before = 99;
    (void)state;
    (void)gdc_fail(GDC_EINVAL, "here");
    assert_int_equal(pthread_create(&thread, NULL, fail_elsewhere, &before), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(before, 0);
    assert_string_equal(gdc_last_error(), "here");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_status_has_a_text_of_its_own),
        cmocka_unit_test(numbers_that_are_no_status_have_a_text),
        cmocka_unit_test(fail_returns_its_status_and_records_the_sentence),
        cmocka_unit_test(a_sentence_can_be_wrapped_into_the_next),
        cmocka_unit_test(long_sentences_are_cut_at_1023_bytes),
        cmocka_unit_test(each_thread_has_its_own_sentence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

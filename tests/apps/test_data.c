/* test_data.c - readers of text: what they accept, what they make of it, and how they refuse the rest.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "data/data.h"
#include "support/scratch.h"

#include <stdio.h>
#include <string.h>

static data *open_text(const char *reader, const char *content, const char *options)
{
    data *set = NULL;
    scratch_write("text", content, strlen(content));
    if (data_open(scratch_spec(reader, "text", options), 1, 0, &set))
        fail_msg("%s", gdc_last_error());
    return set;
}

static void assert_table(data *set, size_t samples, size_t features, const float *x, const float *y)
{
    assert_int_equal(set->samples, samples);
    assert_int_equal(set->features, features);
    assert_int_equal(set->type, DATA_F32);
    assert_memory_equal(set->x, x, samples * features * sizeof *x);
    assert_memory_equal(set->y, y, samples * sizeof *y);
    data_close(set);
}

typedef struct refusal {
    const char *content, *options, *sentence; /* part of the sentence */
} refusal;

static void assert_refused(const char *reader, const refusal *cases, size_t count)
{
    data *set = NULL;
    for (size_t i = 0; i < count; i++) {
        const char *path = scratch_write("bad", cases[i].content, strlen(cases[i].content));
        gdc_status status = data_open(scratch_spec(reader, "bad", cases[i].options), 1, 0, &set);
        if (status != GDC_EDATA || !strstr(gdc_last_error(), cases[i].sentence) || !strstr(gdc_last_error(), path))
            fail_msg("case %zu: status %d, \"%s\" lacks \"%s\"", i, status, gdc_last_error(), cases[i].sentence);
        assert_null(set);
    }
}

static void registry_is_named_and_described(void **state)
{
    static const char *const names[] = {"fashion-mnist", "libsvm", "csv", "synthetic"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        assert_string_equal(data_readers[i]->name, names[i]);
        assert_true(strlen(data_readers[i]->help) > 0);
        assert_true(data_readers[i]->options_bytes > 0);
    }
    assert_null(data_readers[sizeof names / sizeof *names]);
}

static void unknown_names_and_keys_are_refused(void **state)
{
    data *set = NULL;
    (void)state;
    assert_int_equal(data_open("libsvn:x", 1, 1, &set), GDC_EINVAL);
    assert_non_null(strstr(gdc_last_error(), "libsvm"));
    assert_int_equal(data_open("csv:x,colour=3", 1, 1, &set), GDC_EINVAL);
    assert_non_null(strstr(gdc_last_error(), "separator"));
    assert_int_equal(data_open("csv", 1, 1, &set), GDC_EINVAL);
    assert_int_equal(data_open("synthetic:samples=0", 1, 1, &set), GDC_EINVAL);
    assert_int_equal(data_open("synthetic:classes=1", 1, 1, &set), GDC_EINVAL);
    assert_int_equal(data_open("synthetic:classes=3,noise=2", 1, 1, &set), GDC_EINVAL);
    assert_null(set);
}

static void missing_files_are_named(void **state)
{
    data *set = NULL;
    (void)state;
    assert_int_equal(data_open(scratch_spec("csv:", "nowhere", ""), 1, 1, &set), GDC_EDATA);
    assert_non_null(strstr(gdc_last_error(), "nowhere: cannot open"));
    assert_int_equal(data_open(scratch_spec("libsvm:", "", ""), 1, 1, &set), GDC_EDATA);
    assert_non_null(strstr(gdc_last_error(), "cannot read"));
}

static void libsvm_is_stored_densely(void **state)
{
    static const float x[] = {0, 0.5f, 0, -2, 0, 0, 0, 0, 1, 2, 3, 400};
    static const float y[] = {1, 0, 1};
    (void)state;
    const char *text = "+1 2:.5 4:-2  # comment\n# nothing else\n\n-1\r\n1\t1:1 2:2 3:3 4:4e2";
    data *set = open_text("libsvm:", text, "");
    assert_string_equal(set->name, "libsvm");
    assert_int_equal(set->classes, 2);
    assert_table(set, 3, 4, x, y);
}

static void libsvm_features_can_be_given(void **state)
{
    static const float x[] = {7, 0, 0, 0, 8, 0}, y[] = {1.5f, 2};
    (void)state;
    assert_table(open_text("libsvm:", "1.5 1:7\n2 2:8\n", ",features=3"), 2, 3, x, y);
}

static void libsvm_says_where_a_line_is_wrong(void **state)
{
    static const refusal cases[] = {
        {"", "", "0 samples"},
        {"\n# only words\n", "", "0 samples"},
        {"1\n2\n", "", "0 features"},
        {"1 1:1\nx 1:1\n", "", "line 2, byte 1: want a label that is a finite number, got 'x'"},
        {"1,2 1:1\n", "", "line 1, byte 1: want a label"},
        {"1 1:1\n\n1 2 3:1\n", "", "line 3, byte 3: want index:value, got '2'"},
        {"1 0:1\n", "", "line 1, byte 3: want an index from 1"},
        {"1 qid:3 1:1\n", "", "line 1, byte 3: want an index from 1"},
        {"1 -1:1\n", "", "want an index from 1"},
        {"1 99999999999999999999:1\n", "", "want an index from 1"},
        {"1 3:1 3:1\n", "", "line 1, byte 7: want an index above the one before, got '3:1'"},
        {"1 3:1 2:1\n", "", "above the one before"},
        {"1 4:1\n", ",features=3", "line 1, byte 3: want an index from 1 to features="},
        {"1 1:\n", "", "line 1, byte 5: want a finite number, got ''"},
        {"1 1:2x\n", "", "want a finite number, got '2x'"},
        {"1 1:nan\n", "", "want a finite number"},
        {"1 1:1e39\n", "", "want a finite number"},
        {"1 1:0x10\n", "", "want a finite number"},
        {"nan 1:1\n", "", "want a label"},
        {"1 1:1\x01\x7f\n", "", "got '1\?\?'"},
        {"1.5 1:1\n2 1:1", ",targets=class", "sample 1: label 1.5"},
        {"1 1:1\n1 1:1", ",targets=class", "1 different labels"},
    };
    (void)state;
    assert_refused("libsvm:", cases, sizeof cases / sizeof *cases);
}

static void an_index_out_of_proportion_is_refused_unless_asked_for(void **state)
{
    char text[2000] = "";
    (void)state;
    for (size_t i = 0; i < 200; i++)
        strcat(text, "1 1:1\n");
    strcat(text, "0 9999999:1\n");
    const refusal huge = {text, "", "largest index is 9999999"};
    assert_refused("libsvm:", &huge, 1);
}

static void whole_labels_become_classes_in_ascending_order(void **state)
{
    static const float x[] = {1, 1, 1, 1}, classes[] = {2, 0, 1, 2}, real[] = {7, -3, 5, 7};
    (void)state;
    const char *text = "7 1:1\n-3 1:1\n5 1:1\n7 1:1\n";
    data *set = open_text("libsvm:", text, "");
    assert_int_equal(set->classes, 3);
    assert_table(set, 4, 1, x, classes);
    set = open_text("libsvm:", text, ",targets=real");
    assert_int_equal(set->classes, 0);
    assert_table(set, 4, 1, x, real);
}

static void many_or_broken_or_equal_labels_are_real_targets(void **state)
{
    char text[2000];
    size_t length = 0;
    (void)state;
    for (int i = 0; i < 101; i++)
        length += (size_t)snprintf(text + length, sizeof text - length, "%d,1\n", i);
    data *set = open_text("csv:", text, ",label=first");
    assert_int_equal(set->classes, 0);
    data_close(set);
    set = open_text("csv:", text, ",label=first,targets=class");
    assert_int_equal(set->classes, 101);
    data_close(set);
    set = open_text("csv:", "1,1\n1,1.5\n", "");
    assert_int_equal(set->classes, 0);
    data_close(set);
    set = open_text("csv:", "1,4\n2,4\n", "");
    assert_int_equal(set->classes, 0);
    data_close(set);
}

static void csv_dialects_mean_the_same(void **state)
{
    static const float x[] = {1, -2.5f, 3, 4}, y[] = {0.5f, 60};
    static const char *const texts[][2] = {
        {"1,-2.5,.5\n3,4,6e1\n", ""},
        {"1, -2.5 ,0.5\r\n\r\n3,4,60\r\n\r\n", ",header=no"},
        {"a,b,target\n1,-2.5,.5\n3,4,60", ""},
        {"7,8,9\n1,-2.5,.5\n3,4,60", ",header=yes"},
        {"7,b,9\n1,-2.5,.5\n3,4,60", ",header=yes"},
        {",a,b\n1,-2.5,.5\n3,4,60", ""},
        {"\xEF\xBB\xBF"
         "1,-2.5,.5\n3,4,60",
         ",header=no"},
        {"1;-2.5;.5\n3;4;60\n", ""},
        {"1\t-2.5\t.5\n3\t4\t60\n", ",separator=tab"},
        {"\"a\",\"b\",\"c\"\n\"1\",\"-2.5\",\".5\"\n3,4,60\n", ""},
        {".5,1,-2.5\n60,3,4\n", ",label=first"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_table(open_text("csv:", texts[i][0], texts[i][1]), 2, 2, x, y);
}

static void csv_says_where_a_line_is_wrong(void **state)
{
    static const refusal cases[] = {
        {"", "", "no line with data"},
        {"\n \n", "", "no line with data"},
        {"a,b\n", "", "want a sample"},
        {"1\n2\n", "", "want two or more fields"},
        {"1;2\n", ",separator=comma", "want two or more fields"},
        {"1,2\n3,x\n", "", "line 2, byte 3: want a finite number, got 'x'"},
        {"1,2\n3,\n", "", "line 2, byte 3: want a finite number, got ''"},
        {"1,2\n\n3,4,5\n", "", "line 3, byte 5: want no more fields than in the first line, got '5'"},
        {"1,2\n3\n", "", "line 2: 1 fields, want 2"},
        {"a,b\n", ",header=no", "line 1, byte 1: want a finite number, got 'a'"},
        {"1,x,3\n4,5,6\n", "", "line 1, byte 3: want a number as in the other fields of the line"},
        {"nan,y\n4,5\n", "", "line 1, byte 5: want a number as in the other fields"},
        {"1,nan\n4,5\n", "", "line 1, byte 3: want a finite number, got 'nan'"},
        {"1e99,2\n4,5\n", "", "line 1, byte 1: want a finite number, got '1e99'"},
        {"\"1\",\"x\"\n4,5\n", "", "line 1, byte 5: want a number"},
        {"1,inf\n", ",header=no", "want a finite number, got 'inf'"},
        {"1,\"2\n", ",header=no", "want a finite number"},
    };
    (void)state;
    assert_refused("csv:", cases, sizeof cases / sizeof *cases);
}

static void text_may_be_packed(void **state)
{
    static const float x[] = {2, 4}, y[] = {1, 0};
    data *set = NULL;
    (void)state;
    scratch_write_gzip("packed.gz", "2,8\n4,5\n", 8);
    assert_int_equal(data_open(scratch_spec("csv:", "packed.gz", ""), 1, 0, &set), GDC_OK);
    assert_table(set, 2, 1, x, y);
}

static void a_device_is_no_table(void **state)
{
    data *set = NULL;
    (void)state;
    assert_int_equal(data_open("csv:/dev/zero", 1, 0, &set), GDC_EDATA);
    assert_non_null(strstr(gdc_last_error(), "/dev/zero: not a regular file"));
}

static void a_name_with_a_comma_is_escaped(void **state)
{
    data *set = NULL;
    (void)state;
    scratch_write("a,b", "2,8\n4,5\n", 8);
    assert_int_equal(data_open(scratch_spec("csv:", "a\\,b", ""), 1, 0, &set), GDC_OK);
    data_close(set);
}

static void closing_nothing_is_allowed(void **state)
{
    (void)state;
    data_close(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(registry_is_named_and_described),
        cmocka_unit_test(unknown_names_and_keys_are_refused),
        cmocka_unit_test(missing_files_are_named),
        cmocka_unit_test(libsvm_is_stored_densely),
        cmocka_unit_test(libsvm_features_can_be_given),
        cmocka_unit_test(libsvm_says_where_a_line_is_wrong),
        cmocka_unit_test(an_index_out_of_proportion_is_refused_unless_asked_for),
        cmocka_unit_test(whole_labels_become_classes_in_ascending_order),
        cmocka_unit_test(many_or_broken_or_equal_labels_are_real_targets),
        cmocka_unit_test(csv_dialects_mean_the_same),
        cmocka_unit_test(csv_says_where_a_line_is_wrong),
        cmocka_unit_test(text_may_be_packed),
        cmocka_unit_test(a_device_is_no_table),
        cmocka_unit_test(a_name_with_a_comma_is_escaped),
        cmocka_unit_test(closing_nothing_is_allowed),
    };
    return cmocka_run_group_tests_name("data", tests, scratch_setup, scratch_teardown);
}

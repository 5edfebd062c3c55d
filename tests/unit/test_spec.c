/* test_spec.c - specification strings: splitting, reading by tables, and the sentences about every kind of
 * bad input. SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gradcode/spec.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct values {
    int load;
    double tau, share;
    int walk;
    const char *file;
    gdc_ints which;
    int any;
} values;

/* clang-format off */
static const gdc_option table[] = {
    {.key = "file", .type = GDC_TEXT, .offset = offsetof(values, file), .fallback = "", .help = "a file", .positional = 1},
    {.key = "load", .type = GDC_INT, .offset = offsetof(values, load), .fallback = "2", .min = 1, .max = 8, .help = "shards"},
    {.key = "tau", .type = GDC_REAL, .offset = offsetof(values, tau), .fallback = "inf", .min = 0, .max = INFINITY, .help = "s"},
    {.key = "share", .type = GDC_REAL, .offset = offsetof(values, share), .fallback = ".5", .min = 0, .max = 1, .help = "part"},
    {.key = "walk", .type = GDC_WORD, .offset = offsetof(values, walk), .fallback = "forward", .words = "forward|two-ended", .help = "way"},
    {.key = "which", .type = GDC_INTS, .offset = offsetof(values, which), .fallback = "", .min = 0, .max = 9, .help = "workers"},
    {.key = "any", .type = GDC_INT, .offset = offsetof(values, any), .fallback = "0", .help = "any number"},
    {.key = NULL},
};
/* clang-format on */

static values load(const char *text)
{
    values v;
    gdc_spec *spec;
    gdc_status status = gdc_spec_load(text, table, &v, &spec);
    if (status != GDC_OK)
        print_message("%s -> %s\n", text, gdc_last_error());
    assert_int_equal(status, GDC_OK);
    v.file = NULL; /* belongs to spec */
    gdc_spec_destroy(spec);
    return v;
}

/* The sentence names the value and what would be right: `parts` (NULL-terminated) must all be in it. */
static void refuses(const char *text, const char *const *parts)
{
    values v;
    gdc_spec *spec = (gdc_spec *)&v; /* outputs are written only on success */
    assert_int_equal(gdc_spec_load(text, table, &v, &spec), GDC_EINVAL);
    assert_ptr_equal(spec, &v);
    for (; *parts != NULL; parts++) {
        if (strstr(gdc_last_error(), *parts) == NULL)
            fail_msg("'%s' gave '%s' without '%s'", text, gdc_last_error(), *parts);
    }
}
#define REFUSES(text, ...) refuses(text, (const char *const[]){__VA_ARGS__, NULL})

/* ---- splitting ---- */

static void names_keys_and_values_are_split(void **state)
{
    gdc_spec *spec;
    (void)state;
    assert_int_equal(gdc_spec_parse("gc:code=cyclic,load=3", &spec), GDC_OK);
    assert_string_equal(gdc_spec_name(spec), "gc");
    assert_string_equal(gdc_spec_text(spec), "gc:code=cyclic,load=3");
    assert_string_equal(gdc_spec_value(spec, "code"), "cyclic");
    assert_string_equal(gdc_spec_value(spec, "load"), "3");
    assert_null(gdc_spec_value(spec, "loa"));
    gdc_spec_destroy(spec);
    gdc_spec_destroy(NULL);
}

static void a_bare_name_has_no_items(void **state)
{
    gdc_spec *spec;
    (void)state;
    assert_int_equal(gdc_spec_parse("sync", &spec), GDC_OK);
    assert_string_equal(gdc_spec_name(spec), "sync");
    assert_int_equal(gdc_spec_finish(spec, (const gdc_option *const[]){NULL}), GDC_OK);
    gdc_spec_destroy(spec);
}

static void commas_and_backslashes_can_be_escaped(void **state)
{
    gdc_spec *spec;
    values v;
    (void)state;
    assert_int_equal(gdc_spec_load("csv:a\\,b\\\\c:d.csv,load=3", table, &v, &spec), GDC_OK);
    assert_string_equal(v.file, "a,b\\c:d.csv");
    assert_int_equal(v.load, 3);
    gdc_spec_destroy(spec);
}

static void a_value_may_contain_the_equals_sign(void **state)
{
    gdc_spec *spec;
    values v;
    (void)state;
    assert_int_equal(gdc_spec_load("csv:file=a=b", table, &v, &spec), GDC_OK);
    assert_string_equal(v.file, "a=b");
    gdc_spec_destroy(spec);
}

static void malformed_texts_are_refused(void **state)
{
    gdc_spec *spec;
    (void)state;
    assert_int_equal(gdc_spec_parse(NULL, &spec), GDC_EINVAL);
    assert_int_equal(gdc_spec_parse("", &spec), GDC_EINVAL);
    REFUSES(":load=3", "name is empty");
    REFUSES("x:", "item is empty", "key=value");
    REFUSES("x:load=3,", "item is empty");
    REFUSES("x:,load=3", "item is empty");
    REFUSES("x:load=3,,tau=1", "item is empty");
    REFUSES("x:load=", "'load='", "no value");
    REFUSES("x:file=", "'file='", "no value");
    REFUSES("x:=3", "no key");
    REFUSES("x:=", "no value");
    REFUSES("x:load=3,load=3", "'load'", "twice");
    REFUSES("x:load=3,bare", "bare", "first");
    REFUSES("x:a\\b", "backslash");
    REFUSES("x:a\\", "backslash");
    REFUSES("x,load=3", "':'");
    REFUSES("load=3", "':'");
}

/* ---- values ---- */

static void defaults_fill_what_is_not_given(void **state)
{
    (void)state;
    values v = load("x");
    assert_int_equal(v.load, 2);
    assert_true(isinf(v.tau) && v.tau > 0);
    assert_true(v.share == .5);
    assert_int_equal(v.walk, 0);
    assert_int_equal(v.which.count, 0);
}

static void given_values_are_read(void **state)
{
    (void)state;
    values v = load("x:load=8,tau=1e-3,share=1,walk=two-ended,which=3+0+9,any=-2147483648");
    assert_int_equal(v.load, 8);
    assert_true(v.tau == 1e-3);
    assert_true(v.share == 1);
    assert_int_equal(v.walk, 1);
    assert_int_equal(v.which.count, 3);
    assert_int_equal(v.which.value[0], 3);
    assert_int_equal(v.which.value[1], 0);
    assert_int_equal(v.which.value[2], 9);
    assert_int_equal(v.any, INT_MIN);
}

static void infinity_is_taken_only_where_the_bound_is_infinite(void **state)
{
    (void)state;
    values v = load("x:tau=inf");
    assert_true(isinf(v.tau));
    REFUSES("x:share=inf", "share=inf", "from 0 to 1");
    REFUSES("x:load=inf", "load=inf", "whole number");
}

static void what_is_no_number_is_refused(void **state)
{
    static const char *const reals[] = {"nan", "NAN", "-nan", "nan(1)", "INF", "infinity", "-inf",
                                        "0x1", "1x",  "1 ",   " 1",     "1e",  "e1",       ".",
                                        "-",   "+",   "1..2", "1e999",  "--1", "1,5"};
    static const char *const wholes[] = {"nan", "1.5", "2.0", "1e0", "0x2", "2x",  " 2",
                                         "2 ",  "",    "+",   "-",   "--2", "2-2", "+2"};
    char text[64];
    (void)state;
    for (size_t i = 0; i < sizeof reals / sizeof *reals; i++) {
        snprintf(text, sizeof text, "x:tau=%s", reals[i]);
        REFUSES(text, "");
    }
    for (size_t i = 0; i < sizeof wholes / sizeof *wholes; i++) {
        snprintf(text, sizeof text, "x:load=%s", wholes[i]);
        REFUSES(text, "load=");
    }
    REFUSES("x:tau=nan", "tau=nan", "want a number of at least 0, or inf");
    REFUSES("x:load=2.5", "load=2.5", "want a whole number from 1 to 8");
}

static void numbers_out_of_bounds_name_the_nearest_valid_value(void **state)
{
    (void)state;
    REFUSES("x:load=9", "load=9", "from 1 to 8", "nearest valid value: 8");
    REFUSES("x:load=0", "load=0", "nearest valid value: 1");
    REFUSES("x:load=-1", "nearest valid value: 1");
    REFUSES("x:load=99999999999999999999999", "nearest valid value: 8");
    REFUSES("x:load=-99999999999999999999999", "nearest valid value: 1");
    REFUSES("x:any=2147483648", "nearest valid value: 2147483647");
    REFUSES("x:any=-2147483649", "nearest valid value: -2147483648");
    REFUSES("x:share=1.0001", "from 0 to 1", "nearest valid value: 1");
    REFUSES("x:share=-1e-9", "nearest valid value: 0");
    REFUSES("x:which=3+10", "which=10", "nearest valid value: 9");
}

static void bad_lists_are_refused(void **state)
{
    char text[2 * GDC_INTS_MAX + 64] = "x:which=0";
    (void)state;
    REFUSES("x:which=3+", "which=3+", "list");
    REFUSES("x:which=+3", "which=+3");
    REFUSES("x:which=3++4", "which=3++4");
    REFUSES("x:which=3 4", "which=3 4");
    REFUSES("x:which=3+a", "which=a");
    REFUSES("x:which=00000000000000000000000000000003", "which=");
    for (int i = 1; i < GDC_INTS_MAX; i++)
        strcat(text, "+1");
    assert_int_equal(load(text).which.count, GDC_INTS_MAX);
    REFUSES(strcat(text, "+1"), "at most 256");
}

static void unknown_words_list_the_valid_ones(void **state)
{
    (void)state;
    REFUSES("x:walk=backward", "walk=backward", "want forward, two-ended");
    REFUSES("x:walk=two_ended", "did you mean two-ended?");
    REFUSES("x:walk=fwd", "want forward");
}

static void unknown_keys_list_the_valid_ones(void **state)
{
    (void)state;
    REFUSES("x:laod=3", "unknown key 'laod'", "file, load, tau, share, walk, which, any", "did you mean load?");
    REFUSES("x:qqqqqq=3", "unknown key 'qqqqqq'", "want file");
    assert_null(strstr(gdc_last_error(), "did you mean"));
}

static void the_positional_option_may_be_bare(void **state)
{
    static const gdc_option plain[] = {
        {.key = "n", .type = GDC_INT, .offset = 0, .fallback = "1", .min = 0, .max = 5, .help = "n"}, {.key = NULL}};
    gdc_spec *spec;
    int n;
    (void)state;
    REFUSES("x:here,file=there", "file", "twice");
    assert_int_equal(gdc_spec_load("x:3", plain, &n, &spec), GDC_EINVAL);
    assert_non_null(strstr(gdc_last_error(), "n=3"));
}

static void a_missing_value_says_what_is_wanted(void **state)
{
    static const gdc_option needy[] = {
        {.key = "mean", .type = GDC_REAL, .offset = 0, .min = 0, .max = 5, .help = "mean seconds"}, {.key = NULL}};
    gdc_spec *spec;
    double mean;
    (void)state;
    assert_int_equal(gdc_spec_load("x", needy, &mean, &spec), GDC_EINVAL);
    assert_string_equal(gdc_last_error(), "x: mean= is missing (mean seconds): want a number from 0 to 5");
    assert_int_equal(gdc_spec_load("x:maen=3", needy, &mean, &spec), GDC_EINVAL);
    assert_non_null(strstr(gdc_last_error(), "did you mean it by maen=?"));
}

/* ---- several tables ---- */

static const gdc_option mine[] = {{.key = "a", .type = GDC_INT, .offset = 0, .fallback = "1", .help = "a"},
                                  {.key = NULL}};
static const gdc_option yours[] = {{.key = "b", .type = GDC_INT, .offset = 0, .fallback = "1", .help = "b"},
                                   {.key = NULL}};
static const gdc_option *const both[] = {mine, yours, NULL};

static void each_table_takes_its_own_items(void **state)
{
    gdc_spec *spec;
    int a, b;
    (void)state;
    assert_int_equal(gdc_spec_parse("x:b=7,a=5", &spec), GDC_OK);
    assert_int_equal(gdc_spec_read(spec, mine, &a), GDC_OK);
    assert_int_equal(gdc_spec_finish(spec, (const gdc_option *const[]){mine, NULL}), GDC_EINVAL);
    assert_int_equal(gdc_spec_finish(spec, both), GDC_OK); /* b is known, though not read yet */
    assert_int_equal(gdc_spec_read(spec, yours, &b), GDC_OK);
    assert_int_equal(gdc_spec_finish(spec, both), GDC_OK);
    assert_int_equal(a, 5);
    assert_int_equal(b, 7);
    gdc_spec_destroy(spec);
}

static void what_no_table_takes_is_refused(void **state)
{
    gdc_spec *spec;
    int a, b;
    (void)state;
    assert_int_equal(gdc_spec_parse("x:c=7", &spec), GDC_OK);
    assert_int_equal(gdc_spec_read(spec, mine, &a), GDC_OK);
    assert_int_equal(gdc_spec_read(spec, yours, &b), GDC_OK);
    assert_int_equal(gdc_spec_finish(spec, both), GDC_EINVAL);
    assert_string_equal(gdc_last_error(), "x: unknown key 'c': want a, b");
    gdc_spec_destroy(spec);
}

static void the_rest_is_a_spec_with_the_same_items(void **state)
{
    gdc_spec *spec, *again;
    char *rest;
    int a;
    (void)state;
    assert_int_equal(gdc_spec_parse("x:a=5,b=u\\,v\\\\w=x,c=1", &spec), GDC_OK);
    assert_int_equal(gdc_spec_read(spec, mine, &a), GDC_OK);
    assert_int_equal(gdc_spec_rest(spec, "y", &rest), GDC_OK);
    assert_int_equal(gdc_spec_parse(rest, &again), GDC_OK);
    assert_string_equal(gdc_spec_name(again), "y");
    assert_null(gdc_spec_value(again, "a"));
    assert_string_equal(gdc_spec_value(again, "b"), "u,v\\w=x");
    assert_string_equal(gdc_spec_value(again, "c"), "1");
    free(rest);
    gdc_spec_destroy(again);
    gdc_spec_destroy(spec);
}

/* ---- choosing ---- */

static void names_are_chosen_exactly_and_suggested_when_near(void **state)
{
    static const char *const names[] = {"uncoded", "fractional", "cyclic", NULL};
    static const struct {
        const char *word, *meant;
    } near[] = {{"fractoinal", "fractional"},
                {"frac", "fractional"},
                {"cylic", "cyclic"},
                {"Cyclic", "cyclic"},
                {"uncodedd", "uncoded"}};
    (void)state;
    for (int i = 0; names[i] != NULL; i++)
        assert_int_equal(gdc_spec_choose("code", names[i], names), i);
    for (size_t i = 0; i < sizeof near / sizeof *near; i++) {
        char want[160];
        assert_int_equal(gdc_spec_choose("code", near[i].word, names), -1);
        snprintf(want, sizeof want, "unknown code '%s': want uncoded, fractional, cyclic (did you mean %s?)",
                 near[i].word, near[i].meant);
        assert_string_equal(gdc_last_error(), want);
    }
    assert_int_equal(gdc_spec_choose("key", "ds", (const char *const[]){"sd", "xs", NULL}),
                     -1); /* a swap is one mistake */
    assert_string_equal(gdc_last_error(), "unknown key 'ds': want sd, xs (did you mean sd?)");
    assert_int_equal(gdc_spec_choose("code", "", names), -1);
    assert_string_equal(gdc_last_error(), "unknown code '': want uncoded, fractional, cyclic");
    assert_int_equal(gdc_spec_choose("code", "reed-solomon", names), -1);
    assert_null(strstr(gdc_last_error(), "did you mean"));
}

static void very_long_input_gives_a_sentence_too(void **state)
{
    static char text[100000];
    (void)state;
    memset(text, 'y', sizeof text - 1);
    memcpy(text, "x:load=", 7);
    REFUSES(text, "want a whole number from 1 to 8");
    memcpy(text, "x:yyyyy", 7);
    text[sizeof text - 3] = '=';
    REFUSES(text, "want file, load");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_keys_and_values_are_split),
        cmocka_unit_test(a_bare_name_has_no_items),
        cmocka_unit_test(commas_and_backslashes_can_be_escaped),
        cmocka_unit_test(a_value_may_contain_the_equals_sign),
        cmocka_unit_test(malformed_texts_are_refused),
        cmocka_unit_test(defaults_fill_what_is_not_given),
        cmocka_unit_test(given_values_are_read),
        cmocka_unit_test(infinity_is_taken_only_where_the_bound_is_infinite),
        cmocka_unit_test(what_is_no_number_is_refused),
        cmocka_unit_test(numbers_out_of_bounds_name_the_nearest_valid_value),
        cmocka_unit_test(bad_lists_are_refused),
        cmocka_unit_test(unknown_words_list_the_valid_ones),
        cmocka_unit_test(unknown_keys_list_the_valid_ones),
        cmocka_unit_test(the_positional_option_may_be_bare),
        cmocka_unit_test(a_missing_value_says_what_is_wanted),
        cmocka_unit_test(each_table_takes_its_own_items),
        cmocka_unit_test(what_no_table_takes_is_refused),
        cmocka_unit_test(the_rest_is_a_spec_with_the_same_items),
        cmocka_unit_test(names_are_chosen_exactly_and_suggested_when_near),
        cmocka_unit_test(very_long_input_gives_a_sentence_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

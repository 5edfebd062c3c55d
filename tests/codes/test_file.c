/* test_file.c - rows from a file: the same plan as the code that wrote them, and a sentence for every fault.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "plan/plan.h"
#include "support/exactness.h"
#include "support/scratch.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { TEXT_BYTES = 65536, ALL_SETS = 100000 };

static gdc_plan *plan_of(const char *spec, int n, int k)
{
    gdc_plan *plan = NULL;
    if (gdc_plan_create(spec, n, k, 7, &plan) != GDC_OK)
        fail_msg("%s with %d workers: %s", spec, n, gdc_last_error());
    return plan;
}

/* One column per partition, or per shard. */
static void write_rows(const char *name, const gdc_plan *plan, int columns)
{
    char *text = malloc(TEXT_BYTES);
    size_t at = (size_t)snprintf(text, TEXT_BYTES, "# a matrix\n");
    for (int w = 0; w < plan->workers; w++)
        for (int j = 0; j < columns; j++) {
            double coefficient = gdc_row_coefficient(gdc_plan_row(plan, w, 0), j * (plan->partitions / columns));
            at += (size_t)snprintf(text + at, TEXT_BYTES - at, "%s%.17g%s", j > 0 ? ", " : "", coefficient,
                                   j + 1 == columns ? "\n" : "");
            assert_true(at < TEXT_BYTES);
        }
    scratch_write(name, text, at);
    free(text);
}

static gdc_plan *read_back(const char *name, int n, int k)
{
    char spec[512];
    snprintf(spec, sizeof spec, "file:path=%s", scratch_path(name));
    return plan_of(spec, n, k);
}

static void check_same(const gdc_plan *plan, const gdc_plan *copy)
{
    gdc_quality a, b;
    for (int w = 0; w < plan->workers; w++) {
        const gdc_row *row = gdc_plan_row(copy, w, 0);
        int held = gdc_plan_held(copy, w);
        assert_int_equal(gdc_plan_rows(copy, w), 1);
        assert_int_equal(row->after, gdc_row_support(row));
        assert_int_equal(held, gdc_row_support(row));
        for (int i = 0; i < held; i++)
            assert_true(i == 0 || gdc_plan_walk(copy, w, i) > gdc_plan_walk(copy, w, i - 1));
        for (int p = 0; p < plan->partitions; p++)
            assert_true(gdc_row_coefficient(row, p) == gdc_row_coefficient(gdc_plan_row(plan, w, 0), p));
    }
    assert_int_equal(gdc_plan_quality(plan, ALL_SETS, 1, &a), GDC_OK);
    assert_int_equal(gdc_plan_quality(copy, ALL_SETS, 1, &b), GDC_OK);
    assert_int_equal(a.tolerance, b.tolerance);
    assert_true(fabs(a.worst / b.worst - 1) < 1e-9 && fabs(a.median / b.median - 1) < 1e-9);
}

static void a_code_that_was_written_is_read_back(void **state)
{
    static const char *const specs[] = {"fractional:load=2", "fractional:load=4", "cyclic:load=3",
                                        "circulant:load=4",  "stochastic:load=3", "erasurehead:load=4"};
    enum { N = 8, M = 3 };
    (void)state;
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        gdc_plan *plan = plan_of(specs[i], N, N * M);
        for (int whole = 0; whole <= 1; whole++) {
            write_rows("b.csv", plan, whole ? N : N * M);
            gdc_plan *copy = read_back("b.csv", N, N * M);
            check_same(plan, copy);
            gdc_plan_destroy(copy);
        }
        gdc_plan_destroy(plan);
    }
}

/* fractional walks one span in ascending order, as what comes from a file does: then the plans are equal to the last bit. */
static void a_plan_of_spans_is_the_same_plan(void **state)
{
    (void)state;
    gdc_plan *plan = plan_of("fractional:load=3", 9, 18);
    write_rows("b.csv", plan, 9);
    gdc_plan *copy = read_back("b.csv", 9, 18);
    assert_true(gdc_plan_digest(plan) == gdc_plan_digest(copy));
    gdc_plan_destroy(plan);
    gdc_plan_destroy(copy);
}

static void permuted_rows_are_the_same_rows(void **state)
{
    enum { N = 8 };
    char spec[512];
    int moved = 0;
    (void)state;
    gdc_plan *plan = plan_of("cyclic:load=3", N, N);
    write_rows("b.csv", plan, N);
    snprintf(spec, sizeof spec, "file:%s,permute=1", scratch_path("b.csv"));
    gdc_plan *copy = plan_of(spec, N, N);
    for (int w = 0; w < N; w++) {
        int twins = 0;
        for (int v = 0; v < N; v++) {
            bool equal = true;
            for (int p = 0; p < N; p++)
                equal = equal && gdc_row_coefficient(gdc_plan_row(copy, w, 0), p) ==
                                     gdc_row_coefficient(gdc_plan_row(plan, v, 0), p);
            twins += equal;
            moved += equal && v != w;
        }
        assert_int_equal(twins, 1);
    }
    assert_true(moved > 0);
    gdc_plan_destroy(plan);
    gdc_plan_destroy(copy);
}

static void rows_that_are_no_code_make_a_plan_that_says_so(void **state)
{
    static const char text[] = "1,0,0\n0,1,1\n0,1,1\n";
    static const char worse[] = "1,0,0\n0,1,2\n0,1,2\n";
    gdc_quality quality;
    (void)state;
    scratch_write("b.csv", text, strlen(text));
    gdc_plan *plan = read_back("b.csv", 3, 3);
    assert_int_equal(gdc_plan_quality(plan, ALL_SETS, 1, &quality), GDC_OK);
    assert_int_equal(quality.tolerance, 0);
    gdc_plan_destroy(plan);
    scratch_write("b.csv", worse, strlen(worse));
    plan = read_back("b.csv", 3, 3);
    assert_int_equal(gdc_plan_quality(plan, ALL_SETS, 1, &quality), GDC_OK);
    assert_int_equal(quality.tolerance, -1);
    gdc_plan_destroy(plan);
}

/* ---- faults ---- */

static void refused(const char *path, int n, int k, gdc_status status, const char *sentence)
{
    char spec[512];
    gdc_plan *plan = NULL;
    snprintf(spec, sizeof spec, "file:path=%s", path);
    assert_int_equal(gdc_plan_create(spec, n, k, 1, &plan), status);
    assert_null(plan);
    if (strstr(gdc_last_error(), sentence) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", gdc_last_error(), sentence);
}

static void every_fault_is_named_by_its_place(void **state)
{
    static const struct {
        const char *text;
        int n, k;
        const char *sentence;
    } cases[] = {
        {"", 2, 2, "line 1, column 1: the file ends without a row"},
        {"# nothing\n", 2, 2, "line 2, column 1: the file ends without a row"},
        {"1,0\n0\n", 2, 2, "line 2, column 2: the row ends: want 2 cells"},
        {"1,0\n0,1,1\n", 2, 2, "line 2, column 3: the row goes on: want 2 cells"},
        {"1,0\n\n0,1\n", 2, 2, "line 2, column 1: want a number from -1e+100 to 1e+100, got ''"},
        {"1,0\n0,one\n", 2, 2, "line 2, column 2: want a number from -1e+100 to 1e+100, got 'one'"},
        {"1,0\n0,nan\n", 2, 2, "line 2, column 2: want a number from -1e+100 to 1e+100, got 'nan'"},
        {"inf,0\n0,1\n", 2, 2, "line 1, column 1: want a number from -1e+100 to 1e+100, got 'inf'"},
        {"1,0\n0,1e101\n", 2, 2, "line 2, column 2: want a number from -1e+100 to 1e+100, got '1e101'"},
        {"1,0\n0,-1e101\n", 2, 2, "line 2, column 2: want a number from -1e+100 to 1e+100, got '-1e101'"},
        {"1;0\n0;1\n", 2, 2, "line 1, column 1: want a number from -1e+100 to 1e+100, got '1;0'"},
        {"1,0\n0,1\n", 3, 3, "2 rows for 3 workers: want one row per worker"},
        {"1,0,1\n0,1,1\n", 2, 2, "3 columns: want 2, one per partition"},
        {"1,0,1\n0,1,1\n", 2, 4, "3 columns: want 2, one per shard, or 4, one per partition"},
        {"# zeros\n1,1\n0,-0.0\n", 2, 2, "row 2 has zeros only"},
        {"1,0,2\n3,0,4\n3,0,4\n", 3, 3, "column 2 has zeros only"},
    };
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        scratch_write("b.csv", cases[c].text, strlen(cases[c].text));
        refused(scratch_path("b.csv"), cases[c].n, cases[c].k, GDC_EDATA, cases[c].sentence);
    }
}

static void what_is_no_plain_file_is_not_read(void **state)
{
    (void)state;
    refused("/dev/zero", 2, 2, GDC_EDATA, "/dev/zero: not a regular file");
    refused("/", 2, 2, GDC_EDATA, "not a regular file");
    refused("/no/such/file", 2, 2, GDC_EDATA, "cannot open");
    const char *pipe = scratch_path("pipe");
    assert_int_equal(mkfifo(pipe, 0600), 0);
    refused(pipe, 2, 2, GDC_EDATA, "not a regular file");
    remove(pipe);
}

/* A file with a hole takes no room. */
static void what_is_far_too_large_is_not_read(void **state)
{
    (void)state;
    scratch_write("large.csv", "1\n", 2);
    FILE *file = fopen(scratch_path("large.csv"), "r+b");
    assert_non_null(file);
    assert_int_equal(fseek(file, 1L << 28, SEEK_SET), 0);
    assert_int_equal(fputc('1', file), '1');
    assert_int_equal(fclose(file), 0);
    refused(scratch_path("large.csv"), 1, 1, GDC_EDATA, "268435457 bytes: want at most 268435456");
}

static void the_path_must_be_given(void **state)
{
    gdc_plan *plan = NULL;
    (void)state;
    assert_int_equal(gdc_plan_create("file", 2, 2, 1, &plan), GDC_EINVAL);
    assert_non_null(strstr(gdc_last_error(), "path= is missing"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_code_that_was_written_is_read_back),
        cmocka_unit_test(a_plan_of_spans_is_the_same_plan),
        cmocka_unit_test(permuted_rows_are_the_same_rows),
        cmocka_unit_test(rows_that_are_no_code_make_a_plan_that_says_so),
        cmocka_unit_test(every_fault_is_named_by_its_place),
        cmocka_unit_test(what_is_no_plain_file_is_not_read),
        cmocka_unit_test(what_is_far_too_large_is_not_read),
        cmocka_unit_test(the_path_must_be_given),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}

/* test_trace.c - recorded times are replayed cell by cell, and a file that is not quite a table is refused by its place.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gradcode/delay.h"
#include "support/delay_laws.h"
#include "support/scratch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *write_text(const char *name, const char *text)
{
    return scratch_write(name, text, strlen(text));
}

static gdc_delay *open_trace(const char *content, const char *options, int workers, int pieces)
{
    write_text("t.csv", content);
    return law_delay(LAW_SPECS(scratch_spec("trace:", "t.csv", options)), 1, workers, pieces);
}

/* ---- replay ---- */

enum { ROWS = 3, COLUMNS = 4 };
static const double table[ROWS][COLUMNS] = {{.5, 1.25, 0, 3}, {40, 1e-3, 2.5, .1}, {7, 8, 9, 123456.789}};
#define TABLE_TEXT "# a,b,c,d\n0.5,1.25,0,3\n# a note\n4e1,1E-3,+2.5,.1\n7,8.,9,123456.789\n"

/* Rows again from the first after the last; every piece of a worker and version takes its share of the cell. */
static void replays(gdc_delay *delay, int workers, int pieces, double scale)
{
    for (uint64_t version = 1; version <= 4 * ROWS; version++)
        for (int w = 0; w < workers; w++)
            for (uint64_t q = 0; q < 9; q++)
                assert_true(gdc_delay_draw(delay, w, version, q) == table[(version - 1) % ROWS][w] * scale / pieces);
    gdc_delay_destroy(delay);
}

static void cells_are_replayed_one_by_one(void **state)
{
    (void)state;
    replays(open_trace(TABLE_TEXT, "", COLUMNS, 1), COLUMNS, 1, 1);
    replays(open_trace(TABLE_TEXT, "", COLUMNS, 6), COLUMNS, 6, 1);
    replays(open_trace(TABLE_TEXT, ",scale=.001", COLUMNS, 5), COLUMNS, 5, .001);
}

static void fewer_workers_take_the_first_columns(void **state)
{
    (void)state;
    replays(open_trace(TABLE_TEXT, "", 1, 2), 1, 2, 1);
    replays(open_trace(TABLE_TEXT, "", COLUMNS - 1, 2), COLUMNS - 1, 2, 1);
}

static void other_ends_of_lines_and_blanks_about_cells_change_nothing(void **state)
{
    (void)state;
    replays(open_trace("0.5,1.25,0,3\r\n40,.001,2.5,.1\r\n7,8,9,123456.789\r\n", "", COLUMNS, 1), COLUMNS, 1, 1);
    replays(open_trace(" 0.5,\t1.25 , 0,3\n40,.001,2.5,.1 \n 7 ,8,9,123456.789", "", COLUMNS, 1), COLUMNS, 1, 1);
}

static void one_cell_is_a_table(void **state)
{
    gdc_delay *delay = open_trace("2", "", 1, 1);
    (void)state;
    assert_true(gdc_delay_draw(delay, 0, 1, 0) == 2 && gdc_delay_draw(delay, 0, 17, 3) == 2);
    gdc_delay_destroy(delay);
}

static void the_seed_changes_nothing_and_modifiers_stand_on_it(void **state)
{
    (void)state;
    write_text("t.csv", TABLE_TEXT);
    const char *spec = scratch_spec("trace:file=", "t.csv", "");
    replays(law_delay(LAW_SPECS(spec), 99, COLUMNS, 1), COLUMNS, 1, 1);
    gdc_delay *delay = law_delay(LAW_SPECS(spec, "slow:which=1,factor=10"), 1, COLUMNS, 1);
    assert_true(gdc_delay_draw(delay, 1, 1, 0) == 12.5 && gdc_delay_draw(delay, 0, 1, 0) == .5);
    gdc_delay_destroy(delay);
}

/* More cells than the reader's first buffer holds. */
static void long_files_are_read_whole(void **state)
{
    enum { LONG = 5000, WIDE = 20 };
    const size_t room = (size_t)LONG * WIDE * 8;
    char *text = malloc(room);
    size_t used = 0;
    (void)state;
    assert_non_null(text);
    for (int r = 0; r < LONG; r++)
        for (int w = 0; w < WIDE; w++)
            used += (size_t)snprintf(text + used, room - used, "%d%c", r * WIDE + w, w == WIDE - 1 ? '\n' : ',');
    assert_true(used > 2 << 16 && used < room);
    gdc_delay *delay = open_trace(text, "", WIDE, 1);
    for (int i = 0; i < LONG * WIDE; i++)
        assert_true(gdc_delay_draw(delay, i % WIDE, (uint64_t)(1 + i / WIDE), 0) == i);
    gdc_delay_destroy(delay);
    free(text);
}

/* ---- a recorded trace, if there is one beside the sources ---- */

static FILE *open_recorded(char *path, size_t bytes)
{
    const char *here = strstr(__FILE__, "tests/unit/");
    snprintf(path, bytes, "%.*s../shared/traces/bytedance_ST_compute_s.csv", here == NULL ? 0 : (int)(here - __FILE__),
             __FILE__);
    return fopen(path, "r");
}

static void a_recorded_trace_is_replayed_cell_by_cell(void **state)
{
    enum { WIDE = 8, LONG = 32, PIECES = 3 };
    char path[512], spec[600], line[1024];
    FILE *file = open_recorded(path, sizeof path);
    uint64_t rows = 0;
    (void)state;
    if (file == NULL) {
        print_message("skipped: no recorded trace at %s\n", path);
        skip();
    }
    snprintf(spec, sizeof spec, "trace:%s", path);
    gdc_delay *delay = law_delay(LAW_SPECS(spec), 1, WIDE, PIECES);
    while (fgets(line, sizeof line, file) != NULL) {
        char *at = line;
        for (int w = 0; *line != '#' && w < WIDE; w++) {
            double cell = strtod(at, &at);
            at++;
            assert_true(gdc_delay_draw(delay, w, rows + 1, 0) == cell / PIECES);
            assert_true(gdc_delay_draw(delay, w, rows + 1 + LONG, PIECES) == cell / PIECES);
        }
        rows += *line != '#';
    }
    assert_int_equal(rows, LONG);
    gdc_delay_destroy(delay);
    fclose(file);
}

/* ---- files that are refused ---- */

static void refuses(const char *content, size_t bytes, const char *place, const char *reason)
{
    scratch_write("bad.csv", content, bytes);
    LAW_REFUSES(GDC_EDATA, 2, LAW_SPECS(scratch_spec("trace:", "bad.csv", "")), scratch_path("bad.csv"), place, reason);
}
#define REFUSES(content, place, reason) refuses(content, sizeof(content) - 1, place, reason)

static void cells_that_are_no_numbers_are_named(void **state)
{
    (void)state;
    REFUSES("1,2\n3,x\n", "line 2, column 2", "want a number from 0 to 1e+09, got 'x'");
    REFUSES("# a,b\n1,2\n\n3,4\n", "line 3, column 1", "got ''");
    REFUSES("1,2\n3,\n", "line 2, column 2", "got ''");
    REFUSES("1,,2\n", "line 1, column 2", "got ''");
    REFUSES("1,2,\n1,2,\n", "line 1, column 3", "got ''");
    REFUSES("a,b\n1,2\n", "line 1, column 1", "got 'a'");
    REFUSES("1;2\n3;4\n", "line 1, column 1", "got '1;2'");
    REFUSES("1,2 3\n", "line 1, column 2", "got '2 3'");
    REFUSES("1,0x10\n", "line 1, column 2", "got '0x10'");
    REFUSES("1,2e\n", "line 1, column 2", "got '2e'");
    REFUSES("1,1.2.3\n", "line 1, column 2", "got '1.2.3'");
    REFUSES("1,\"2\"\n", "line 1, column 2", "got '\"2\"'");
    REFUSES("1,2\0\n", "line 1, column 2", "got '2?'");
    REFUSES("1,2\n1,\x1b[31m\n", "line 2, column 2", "got '?[31m'");
    REFUSES("1,2\n 3, 0123456789012345678901234567890123456789x", "line 2, column 2",
            "got '0123456789012345678901234567890'");
}

static void values_that_are_no_times_are_named(void **state)
{
    (void)state;
    REFUSES("1,2\n3,4\n5,-0.5\n", "line 3, column 2", "want a number from 0 to 1e+09, got '-0.5'");
    REFUSES("nan,2\n", "line 1, column 1", "got 'nan'");
    REFUSES("1,inf\n", "line 1, column 2", "got 'inf'");
    REFUSES("1,-inf\n", "line 1, column 2", "got '-inf'");
    REFUSES("1,1e999\n", "line 1, column 2", "got '1e999'");
    REFUSES("1,2e9\n", "line 1, column 2", "got '2e9'");
}

static void ragged_rows_are_named(void **state)
{
    (void)state;
    REFUSES("# a\n1,2,3\n4,5\n", "line 3, column 3", "the row ends: want 3 cells as in the first row");
    REFUSES("1,2\n3,4,5,6\n", "line 2, column 3", "the row goes on: want 2 cells as in the first row");
    REFUSES("1,2\n3,4,\n", "line 2, column 3", "the row goes on: want 2 cells");
}

static void files_without_a_row_are_refused(void **state)
{
    (void)state;
    REFUSES("", "line 1, column 1", "the file ends without a row");
    REFUSES("# a,b\n", "line 2, column 1", "the file ends without a row");
    REFUSES("# a,b", "line 2, column 1", "the file ends without a row");
}

static void files_that_cannot_be_read_are_refused(void **state)
{
    (void)state;
    LAW_REFUSES(GDC_EDATA, 2, LAW_SPECS(scratch_spec("trace:", "nowhere.csv", "")), scratch_path("nowhere.csv"),
                "cannot open", "No such file");
    LAW_REFUSES(GDC_EDATA, 2, LAW_SPECS(scratch_spec("trace:", "", "")), scratch_path(""), "cannot read",
                "Is a directory");
}

static void more_workers_than_columns_are_refused(void **state)
{
    (void)state;
    write_text("t.csv", TABLE_TEXT);
    LAW_REFUSES(GDC_EINVAL, 5, LAW_SPECS(scratch_spec("trace:", "t.csv", "")), scratch_path("t.csv"), "has 4 columns",
                "there are 5 workers", "want at most 4 workers");
}

static void bad_specs_say_what_would_be_right(void **state)
{
    (void)state;
    write_text("t.csv", TABLE_TEXT);
    LAW_REFUSES(GDC_EINVAL, 2, LAW_SPECS("trace"), "trace: file= is missing");
    LAW_REFUSES(GDC_EINVAL, 2, LAW_SPECS(scratch_spec("trace:", "t.csv", ",scale=0")), "scale=0",
                "nearest valid value");
    LAW_REFUSES(GDC_EINVAL, 2, LAW_SPECS(scratch_spec("trace:", "t.csv", ",scale=-1")), "scale=-1");
    LAW_REFUSES(GDC_EINVAL, 2, LAW_SPECS(scratch_spec("trace:", "t.csv", ",per=round")), "unknown key 'per'",
                "want file, scale");
    LAW_REFUSES(GDC_EINVAL, 2, LAW_SPECS("exp:mean=1", scratch_spec("trace:", "t.csv", "")), "base already, 'exp'");
}

/* The bound is on seconds, whatever the unit of the cells. */
static void the_scale_comes_before_the_bound(void **state)
{
    (void)state;
    gdc_delay *delay = open_trace("4e10,0\n", ",scale=1e-9", 2, 1);
    assert_true(gdc_delay_draw(delay, 0, 1, 0) == 4e10 * 1e-9);
    gdc_delay_destroy(delay);
    write_text("t.csv", "1,2000000\n");
    LAW_REFUSES(GDC_EDATA, 2, LAW_SPECS(scratch_spec("trace:", "t.csv", ",scale=1000")), "line 1, column 2",
                "from 0 to 1e+06");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_are_replayed_one_by_one),
        cmocka_unit_test(fewer_workers_take_the_first_columns),
        cmocka_unit_test(other_ends_of_lines_and_blanks_about_cells_change_nothing),
        cmocka_unit_test(one_cell_is_a_table),
        cmocka_unit_test(the_seed_changes_nothing_and_modifiers_stand_on_it),
        cmocka_unit_test(long_files_are_read_whole),
        cmocka_unit_test(a_recorded_trace_is_replayed_cell_by_cell),
        cmocka_unit_test(cells_that_are_no_numbers_are_named),
        cmocka_unit_test(values_that_are_no_times_are_named),
        cmocka_unit_test(ragged_rows_are_named),
        cmocka_unit_test(files_without_a_row_are_refused),
        cmocka_unit_test(files_that_cannot_be_read_are_refused),
        cmocka_unit_test(more_workers_than_columns_are_refused),
        cmocka_unit_test(bad_specs_say_what_would_be_right),
        cmocka_unit_test(the_scale_comes_before_the_bound),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}

/* test_report_files.c - laws of a result on disk: whole or not there, and nothing lost.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "sample_result.h"

#include <dirent.h>
#include <jansson.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
typedef struct place {
    char root[64], dir[96], path[160];
    char *old_path; /* PATH of before */
} place;

static int set_up_place(void **state)
{
    place *p = calloc(1, sizeof *p);
    strcpy(p->root, "/tmp/gdc-report-XXXXXX");
    if (p == NULL || mkdtemp(p->root) == NULL)
        return -1;
    snprintf(p->dir, sizeof p->dir, "%s/out/run", p->root);
    p->old_path = copy(getenv("PATH") != NULL ? getenv("PATH") : "");
    setenv("PATH", p->root, 1); /* the only gnuplot is one that a test puts there */
    *state = p;
    return 0;
}

static void remove_all(const char *path)
{
    DIR *dir = opendir(path);
    for (struct dirent *e = dir != NULL ? readdir(dir) : NULL; e != NULL; e = readdir(dir)) {
        char inner[512];
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        snprintf(inner, sizeof inner, "%s/%s", path, e->d_name);
        remove_all(inner);
    }
    if (dir != NULL)
        closedir(dir);
    remove(path);
}

static int tear_down_place(void **state)
{
    place *p = *state;
    setenv("PATH", p->old_path, 1);
    remove_all(p->root);
    free(p->old_path);
    free(p);
    return 0;
}

static const char *in_dir(place *p, const char *name)
{
    snprintf(p->path, sizeof p->path, "%s/%s", p->dir, name);
    return p->path;
}

static char *contents(const char *path)
{
    FILE *in = fopen(path, "r");
    if (in == NULL)
        return NULL;
    char *text = NULL, buffer[4096];
    size_t bytes = 0, got;
    FILE *out = open_memstream(&text, &bytes);
    while ((got = fread(buffer, 1, sizeof buffer, in)) > 0)
        fwrite(buffer, 1, got, out);
    fclose(out);
    fclose(in);
    return text;
}

static void put_file(const char *path, const char *text, mode_t mode)
{
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fputs(text, out);
    fclose(out);
    chmod(path, mode);
}

static int entries(const char *path)
{
    int count = 0;
    DIR *dir = opendir(path);
    assert_non_null(dir);
    for (struct dirent *e = readdir(dir); e != NULL; e = readdir(dir))
        count += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
    closedir(dir);
    return count;
}

/* result_write with stderr kept; *said is what was written there. */
static gdc_status write_quietly(const result *r, const char *dir, bool overwrite, char **said)
{
    FILE *kept = tmpfile();
    int old = dup(2);
    assert_true(kept != NULL && old >= 0);
    dup2(fileno(kept), 2);
    gdc_status status = result_write(r, dir, overwrite);
    fflush(stderr);
    dup2(old, 2);
    close(old);
    char buffer[4096];
    rewind(kept);
    buffer[fread(buffer, 1, sizeof buffer - 1, kept)] = '\0';
    fclose(kept);
    if (said != NULL)
        *said = copy(buffer);
    return status;
}

static void everything_is_written_and_nothing_else_is_left(void **state)
{
    place *p = *state;
    result r = known_result();
    assert_int_equal(write_quietly(&r, p->dir, false, NULL), GDC_OK);
    assert_int_equal(entries(p->dir), 5);
    static const char *const names[] = {"result.json", "rounds.csv", "arrivals.csv", "loss.gp", "round-times.gp"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        assert_int_equal(access(in_dir(p, names[i]), R_OK), 0);
    json_t *json = json_load_file(in_dir(p, "result.json"), JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(json);
    json_decref(json);
    result_free(&r);
}

static void no_loss_plot_without_losses(void **state)
{
    place *p = *state;
    result r = known_result();
    assert_int_equal(write_quietly(&r, p->dir, false, NULL), GDC_OK);
    for (int i = 0; i < r.strategies; i++)
        for (size_t j = 0; j < r.strategy[i].rounds_completed; j++)
            r.strategy[i].round[j].loss = NAN;
    assert_int_equal(write_quietly(&r, p->dir, true, NULL), GDC_OK);
    assert_int_equal(entries(p->dir), 4);
    assert_int_not_equal(access(in_dir(p, "loss.gp"), F_OK), 0);
    result_free(&r);
}

static void preparing_leaves_an_empty_folder_or_says_why_not(void **state)
{
    place *p = *state;
    assert_int_equal(result_prepare_dir(p->dir), GDC_OK);
    assert_int_equal(entries(p->dir), 0);
    assert_int_equal(result_prepare_dir(p->dir), GDC_OK);
    put_file(in_dir(p, "plain"), "precious", 0644);
    char inside[192];
    snprintf(inside, sizeof inside, "%s/below", in_dir(p, "plain"));
    assert_int_equal(result_prepare_dir(inside), GDC_EINVAL);
    assert_non_null(strstr(gdc_last_error(), p->path));
    assert_int_equal(entries(p->dir), 1);
}

static void refusal_leaves_the_old_files_untouched(void **state)
{
    place *p = *state;
    result r = known_result();
    assert_int_equal(write_quietly(&r, p->dir, false, NULL), GDC_OK);
    char *before = contents(in_dir(p, "result.json")), *rounds = contents(in_dir(p, "rounds.csv"));
    r.seed = 8;
    r.strategies = 1;
    assert_int_equal(result_check_dir(p->dir, false), GDC_EINVAL);
    assert_int_equal(write_quietly(&r, p->dir, false, NULL), GDC_EINVAL);
    assert_non_null(strstr(gdc_last_error(), p->dir));
    char *after = contents(in_dir(p, "result.json")), *rounds_after = contents(in_dir(p, "rounds.csv"));
    assert_string_equal(before, after);
    assert_string_equal(rounds, rounds_after);
    assert_int_equal(entries(p->dir), 5);
    assert_int_equal(result_check_dir(p->dir, true), GDC_OK);
    assert_int_equal(write_quietly(&r, p->dir, true, NULL), GDC_OK);
    free(after);
    after = contents(in_dir(p, "result.json"));
    assert_string_not_equal(before, after);
    free(before);
    free(after);
    free(rounds);
    free(rounds_after);
    r.strategies = 4;
    result_free(&r);
}

static void a_write_that_fails_leaves_the_old_result_whole(void **state)
{
    place *p = *state;
    result r = known_result();
    assert_int_equal(write_quietly(&r, p->dir, false, NULL), GDC_OK);
    char *before = contents(in_dir(p, "result.json"));
    unlink(in_dir(p, "rounds.csv"));
    mkdir(in_dir(p, "rounds.csv"), 0777); /* no file can be renamed to it */
    r.seed = 8;
    assert_int_not_equal(write_quietly(&r, p->dir, true, NULL), GDC_OK);
    char *after = contents(in_dir(p, "result.json"));
    assert_string_equal(before, after);
    assert_int_equal(entries(p->dir), 5);
    free(before);
    free(after);
    result_free(&r);
}

static void a_file_is_no_folder(void **state)
{
    place *p = *state;
    char path[128];
    snprintf(path, sizeof path, "%s/out", p->root);
    put_file(path, "precious", 0644);
    result r = known_result();
    assert_int_equal(result_check_dir(path, true), GDC_EINVAL);
    assert_int_equal(write_quietly(&r, p->dir, true, NULL), GDC_EINVAL);
    assert_int_equal(result_check_dir("", true), GDC_EINVAL);
    char *kept = contents(path);
    assert_string_equal(kept, "precious");
    free(kept);
    result_free(&r);
}

/* Fields of a line of comma-separated values, quotes respected. */
static int fields(const char *line)
{
    int count = 1;
    bool quoted = false;
    for (; *line != '\0' && (quoted || *line != '\n'); line++) {
        quoted ^= *line == '"';
        count += !quoted && *line == ',';
    }
    assert_false(quoted);
    return count;
}

static void assert_rectangular(const char *text, int columns, int lines)
{
    int seen = 0;
    for (const char *line = text; *line != '\0'; line = strchr(line, '\n') + 1, seen++)
        assert_int_equal(fields(line), columns);
    assert_int_equal(seen, lines);
}

static void sheets_have_one_line_per_round_and_arrival(void **state)
{
    place *p = *state;
    result r = known_result();
    add_arrival(&r.strategy[1], (result_arrival){1, 4, 0, 0.25, GDC_FATE_DISCARDED});
    assert_int_equal(write_quietly(&r, p->dir, false, NULL), GDC_OK);
    char *rounds = contents(in_dir(p, "rounds.csv")), *arrivals = contents(in_dir(p, "arrivals.csv"));
    assert_rectangular(rounds, 13, 1 + 4 * 2);
    assert_rectangular(arrivals, 6, 2);
    assert_non_null(strstr(rounds, "\"gc:code=fractional,load=2\",0,0,2,1,8,2,4,3,2,5,,0\n"));
    /* loss not sampled: empty */
    assert_non_null(strstr(rounds, "\"gc:code=fractional,load=2\",1,2,2,1,8,,4,3,2,5,,0\n"));
    assert_non_null(strstr(arrivals, "\"gc:code=fractional,load=2\",1,4,0,0.25,discarded\n"));
    free(rounds);
    free(arrivals);
    result_free(&r);
}

static void a_missing_gnuplot_is_a_line_and_no_failure(void **state)
{
    place *p = *state;
    result r = known_result();
    char *said = NULL;
    assert_int_equal(write_quietly(&r, p->dir, false, &said), GDC_OK);
    assert_non_null(strstr(said, "gnuplot is not installed"));
    assert_int_equal(strlen(strchr(said, '\n')), 1);
    free(said);
    result_free(&r);
}

static void gnuplot_runs_in_the_folder_on_every_script(void **state)
{
    place *p = *state;
    char path[128];
    snprintf(path, sizeof path, "%s/gnuplot", p->root);
    put_file(path, "#!/bin/sh\necho drawn > \"$1.seen\"\n", 0755);
    result r = known_result();
    char *said = NULL;
    assert_int_equal(write_quietly(&r, p->dir, false, &said), GDC_OK);
    assert_string_equal(said, "");
    assert_int_equal(access(in_dir(p, "loss.gp.seen"), R_OK), 0);
    assert_int_equal(access(in_dir(p, "round-times.gp.seen"), R_OK), 0);
    free(said);
    unlink(in_dir(p, "loss.gp.seen"));
    put_file(in_dir(p, "loss.png"), "of an earlier run", 0644);
    r.interrupted = true;
    assert_int_equal(write_quietly(&r, p->dir, true, NULL), GDC_OK);
    assert_int_not_equal(access(in_dir(p, "loss.gp.seen"), R_OK), 0);
    assert_int_not_equal(access(in_dir(p, "loss.png"), R_OK), 0);
    r.interrupted = false;
    put_file(path, "#!/bin/sh\nexit 1\n", 0755);
    put_file(in_dir(p, "loss.png"), "of an earlier run", 0644);
    assert_int_equal(write_quietly(&r, p->dir, true, &said), GDC_OK);
    assert_non_null(strstr(said, "gnuplot loss.gp"));
    assert_int_not_equal(access(in_dir(p, "loss.png"), R_OK), 0);
    free(said);
    result_free(&r);
}

#define IN_A_PLACE(test) cmocka_unit_test_setup_teardown(test, set_up_place, tear_down_place)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_A_PLACE(everything_is_written_and_nothing_else_is_left),
        IN_A_PLACE(no_loss_plot_without_losses),
        IN_A_PLACE(preparing_leaves_an_empty_folder_or_says_why_not),
        IN_A_PLACE(refusal_leaves_the_old_files_untouched),
        IN_A_PLACE(a_write_that_fails_leaves_the_old_result_whole),
        IN_A_PLACE(a_file_is_no_folder),
        IN_A_PLACE(sheets_have_one_line_per_round_and_arrival),
        IN_A_PLACE(a_missing_gnuplot_is_a_line_and_no_failure),
        IN_A_PLACE(gnuplot_runs_in_the_folder_on_every_script),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

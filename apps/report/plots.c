/* plots.c - loss against time and the distribution of round times, drawn by gnuplot where it is installed.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "report/parts.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NO_GNUPLOT = 127, COLOURS = 8 };

/* ---- scripts ---- */

/* More curves than colours: a wider picture whose key stands beside the curves, and dashes that tell equal colours apart. */
static void begin_script(FILE *out, const char *name, const char *title, int curves)
{
    bool many = curves > COLOURS;
    const char *size = many ? "1280,720" : "960,600";
    fprintf(out, "# Run in this folder: gnuplot %s.gp\n", name);
    fprintf(out, "png = strstrt(GPVAL_TERMINALS, 'pngcairo') > 0\n");
    fprintf(out, "if (png) set terminal pngcairo size %s\n", size);
    fprintf(out, "if (!png) set terminal svg size %s background rgb 'white'\n", size);
    fprintf(out, "set output '%s.' . (png ? 'png' : 'svg')\n", name);
    fprintf(out, "set datafile separator comma\nset title '%s'\nset grid\n", title);
    fprintf(out, "set key %s noenhanced\n", many ? "outside right top vertical Left reverse font ',8'" : "below");
    fprintf(out, "set linetype 5 linecolor rgb '#d55e00'\n");
}

/* A spec inside single quotes of gnuplot, where a quote is doubled. */
static void put_spec(FILE *out, const char *spec)
{
    for (; *spec != '\0'; spec++) {
        if (*spec == '\'')
            fputc('\'', out);
        fputc(*spec, out);
    }
}

static bool has_losses(const result_strategy *s)
{
    for (size_t i = 0; i < s->rounds_completed; i++)
        if (isfinite(s->round[i].loss))
            return true;
    return false;
}

static bool has_rounds(const result_strategy *s)
{
    return s->rounds_completed > 0;
}

static int count_shown(const result *r, bool (*shown)(const result_strategy *s))
{
    int count = 0;
    for (int i = 0; i < r->strategies; i++)
        count += shown(&r->strategy[i]);
    return count;
}

/* One curve per strategy with something to show: its lines of rounds.csv, counted from 0 below the header. */
static void put_curves(const result *r, FILE *out, bool (*shown)(const result_strategy *s), const char *how)
{
    size_t first = 0;
    int curve = 0;
    const char *lead = "plot";
    for (int i = 0; i < r->strategies; i++) {
        const result_strategy *s = &r->strategy[i];
        if (shown(s)) {
            fprintf(out, "%s 'rounds.csv' skip 1 every ::%zu::%zu %s linetype %d dashtype %d title '", lead, first,
                    first + s->rounds_completed - 1, how, curve % COLOURS + 1, curve / COLOURS + 1);
            put_spec(out, s->spec);
            curve++;
            fprintf(out, "'");
            lead = ", \\\n    ";
        }
        first += s->rounds_completed;
    }
    fputc('\n', out);
}

bool report_has_losses(const result *r)
{
    return count_shown(r, has_losses) > 0;
}

void report_loss_plot(const result *r, FILE *out)
{
    begin_script(out, "loss", "loss against time", count_shown(r, has_losses));
    fprintf(out, "set xlabel 'time since the first measured round began (s)'\nset ylabel 'loss'\n");
    put_curves(r, out, has_losses, "using 3:7 with linespoints pointtype 7 pointsize 0.5");
}

void report_times_plot(const result *r, FILE *out)
{
    int curves = count_shown(r, has_rounds);
    if (curves == 0) {
        fprintf(out, "# There are no rounds to draw.\n");
        return;
    }
    begin_script(out, "round-times", "share of the rounds that took at most so long", curves);
    fprintf(out, "set xlabel 'round time (s)'\nset ylabel 'share of rounds'\nset yrange [0:1]\nset logscale x\n");
    put_curves(r, out, has_rounds, "using 4:(1) smooth cnormal with steps linewidth 2");
}

/* ---- running them ---- */

static const char *const scripts[] = {"round-times.gp", "loss.gp"};
enum { SCRIPTS = sizeof scripts / sizeof scripts[0] };
static const char *const pictures[] = {"loss.png", "loss.svg", "round-times.png", "round-times.svg"};

/* In the child: never returns. What gnuplot says is dropped: the message names the command that shows it. */
static void become_gnuplot(const char *dir, const char *script)
{
    int null = open("/dev/null", O_RDWR);
    if (null < 0 || dup2(null, 0) < 0 || dup2(null, 1) < 0 || dup2(null, 2) < 0 || chdir(dir) != 0)
        _exit(1);
    execlp("gnuplot", "gnuplot", script, (char *)NULL);
    _exit(errno == ENOENT ? NO_GNUPLOT : 1);
}

/* The exit code of gnuplot; NO_GNUPLOT when there is none; -1 when no process could be started or it was
 * killed. */
static int run_gnuplot(const char *dir, const char *script)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        become_gnuplot(dir, script);
    int code = 0;
    pid_t ended = child;
    while (child > 0 && (ended = waitpid(child, &code, 0)) < 0 && errno == EINTR)
        continue;
    return child > 0 && ended == child && WIFEXITED(code) ? WEXITSTATUS(code) : -1;
}

/* Pictures of an earlier run would be taken for this one's. */
static void remove_pictures(const char *dir)
{
    for (size_t i = 0; i < sizeof pictures / sizeof pictures[0]; i++) {
        size_t bytes = strlen(dir) + strlen(pictures[i]) + 2;
        char *path = malloc(bytes);
        if (path == NULL)
            return;
        snprintf(path, bytes, "%s/%s", dir, pictures[i]);
        unlink(path);
        free(path);
    }
}

void report_run_plots(const result *r, const char *dir)
{
    size_t count = r->interrupted ? 0 : report_has_losses(r) ? SCRIPTS : SCRIPTS - 1;
    remove_pictures(dir);
    for (size_t i = 0; i < count; i++) {
        int code = run_gnuplot(dir, scripts[i]);
        if (code == NO_GNUPLOT) {
            fprintf(stderr, "gradcode: no plots: gnuplot is not installed (scripts: %s/*.gp)\n", dir);
            return;
        }
        if (code != 0)
            fprintf(stderr, "gradcode: no picture of %s/%s; run `cd %s && gnuplot %s` to see why\n", dir, scripts[i],
                    dir, scripts[i]);
    }
}

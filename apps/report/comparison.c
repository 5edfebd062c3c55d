/* comparison.c - the table a person reads: one row per strategy, the best first.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "report/parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CELL = 24, LONGEST = 8, SPEC_LEAST = 26, SPEC_MOST = 30, GAP = 2, SPEC_SHORTEST = 20 };

typedef struct view {
    const result *r;
    const result_figures *figures; /* [strategies] */
    const int *order;              /* [strategies] */
    char **label;                  /* [strategies] the spec, and what was chosen */
    double per_second;             /* times are shown as seconds * per_second */
    const char *unit;
    int decimals;
} view;

typedef struct column {
    const char *name, *unit; /* unit NULL: that of times */
    void (*cell)(const view *v, int strategy, char cell[CELL]);
    int given_up; /* columns are given up from 1 upwards when the line is too long; 0: never */
} column;

/* Given up only where not even the shortest specs would fit. */
enum { LAST_RESORT = 6 };

/* Numbers too long for a column lose their digits, not the column its place. */
static void put(char cell[CELL], const char *format, int decimals, double x)
{
    if (!isfinite(x))
        strcpy(cell, "-");
    else if (snprintf(cell, CELL, format, decimals, x) > LONGEST)
        snprintf(cell, CELL, "%.2g", x);
}

static void put_time(const view *v, char cell[CELL], double seconds)
{
    put(cell, "%.*f", v->decimals, seconds * v->per_second);
}

static void cell_exact(const view *v, int s, char cell[CELL])
{
    strcpy(cell, v->r->strategy[s].exact ? "yes" : "no");
}
static void cell_mean(const view *v, int s, char cell[CELL])
{
    put_time(v, cell, v->figures[s].mean);
}
static void cell_ci95(const view *v, int s, char cell[CELL])
{
    put_time(v, cell, v->figures[s].ci95);
}
static void cell_p99(const view *v, int s, char cell[CELL])
{
    put_time(v, cell, v->figures[s].p99);
}
static void cell_used(const view *v, int s, char cell[CELL])
{
    put(cell, "%.*f", 1, 100 * v->r->strategy[s].used_fraction);
}
static void cell_effective(const view *v, int s, char cell[CELL])
{
    put_time(v, cell, v->figures[s].effective_round_s);
}
static void put_speedup(char cell[CELL], double x)
{
    put(cell, "%.*fx", x < 99.95 ? 2 : 0, x);
}
static void cell_vs_sync(const view *v, int s, char cell[CELL])
{
    put_speedup(cell, v->figures[s].speedup_effective);
}
static void cell_vs_waiting(const view *v, int s, char cell[CELL])
{
    put_speedup(cell, v->figures[s].speedup_effective_vs_waiting);
}
static void cell_error(const view *v, int s, char cell[CELL])
{
    put(cell, "%.*g", 2, v->r->strategy[s].gradient_error);
}
/* All or nothing: no column of zeros where nobody is asynchronous. */
static void cell_stale(const view *v, int s, char cell[CELL])
{
    put(cell, "%.*f", 2, report_has_stale(v->r) ? v->r->strategy[s].staleness_mean : NAN);
}
/* Where all are exact it is rounding. */
static bool has_gap(const view *v)
{
    for (int i = 0; i < v->r->strategies; i++)
        if (v->figures[i].class_loss_gap > 1e-6)
            return true;
    return false;
}
static void cell_gap(const view *v, int s, char cell[CELL])
{
    put(cell, "%+.*f", 2, has_gap(v) ? v->figures[s].class_loss_gap : NAN);
}
static void cell_loss(const view *v, int s, char cell[CELL])
{
    put(cell, "%.*g", 4, v->r->strategy[s].loss_final);
}
static void cell_target(const view *v, int s, char cell[CELL])
{
    put(cell, "%.*g", 3, v->r->strategy[s].time_to_target_s);
}
static void cell_vectors(const view *v, int s, char cell[CELL])
{
    put(cell, "%.*f", 1, v->r->strategy[s].messages_per_round);
}

static const column columns[] = {
    {"exact", "", cell_exact, 0},
    {"round", NULL, cell_mean, 0},
    {"+-95%", NULL, cell_ci95, 1},
    {"p99", NULL, cell_p99, 4},
    {"used", "(%)", cell_used, 0},
    {"effective", NULL, cell_effective, 2},
    {"speed-up", "vs sync", cell_vs_sync, 0},
    {"speed-up", "vs wait", cell_vs_waiting, LAST_RESORT},
    {"stale", "mean", cell_stale, 0},
    {"gradient", "error", cell_error, 0},
    {"final", "loss", cell_loss, 0},
    {"class", "gap", cell_gap, 5},
    {"target", "at (s)", cell_target, 0},
    {"vectors", "a round", cell_vectors, 3},
};
enum { COLUMNS = sizeof columns / sizeof columns[0] };

/* Times in the unit and with the decimals that give the shortest known mean three to four digits. */
static void choose_unit(view *v)
{
    double least = INFINITY;
    for (int i = 0; i < v->r->strategies; i++)
        if (v->figures[i].mean > 0 && v->figures[i].mean < least)
            least = v->figures[i].mean;
    bool seconds = !(least < 1), microseconds = least < 1e-3;
    v->per_second = seconds ? 1 : microseconds ? 1e6 : 1e3;
    v->unit = seconds ? "(s)" : microseconds ? "(us)" : "(ms)";
    double shown = least * v->per_second;
    v->decimals = shown < 10 ? 3 : shown < 100 ? 2 : 1;
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

/* The width of a column, 0 if no strategy has anything to show in it. */
static int column_width(const view *v, const column *c)
{
    char cell[CELL];
    int width = 0;
    for (int i = 0; i < v->r->strategies; i++) {
        c->cell(v, i, cell);
        if (strcmp(cell, "-") != 0)
            width = larger(width, (int)strlen(cell));
    }
    if (width == 0)
        return 0;
    return larger(width, larger((int)strlen(c->name), (int)strlen(c->unit != NULL ? c->unit : v->unit)));
}

static bool is_shown(const int *width, void (*cell)(const view *v, int strategy, char cell[CELL]))
{
    for (int c = 0; c < COLUMNS; c++)
        if (columns[c].cell == cell)
            return width[c] > 0;
    return false;
}

static int total_width(const int *width)
{
    int total = 0;
    for (int c = 0; c < COLUMNS; c++)
        total += width[c] > 0 ? width[c] + GAP : 0;
    return total;
}

/* Fills the widths of the columns that are shown and returns that of the specs. */
static int choose_widths(const view *v, int width[COLUMNS])
{
    int longest = (int)strlen("strategy");
    for (int i = 0; i < v->r->strategies; i++)
        longest = larger(longest, (int)strlen(v->label[i]));
    int wanted = longest < SPEC_MOST ? longest : SPEC_MOST;
    for (int c = 0; c < COLUMNS; c++)
        width[c] = column_width(v, &columns[c]);
    for (int turn = 1; turn <= LAST_RESORT; turn++) {
        bool fits =
            (turn < LAST_RESORT || wanted < SPEC_LEAST ? wanted : SPEC_LEAST) + total_width(width) <= REPORT_WIDTH;
        for (int c = 0; c < COLUMNS && !fits; c++)
            if (columns[c].given_up == turn)
                width[c] = 0;
    }
    int room = REPORT_WIDTH - total_width(width);
    return wanted <= room ? wanted : larger(room, SPEC_SHORTEST);
}

/* The spec, and in parentheses what was chosen for its auto: `k-sync:k=auto (14)`. NULL: no memory. Caller frees. */
static char *label_of(const result_strategy *s)
{
    const char *value = s->chosen != NULL ? strchr(s->chosen, '=') : NULL;
    bool is_single = value != NULL && strchr(value + 1, '=') == NULL;
    size_t bytes = strlen(s->spec) + (s->chosen != NULL ? strlen(s->chosen) : 0) + 4;
    char *label = malloc(bytes);
    if (label != NULL && s->chosen != NULL)
        snprintf(label, bytes, "%s (%s)", s->spec, is_single ? value + 1 : s->chosen);
    else if (label != NULL)
        snprintf(label, bytes, "%s", s->spec);
    return label;
}

static void free_labels(char **label, int count)
{
    for (int i = 0; label != NULL && i < count; i++)
        free(label[i]);
    free(label);
}

/* [strategies]; NULL: no memory. */
static char **make_labels(const result *r)
{
    char **label = calloc((size_t)r->strategies + 1, sizeof *label);
    for (int i = 0; label != NULL && i < r->strategies; i++)
        if ((label[i] = label_of(&r->strategy[i])) == NULL) {
            free_labels(label, i);
            return NULL;
        }
    return label;
}

/* How much of a spec goes on a line of this width: all, or up to the last comma that fits. */
static int spec_part(const char *spec, int width)
{
    int length = (int)strlen(spec);
    if (length <= width)
        return length;
    for (int i = width; i > 0; i--)
        if (spec[i - 1] == ',' || spec[i - 1] == ':')
            return i;
    return width;
}

static void print_header(const view *v, const int *width, int spec_width, FILE *out)
{
    fprintf(out, "%-*s", spec_width, "strategy");
    for (int c = 0; c < COLUMNS; c++)
        if (width[c] > 0)
            fprintf(out, "%*s", width[c] + GAP, columns[c].name);
    fprintf(out, "\n%*s", spec_width, "");
    for (int c = 0; c < COLUMNS; c++)
        if (width[c] > 0)
            fprintf(out, "%*s", width[c] + GAP, columns[c].unit != NULL ? columns[c].unit : v->unit);
    fputc('\n', out);
    for (int i = 0; i < spec_width + total_width(width); i++)
        fputc('-', out);
    fputc('\n', out);
}

static void print_error(const view *v, int s, FILE *out)
{
    const result_strategy *strategy = &v->r->strategy[s];
    report_text t = {out, 4, 4};
    fprintf(out, "    ");
    if (strategy->rounds_completed > 0)
        report_say(&t, "failed after %zu of %zu rounds:", strategy->rounds_completed, v->r->rounds);
    report_say(&t, "%s", strategy->error);
    report_end(&t);
}

static void print_row(const view *v, const int *width, int spec_width, int s, FILE *out)
{
    const char *spec = v->label[s];
    int part = spec_part(spec, spec_width);
    fprintf(out, "%-*.*s", spec_width, part, spec);
    for (int c = 0; c < COLUMNS; c++) {
        char cell[CELL];
        if (width[c] == 0)
            continue;
        columns[c].cell(v, s, cell);
        fprintf(out, "%*s", width[c] + GAP, cell);
    }
    fputc('\n', out);
    for (spec += part; *spec != '\0'; spec += part) {
        part = spec_part(spec, spec_width - 2);
        fprintf(out, "  %.*s\n", part, spec);
    }
    if (v->r->strategy[s].error != NULL)
        print_error(v, s, out);
}

static void print_title(const result *r, FILE *out)
{
    report_text t = {out, 0, 0};
    int k = r->workers * r->partitions;
    if (r->dimension > 0 && r->samples > 0)
        report_say(&t, "%s on %s (%zu samples, d = %zu, %s), batch %zu in k = %d partitions", r->problem, r->data,
                   r->samples, r->dimension, r->dtype, r->batch > 0 ? r->batch : r->samples, k);
    else
        report_say(&t, "timing only, k = %d partitions", k);
    report_say(&t, "(%d per worker's shard),", r->partitions);
    report_say(&t, "n = %d workers; %zu rounds", r->workers, r->rounds);
    if (r->warmup > 0)
        report_say(&t, "after %zu of warm-up", r->warmup);
    report_say(&t, "on the %s clock, seed %llu.", r->clock, (unsigned long long)r->seed);
    report_end(&t);
    report_say(&t, "Delays:");
    for (int i = 0; i < r->delays; i++)
        report_say(&t, "%s%s", r->delay[i], i + 1 < r->delays ? " +" : ";");
    if (r->delays == 0)
        report_say(&t, "as they come;");
    if (isfinite(r->poll_s))
        report_say(&t, "a piece looks every %g s whether its round is over.", r->poll_s);
    else
        report_say(&t, "a piece is never cut.");
    report_end(&t);
    fputc('\n', out);
}

void result_print_table(const result *r, FILE *out)
{
    result_figures *figures = report_figures(r);
    int *order = calloc((size_t)r->strategies + 1, sizeof *order);
    char **label = make_labels(r);
    if (figures != NULL && order != NULL && label != NULL) {
        int width[COLUMNS];
        view v = {.r = r, .figures = figures, .order = order, .label = label};
        report_order(r, figures, order);
        choose_unit(&v);
        int spec_width = choose_widths(&v, width);
        print_title(r, out);
        print_header(&v, width, spec_width, out);
        for (int i = 0; i < r->strategies; i++)
            print_row(&v, width, spec_width, order[i], out);
        fputc('\n', out);
        report_notes(r, figures, order, is_shown(width, cell_gap), out);
    }
    free_labels(label, r->strategies);
    free(order);
    free(figures);
}

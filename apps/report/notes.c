/* notes.c - the notes below the table: what its numbers rest on.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "report/parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LABEL = 17 };

static report_text note(FILE *out, const char *label)
{
    fprintf(out, "  %-*s", LABEL - 2, label);
    return (report_text){out, LABEL, LABEL};
}

/* Two clocks that agree differ by the rounding of their sums. */
static double without_rounding(double overhead_s, double mean)
{
    return fabs(overhead_s) <= 1e-9 * mean ? 0 : overhead_s;
}

static void note_round(const result *r, const result_figures *figures, FILE *out)
{
    double least = INFINITY, most = -INFINITY;
    for (int i = 0; i < r->strategies; i++)
        if (isfinite(figures[i].overhead_s)) {
            double overhead_s = without_rounding(figures[i].overhead_s, figures[i].mean);
            least = fmin(least, overhead_s);
            most = fmax(most, overhead_s);
        }
    report_text t = note(out, "round");
    report_say(&t, "mean time from one update to the next; effective: round / used, the order of the rows");
    report_end(&t);
    if (least <= most) {
        t = note(out, "T^c");
        report_say(&t, "%.3g", 1e3 * least);
        if (most > least)
            report_say(&t, "to %.3g", 1e3 * most);
        report_say(&t, "ms of a round were not computation (round - ideal_round_s of result.json)");
        if (least < 0)
            report_say(&t, "; below 0: the rounds were shorter than by their delays alone");
        report_end(&t);
    }
}

static void note_baselines(const result *r, FILE *out)
{
    int sync = result_baseline(r, true), waiting = result_baseline(r, false);
    report_text t = note(out, "speed-up");
    if (sync < 0 && waiting < 0)
        report_say(&t, "none: no baseline (sync, gc:code=uncoded) ran to its end");
    else
        report_say(&t, "by effective round, against");
    if (sync >= 0)
        report_say(&t, "%s, a plain all-reduce%s", r->strategy[sync].spec, waiting >= 0 ? ", and" : "");
    if (waiting >= 0)
        report_say(&t, "%s, which waits for all workers through the master", r->strategy[waiting].spec);
    report_end(&t);
}

static void note_communication(const result *r, FILE *out)
{
    if (strcmp(r->clock, "virtual") != 0)
        return;
    report_text t = note(out, "communication");
    if (isinf(r->bandwidth) && r->latency_s <= 0)
        report_say(&t, "free");
    else
        report_say(&t, "%g bytes/s at the master, %g s latency", r->bandwidth, r->latency_s);
    report_end(&t);
}

static const double same_load = 1e-9;

/* The smallest load above one; INFINITY: none. */
static double next_load(const result *r, double load)
{
    double next = INFINITY;
    for (int i = 0; i < r->strategies; i++)
        if (r->strategy[i].load > load + same_load)
            next = fmin(next, r->strategy[i].load);
    return next;
}

/* The redundant ones by name, those of one load together; the others hold the data once. Specs mostly tell their load: where they
 * are many, an example of each is enough. some: scratch [strategies]. */
static void note_memory(const result *r, const int *order, int *some, FILE *out)
{
    enum { MANY = 8, EXAMPLES = 2 };
    report_text t = note(out, "data memory");
    bool named = false;
    for (double load = next_load(r, 1); isfinite(load); load = next_load(r, load)) {
        int count = 0;
        for (int i = 0; i < r->strategies; i++)
            if (fabs(r->strategy[order[i]].load - load) <= same_load)
                some[count++] = order[i];
        report_say(&t, named ? "%.3g times:" : "%.3g times the data:", load);
        report_say_some(&t, r, some, count, r->strategies > MANY ? EXAMPLES : REPORT_NAMES, ";");
        named = true;
    }
    report_say(&t, named ? "all others once" : "every strategy holds the data once");
    report_end(&t);
}

/* ---- what several strategies may have in common: told once, with all of them ---- */

/* The i-th thing to tell of a strategy, without its name; writes nothing where there is none. */
typedef void (*telling)(const result *r, const result_strategy *s, int i, FILE *to);

/* NULL: nothing to tell, or no memory. Caller frees. */
static char *told(telling tell, const result *r, const result_strategy *s, int i)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *to = open_memstream(&text, &bytes);
    if (to == NULL)
        return NULL;
    tell(r, s, i, to);
    fclose(to);
    if (bytes > 0)
        return text;
    free(text);
    return NULL;
}

static bool is_told(telling tell, const result *r, const result_strategy *s, int things, const char *text)
{
    bool same = false;
    for (int i = 0; i < things && !same; i++) {
        char *own = told(tell, r, s, i);
        same = own != NULL && strcmp(own, text) == 0;
        free(own);
    }
    return same;
}

typedef struct topic {
    const char *label;
    telling tell;
    int things;        /* at most so many of a strategy */
    bool has_sentence; /* what is told of one strategy goes on from its name, without a colon */
} topic;

static void note_thing(const result *r, const int *order, int *some, const topic *what, int rank, const char *text,
                       FILE *out)
{
    int count = 0;
    for (int i = 0; i < r->strategies; i++)
        if (is_told(what->tell, r, &r->strategy[order[i]], what->things, text)) {
            if (i < rank)
                return;
            some[count++] = order[i];
        }
    report_text t = note(out, what->label);
    report_say_specs(&t, r, some, count, what->has_sentence && count == 1 ? "" : ":");
    report_say(&t, "%s", text);
    report_end(&t);
}

static void note_things(const result *r, const int *order, int *some, topic what, FILE *out)
{
    for (int i = 0; i < r->strategies; i++)
        for (int j = 0; j < what.things; j++) {
            char *text = told(what.tell, r, &r->strategy[order[i]], j);
            if (text != NULL)
                note_thing(r, order, some, &what, i, text, out);
            free(text);
        }
}

/* The same fate in the same round; all of the warm-up is one round. */
static bool same_fate(const result_lost *a, const result_lost *b)
{
    return (a->round == b->round || (a->round < 0 && b->round < 0)) && a->returned == b->returned &&
           strcmp(a->how, b->how) == 0;
}

static bool fate_was_told(const result_strategy *s, int j)
{
    for (int i = 0; i < j; i++)
        if (same_fate(&s->lost[i], &s->lost[j]))
            return true;
    return false;
}

static void tell_fate(const result *r, const result_strategy *s, int i, FILE *to)
{
    (void)r;
    if (i >= s->lost_count || fate_was_told(s, i))
        return;
    const result_lost *fate = &s->lost[i];
    const char *gap = "worker";
    for (int j = 0; j < s->lost_count; j++)
        if (same_fate(&s->lost[j], fate)) {
            fprintf(to, "%s %d ", gap, s->lost[j].worker);
            gap = "and";
        }
    fprintf(to, "%s in ", fate->how);
    if (fate->round >= 0)
        fprintf(to, "round %ld", fate->round);
    else
        fprintf(to, "the warm-up");
    fprintf(to, "%s", fate->returned ? " (came back)" : "");
}

static void tell_note(const result *r, const result_strategy *s, int i, FILE *to)
{
    (void)r;
    if (i == 0 && s->note != NULL)
        fprintf(to, "%s", s->note);
}

static void tell_erased(const result *r, const result_strategy *s, int i, FILE *to)
{
    if (i == 0)
        report_tell_erased(r, s, to);
}

static void tell_critical(const result *r, const result_strategy *s, int i, FILE *to)
{
    if (i == 0)
        report_tell_critical(r, s, to);
}

static int most_lost(const result *r)
{
    int most = 0;
    for (int i = 0; i < r->strategies; i++)
        most = r->strategy[i].lost_count > most ? r->strategy[i].lost_count : most;
    return most;
}

static void note_computation(const result *r, FILE *out)
{
    double least = INFINITY, most = -INFINITY, overran = 0;
    for (int i = 0; i < r->strategies; i++) {
        const result_strategy *s = &r->strategy[i];
        if (!isfinite(s->compute_share))
            continue;
        least = fmin(least, s->compute_share);
        most = fmax(most, s->compute_share);
        overran = fmax(overran, s->overrun_share); /* fmax passes over NaN */
    }
    if (!(least <= most))
        return;
    report_text t = note(out, "computation");
    report_say(&t, "%.3g", 100 * least);
    if (most > least)
        report_say(&t, "to %.3g", 100 * most);
    report_say(&t,
               "%% of the workers' piece time was real computation; at most %.3g %% of the pieces overran their delay",
               100 * overran);
    report_end(&t);
}

static void note_slowest(const result *r, FILE *out)
{
    bool known = false;
    for (int i = 0; i < r->strategies; i++)
        known = known || r->strategy[i].worker != NULL;
    if (!known)
        return;
    report_text t = note(out, "slowest");
    report_note_slowest(r, &t);
    report_end(&t);
}

/* The rule, and for who cannot do without a tenth of the batch the best of what uses more. */
static void note_tuned(const result *r, const int *order, FILE *out)
{
    int tuned = 0, left = 0;
    for (int i = 0; i < r->strategies; i++) {
        tuned += r->strategy[i].chosen != NULL;
        left += r->strategy[i].careful != NULL;
    }
    if (tuned == 0)
        return;
    report_text t = note(out, "tuned");
    report_say(&t, "(in parentheses) by time per used sample, on rounds that are not measured");
    if (left > 0)
        report_say(&t, "; the best that use .9 of a batch:");
    for (int i = 0; i < r->strategies; i++) {
        const result_strategy *s = &r->strategy[order[i]];
        if (s->careful != NULL)
            report_say(&t, "%s %s (%.2f times the time)%s", s->spec, s->careful, s->careful_price,
                       --left > 0 ? ";" : "");
    }
    report_end(&t);
}

static void note_stale(const result *r, FILE *out)
{
    if (!report_has_stale(r))
        return;
    report_text t = note(out, "stale");
    report_say(&t,
               "mean number of updates between the model that a vector was computed on and the one that it updates");
    report_end(&t);
}

static void note_gap(FILE *out)
{
    report_text t = note(out, "class gap");
    report_say(&t, "final loss of the class that is furthest above its loss under sync, minus that loss");
    report_end(&t);
}

static bool decodes_roughly(const result_strategy *s)
{
    const double rounding = 1e-6;
    return s->residual > rounding && isfinite(s->amplification);
}

/* Of codes whose decode was not exact: how far the weights were from taking every partition once. */
static void note_residual(const result *r, const int *order, FILE *out)
{
    int count = 0, said = 0;
    for (int i = 0; i < r->strategies; i++)
        count += decodes_roughly(&r->strategy[i]);
    if (count == 0)
        return;
    report_text t = note(out, "residual");
    report_say(&t, "of the decode, mean (0: every partition counts once):");
    for (int i = 0; i < r->strategies && said < REPORT_NAMES; i++) {
        const result_strategy *s = &r->strategy[order[i]];
        if (!decodes_roughly(s))
            continue;
        said++;
        report_say(&t, "%s %.3g%s", s->spec, s->residual, said < count ? ";" : "");
    }
    if (said < count)
        report_say(&t, "and %d more in result.json", count - said);
    report_end(&t);
}

/* Which workers a delay slows is nowhere to be seen unless the spec names them. */
static void note_slowed(const result *r, FILE *out)
{
    for (int i = 0; i < r->delays; i++) {
        bool slows = strncmp(r->delay[i], "slow:", 5) == 0 || strcmp(r->delay[i], "slow") == 0;
        if (!slows || strstr(r->delay[i], "which=") != NULL)
            continue;
        report_text t = note(out, "delay");
        report_say(&t, "%s: the workers are drawn by --seed; which= names them", r->delay[i]);
        report_end(&t);
    }
}

void report_notes(const result *r, const result_figures *figures, const int *order, bool shows_gap, FILE *out)
{
    int *some = calloc((size_t)r->strategies + 1, sizeof *some);
    if (some == NULL)
        return;
    note_round(r, figures, out);
    note_baselines(r, out);
    note_stale(r, out);
    if (shows_gap)
        note_gap(out);
    note_residual(r, order, out);
    note_communication(r, out);
    note_memory(r, order, some, out);
    note_computation(r, out);
    note_slowest(r, out);
    note_slowed(r, out);
    note_things(r, order, some, (topic){"lost", tell_fate, most_lost(r), false}, out);
    note_things(r, order, some, (topic){"erased", tell_erased, 1, false}, out);
    note_things(r, order, some, (topic){"in flight", tell_critical, 1, false}, out);
    note_things(r, order, some, (topic){"strategy", tell_note, 1, true}, out);
    note_tuned(r, order, out);
    free(some);
}

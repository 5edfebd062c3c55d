/* workers.c - who was slow, and whose work was used.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "gradcode/statistics.h"
#include "report/parts.h"

#include <math.h>
#include <stdlib.h>

static const double clearly = 1.5; /* times the median piece: worth a note */

static double piece_s(const result_worker *w)
{
    return w->pieces > 0 ? w->busy_s / w->pieces : NAN;
}

static void put(json_t *object, const char *key, double value, bool *good)
{
    *good &= json_object_set_new(object, key, isfinite(value) ? json_real(value) : json_null()) == 0;
}

json_t *report_workers(const result *r, const result_strategy *s, bool *good)
{
    json_t *list = json_array();
    for (int w = 0; s->worker != NULL && w < r->workers; w++) {
        const result_worker *x = &s->worker[w];
        json_t *o = json_object();
        *good &= json_object_set_new(o, "worker", json_integer(w)) == 0;
        put(o, "pieces", x->pieces, good);
        put(o, "pieces_used", x->used, good);
        put(o, "home_share", x->home_share, good);
        put(o, "piece_s", piece_s(x), good);
        put(o, "busy_s", x->busy_s, good);
        put(o, "compute_s", x->compute_s, good);
        put(o, "erased", x->erased, good);
        put(o, "wait_s", s->wall_s - x->busy_s, good);
        *good &= json_array_append_new(list, o) == 0;
    }
    return list;
}

/* The strategy by which workers are compared: the one in which all of them finished most pieces. */
static const result_strategy *most_complete(const result *r)
{
    const result_strategy *best = NULL;
    double most = 0;
    for (int i = 0; i < r->strategies; i++) {
        const result_strategy *s = &r->strategy[i];
        double least = INFINITY;
        for (int w = 0; s->worker != NULL && w < r->workers; w++)
            least = fmin(least, s->worker[w].pieces);
        if (s->worker != NULL && least > most) {
            most = least;
            best = s;
        }
    }
    return best;
}

static int slowest(const result *r, const result_strategy *s)
{
    int slow = 0;
    for (int w = 1; w < r->workers; w++)
        if (piece_s(&s->worker[w]) > piece_s(&s->worker[slow]))
            slow = w;
    return slow;
}

static double median_piece_s(const result *r, const result_strategy *s)
{
    double *all = malloc((size_t)r->workers * sizeof *all);
    if (all == NULL)
        return NAN;
    for (int w = 0; w < r->workers; w++)
        all[w] = piece_s(&s->worker[w]);
    double median = gdc_median(all, (size_t)r->workers);
    free(all);
    return median;
}

void report_note_slowest(const result *r, report_text *t)
{
    const result_strategy *s = most_complete(r);
    if (s == NULL || r->workers < 2)
        return;
    int slow = slowest(r, s);
    const result_worker *x = &s->worker[slow];
    double times = piece_s(x) / median_piece_s(r, s);
    if (!(times >= clearly)) {
        report_say(t, "no worker stands out");
        return;
    }
    bool is_long = piece_s(x) >= 1;
    report_say(t, "worker %d in %s: %.3g %s a piece, %.1f times the median;", slow, s->spec,
               is_long ? piece_s(x) : 1e3 * piece_s(x), is_long ? "s" : "ms", times);
    report_say(t, "%.4g s at work, %.4g s waiting", x->busy_s, fmax(0, s->wall_s - x->busy_s));
    if (isfinite(s->compute_share))
        report_say(t, "(%.3g s of real computation)", x->compute_s);
}

void report_tell_erased(const result *r, const result_strategy *s, FILE *to)
{
    const char *gap = "";
    for (int w = 0; s->worker != NULL && w < r->workers; w++) {
        double erased = s->worker[w].erased;
        if (!(erased > 0))
            continue;
        fprintf(to, "%sworker %d (%.0f vector%s)", gap, w, erased, erased > 1 ? "s" : "");
        gap = ", ";
    }
}

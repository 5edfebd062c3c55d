/* threshold.c - what a threshold makes of profiled rounds, and the best one (arXiv 2306.10598, automatic tau).
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Judging one tau walks the table. Choosing asks for up to 1,000 of them, so the table is sorted once: with starts
 * acc_(m-1) <= tau of a round in order, the running maximum of their ends acc_m is the time of check=piece, because
 * of a worker's micro-batches the last one that starts in time ends last. */
#include "straggling/profile.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

enum { CANDIDATES = 1000 };

/* ---- one threshold ---- */

typedef struct part { /* of one worker in one round */
    int kept;
    double time_s;
} part;

static part of_row(const double *time, int pieces, double tau, gdc_check check)
{
    part row = {0};
    double acc = 0;
    for (int m = 0; m < pieces; m++) {
        if (check == GDC_CHECK_PIECE && acc > tau)
            break;
        acc += time[m];
        if (check == GDC_CHECK_POLL && acc > tau)
            break;
        row.kept++;
    }
    row.time_s = check == GDC_CHECK_POLL ? fmin(tau, acc) : acc;
    return row;
}

static gdc_threshold weigh(double tau, double kept, double round_s, double full_s)
{
    return (gdc_threshold){.tau_s = tau,
                           .kept = kept,
                           .round_s = round_s,
                           .full_s = full_s,
                           .speedup = round_s > 0 ? kept * full_s / round_s : 1};
}

gdc_status gdc_profile_judge(const gdc_profile *p, double tau_s, gdc_check check, gdc_threshold *threshold)
{
    double kept = 0, sum_s = 0, overhead_s = gdc_profile_overhead(p);
    if (!(tau_s >= 0))
        return gdc_fail(GDC_EINVAL, "profile: tau=%g: want 0 or more seconds, or INFINITY", tau_s);
    for (int i = 0; i < p->rounds; i++) {
        double longest = 0;
        for (int w = 0; w < p->workers; w++) {
            part row = of_row(gdc_profile_row(p, i, w), p->pieces, tau_s, check);
            kept += row.kept;
            longest = fmax(longest, row.time_s);
        }
        sum_s += longest;
    }
    *threshold =
        weigh(tau_s, kept / (double)p->cells, sum_s / p->rounds + overhead_s, gdc_profile_computation(p) + overhead_s);
    return GDC_OK;
}

/* ---- the best one ---- */

typedef struct stretch { /* a micro-batch: from acc_(m-1) to acc_m */
    double from, to;
} stretch;

typedef struct sorted {
    const gdc_profile *profile;
    gdc_check check;
    size_t per_round;
    double *acc;   /* [cells] all acc_m, ascending */
    double *inner; /* [inner_count] the acc_m with m < M, ascending */
    size_t inner_count;
    stretch *stretch; /* [rounds][per_round] by from; to: the running maximum */
    double overhead_s, full_s;
} sorted;

static int by_value(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static int by_start(const void *left, const void *right)
{
    const stretch *a = left, *b = right;
    return (a->from > b->from) - (a->from < b->from);
}

/* Number of values <= bound. */
static size_t within(const double *ascending, size_t count, double bound)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (ascending[middle] <= bound)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static double longest_s(const sorted *s, int round, double tau)
{
    const stretch *of_round = s->stretch + (size_t)round * s->per_round;
    if (s->check == GDC_CHECK_POLL)
        return fmin(tau, of_round[s->per_round - 1].to);
    size_t low = 0, high = s->per_round;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (of_round[middle].from <= tau)
            low = middle + 1;
        else
            high = middle;
    }
    return of_round[low - 1].to; /* the first micro-batches start at 0 */
}

static gdc_threshold judge(const sorted *s, double tau)
{
    const gdc_profile *p = s->profile;
    double sum_s = 0;
    size_t kept = s->check == GDC_CHECK_POLL
                      ? within(s->acc, p->cells, tau)
                      : (size_t)p->rounds * (size_t)p->workers + within(s->inner, s->inner_count, tau);
    for (int i = 0; i < p->rounds; i++)
        sum_s += longest_s(s, i, tau);
    return weigh(tau, (double)kept / (double)p->cells, sum_s / p->rounds + s->overhead_s, s->full_s);
}

static void fill_row(sorted *s, int round, int worker)
{
    const gdc_profile *p = s->profile;
    const double *time = gdc_profile_row(p, round, worker);
    size_t at = ((size_t)round * (size_t)p->workers + (size_t)worker) * (size_t)p->pieces;
    double acc = 0;
    for (int m = 0; m < p->pieces; m++, at++) {
        s->stretch[at] = (stretch){acc, acc + time[m]};
        acc = s->acc[at] = s->stretch[at].to;
        if (m < p->pieces - 1)
            s->inner[s->inner_count++] = acc;
    }
}

static void sort_all(sorted *s)
{
    const gdc_profile *p = s->profile;
    for (int i = 0; i < p->rounds; i++) {
        stretch *of_round = s->stretch + (size_t)i * s->per_round;
        for (int w = 0; w < p->workers; w++)
            fill_row(s, i, w);
        qsort(of_round, s->per_round, sizeof *of_round, by_start);
        for (size_t j = 1; j < s->per_round; j++)
            of_round[j].to = fmax(of_round[j].to, of_round[j - 1].to);
    }
    qsort(s->acc, p->cells, sizeof *s->acc, by_value);
    qsort(s->inner, s->inner_count, sizeof *s->inner, by_value);
}

static gdc_threshold best_of(const sorted *s, double least_kept)
{
    size_t cells = s->profile->cells, count = cells < CANDIDATES ? cells : CANDIDATES;
    double least = fmax(least_kept, 1. / s->profile->pieces);
    gdc_threshold best = judge(s, s->acc[cells - 1]);
    for (size_t i = count - 1; i-- > 0;) {
        size_t place = (size_t)((double)i * (double)(cells - 1) / (double)(count - 1) + .5);
        gdc_threshold one = judge(s, s->acc[place]);
        if (one.tau_s > 0 && one.kept >= least && one.speedup > best.speedup)
            best = one;
    }
    return best.tau_s > 0 ? best : weigh(INFINITY, 1, s->full_s, s->full_s);
}

static gdc_status check_cells(const gdc_profile *p)
{
    for (int i = 0; i < p->rounds; i++)
        for (int w = 0; w < p->workers; w++)
            for (int m = 0; m < p->pieces; m++) {
                double time = gdc_profile_get(p, i, w, m);
                if (!(time >= 0) || isinf(time))
                    return gdc_fail(GDC_ENUMERIC, "profile: round %d, worker %d, micro-batch %d took %g s: want >= 0",
                                    i, w, m, time);
            }
    return GDC_OK;
}

gdc_status gdc_profile_choose(const gdc_profile *p, gdc_check check, double least_kept, gdc_threshold *threshold)
{
    gdc_status status = check_cells(p);
    if (status != GDC_OK)
        return status;
    sorted s = {.profile = p,
                .check = check,
                .per_round = (size_t)p->workers * (size_t)p->pieces,
                .acc = malloc(p->cells * sizeof *s.acc),
                .inner = malloc(p->cells * sizeof *s.inner),
                .stretch = malloc(p->cells * sizeof *s.stretch),
                .overhead_s = gdc_profile_overhead(p)};
    s.full_s = gdc_profile_computation(p) + s.overhead_s;
    if (s.acc && s.inner && s.stretch) {
        sort_all(&s);
        *threshold = best_of(&s, least_kept);
    } else {
        status = gdc_fail(GDC_ENOMEM, "profile: no memory to sort %zu times", p->cells);
    }
    free(s.acc);
    free(s.inner);
    free(s.stretch);
    return status;
}

/* profile.c - a table of measured micro-batch times (arXiv 2306.10598).
 * SPDX-License-Identifier: BSD-3-Clause */
#include "straggling/profile.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

/* ---- life ---- */

gdc_status gdc_profile_create(int workers, int rounds, int pieces, gdc_profile **profile)
{
    if (workers < 1 || rounds < 1 || pieces < 1)
        return gdc_fail(GDC_EINVAL, "profile: workers=%d, rounds=%d, pieces=%d: want at least 1 of each", workers,
                        rounds, pieces);
    double cells = (double)workers * rounds * pieces;
    if (cells >= INT_MAX)
        return gdc_fail(GDC_EINVAL, "profile: %d workers x %d rounds x %d micro-batches: want fewer than %d cells",
                        workers, rounds, pieces, INT_MAX);
    gdc_profile *p = calloc(1, sizeof *p);
    double *table = calloc((size_t)cells + 1, sizeof *table);
    if (!p || !table) {
        free(p);
        free(table);
        return gdc_fail(GDC_ENOMEM, "profile: no memory for %.0f times", cells);
    }
    *p = (gdc_profile){.workers = workers, .rounds = rounds, .pieces = pieces, .cells = (size_t)cells, .table = table};
    *profile = p;
    return GDC_OK;
}

void gdc_profile_destroy(gdc_profile *p)
{
    if (!p)
        return;
    free(p->table);
    free(p);
}

/* ---- cells ---- */

int gdc_profile_workers(const gdc_profile *p)
{
    return p->workers;
}

int gdc_profile_rounds(const gdc_profile *p)
{
    return p->rounds;
}

int gdc_profile_pieces(const gdc_profile *p)
{
    return p->pieces;
}

static double *cell(const gdc_profile *p, int round, int worker, int piece)
{
    return p->table + ((size_t)round * (size_t)p->workers + (size_t)worker) * (size_t)p->pieces + (size_t)piece;
}

const double *gdc_profile_row(const gdc_profile *p, int round, int worker)
{
    return cell(p, round, worker, 0);
}

void gdc_profile_set(gdc_profile *p, int round, int worker, int piece, double seconds)
{
    *cell(p, round, worker, piece) = seconds;
}

double gdc_profile_get(const gdc_profile *p, int round, int worker, int piece)
{
    return *cell(p, round, worker, piece);
}

void gdc_profile_set_wall(gdc_profile *p, double seconds)
{
    p->table[p->cells] = seconds;
}

double *gdc_profile_raw(gdc_profile *p, size_t *count)
{
    *count = p->cells + 1;
    return p->table;
}

/* ---- questions ---- */

double gdc_profile_mean(const gdc_profile *p)
{
    return gdc_mean(p->table, p->cells);
}

double gdc_profile_deviation(const gdc_profile *p)
{
    return sqrt(gdc_variance(p->table, p->cells));
}

double gdc_profile_computation(const gdc_profile *p)
{
    double sum = 0;
    for (int i = 0; i < p->rounds; i++) {
        double longest = 0;
        for (int w = 0; w < p->workers; w++) {
            const double *time = gdc_profile_row(p, i, w);
            double acc = 0;
            for (int m = 0; m < p->pieces; m++)
                acc += time[m];
            longest = fmax(longest, acc);
        }
        sum += longest;
    }
    return sum / p->rounds;
}

double gdc_profile_overhead(const gdc_profile *p)
{
    return fmax(0, p->table[p->cells] / p->rounds - gdc_profile_computation(p));
}

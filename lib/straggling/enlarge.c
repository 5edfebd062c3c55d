/* enlarge.c - the batch that makes up for dropped micro-batches (arXiv 2306.10598, compensation).
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A profile has M micro-batches per worker and round. What a worker would do beyond them is taken from its next round. */
#include "straggling/profile.h"

#include <math.h>

enum { LARGEST = 4, HALVINGS = 60 };

/* Micro-batches that a worker keeps, beginning with a round of the profile. */
static int kept_from(const gdc_profile *p, int round, int worker, double tau, gdc_check check, int most)
{
    double acc = 0;
    for (int m = 0; m < most; m++) {
        if (check == GDC_CHECK_PIECE && acc > tau)
            return m;
        acc += gdc_profile_get(p, (round + m / p->pieces) % p->rounds, worker, m % p->pieces);
        if (check == GDC_CHECK_POLL && acc > tau)
            return m;
    }
    return most;
}

static double kept_share(const gdc_profile *p, double tau, gdc_check check, int most)
{
    double sum = 0;
    for (int i = 0; i < p->rounds; i++)
        for (int w = 0; w < p->workers; w++)
            sum += kept_from(p, i, w, tau, check, most);
    return sum / (double)p->cells;
}

/* The last digits of a share must not make one micro-batch more of it. */
static int enlarged(int pieces, double kept)
{
    double most = kept > 0 ? ceil(pieces / kept * (1 - 1e-9)) : INFINITY;
    return most < LARGEST * (double)pieces ? (int)most : LARGEST * pieces;
}

/* The least tau, to rounding, that keeps M; `high` keeps as many. */
static double enough(const gdc_profile *p, gdc_check check, int most, double low, double high)
{
    for (int i = 0; i < HALVINGS; i++) {
        double middle = low + .5 * (high - low);
        if (kept_share(p, middle, check, most) < 1)
            low = middle;
        else
            high = middle;
    }
    return high;
}

void gdc_profile_enlarge(const gdc_profile *p, gdc_check check, int is_fixed, gdc_threshold *threshold, int *most)
{
    *most = enlarged(p->pieces, threshold->kept);
    if (!is_fixed && kept_share(p, threshold->tau_s, check, *most) < 1) {
        double high = threshold->tau_s;
        for (int i = 0; i < HALVINGS && kept_share(p, high, check, *most) < 1; i++)
            high *= 2;
        threshold->tau_s = enough(p, check, *most, threshold->tau_s, high);
    }
    threshold->kept = kept_share(p, threshold->tau_s, check, *most);
}

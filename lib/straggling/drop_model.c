/* drop_model.c - DropCompute under light tails, by formulas (arXiv 2306.10598).
 * SPDX-License-Identifier: BSD-3-Clause */
#include "gradcode/drop_model.h"

#include <math.h>
#include <string.h>

enum { CANDIDATES = 1000 };

static const double euler = .57721566490153286, e = 2.71828182845904524, root2 = 1.41421356237309505;

/* ---- the normal distribution ---- */

static double below(double x)
{
    return .5 * erfc(-x / root2);
}

/* x with P(normal > x) = tail, by halving: the tail itself loses no digits near 0. */
static double exceeded_by(double tail)
{
    double low = -40, high = 40;
    while (high - low > 1e-13) {
        double middle = .5 * (low + high);
        if (below(-middle) > tail)
            low = middle;
        else
            high = middle;
    }
    return .5 * (low + high);
}

double gdc_drop_model_factor(int workers)
{
    if (workers <= 1)
        return 0;
    return (1 - euler) * exceeded_by(1. / workers) + euler * exceeded_by(1 / (e * workers));
}

/* ---- the model ---- */

void gdc_drop_model_init(gdc_drop_model *model)
{
    *model = (gdc_drop_model){.size = sizeof *model, .workers = 1, .pieces = 1, .mean_s = 1};
}

void gdc_drop_model_of(const gdc_profile *profile, gdc_drop_model *model)
{
    *model = (gdc_drop_model){.size = sizeof *model,
                              .workers = gdc_profile_workers(profile),
                              .pieces = gdc_profile_pieces(profile),
                              .mean_s = gdc_profile_mean(profile),
                              .deviation_s = gdc_profile_deviation(profile),
                              .overhead_s = gdc_profile_overhead(profile)};
}

static gdc_status check_model(const gdc_drop_model *given, gdc_drop_model *full)
{
    gdc_drop_model m;
    gdc_drop_model_init(&m);
    if (!given || given->size == 0)
        return gdc_fail(GDC_EINVAL, "drop model: call gdc_drop_model_init first (size is 0)");
    memcpy(&m, given, given->size < sizeof m ? given->size : sizeof m);
    if (m.workers < 1 || m.pieces < 1)
        return gdc_fail(GDC_EINVAL, "drop model: workers=%d, pieces=%d: want at least 1 of each", m.workers, m.pieces);
    if (!(m.mean_s > 0) || !(m.deviation_s >= 0) || !(m.overhead_s >= 0) ||
        !isfinite(m.mean_s + m.deviation_s + m.overhead_s))
        return gdc_fail(GDC_EINVAL, "drop model: mean=%g, deviation=%g, overhead=%g: want > 0, >= 0 and >= 0 seconds",
                        m.mean_s, m.deviation_s, m.overhead_s);
    *full = m;
    return GDC_OK;
}

static double longest_s(const gdc_drop_model *m)
{
    return m->pieces * m->mean_s + m->deviation_s * sqrt(m->pieces) * gdc_drop_model_factor(m->workers);
}

/* P(acc_i <= tau) */
static double in_time(const gdc_drop_model *m, int i, double tau)
{
    double spread = m->deviation_s * sqrt(i), slack = tau - i * m->mean_s;
    return spread > 0 ? below(slack / spread) : slack >= 0;
}

static gdc_threshold judge(const gdc_drop_model *m, double tau, gdc_check check, double full_s)
{
    double kept = check == GDC_CHECK_PIECE;
    for (int i = 1; i <= m->pieces - (check == GDC_CHECK_PIECE); i++)
        kept += in_time(m, i, tau);
    double runs_on_s = check == GDC_CHECK_PIECE ? m->mean_s + m->deviation_s : 0;
    gdc_threshold t = {.tau_s = tau,
                       .kept = kept / m->pieces,
                       .round_s = fmin(tau + runs_on_s, full_s) + m->overhead_s,
                       .full_s = full_s + m->overhead_s};
    t.speedup = t.round_s > 0 ? t.kept * t.full_s / t.round_s : 1;
    return t;
}

gdc_status gdc_drop_model_time(const gdc_drop_model *model, double *seconds)
{
    gdc_drop_model m = {.size = 0};
    gdc_status status = check_model(model, &m);
    if (status == GDC_OK)
        *seconds = longest_s(&m);
    return status;
}

gdc_status gdc_drop_model_judge(const gdc_drop_model *model, double tau_s, gdc_check check, gdc_threshold *threshold)
{
    gdc_drop_model m = {.size = 0};
    gdc_status status = check_model(model, &m);
    if (status == GDC_OK && !(tau_s >= 0))
        status = gdc_fail(GDC_EINVAL, "drop model: tau=%g: want 0 or more seconds, or INFINITY", tau_s);
    if (status == GDC_OK)
        *threshold = judge(&m, tau_s, check, longest_s(&m));
    return status;
}

gdc_status gdc_drop_model_choose(const gdc_drop_model *model, gdc_check check, gdc_threshold *threshold)
{
    gdc_drop_model m = {.size = 0};
    gdc_status status = check_model(model, &m);
    if (status != GDC_OK)
        return status;
    double full_s = longest_s(&m);
    gdc_threshold best = judge(&m, full_s, check, full_s);
    for (int i = CANDIDATES - 1; i > 0; i--) {
        gdc_threshold one = judge(&m, full_s * i / CANDIDATES, check, full_s);
        if (one.kept >= 1. / m.pieces && one.speedup > best.speedup)
            best = one;
    }
    *threshold = best;
    return GDC_OK;
}

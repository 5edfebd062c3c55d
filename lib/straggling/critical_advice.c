/* critical_advice.c - what the estimates mean for batch, staleness, workers and step size (arXiv 2103.02351).
 * SPDX-License-Identifier: BSD-3-Clause */
#include "gradcode/critical.h"

#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

static bool is_amount(double x)
{
    return x >= 0 && isfinite(x);
}

static gdc_status check(const gdc_critical_setting *s)
{
    if (!is_amount(s->eps) || !is_amount(s->mini_batch) || !is_amount(s->smoothness))
        return gdc_fail(GDC_EINVAL, "critical: eps=%g, mini_batch=%g, smoothness=%g: want finite numbers of at least 0",
                        s->eps, s->mini_batch, s->smoothness);
    if (!(s->batch > 0) || isinf(s->batch))
        return gdc_fail(GDC_EINVAL, "critical: batch=%g: want a positive number of samples per update", s->batch);
    if (!is_amount(s->staleness) || s->staleness > INT_MAX / 4)
        return gdc_fail(GDC_EINVAL, "critical: staleness=%g: want 0 to %d updates", s->staleness, INT_MAX / 4);
    return GDC_OK;
}

/* M + sigma^2 / eps. At the present |G|^2 that is S / |G|^2, which needs no fit. */
static gdc_interval useful_batch(const gdc_critical_estimates *e, double eps)
{
    if (eps == 0)
        return e->ratio;
    if (isnan(e->m.value)) /* S is between all M and all sigma^2 */
        return (gdc_interval){.value = NAN,
                              .low = fmin(e->ratio.low, e->noise.low / eps),
                              .high = fmax(e->ratio.high, e->noise.high / eps)};
    double value = e->m.value + e->sigma2.value / eps;
    double half = 1.96 * sqrt(e->m_variance + 2 * e->covariance / eps + e->sigma2_variance / (eps * eps));
    return (gdc_interval){.value = value, .low = fmax(0, value - half), .high = value + half};
}

static gdc_status set_steps(const gdc_critical_estimates *e, const gdc_critical_setting *s, gdc_critical_advice *a)
{
    double m = isnan(e->m.value) ? e->m.high : e->m.value, smoothness = s->smoothness > 0 ? s->smoothness : 1;
    gdc_status status = GDC_OK;
    a->step = a->step_limit = NAN;
    if (isfinite(m)) {
        a->step = 1.5 / (smoothness * (1 + m / s->batch + s->staleness));
        status = gdc_critical_step(m / s->batch, (int)ceil(s->staleness), &a->step_limit);
        a->step_limit /= smoothness;
    }
    return status;
}

gdc_status gdc_critical_advise(const gdc_critical_estimates *e, const gdc_critical_setting *s,
                               gdc_critical_advice *advice)
{
    gdc_critical_advice a = {.size = sizeof a};
    gdc_status status = check(s);
    if (status != GDC_OK)
        return status;
    a.batch = useful_batch(e, s->eps);
    a.in_flight = s->batch * (1 + s->staleness);
    double most = a.batch.value;
    a.staleness = isnan(most) ? NAN : fmax(0, most / s->batch - 1);
    a.workers = isnan(most) || s->mini_batch == 0 ? NAN : fmax(1, floor(most / s->mini_batch));
    status = set_steps(e, s, &a);
    if (status != GDC_OK)
        return status;
    size_t size = advice->size > 0 && advice->size < sizeof a ? advice->size : sizeof a;
    memcpy(advice, &a, size);
    advice->size = size;
    return GDC_OK;
}

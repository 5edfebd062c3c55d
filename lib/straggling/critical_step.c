/* critical_step.c - the critical step size of delayed descent with multiplicative noise (the scalar model of arXiv 2103.02351).
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Write x+ = x - eta x_(t-tau) + w with w = -eta z x_(t-tau). z is independent of the past, so w is white with E w^2 = eta^2 M E x^2,
 * and E x^2 = J E w^2, J = the sum of squares of the impulse response: E x^2 is bounded iff the mean is stable and eta^2 M J < 1.
 * J is the autocovariance r_0 of that response, where r_j = r_(j-1) - eta r_(tau+1-j) for j = 1..tau+1. With eta = 2 sin(theta/2)
 * its solution is r_j = A cos(theta j + phi), phi = pi/4 - theta (2 tau + 1)/4, and A from r_0 = r_1 - eta r_(tau+1) + 1. Thus
 *
 *     eta^2 M J = M tan(theta/2) tan(pi/4 + (2 tau + 1) theta/4),
 *
 * which grows from 0 without bound on 0 < theta < pi/(2 tau + 1), the end of the mean's stability. */
#include "gradcode/critical.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

gdc_status gdc_critical_step(double noise, int staleness, double *step)
{
    if (!(noise >= 0) || isinf(noise))
        return gdc_fail(GDC_EINVAL, "critical step: noise=%g: want a finite number of at least 0", noise);
    if (staleness < 0)
        return gdc_fail(GDC_EINVAL, "critical step: staleness=%d: want at least 0", staleness);
    double span = 2. * staleness + 1, low = 0, high = pi / span;
    for (double middle = high / 2; noise > 0 && middle > low && middle < high; middle = low + (high - low) / 2) {
        if (noise * tan(middle / 2) * tan(pi / 4 + span * middle / 4) < 1)
            low = middle;
        else
            high = middle;
    }
    *step = 2 * sin(high / 2);
    return GDC_OK;
}

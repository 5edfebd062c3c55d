/* critical_round.c - feeds a round to the estimates of critical parameters (arXiv 2103.02351).
 * SPDX-License-Identifier: BSD-3-Clause */
#include "gradcode/critical.h"
#include "gradcode/round.h"

#include "kernels/vector.h"

#include <math.h>
#include <stdbool.h>

/* An estimate needs a mean of what was used. That is what is not decoded, decoded to rounding, or decoded for some partitions and
 * for no others; an approximate code may give each its own weight. */
static bool is_plain_mean(const gdc_round *round)
{
    double squared = round->residual * round->residual;
    return isnan(round->amplification) || squared <= 1e-12 ||
           (round->scale == 1 && fabs(squared - (1 - round->used)) <= 1e-6);
}

static bool shows_noise(const gdc_round *round)
{
    return round->parts > 1 && isfinite(round->norm2) && round->part_samples < round->samples * (1 - 1e-9) &&
           round->scale > 0;
}

gdc_status gdc_critical_observe(gdc_critical *critical, const gdc_round *round, gdc_dtype dtype, size_t d,
                                const void *gradient)
{
    if (round->size < sizeof *round)
        return gdc_fail(GDC_EINVAL, "critical: round.size=%zu: want %zu, set before gdc_gradient", round->size,
                        sizeof *round);
    if (!shows_noise(round) || !is_plain_mean(round))
        return GDC_OK;
    double divisor = round->scale * round->samples;
    double norm2 = gdc_norm2(dtype == GDC_F32, d, gradient) / (divisor * divisor);
    return gdc_critical_feed(critical, round->norm2, round->part_samples, norm2, round->samples);
}

/* runtime.c - closed forms of the K family and AdaSync's rules (arXiv 1803.01113, 2003.10579).
 * SPDX-License-Identifier: BSD-3-Clause */
#include "gradcode/runtime.h"

#include <math.h>
#include <stdbool.h>

static bool is_rank(int k, int n)
{
    return k >= 1 && k <= n;
}

/* ---- time per update ---- */

double gdc_order_mean_exp(int k, int n, double mean)
{
    double sum = 0;
    if (!is_rank(k, n) || !(mean > 0))
        return NAN;
    for (int i = n - k + 1; i <= n; i++)
        sum += 1.0 / i;
    return mean * sum;
}

double gdc_order_mean_pareto(int k, int n, double alpha, double min)
{
    if (!is_rank(k, n) || !(alpha > 0) || !(min > 0))
        return NAN;
    if ((n - k + 1) * alpha <= 1)
        return INFINITY;
    /* G(n+1) G(n-k+1-1/alpha) / (G(n-k+1) G(n+1-1/alpha)) as a product */
    double product = min;
    for (int i = n - k + 1; i <= n; i++)
        product *= i / (i - 1 / alpha);
    return product;
}

/* ---- staleness ---- */

double gdc_staleness_k_async(int k, int n)
{
    return is_rank(k, n) ? (double)(n - k) / k : NAN;
}

double gdc_staleness_k_batch_async(int k, int n)
{
    return k >= 1 && n >= 1 ? (double)(n - 1) / k : NAN;
}

double gdc_fresh_k_async(int k, int n)
{
    return is_rank(k, n) ? (double)k / n : NAN;
}

double gdc_fresh_k_batch_async(int k, int n)
{
    if (k < 1 || n < 1)
        return NAN;
    double others = 1 - 1.0 / n, sum = 0, power = 1;
    for (int i = 1; i <= k; i++) {
        power *= others;
        sum += power;
    }
    return 1 - sum / k;
}

/* ---- AdaSync ---- */

double gdc_adasync_quad(int k0, int n, double fall)
{
    if (!is_rank(k0, n - 1) || !(fall > 0))
        return NAN;
    double b = (double)k0 * k0 * fall / (n - k0);
    /* (-b + sqrt(b^2 + 4 b n)) / 2 without the difference of two large numbers */
    return 2.0 * n / (1 + sqrt(1 + 4 * n / b));
}

double gdc_adasync_sqrt(int k0, double fall)
{
    return k0 >= 1 && fall > 0 ? k0 * sqrt(fall) : NAN;
}

/* What one more mini-batch gains in noise, over what it costs in time; NaN where there is no such step. */
static double exchange_rate(int k, int n, const double *times)
{
    if (k < 1 || k >= n)
        return NAN;
    double rate = (1.0 / k - 1.0 / (k + 1)) / (times[k] - times[k - 1]);
    return rate > 0 && isfinite(rate) ? rate : NAN;
}

int gdc_adasync_empirical(int k0, int n, const double *times, double fall)
{
    double above = exchange_rate(k0, n, times), below = exchange_rate(k0 - 1, n, times);
    double a = isnan(above) ? below : isnan(below) ? above : sqrt(above * below), least = INFINITY;
    int best = k0;
    for (int k = k0; k <= n; k++) {
        double cost = a * times[k - 1] / fall + 1.0 / k;
        if (cost < least) {
            least = cost;
            best = k;
        }
    }
    return best;
}

int gdc_adasync_step(double wanted, int now, int n)
{
    double k = floor(wanted + .5);
    if (!(k > now)) /* NaN too */
        return now;
    return k < n ? (int)k : n;
}

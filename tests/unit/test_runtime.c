/* test_runtime.c - closed forms of the K family against published and derived values; AdaSync's rules against their
 * definitions. SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gradcode/runtime.h"

#include <math.h>
#include <stdio.h>

enum { P = 8 };

static void near(double value, double wanted, double tolerance)
{
    if (!(fabs(value - wanted) <= tolerance))
        fail_msg("%.9g instead of %.9g", value, wanted);
}

static void order_statistics_meet_the_tables(void **state)
{
    static const double exponential[P] = {.125000, .267857, .434524, .634524, .884524, 1.217857, 1.717857, 2.717857};
    static const double pareto[P] = {1.066667, 1.148718, 1.253147, 1.392385, 1.591298, 1.909557, 2.546076, 5.092152};
    (void)state;
    for (int k = 1; k <= P; k++) {
        near(gdc_order_mean_exp(k, P, 1), exponential[k - 1], 6e-7);
        near(gdc_order_mean_exp(k, P, .25), exponential[k - 1] / 4, 6e-7);
        near(gdc_order_mean_pareto(k, P, 2, 1), pareto[k - 1], 6e-7);
        near(gdc_order_mean_pareto(k, P, 2, 3), 3 * pareto[k - 1], 2e-6);
    }
}

/* E[X_(K:n)] = min G(n+1) G(n-K+1-1/alpha) / (G(n-K+1) G(n+1-1/alpha)) */
static void pareto_order_statistics_are_ratios_of_gamma_functions(void **state)
{
    (void)state;
    for (int n = 1; n <= 40; n += 3)
        for (int k = 1; k <= n; k++)
            for (double alpha = 1.25; alpha < 6; alpha *= 1.5) {
                double want =
                    exp(lgamma(n + 1) + lgamma(n - k + 1 - 1 / alpha) - lgamma(n - k + 1) - lgamma(n + 1 - 1 / alpha));
                near(gdc_order_mean_pareto(k, n, alpha, 1), want, 1e-10 * want);
            }
    assert_true(isinf(gdc_order_mean_pareto(8, 8, 1, 1)));
    assert_true(isinf(gdc_order_mean_pareto(7, 8, .5, 1)));
    assert_true(isfinite(gdc_order_mean_pareto(7, 8, 1, 1)));
}

/* P E[X_(P:P)] / E[X]: the time of a synchronous update over that of one asynchronous gradient. */
static void asynchrony_speeds_updates_up_as_published(void **state)
{
    (void)state;
    near(P * gdc_order_mean_exp(P, P, 1), 21.743, 5e-4);
    near(P * (1 + gdc_order_mean_exp(P, P, 1)) / 2, 14.871, 5e-4);
    near(P * gdc_order_mean_pareto(P, P, 2, 1) / 2, 20.369, 5e-4);
}

static void staleness_and_fresh_shares_have_their_closed_forms(void **state)
{
    (void)state;
    near(gdc_staleness_k_async(2, P), 3, 0);
    near(gdc_staleness_k_async(P, P), 0, 0);
    near(gdc_staleness_k_batch_async(1, P), 7, 0);
    near(gdc_staleness_k_batch_async(20, P), .35, 1e-15);
    near(gdc_fresh_k_async(4, P), .5, 0);
    near(gdc_fresh_k_batch_async(1, P), 1.0 / P, 1e-15);
    near(gdc_fresh_k_batch_async(2, P), 1 - (7.0 / 8 + 49.0 / 64) / 2, 1e-15);
    near(gdc_fresh_k_batch_async(3, 1), 1, 0);
}

/* ---- AdaSync ---- */

static void adasync_meets_its_table(void **state)
{
    static const double fall[] = {2, 4, 6, 12, 32};
    static const double quad2[] = {2.6667, 3.4741, 4.0, 4.9443, 6.1988},
                        quad4[] = {4.9443, 5.8564, 6.3303, 6.9839, 7.5542};
    (void)state;
    for (int i = 0; i < 5; i++) {
        near(gdc_adasync_quad(2, P, fall[i]), quad2[i], 5.1e-5);
        near(gdc_adasync_quad(4, P, fall[i]), quad4[i], 5.1e-5);
    }
    near(gdc_adasync_sqrt(4, 2), 5.6569, 5e-5);
    near(gdc_adasync_sqrt(4, 4), 8, 1e-14);
    assert_int_equal(gdc_adasync_step(gdc_adasync_sqrt(4, 2), 4, P), 6);
    assert_int_equal(gdc_adasync_step(gdc_adasync_sqrt(4, 6), 4, P), P); /* the cap */
}

static void quad_solves_its_equation_and_starts_at_k0(void **state)
{
    (void)state;
    for (int n = 2; n <= 64; n *= 2)
        for (int k0 = 1; k0 < n; k0++) {
            near(gdc_adasync_quad(k0, n, 1), k0, 1e-12 * n);
            for (double fall = 1e-3; fall < 1e9; fall *= 10) {
                double k = gdc_adasync_quad(k0, n, fall), rest = n - k;
                near(k * k * (n - k0), rest * fall * k0 * k0, 1e-6 * n * n * n + 1e-7 * rest * fall * k0 * k0);
                assert_true(k > 0 && k <= n);
            }
        }
}

static void empirical_takes_the_least_cost(void **state)
{
    (void)state;
    for (int k0 = 1; k0 <= P; k0++)
        for (double fall = .5; fall < 2000; fall *= 1.3) {
            double times[P], a = 0, least = INFINITY;
            int best = 0;
            for (int k = 1; k <= P; k++)
                times[k - 1] = gdc_order_mean_exp(k, P, 1) + .01 * k * k;
            double above = k0 < P ? (1.0 / k0 - 1.0 / (k0 + 1)) / (times[k0] - times[k0 - 1]) : NAN;
            double below = k0 > 1 ? (1.0 / (k0 - 1) - 1.0 / k0) / (times[k0 - 1] - times[k0 - 2]) : NAN;
            a = k0 == 1 ? above : k0 == P ? below : sqrt(above * below);
            for (int k = k0; k <= P; k++) {
                double cost = a * times[k - 1] / fall + 1.0 / k;
                best = cost < least ? k : best;
                least = fmin(cost, least);
            }
            assert_int_equal(gdc_adasync_empirical(k0, P, times, fall), best);
        }
}

/* With the exponential law's own times the empirical rule grows as quad does, which was derived from them. */
static void empirical_follows_quad_under_its_law(void **state)
{
    enum { N = 64 };
    double times[N];
    (void)state;
    for (int k = 1; k <= N; k++)
        times[k - 1] = gdc_order_mean_exp(k, N, 1);
    for (double fall = 1; fall < 100; fall *= 1.7)
        near(gdc_adasync_empirical(8, N, times, fall), gdc_adasync_quad(8, N, fall), 1);
    assert_int_equal(gdc_adasync_empirical(8, N, times, 1), 8);
}

static void without_two_times_the_empirical_rule_stays(void **state)
{
    static const double level[] = {1, 1, 1, 1}, none[] = {INFINITY, INFINITY, INFINITY, INFINITY}, one[] = {3};
    static const double lost[] = {1, 2, 4, INFINITY};
    (void)state;
    assert_int_equal(gdc_adasync_empirical(2, 4, level, 100), 2);
    assert_int_equal(gdc_adasync_empirical(2, 4, none, 100), 2);
    assert_int_equal(gdc_adasync_empirical(1, 1, one, 100), 1);
    assert_int_equal(gdc_adasync_empirical(2, 4, lost, 1e9), 3); /* a rank that never came is no choice */
}

static void steps_round_half_up_and_never_down(void **state)
{
    (void)state;
    assert_int_equal(gdc_adasync_step(3.4999, 2, P), 3);
    assert_int_equal(gdc_adasync_step(3.5, 2, P), 4);
    assert_int_equal(gdc_adasync_step(2.2, 5, P), 5);
    assert_int_equal(gdc_adasync_step(-3, 5, P), 5);
    assert_int_equal(gdc_adasync_step(1e300, 5, P), P);
    assert_int_equal(gdc_adasync_step(INFINITY, 5, P), P);
    assert_int_equal(gdc_adasync_step(NAN, 5, P), 5);
}

static void nonsense_gives_no_number(void **state)
{
    (void)state;
    assert_true(isnan(gdc_order_mean_exp(0, P, 1)) && isnan(gdc_order_mean_exp(9, P, 1)));
    assert_true(isnan(gdc_order_mean_exp(1, P, 0)) && isnan(gdc_order_mean_exp(1, P, NAN)));
    assert_true(isnan(gdc_order_mean_pareto(1, P, 0, 1)) && isnan(gdc_order_mean_pareto(1, P, 2, -1)));
    assert_true(isnan(gdc_staleness_k_async(9, P)) && isnan(gdc_staleness_k_batch_async(0, P)));
    assert_true(isnan(gdc_fresh_k_async(0, P)) && isnan(gdc_fresh_k_batch_async(1, 0)));
    assert_true(isnan(gdc_adasync_quad(P, P, 2)) && isnan(gdc_adasync_quad(0, P, 2)));
    assert_true(isnan(gdc_adasync_quad(2, P, 0)) && isnan(gdc_adasync_sqrt(2, -1)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_statistics_meet_the_tables),
        cmocka_unit_test(pareto_order_statistics_are_ratios_of_gamma_functions),
        cmocka_unit_test(asynchrony_speeds_updates_up_as_published),
        cmocka_unit_test(staleness_and_fresh_shares_have_their_closed_forms),
        cmocka_unit_test(adasync_meets_its_table),
        cmocka_unit_test(quad_solves_its_equation_and_starts_at_k0),
        cmocka_unit_test(empirical_takes_the_least_cost),
        cmocka_unit_test(empirical_follows_quad_under_its_law),
        cmocka_unit_test(without_two_times_the_empirical_rule_stays),
        cmocka_unit_test(steps_round_half_up_and_never_down),
        cmocka_unit_test(nonsense_gives_no_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

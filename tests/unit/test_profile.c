/* test_profile.c - profiles of micro-batch times: DropCompute's rule against its definition, cell by cell.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gradcode/delay.h"
#include "gradcode/draw.h"
#include "gradcode/profile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint64_t seed = 1;

static gdc_profile *open_profile(int workers, int rounds, int pieces)
{
    gdc_profile *p = NULL;
    if (gdc_profile_create(workers, rounds, pieces, &p) != GDC_OK)
        fail_msg("%s", gdc_last_error());
    return p;
}

/* whole: times are small whole numbers, so that ties abound. */
static gdc_profile *random_profile(int workers, int rounds, int pieces, int whole, uint64_t which)
{
    gdc_profile *p = open_profile(workers, rounds, pieces);
    for (int i = 0; i < rounds; i++)
        for (int w = 0; w < workers; w++)
            for (int m = 0; m < pieces; m++) {
                gdc_key key = {.seed = seed, .a = which, .b = (uint64_t)(i * workers + w), .c = (uint64_t)m};
                double time = whole ? (double)gdc_draw_below(key, 4) : .2 + gdc_draw_exponential(key);
                gdc_profile_set(p, i, w, m, time);
            }
    return p;
}

/* The definitions, as they are written. */
static gdc_threshold by_definition(const gdc_profile *p, double tau, gdc_check check, double overhead)
{
    int n = gdc_profile_workers(p), rounds = gdc_profile_rounds(p), M = gdc_profile_pieces(p);
    double kept_sum = 0, time_sum = 0, full_sum = 0;
    for (int i = 0; i < rounds; i++) {
        double slowest = 0, slowest_full = 0;
        for (int w = 0; w < n; w++) {
            double acc[32], sum = 0;
            int kept = 0, within = 0;
            for (int m = 0; m < M; m++)
                acc[m] = sum += gdc_profile_get(p, i, w, m);
            for (int m = 0; m < M; m++)
                within += acc[m] <= tau;
            for (int m = 0; m + 1 < M; m++)
                kept += acc[m] <= tau;
            kept = check == GDC_CHECK_POLL ? within : kept + 1 < M ? kept + 1 : M;
            double time = check == GDC_CHECK_POLL ? fmin(tau, acc[M - 1]) : acc[kept - 1];
            kept_sum += kept;
            slowest = fmax(slowest, time);
            slowest_full = fmax(slowest_full, acc[M - 1]);
        }
        time_sum += slowest;
        full_sum += slowest_full;
    }
    gdc_threshold t = {.tau_s = tau, .kept = kept_sum / (rounds * n * M), .round_s = time_sum / rounds + overhead};
    t.full_s = full_sum / rounds + overhead;
    t.speedup = t.kept * t.full_s / t.round_s;
    return t;
}

static void assert_same(const gdc_threshold *got, const gdc_threshold *want)
{
    assert_true(fabs(got->kept - want->kept) < 1e-12);
    assert_true(fabs(got->round_s - want->round_s) < 1e-9);
    assert_true(fabs(got->full_s - want->full_s) < 1e-9);
    assert_true(fabs(got->speedup - want->speedup) < 1e-9);
}

static void judging_follows_the_definition(void **state)
{
    (void)state;
    for (uint64_t which = 0; which < 40; which++) {
        int M = 1 + (int)(which % 5), whole = which % 2 == 0;
        gdc_profile *p = random_profile(4, 3, M, whole, which);
        for (double tau = .5; tau < 9; tau += .5) {
            for (int check = 0; check < 2; check++) {
                gdc_threshold want = by_definition(p, tau, (gdc_check)check, 0), got;
                assert_int_equal(gdc_profile_judge(p, tau, (gdc_check)check, &got), GDC_OK);
                assert_same(&got, &want);
            }
        }
        gdc_profile_destroy(p);
    }
}

/* Every observed acc_m is a candidate here; the first of the best from the largest down is the choice. */
static void check_choice(const gdc_profile *p, gdc_check check, double overhead)
{
    int n = gdc_profile_workers(p), rounds = gdc_profile_rounds(p), M = gdc_profile_pieces(p);
    gdc_threshold best = {.speedup = -1}, got;
    assert_true(n * rounds * M <= 1000);
    for (int i = 0; i < rounds; i++)
        for (int w = 0; w < n; w++) {
            double acc = 0;
            for (int m = 0; m < M; m++) {
                acc += gdc_profile_get(p, i, w, m);
                gdc_threshold one = by_definition(p, acc, check, overhead);
                if (acc > 0 && one.kept >= 1. / M && one.speedup > best.speedup)
                    best = one;
            }
        }
    assert_int_equal(gdc_profile_choose(p, check, 0, &got), GDC_OK);
    gdc_threshold again = by_definition(p, got.tau_s, check, overhead);
    assert_same(&got, &again);
    assert_true(got.kept >= 1. / M);
    if (fabs(got.speedup - best.speedup) > 1e-9)
        fail_msg("chose tau=%g with %g, but tau=%g gives %g", got.tau_s, got.speedup, best.tau_s, best.speedup);
}

static void the_choice_is_the_best_of_all_candidates(void **state)
{
    (void)state;
    for (uint64_t which = 0; which < 60; which++) {
        gdc_profile *p = random_profile(2 + (int)(which % 6), 4, 1 + (int)(which % 5), which % 3 == 0, 100 + which);
        double overhead = which % 2 ? .7 : 0, full = by_definition(p, INFINITY, GDC_CHECK_PIECE, 0).full_s;
        gdc_profile_set_wall(p, overhead > 0 ? 4 * (full + overhead) : 0);
        check_choice(p, GDC_CHECK_PIECE, overhead);
        check_choice(p, GDC_CHECK_POLL, overhead);
        gdc_profile_destroy(p);
    }
}

/* With more cells than candidates the choice is still nearly the best of a fine sweep. */
static void quantiles_lose_little(void **state)
{
    (void)state;
    gdc_profile *p = random_profile(16, 20, 6, 0, 7);
    for (int check = 0; check < 2; check++) {
        gdc_threshold got, best = {.speedup = 0};
        assert_int_equal(gdc_profile_choose(p, (gdc_check)check, 0, &got), GDC_OK);
        for (double tau = .2; tau < 20; tau += .01) {
            gdc_threshold one = by_definition(p, tau, (gdc_check)check, 0);
            if (one.kept >= 1. / 6 && one.speedup > best.speedup)
                best = one;
        }
        assert_true(got.speedup > .99 * best.speedup && best.speedup > 1.05);
    }
    gdc_profile_destroy(p);
}

static void equal_times_leave_nothing_to_gain(void **state)
{
    (void)state;
    gdc_profile *p = open_profile(3, 2, 4);
    gdc_threshold got;
    for (int j = 0; j < 24; j++)
        gdc_profile_set(p, j / 12, j / 4 % 3, j % 4, 1);
    assert_int_equal(gdc_profile_choose(p, GDC_CHECK_PIECE, 0, &got), GDC_OK);
    assert_true(got.tau_s == 4 && got.kept == 1 && got.speedup == 1);
    gdc_profile_destroy(p);
}

static void no_time_at_all_drops_nothing(void **state)
{
    (void)state;
    gdc_profile *p = open_profile(3, 2, 4);
    gdc_threshold got;
    for (int check = 0; check < 2; check++) {
        assert_int_equal(gdc_profile_choose(p, (gdc_check)check, 0, &got), GDC_OK);
        assert_true(isinf(got.tau_s) && got.kept == 1 && got.speedup == 1);
    }
    gdc_profile_destroy(p);
}

/* What is not computation is spent in every round: the more of it, the less is dropped. */
static void overhead_is_what_remains_of_the_wall_time(void **state)
{
    (void)state;
    gdc_profile *p = open_profile(2, 2, 1);
    gdc_profile_set(p, 0, 0, 0, 1);
    gdc_profile_set(p, 0, 1, 0, 3);
    gdc_profile_set(p, 1, 0, 0, 5);
    gdc_profile_set(p, 1, 1, 0, 2);
    assert_true(gdc_profile_overhead(p) == 0);
    gdc_profile_set_wall(p, 10);
    assert_true(gdc_profile_overhead(p) == 1);
    gdc_profile_set_wall(p, 7.5);
    assert_true(gdc_profile_overhead(p) == 0);
    assert_true(gdc_profile_mean(p) == 11. / 4);
    assert_true(fabs(gdc_profile_deviation(p) - sqrt(8.75 / 3)) < 1e-12);
    gdc_profile_destroy(p);
}

/* Each rank fills its own worker's slice and worker 0 the wall time; the sum of the raw tables is the table. */
static void slices_add_up_to_the_same_choice(void **state)
{
    enum { N = 5, I = 6, M = 4 };
    (void)state;
    gdc_profile *whole = random_profile(N, I, M, 0, 9), *sum = open_profile(N, I, M);
    size_t count, same;
    gdc_profile_set_wall(whole, 77);
    double *total = gdc_profile_raw(sum, &count);
    assert_int_equal(count, N * I * M + 1);
    for (int w = 0; w < N; w++) {
        gdc_profile *slice = open_profile(N, I, M);
        for (int j = 0; j < I * M; j++)
            gdc_profile_set(slice, j / M, w, j % M, gdc_profile_get(whole, j / M, w, j % M));
        gdc_profile_set_wall(slice, w == 0 ? 77 : 0);
        const double *part = gdc_profile_raw(slice, &same);
        for (size_t j = 0; j < count; j++)
            total[j] += part[j];
        gdc_profile_destroy(slice);
    }
    assert_memory_equal(total, gdc_profile_raw(whole, &same), count * sizeof *total);
    for (int check = 0; check < 2; check++) {
        gdc_threshold a, b;
        assert_int_equal(gdc_profile_choose(whole, (gdc_check)check, 0, &a), GDC_OK);
        assert_int_equal(gdc_profile_choose(sum, (gdc_check)check, 0, &b), GDC_OK);
        assert_memory_equal(&a, &b, sizeof a);
    }
    gdc_profile_destroy(whole);
    gdc_profile_destroy(sum);
}

/* Micro-batches per worker within tau, rounds joined one after the other, by the definition. */
static double kept_of(const gdc_profile *p, double tau, int most)
{
    int n = gdc_profile_workers(p), rounds = gdc_profile_rounds(p), M = gdc_profile_pieces(p);
    double sum = 0;
    for (int i = 0; i < rounds; i++)
        for (int w = 0; w < n; w++) {
            double acc = 0;
            int kept = 1;
            for (int m = 0; m + 1 < most; m++) {
                acc += gdc_profile_get(p, (i + m / M) % rounds, w, m % M);
                kept += acc <= tau;
            }
            sum += kept;
        }
    return sum / (rounds * n);
}

static void a_larger_batch_makes_up_for_what_is_dropped(void **state)
{
    (void)state;
    for (uint64_t which = 0; which < 20; which++) {
        gdc_profile *p = random_profile(5, 10, 6, 0, 200 + which);
        gdc_threshold t, fixed;
        int most = 0, same = 0;
        assert_int_equal(gdc_profile_judge(p, 3 + .2 * (double)which, GDC_CHECK_PIECE, &t), GDC_OK);
        double kept = t.kept, tau = t.tau_s;
        fixed = t;
        gdc_profile_enlarge(p, GDC_CHECK_PIECE, 1, &fixed, &same);
        gdc_profile_enlarge(p, GDC_CHECK_PIECE, 0, &t, &most);
        assert_true(most == same && most == (int)fmin(24, ceil(6 / kept - 1e-9)));
        assert_true(fixed.tau_s == tau && fabs(fixed.kept - kept_of(p, tau, most) / 6) < 1e-12);
        assert_true(t.kept >= 1 && fabs(t.kept - kept_of(p, t.tau_s, most) / 6) < 1e-12);
        assert_true(t.tau_s == tau || kept_of(p, t.tau_s * (1 - 1e-9), most) < 6);
        gdc_profile_destroy(p);
    }
}

static void a_batch_grows_to_four_times_at_most(void **state)
{
    (void)state;
    gdc_profile *p = random_profile(5, 4, 6, 0, 300);
    gdc_threshold t;
    int most = 0;
    assert_int_equal(gdc_profile_judge(p, 1e-3, GDC_CHECK_POLL, &t), GDC_OK);
    assert_true(t.kept == 0);
    gdc_profile_enlarge(p, GDC_CHECK_POLL, 1, &t, &most);
    assert_true(most == 24 && t.tau_s == 1e-3);
    assert_int_equal(gdc_profile_judge(p, INFINITY, GDC_CHECK_POLL, &t), GDC_OK);
    gdc_profile_enlarge(p, GDC_CHECK_POLL, 0, &t, &most);
    assert_true(most == 6 && isinf(t.tau_s) && t.kept == 1);
    gdc_profile_destroy(p);
}

static void bad_values_are_refused(void **state)
{
    gdc_profile *p = NULL;
    gdc_threshold got = {.tau_s = 5};
    (void)state;
    assert_int_equal(gdc_profile_create(0, 1, 1, &p), GDC_EINVAL);
    assert_int_equal(gdc_profile_create(1, 1, 0, &p), GDC_EINVAL);
    assert_int_equal(gdc_profile_create(100000, 1000, 1000, &p), GDC_EINVAL);
    assert_null(p);
    p = open_profile(2, 1, 2);
    assert_int_equal(gdc_profile_judge(p, -1, GDC_CHECK_PIECE, &got), GDC_EINVAL);
    assert_int_equal(gdc_profile_judge(p, NAN, GDC_CHECK_PIECE, &got), GDC_EINVAL);
    gdc_profile_set(p, 0, 1, 1, NAN);
    assert_int_equal(gdc_profile_choose(p, GDC_CHECK_PIECE, 0, &got), GDC_ENUMERIC);
    assert_non_null(strstr(gdc_last_error(), "worker 1"));
    gdc_profile_set(p, 0, 1, 1, -1);
    assert_int_equal(gdc_profile_choose(p, GDC_CHECK_POLL, 0, &got), GDC_ENUMERIC);
    assert_true(got.tau_s == 5);
    gdc_profile_destroy(p);
    gdc_profile_destroy(NULL);
}

/* The paper's simulated delay: each micro-batch takes mu (1 + min(Z/(2 e^4.5), 5.5)), Z ~ LogNormal(4, 1). */
static void the_papers_delay_has_its_mean_and_deviation(void **state)
{
    const char *spec = "lognormal:mu=1";
    gdc_delay *delay;
    (void)state;
    assert_int_equal(gdc_delay_create(&spec, 1, seed, 500, 20, &delay), GDC_OK);
    gdc_profile *p = open_profile(500, 20, 20);
    for (int i = 0; i < 20; i++)
        for (int w = 0; w < 500; w++)
            for (int m = 0; m < 20; m++)
                gdc_profile_set(p, i, w, m, gdc_delay_draw(delay, w, (uint64_t)i + 1, (uint64_t)m));
    assert_true(fabs(gdc_profile_mean(p) - 1.495) < .006);
    assert_true(fabs(gdc_profile_deviation(p) - .603) < .012);
    gdc_profile_destroy(p);
    gdc_delay_destroy(delay);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(judging_follows_the_definition),
        cmocka_unit_test(the_choice_is_the_best_of_all_candidates),
        cmocka_unit_test(quantiles_lose_little),
        cmocka_unit_test(equal_times_leave_nothing_to_gain),
        cmocka_unit_test(no_time_at_all_drops_nothing),
        cmocka_unit_test(overhead_is_what_remains_of_the_wall_time),
        cmocka_unit_test(slices_add_up_to_the_same_choice),
        cmocka_unit_test(a_larger_batch_makes_up_for_what_is_dropped),
        cmocka_unit_test(a_batch_grows_to_four_times_at_most),
        cmocka_unit_test(bad_values_are_refused),
        cmocka_unit_test(the_papers_delay_has_its_mean_and_deviation),
    };
    const char *given = getenv("GDC_TEST_SEED");
    seed = given ? strtoull(given, NULL, 10) : seed;
    print_message("seed %llu\n", (unsigned long long)seed);
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_quality.c - tolerance, amplification and recoverable shares against brute force over all straggler
 * sets. SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gradcode/round.h"
#include "plan/early.h"
#include "plan/plan.h"
#include "plan/quality.h"
#include "support/brute.h"
#include "support/every_plan.h"
#include "support/exactness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 8, MOST_ROWS = MOST * 2 * MOST, ALL_SETS = 100000 };

typedef struct counts {
    int tried[MOST + 1], decoded[MOST + 1];
} counts;

static int members(int set)
{
    int count = 0;
    for (; set != 0; set &= set - 1)
        count++;
    return count;
}

static counts count_by_brute_force(const gdc_plan *plan)
{
    counts c = {{0}, {0}};
    brute *book = brute_create(plan);
    for (int set = 0; set < 1 << plan->workers; set++) {
        unsigned char given[MOST_ROWS] = {0};
        for (int w = 0; w < plan->workers; w++)
            memset(given + plan->row_at[w], (set >> w & 1) == 0, (size_t)(plan->row_at[w + 1] - plan->row_at[w]));
        c.tried[members(set)]++;
        c.decoded[members(set)] += brute_spans(book, given);
    }
    brute_destroy(book);
    return c;
}

static void check_quality(const char *spec, const gdc_plan *plan, void *context)
{
    (void)context;
    gdc_quality quality;
    counts c = count_by_brute_force(plan);
    int tolerance = 0;
    while (c.decoded[tolerance + 1] == c.tried[tolerance + 1])
        tolerance++;
    assert_int_equal(gdc_plan_quality(plan, ALL_SETS, 1, &quality), GDC_OK);
    assert_int_equal(quality.exhaustive, 1);
    assert_int_equal(quality.sizes, plan->workers + 1);
    if (quality.tolerance != tolerance)
        fail_msg("%s: tolerance %d, by brute force %d", spec, quality.tolerance, tolerance);
    for (int j = 0; j <= plan->workers; j++)
        assert_true(quality.recoverable[j] == (double)c.decoded[j] / c.tried[j]);
    assert_true(quality.median <= quality.worst && quality.median >= 1 - 1e-12);
}

static void agrees_with_brute_force_for_every_plan(void **state)
{
    (void)state;
    assert_true(for_every_plan(MOST, check_quality, NULL) > 250);
}

/* Workers 0 and 1 send one half each, 2 sends (1, 10) and 3 sends (1, 9): without {0, 1} the weights are
 * 10-fold. */
static gdc_plan *touchy_plan(void)
{
    const gdc_term rows[4][2] = {{{{0, 1}, 1}}, {{{1, 1}, 1}}, {{{0, 1}, 1}, {{1, 1}, 10}}, {{{0, 1}, 1}, {{1, 1}, 9}}};
    const int terms[] = {1, 1, 2, 2};
    gdc_plan_writer *writer;
    gdc_plan *plan = NULL;
    assert_int_equal(gdc_plan_writer_create(4, 2, &writer), GDC_OK);
    for (int w = 0; w < 4; w++) {
        gdc_plan_add_leg(writer, (gdc_span){0, 2}, false);
        gdc_plan_add_row(writer, 2, terms[w], rows[w]);
        gdc_plan_end_worker(writer);
    }
    assert_int_equal(gdc_plan_writer_finish(writer, &plan), GDC_OK);
    return plan;
}

static void finds_the_worst_straggler_set(void **state)
{
    (void)state;
    gdc_plan *plan = touchy_plan();
    gdc_quality quality;
    double worst;
    assert_int_equal(gdc_plan_quality(plan, ALL_SETS, 1, &quality), GDC_OK);
    assert_int_equal(quality.tolerance, 2);
    assert_true(fabs(quality.worst - 89) < 1e-9); /* -8 (1, 10) + 9 (1, 9) = (1, 1): (8 * 11 + 9 * 10) / 2 */
    assert_int_equal(gdc_plan_worst(plan, 2, ALL_SETS, 1, INFINITY, &worst, NULL), GDC_OK);
    assert_true(worst == quality.worst);
    assert_int_equal(gdc_plan_worst(plan, 3, ALL_SETS, 1, INFINITY, &worst, NULL), GDC_OK);
    assert_true(isinf(worst));
    gdc_plan_destroy(plan);
}

static void samples_where_there_are_too_many_sets_and_says_so(void **state)
{
    (void)state;
    uint64_t seed = exactness_seed(9);
    gdc_plan *plan = NULL;
    gdc_quality sampled, again, all;
    assert_int_equal(gdc_plan_create("fractional:load=3", 12, 12, 1, &plan), GDC_OK);
    assert_int_equal(gdc_plan_quality(plan, ALL_SETS, seed, &all), GDC_OK);
    assert_int_equal(gdc_plan_quality(plan, 200, seed, &sampled), GDC_OK);
    assert_int_equal(gdc_plan_quality(plan, 200, seed, &again), GDC_OK);
    assert_memory_equal(&sampled, &again, sizeof sampled);
    assert_int_equal(all.exhaustive, 1);
    assert_int_equal(sampled.exhaustive, 0); /* C(12, 3) = 220 > 200 */
    for (int j = 0; j <= 12; j++)            /* 4.5 standard errors of 200 draws */
        assert_true(fabs(sampled.recoverable[j] - all.recoverable[j]) <= 0.16);
    assert_true(sampled.recoverable[5] != all.recoverable[5]);
    gdc_plan_destroy(plan);
}

/* 4 of 1,000 workers hold a partition: a sample of their sets will never meet all 4 as stragglers. */
static void samples_never_claim_more_than_the_least_covered_partition_allows(void **state)
{
    (void)state;
    gdc_plan *plan = NULL;
    gdc_quality quality;
    assert_int_equal(gdc_plan_create("fractional:load=4", 1000, 2000, 1, &plan), GDC_OK);
    assert_int_equal(gdc_plan_quality(plan, 10, 1, &quality), GDC_OK);
    assert_int_equal(quality.tolerance, 3);
    assert_int_equal(quality.exhaustive, 0);
    assert_int_equal(quality.sizes, GDC_QUALITY_MAX);
    assert_true(quality.recoverable[4] == 1 && quality.worst == 1);
    gdc_plan_destroy(plan);
}

/* One message per worker: a round of a cyclic code ends with exactly the tolerated stragglers. */
static void rounds_of_single_messages_end_within_the_tolerance(void **state)
{
    (void)state;
    gdc_plan *plan = NULL;
    gdc_quality quality;
    assert_int_equal(gdc_plan_create("cyclic:load=3", 8, 8, 1, &plan), GDC_OK);
    assert_int_equal(gdc_plan_quality(plan, ALL_SETS, 1, &quality), GDC_OK);
    assert_true(quality.early_worst <= quality.worst * (1 + 1e-12));
    assert_true(quality.early_worst > quality.worst * (1 - 1e-12)); /* 1,000 orders meet each of the 28 sets */
    assert_true(quality.early_median >= 1 && quality.early_median < quality.early_worst);
    gdc_plan_destroy(plan);
}

/* Orders that barely suffice together: far worse than any straggler set within the tolerance. */
static void rounds_of_mixed_orders_amplify_more_than_straggler_sets(void **state)
{
    (void)state;
    gdc_plan *plan = NULL;
    gdc_quality quality;
    unsigned char given[40];
    double worst, median;
    assert_int_equal(gdc_plan_create("mmc:load=4,orders=3+4", 20, 20, 1, &plan), GDC_OK);
    assert_int_equal(gdc_plan_quality(plan, 1000, 1, &quality), GDC_OK);
    assert_true(quality.early_worst > 10 * quality.worst);
    assert_int_equal(gdc_plan_early(plan, 1000, 1, &worst, &median, given), GDC_OK);
    assert_true(worst == quality.early_worst && median == quality.early_median);
    brute *book = brute_create(plan);
    assert_true(brute_spans(book, given));
    brute_destroy(book);
    gdc_plan_destroy(plan);
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The same law as that of real rounds, whose workers are fresh and take T exponential seconds for each piece. */
static void seeded_arrival_orders_are_those_of_rounds(void **state)
{
    enum { ROUNDS = 2000 };
    static double amplification[ROUNDS];
    const char *spec = "exp:mean=1,per=round";
    gdc_options options;
    gdc_engine *engine;
    gdc_delay *delay;
    double worst, median;
    (void)state;
    gdc_options_init(&options);
    options.strategy = "gc:code=mmc,load=3,clusters=2,orders=1+3";
    options.poll_s = 0;
    assert_int_equal(gdc_delay_create(&spec, 1, 1, 16, 1, &delay), GDC_OK);
    options.delay = delay;
    assert_int_equal(gdc_open_virtual(&options, 16, NULL, NULL, &engine), GDC_OK);
    for (int r = 0; r < ROUNDS; r++) {
        gdc_round round = {.size = sizeof round};
        assert_int_equal(gdc_gradient(engine, NULL, NULL, &round), GDC_OK);
        amplification[r] = round.amplification;
    }
    qsort(amplification, ROUNDS, sizeof *amplification, ascending);
    assert_int_equal(gdc_plan_early(gdc_engine_plan(engine), ROUNDS, 1, &worst, &median, NULL), GDC_OK);
    print_message("median of rounds %.4g, of arrival orders %.4g\n", amplification[ROUNDS / 2], median);
    assert_true(fabs(median / amplification[ROUNDS / 2] - 1) < 0.03);
    gdc_close(engine, NULL);
    gdc_delay_destroy(delay);
}

static void a_plan_that_cannot_decode_at_all_has_tolerance_minus_1(void **state)
{
    (void)state;
    gdc_plan_writer *writer;
    gdc_plan *plan = NULL;
    gdc_quality quality;
    assert_int_equal(gdc_plan_writer_create(1, 2, &writer), GDC_OK);
    gdc_plan_add_leg(writer, (gdc_span){0, 2}, false);
    gdc_plan_add_row(writer, 2, 2, (const gdc_term[]){{{0, 1}, 1}, {{1, 1}, 2}});
    gdc_plan_end_worker(writer);
    assert_int_equal(gdc_plan_writer_finish(writer, &plan), GDC_OK);
    assert_int_equal(gdc_plan_quality(plan, 10, 1, &quality), GDC_OK);
    assert_int_equal(quality.tolerance, -1);
    assert_int_equal(quality.exhaustive, 1);
    assert_true(isnan(quality.worst) && isnan(quality.median));
    assert_true(isnan(quality.early_worst) && isnan(quality.early_median));
    assert_true(quality.recoverable[0] == 0 && quality.recoverable[1] == 0);
    gdc_plan_destroy(plan);
}

/* ---- what approximate decoding leaves ---- */

/* C(n - c, m)/C(n, m): nobody of a group of c is among the m that answered. */
static double share_missing(int n, int c, int m)
{
    double share = 1;
    for (int i = 0; i < c; i++)
        share *= (double)(n - m - i) / (n - i);
    return share;
}

static void optimal_decoding_of_groups_leaves_those_without_an_answer(void **state)
{
    (void)state;
    gdc_plan *plan = NULL;
    double optimal[13], fixed[13];
    assert_int_equal(gdc_plan_create("erasurehead:load=3", 12, 24, 1, &plan), GDC_OK);
    assert_int_equal(gdc_plan_residual(plan, ALL_SETS, 1, 13, optimal, fixed), GDC_OK);
    for (int j = 0; j <= 12; j++)
        assert_true(fabs(optimal[j] * optimal[j] - share_missing(12, 3, 12 - j)) < 1e-12);
    gdc_plan_destroy(plan);
}

/* A partition enters with X/(c q), X of its c holders being among the m = q n that answered: a hypergeometric law. */
static void fixed_weights_leave_the_variance_of_who_answers(void **state)
{
    static const struct {
        const char *spec;
        int load;
    } cases[] = {{"graph:degree=4", 4}, {"stochastic:load=3", 3}, {"erasurehead:load=2", 2}, {"circulant:load=2", 2}};
    enum { N = 10 };
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        gdc_plan *plan = NULL;
        double optimal[N + 1], fixed[N + 1];
        assert_int_equal(gdc_plan_create(cases[c].spec, N, N, 1, &plan), GDC_OK);
        assert_int_equal(gdc_plan_residual(plan, ALL_SETS, 1, N + 1, optimal, fixed), GDC_OK);
        for (int j = 0; j < N; j++) {
            double q = (double)(N - j) / N, variance = (1 - q) / (cases[c].load * q) * (N - cases[c].load) / (N - 1);
            assert_true(fabs(fixed[j] * fixed[j] - variance) < 1e-12);
            assert_true(optimal[j] <= fixed[j] + 1e-12);
            assert_true(j == 0 || optimal[j] >= optimal[j - 1]);
        }
        assert_true(optimal[N] == 1 && fixed[N] == 1);
        gdc_plan_destroy(plan);
    }
}

static void codes_that_weight_partitions_unevenly_have_no_fixed_weights(void **state)
{
    (void)state;
    gdc_plan *plan = NULL;
    double optimal[3], fixed[3];
    assert_int_equal(gdc_plan_create("cyclic:load=3", 8, 8, 1, &plan), GDC_OK);
    assert_int_equal(gdc_plan_residual(plan, ALL_SETS, 1, 3, optimal, fixed), GDC_OK);
    for (int j = 0; j < 3; j++)
        assert_true(optimal[j] == 0 && isnan(fixed[j]));
    gdc_plan_destroy(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_brute_force_for_every_plan),
        cmocka_unit_test(finds_the_worst_straggler_set),
        cmocka_unit_test(samples_where_there_are_too_many_sets_and_says_so),
        cmocka_unit_test(samples_never_claim_more_than_the_least_covered_partition_allows),
        cmocka_unit_test(rounds_of_single_messages_end_within_the_tolerance),
        cmocka_unit_test(rounds_of_mixed_orders_amplify_more_than_straggler_sets),
        cmocka_unit_test(seeded_arrival_orders_are_those_of_rounds),
        cmocka_unit_test(a_plan_that_cannot_decode_at_all_has_tolerance_minus_1),
        cmocka_unit_test(optimal_decoding_of_groups_leaves_those_without_an_answer),
        cmocka_unit_test(fixed_weights_leave_the_variance_of_who_answers),
        cmocka_unit_test(codes_that_weight_partitions_unevenly_have_no_fixed_weights),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

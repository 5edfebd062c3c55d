/* test_place.c - placements of uncoded: who holds whose shards, in clusters, groups, at spread distances, at random.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "plan/plan.h"
#include "support/exactness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALL_SETS = 100000 };

static const char *const places[] = {"ring", "group", "spread", "random"};
enum { PLACES = sizeof places / sizeof *places };

static gdc_plan *make(const char *spec, int n, int m, uint64_t seed)
{
    gdc_plan *plan = NULL;
    if (gdc_plan_create(spec, n, n * m, seed, &plan) != GDC_OK)
        fail_msg("%s: %s", spec, gdc_last_error());
    return plan;
}

static void refused(const char *spec, int n, const char *sentence)
{
    gdc_plan *plan = NULL;
    assert_int_equal(gdc_plan_create(spec, n, n, 5, &plan), GDC_EINVAL);
    assert_null(plan);
    if (strstr(gdc_last_error(), sentence) == NULL)
        fail_msg("%s: \"%s\" does not say \"%s\"", spec, gdc_last_error(), sentence);
}

/* One partition per shard: the q-th shard that a worker holds. */
static int held(const gdc_plan *plan, int worker, int q)
{
    return gdc_plan_walk(plan, worker, q);
}

/* ---- laws of every placement ---- */

static void check_holders(const gdc_plan *plan, int load)
{
    int n = plan->workers;
    int *holders = calloc((size_t)n, sizeof *holders), *last = calloc((size_t)n, sizeof *last);
    assert_non_null(holders);
    assert_non_null(last);
    for (int w = 0; w < n; w++) {
        assert_int_equal(gdc_plan_held(plan, w), load);
        assert_int_equal(held(plan, w, 0), w);
        for (int q = 0; q < load; q++) {
            int shard = held(plan, w, q);
            assert_true(last[shard] != w + 1); /* nothing twice */
            last[shard] = w + 1;
            holders[shard]++;
        }
    }
    for (int s = 0; s < n; s++)
        assert_int_equal(holders[s], load);
    free(holders);
    free(last);
}

static void own_shard_first_nothing_twice_and_load_holders_for_each(void **state)
{
    (void)state;
    for (int n = 1; n <= 12; n++)
        for (int clusters = 1; clusters <= n; clusters++)
            for (int load = 1; n % clusters == 0 && load <= n / clusters; load++)
                for (int p = 0; p < PLACES; p++)
                    for (int permute = 0; permute <= 1; permute++) {
                        char spec[96];
                        snprintf(spec, sizeof spec, "uncoded:load=%d,clusters=%d,place=%s,permute=%d", load, clusters,
                                 places[p], permute);
                        gdc_plan *plan = make(spec, n, 1, (uint64_t)n);
                        check_holders(plan, load);
                        gdc_plan_destroy(plan);
                    }
}

static int root_of(const int *parent, int i)
{
    while (parent[i] != i)
        i = parent[i];
    return i;
}

/* Workers that hold a shard together, directly or through others, are one cluster at most. */
static void clusters_share_no_shard_and_are_equally_large(void **state)
{
    (void)state;
    enum { N = 12 };
    for (int p = 0; p < PLACES; p++)
        for (int clusters = 1; clusters <= 4; clusters++) {
            char spec[96];
            int parent[N], size[N] = {0};
            snprintf(spec, sizeof spec, "uncoded:load=3,clusters=%d,place=%s", clusters, places[p]);
            gdc_plan *plan = make(spec, N, 1, 3);
            for (int w = 0; w < N; w++)
                parent[w] = w;
            for (int w = 0; w < N; w++)
                for (int q = 1; q < 3; q++)
                    parent[root_of(parent, held(plan, w, q))] = root_of(parent, w);
            for (int w = 0; w < N; w++)
                size[root_of(parent, w)]++;
            for (int w = 0; w < N; w++)
                assert_true(size[w] <= N / clusters);
            gdc_plan_destroy(plan);
        }
}

static void survives_load_minus_1_stragglers_wherever_shards_are(void **state)
{
    (void)state;
    for (int n = 2; n <= 8; n++)
        for (int clusters = 1; clusters <= 2; clusters++)
            for (int load = 1; n % clusters == 0 && load <= n / clusters; load++)
                for (int p = 0; p < PLACES; p++) {
                    char spec[96];
                    gdc_quality quality;
                    snprintf(spec, sizeof spec, "uncoded:load=%d,clusters=%d,place=%s", load, clusters, places[p]);
                    gdc_plan *plan = make(spec, n, 1, 7);
                    assert_int_equal(gdc_plan_quality(plan, ALL_SETS, 1, &quality), GDC_OK);
                    assert_int_equal(quality.exhaustive, 1);
                    assert_int_equal(quality.tolerance, load - 1);
                    assert_true(quality.worst == 1);
                    gdc_plan_destroy(plan);
                }
}

static int place_in_walk(const gdc_plan *plan, int worker, int partition)
{
    for (int i = 0; i < gdc_plan_held(plan, worker); i++)
        if (gdc_plan_walk(plan, worker, i) == partition)
            return i;
    return -1;
}

/* The sum of the positions of a partition in the walks of its two holders. */
static void two_ended_walks_meet_in_the_middle_wherever_shards_are(void **state)
{
    (void)state;
    for (int p = 0; p < PLACES; p++)
        for (int clusters = 1; clusters <= 3; clusters++)
            for (int m = 1; m <= 5; m++) {
                char spec[96];
                snprintf(spec, sizeof spec, "uncoded:load=2,walk=two-ended,place=%s,clusters=%d", places[p], clusters);
                gdc_plan *plan = make(spec, 6, m, 2);
                for (int j = 0; j < 6 * m; j++) {
                    int sum = 0, holders = 0;
                    for (int w = 0; w < 6; w++) {
                        int at = place_in_walk(plan, w, j);
                        sum += at < 0 ? 0 : at;
                        holders += at >= 0;
                    }
                    assert_int_equal(holders, 2);
                    assert_int_equal(sum, 2 * m - 1);
                }
                gdc_plan_destroy(plan);
            }
}

/* ---- each by itself, in order of rank ---- */

static void rings_hold_the_next_shards_of_the_cluster(void **state)
{
    (void)state;
    gdc_plan *plan = make("uncoded:load=3,clusters=2,permute=0", 8, 1, 1);
    for (int w = 0; w < 8; w++)
        for (int q = 0; q < 3; q++)
            assert_int_equal(held(plan, w, q), w / 4 * 4 + (w % 4 + q) % 4);
    gdc_plan_destroy(plan);
}

static void groups_of_load_neighbours_hold_the_same(void **state)
{
    (void)state;
    gdc_plan *plan = make("uncoded:load=4,place=group,permute=0", 12, 1, 1);
    for (int w = 0; w < 12; w++)
        for (int q = 0; q < 4; q++)
            assert_int_equal(held(plan, w, q), w / 4 * 4 + (w % 4 + q) % 4);
    gdc_plan_destroy(plan);
    plan = make("uncoded:load=3,place=group,permute=0", 8, 1, 1); /* two groups of four, rings in themselves */
    for (int w = 0; w < 8; w++)
        for (int q = 0; q < 3; q++)
            assert_int_equal(held(plan, w, q), w / 4 * 4 + (w % 4 + q) % 4);
    gdc_plan_destroy(plan);
}

static void spread_offsets_have_new_differences(void **state)
{
    (void)state;
    static const int offset[] = {0, 1, 3, 7, 12, 20, 30, 44};
    gdc_plan *plan = make("uncoded:load=8,place=spread,permute=0", 64, 1, 1);
    for (int w = 0; w < 64; w++)
        for (int q = 0; q < 8; q++)
            assert_int_equal(held(plan, w, q), (w + offset[q]) % 64);
    gdc_plan_destroy(plan);
    static const int wrapped[] = {0, 1, 3, 7, 2, 4, 5}; /* 12 does not fit: the smallest that are unused */
    plan = make("uncoded:load=7,place=spread,permute=0", 9, 1, 1);
    for (int q = 0; q < 7; q++)
        assert_int_equal(held(plan, 4, q), (4 + wrapped[q]) % 9);
    gdc_plan_destroy(plan);
}

/* No two shards have the same two holders, once there is room. */
static void spread_shares_at_most_one_shard_between_two_workers(void **state)
{
    (void)state;
    gdc_plan *plan = make("uncoded:load=4,place=spread", 24, 1, 9);
    for (int a = 0; a < 24; a++)
        for (int b = 0; b < a; b++) {
            int shared = 0;
            for (int i = 0; i < 4; i++)
                for (int j = 0; j < 4; j++)
                    shared += held(plan, a, i) == held(plan, b, j);
            assert_true(shared <= 1);
        }
    gdc_plan_destroy(plan);
}

static void random_places_follow_the_seed(void **state)
{
    (void)state;
    const char *spec = "uncoded:load=3,place=random,permute=0";
    gdc_plan *a = make(spec, 20, 1, 1), *b = make(spec, 20, 1, 1), *c = make(spec, 20, 1, 2);
    assert_int_equal(gdc_plan_digest(a), gdc_plan_digest(b));
    assert_true(gdc_plan_digest(a) != gdc_plan_digest(c));
    gdc_plan_destroy(a);
    gdc_plan_destroy(b);
    gdc_plan_destroy(c);
}

/* Each of the n - 1 other shards is held second by worker 0 in 1/(n - 1) of the seeds: chi-square with 6 degrees of freedom. */
static void random_places_are_uniform(void **state)
{
    (void)state;
    enum { N = 8, DRAWS = 7000 };
    uint64_t seed = exactness_seed(20260301);
    int count[N] = {0};
    double chi2 = 0;
    for (uint64_t i = 0; i < DRAWS; i++) {
        gdc_plan *plan = make("uncoded:load=2,place=random,permute=0", N, 1, seed + i);
        count[held(plan, 0, 1)]++;
        gdc_plan_destroy(plan);
    }
    assert_int_equal(count[0], 0);
    for (int s = 1; s < N; s++)
        chi2 += (count[s] - 1000.0) * (count[s] - 1000.0) / 1000;
    assert_true(chi2 < 33.1); /* exceeded with probability 1e-5 */
}

static void places_a_thousand_workers(void **state)
{
    (void)state;
    for (int p = 0; p < PLACES; p++) {
        char spec[64];
        snprintf(spec, sizeof spec, "uncoded:load=12,clusters=2,place=%s", places[p]);
        gdc_plan *plan = make(spec, 1000, 1, 4);
        check_holders(plan, 12);
        gdc_plan_destroy(plan);
    }
}

static void refuses_what_does_not_fit(void **state)
{
    (void)state;
    refused("uncoded:clusters=3", 8,
            "uncoded: clusters=3 with 8 workers: want a divisor of 8 (1, 2, 4, 8), nearest is");
    refused("uncoded:clusters=2,load=5", 8, "uncoded: load=5 in clusters of 4 workers: want 1 to 4, nearest is 4");
    refused("uncoded:place=circle", 8, "ring");
    refused("uncoded:clusters=0", 8, "clusters=0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(own_shard_first_nothing_twice_and_load_holders_for_each),
        cmocka_unit_test(clusters_share_no_shard_and_are_equally_large),
        cmocka_unit_test(survives_load_minus_1_stragglers_wherever_shards_are),
        cmocka_unit_test(two_ended_walks_meet_in_the_middle_wherever_shards_are),
        cmocka_unit_test(rings_hold_the_next_shards_of_the_cluster),
        cmocka_unit_test(groups_of_load_neighbours_hold_the_same),
        cmocka_unit_test(spread_offsets_have_new_differences),
        cmocka_unit_test(spread_shares_at_most_one_shard_between_two_workers),
        cmocka_unit_test(random_places_follow_the_seed),
        cmocka_unit_test(random_places_are_uniform),
        cmocka_unit_test(places_a_thousand_workers),
        cmocka_unit_test(refuses_what_does_not_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_graph.c - codes from graphs: the shape of the graphs, and a decode that no least squares can better.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gradcode/draw.h"
#include "plan/code.h"
#include "plan/decoder.h"
#include "plan/regular.h"
#include "support/exactness.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_N = 80, MOST_NODES = 40, LOSS_PURPOSE = 61 };

static gdc_plan *plan_of(const char *spec, int n, int k, uint64_t seed)
{
    gdc_plan *plan = NULL;
    if (gdc_plan_create(spec, n, k, seed, &plan) != GDC_OK)
        fail_msg("%s with %d workers: %s", spec, n, gdc_last_error());
    return plan;
}

/* ---- graphs ---- */

static void check_graph(int nodes, int degree, bool random, uint64_t seed)
{
    int edge[2 * MOST_N], degree_of[MOST_NODES] = {0}, reached[MOST_NODES] = {1}, count = nodes * degree / 2;
    bool joined[MOST_NODES][MOST_NODES] = {{false}};
    assert_int_equal(gdc_regular_graph(nodes, degree, random, seed, edge), GDC_OK);
    for (int e = 0; e < count; e++) {
        int a = edge[2 * e], b = edge[2 * e + 1];
        assert_true(a >= 0 && a < nodes && b >= 0 && b < nodes && a != b);
        assert_false(joined[a][b]);
        joined[a][b] = joined[b][a] = true;
        degree_of[a]++;
        degree_of[b]++;
    }
    for (int pass = 0; pass < nodes; pass++)
        for (int e = 0; e < count; e++)
            reached[edge[2 * e]] = reached[edge[2 * e + 1]] = reached[edge[2 * e]] | reached[edge[2 * e + 1]];
    for (int v = 0; v < nodes; v++) {
        assert_int_equal(degree_of[v], degree);
        assert_true(reached[v]);
    }
}

static void graphs_are_regular_simple_and_connected(void **state)
{
    int tried = 0;
    (void)state;
    for (int nodes = 3; nodes <= 20; nodes++)
        for (int degree = 2; degree < nodes; degree++) {
            if (nodes * degree % 2 == 1 || nodes * degree / 2 > MOST_N)
                continue;
            check_graph(nodes, degree, false, 0);
            for (uint64_t seed = 1; seed <= 5; seed++, tried++)
                check_graph(nodes, degree, true, seed);
        }
    assert_true(tried > 300);
}

/* Of the cubic graphs of 6 nodes 60 are prisms and 10 are K_3,3, the only one without a triangle. */
static void every_graph_is_as_likely_as_any_other(void **state)
{
    enum { DRAWS = 7000 };
    int bipartite = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= DRAWS; seed++) {
        int edge[18], triangles = 0;
        bool joined[6][6] = {{false}};
        assert_int_equal(gdc_regular_graph(6, 3, true, seed, edge), GDC_OK);
        for (int e = 0; e < 9; e++)
            joined[edge[2 * e]][edge[2 * e + 1]] = joined[edge[2 * e + 1]][edge[2 * e]] = true;
        for (int e = 0; e < 9; e++)
            for (int v = 0; v < 6; v++)
                triangles += joined[v][edge[2 * e]] && joined[v][edge[2 * e + 1]];
        bipartite += triangles == 0;
    }
    assert_true(fabs(bipartite - DRAWS / 7.0) < 4 * sqrt(DRAWS * 6 / 49.0));
}

/* ---- rows ---- */

static void every_partition_is_on_degree_workers_that_hold_two_parts(void **state)
{
    static const struct {
        int n, m, degree;
    } cases[] = {{3, 1, 2}, {4, 1, 2}, {7, 3, 2}, {6, 2, 3}, {9, 2, 3}, {10, 1, 4}, {20, 2, 4}, {15, 2, 5}, {21, 1, 6}};
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        int n = cases[c].n, k = n * cases[c].m, degree = cases[c].degree, part = k * degree / (2 * n);
        for (int permute = 0; permute <= 1; permute++) {
            char spec[64];
            snprintf(spec, sizeof spec, "graph:degree=%d,permute=%d", degree, permute);
            gdc_plan *plan = plan_of(spec, n, k, 3);
            for (int w = 0; w < n; w++) {
                const gdc_row *row = gdc_plan_row(plan, w, 0);
                assert_int_equal(gdc_plan_held(plan, w), 2 * part);
                assert_int_equal(gdc_row_support(row), 2 * part);
                assert_int_equal(row->after, 2 * part);
                assert_int_equal(row->term[0].span.first % part, 0);
            }
            for (int p = 0; p < k; p++) {
                double holders = 0;
                for (int w = 0; w < n; w++)
                    holders += gdc_row_coefficient(gdc_plan_row(plan, w, 0), p);
                assert_true(holders == degree);
            }
            gdc_plan_destroy(plan);
        }
    }
}

static void seeds_give_different_graphs(void **state)
{
    (void)state;
    gdc_plan *one = plan_of("graph:degree=4", 20, 20, 1), *other = plan_of("graph:degree=4", 20, 20, 2);
    gdc_plan *again = plan_of("graph:degree=4", 20, 20, 1);
    assert_true(gdc_plan_digest(one) == gdc_plan_digest(again));
    assert_true(gdc_plan_digest(one) != gdc_plan_digest(other));
    gdc_plan_destroy(one);
    gdc_plan_destroy(other);
    gdc_plan_destroy(again);
}

/* ---- decode ---- */

/* The same plan without the code's own weights: its decoder has nothing but least squares. */
typedef struct pair {
    gdc_plan *own, *plain;
    gdc_decoder *fast, *referee;
} pair;

static pair pair_of(const char *spec, int n, int k, uint64_t seed)
{
    pair p = {.own = plan_of(spec, n, k, seed), .plain = plan_of(spec, n, k, seed)};
    p.plain->code = NULL;
    assert_int_equal(gdc_decoder_create(p.own, &p.fast), GDC_OK);
    assert_int_equal(gdc_decoder_create(p.plain, &p.referee), GDC_OK);
    return p;
}

static void free_pair(pair *p)
{
    gdc_decoder_destroy(p->fast);
    gdc_decoder_destroy(p->referee);
    gdc_plan_destroy(p->own);
    gdc_plan_destroy(p->plain);
}

/* What enters of each partition: the same of both; the edge weights may differ. */
static void check_set(pair *p, const bool *alive, double bound)
{
    int n = p->own->workers, k = p->own->partitions;
    double fast[MOST_N], referee[MOST_N], rho[2 * MOST_N], best[2 * MOST_N];
    gdc_decode a = {.size = sizeof a}, b = {.size = sizeof b};
    gdc_decoder_reset(p->fast);
    gdc_decoder_reset(p->referee);
    for (int w = 0; w < n; w++)
        if (alive[w]) {
            gdc_decoder_offer(p->fast, w, 0);
            gdc_decoder_offer(p->referee, w, 0);
        }
    assert_int_equal(gdc_decoder_complete(p->fast), gdc_decoder_complete(p->referee));
    assert_int_equal(gdc_decoder_weights(p->fast, fast, NULL, &a), GDC_OK);
    assert_int_equal(gdc_decoder_weights(p->referee, referee, NULL, &b), GDC_OK);
    exactness_residual(p->own, fast, rho);
    exactness_residual(p->own, referee, best);
    for (int j = 0; j < k; j++)
        if (!(fabs(rho[j] - best[j]) <= bound))
            fail_msg("n=%d: partition %d gets %.17g, by least squares %.17g", n, j, rho[j] + 1, best[j] + 1);
    assert_int_equal(a.missing, b.missing);
    assert_true(fabs(a.residual_rms - b.residual_rms) <= bound);
    for (int w = 0; w < n; w++)
        assert_true(alive[w] || fast[w] == 0);
    if (gdc_decoder_complete(p->fast))
        for (int w = 0; w < n; w++)
            assert_true(fast[w] * 2 == floor(fast[w] * 2));
}

static void no_least_squares_is_better_whoever_is_alive(void **state)
{
    static const struct {
        int n, m, degree;
    } cases[] = {{3, 1, 2}, {4, 1, 2}, {5, 2, 2}, {8, 1, 2}, {6, 2, 3}, {9, 2, 3}, {10, 1, 4}, {12, 1, 4}, {12, 2, 3}};
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (int permute = 0; permute <= 1; permute++) {
            char spec[64];
            int n = cases[c].n;
            snprintf(spec, sizeof spec, "graph:degree=%d,permute=%d", cases[c].degree, permute);
            pair p = pair_of(spec, n, n * cases[c].m, 5);
            for (int set = 0; set < 1 << n; set++) {
                bool alive[MOST_N];
                for (int w = 0; w < n; w++)
                    alive[w] = (set >> w & 1) != 0;
                check_set(&p, alive, 1e-14);
            }
            free_pair(&p);
        }
}

static void draw_alive(uint64_t seed, uint64_t draw, int n, double loss, bool *alive)
{
    for (int w = 0; w < n; w++)
        alive[w] = gdc_draw_uniform((gdc_key){seed, LOSS_PURPOSE, draw, (uint64_t)w, 0}) >= loss;
}

static void nor_with_eighty_workers(void **state)
{
    (void)state;
    uint64_t seed = exactness_seed(20260201);
    pair p = pair_of("graph:degree=4", 80, 80, 1);
    for (uint64_t draw = 0; draw < 300; draw++) {
        bool alive[MOST_N];
        draw_alive(seed, draw, 80, (double)(draw % 10) / 10, alive);
        check_set(&p, alive, 1e-13);
    }
    free_pair(&p);
}

/* ---- how well it does ---- */

typedef struct errors {
    double optimal, fixed; /* mean squared error per node */
} errors;

/* Straight to the code's own weights: the decoder's rank test would take most of the time. */
static errors measure_errors(const gdc_plan *plan, uint64_t seed, int draws, double loss, int degree)
{
    errors e = {0, 0};
    void *prepared;
    int n = plan->workers, nodes = 2 * n / degree, part = plan->partitions / nodes;
    assert_int_equal(plan->code->prepare(plan, &prepared), GDC_OK);
    for (int draw = 0; draw < draws; draw++) {
        bool alive[MOST_N];
        unsigned char accepted[MOST_N];
        double weight[MOST_N], sum[MOST_NODES] = {0}, fixed[MOST_NODES] = {0};
        draw_alive(seed, (uint64_t)draw, n, loss, alive);
        for (int w = 0; w < n; w++)
            accepted[w] = alive[w];
        assert_true(plan->code->weights(plan, prepared, accepted, weight));
        for (int w = 0; w < n; w++) {
            int low = gdc_plan_walk(plan, w, 0) / part, high = gdc_plan_walk(plan, w, 2 * part - 1) / part;
            sum[low] += weight[w];
            sum[high] += weight[w];
            fixed[low] += alive[w] / (degree * (1 - loss));
            fixed[high] += alive[w] / (degree * (1 - loss));
        }
        for (int v = 0; v < nodes; v++) {
            e.optimal += (sum[v] - 1) * (sum[v] - 1) / nodes / draws;
            e.fixed += (fixed[v] - 1) * (fixed[v] - 1) / nodes / draws;
        }
    }
    plan->code->release(prepared);
    return e;
}

static void forty_nodes_lose_as_little_as_published(void **state)
{
    (void)state;
    uint64_t seed = exactness_seed(20260202);
    gdc_plan *plan = plan_of("graph:degree=4", 80, 80, 1);
    errors e = measure_errors(plan, seed, 100000, .2, 4);
    print_message("squared error per node %.3e (published 1.6e-3), with fixed weights %.4f (p/(d(1-p)) = .0625)\n",
                  e.optimal, e.fixed);
    assert_true(e.optimal > 1.45e-3 && e.optimal < 1.75e-3);
    assert_true(fabs(e.fixed - .0625) < .0005);
    gdc_plan_destroy(plan);
}

/* ---- refusals ---- */

static void refuses_degrees_that_make_no_graph(void **state)
{
    static const struct {
        const char *spec;
        int n, k;
        const char *sentence;
    } cases[] = {
        {"graph:degree=5", 12, 12, "degree=5 with 12 workers"},
        {"graph:degree=5", 12, 12, "2, 4; nearest is 4"},
        {"graph:degree=3", 12, 12, "2, 4; nearest is 2"},
        {"graph:degree=3", 10, 20, "2, 4; nearest is 2"},
        {"graph:degree=100", 20, 40, "2, 4, 5; nearest is 5"},
        {"graph:degree=1", 12, 12, "nearest valid value: 2"},
        {"graph", 2, 2, "2 workers: want 3 to"},
        {"graph:load=2", 12, 12, "degree"},
    };
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        gdc_plan *plan = NULL;
        assert_int_equal(gdc_plan_create(cases[c].spec, cases[c].n, cases[c].k, 1, &plan), GDC_EINVAL);
        if (strstr(gdc_last_error(), cases[c].sentence) == NULL)
            fail_msg("\"%s\" does not say \"%s\"", gdc_last_error(), cases[c].sentence);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(graphs_are_regular_simple_and_connected),
        cmocka_unit_test(every_graph_is_as_likely_as_any_other),
        cmocka_unit_test(every_partition_is_on_degree_workers_that_hold_two_parts),
        cmocka_unit_test(seeds_give_different_graphs),
        cmocka_unit_test(no_least_squares_is_better_whoever_is_alive),
        cmocka_unit_test(nor_with_eighty_workers),
        cmocka_unit_test(forty_nodes_lose_as_little_as_published),
        cmocka_unit_test(refuses_degrees_that_make_no_graph),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

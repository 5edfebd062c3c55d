/* test_plan.c - plans: what the writer accepts, tidies and refuses; walks, shards, open rows, digests, bad
 * specs. SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gradcode/spec.h"
#include "plan/plan.h"
#include "support/every_plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the writer ---- */

static gdc_plan_writer *begin(int n, int k)
{
    gdc_plan_writer *writer = NULL;
    assert_int_equal(gdc_plan_writer_create(n, k, &writer), GDC_OK);
    return writer;
}

static void refused(gdc_plan_writer *writer, const char *sentence)
{
    gdc_plan *plan = NULL;
    assert_int_equal(gdc_plan_writer_finish(writer, &plan), GDC_EINVAL);
    assert_null(plan);
    if (strstr(gdc_last_error(), sentence) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", gdc_last_error(), sentence);
}

/* A plan of one worker and 6 partitions, walked 0 1 2 5 4 3, with one row. */
static gdc_plan_writer *with_row(int after, int terms, const gdc_term *term)
{
    gdc_plan_writer *writer = begin(1, 6);
    gdc_plan_add_leg(writer, (gdc_span){0, 3}, false);
    gdc_plan_add_leg(writer, (gdc_span){3, 3}, true);
    gdc_plan_add_row(writer, after, terms, term);
    gdc_plan_end_worker(writer);
    return writer;
}

static void sorts_merges_and_drops_terms(void **state)
{
    (void)state;
    const gdc_term untidy[] = {{{5, 1}, 3}, {{3, 1}, 2}, {{0, 2}, 2}, {{4, 1}, 0}, {{2, 1}, 2}};
    gdc_plan *plan = NULL;
    assert_int_equal(gdc_plan_writer_finish(with_row(6, 5, untidy), &plan), GDC_OK);
    const gdc_row *row = gdc_plan_row(plan, 0, 0);
    assert_int_equal(row->terms, 2);
    assert_true(row->term[0].span.first == 0 && row->term[0].span.count == 4 && row->term[0].coefficient == 2);
    assert_true(row->term[1].span.first == 5 && row->term[1].span.count == 1 && row->term[1].coefficient == 3);
    const double dense[] = {2, 2, 2, 2, 0, 3, 0};
    for (int j = -1; j < 7; j++)
        assert_true(gdc_row_coefficient(row, j) == (j < 0 ? 0 : dense[j]));
    assert_int_equal(gdc_row_support(row), 5);
    assert_true(gdc_row_norm1(row) == 11);
    gdc_plan_destroy(plan);
}

static void accepts_a_row_from_the_moment_its_partitions_are_walked(void **state)
{
    (void)state;
    const struct {
        gdc_span span;
        int due;
    } cases[] = {{{0, 1}, 1}, {{0, 3}, 3}, {{5, 1}, 4}, {{4, 2}, 5}, {{3, 1}, 6}, {{2, 2}, 6}};
    for (int c = 0; c < 6; c++)
        for (int after = 0; after <= 7; after++) {
            gdc_plan *plan = NULL;
            gdc_status status = gdc_plan_writer_finish(with_row(after, 1, &(gdc_term){cases[c].span, 1}), &plan);
            assert_int_equal(status == GDC_OK, after >= cases[c].due && after <= 6);
            gdc_plan_destroy(plan);
        }
}

static void refuses_bad_rows(void **state)
{
    (void)state;
    refused(with_row(6, 0, NULL), "row of zeros");
    refused(with_row(6, 1, &(gdc_term){{0, 2}, 0}), "row of zeros");
    refused(with_row(6, 1, &(gdc_term){{0, 2}, NAN}), "finite");
    refused(with_row(6, 1, &(gdc_term){{0, 2}, INFINITY}), "finite");
    refused(with_row(6, 1, &(gdc_term){{-1, 2}, 1}), "0 to 5");
    refused(with_row(6, 1, &(gdc_term){{5, 2}, 1}), "0 to 5");
    refused(with_row(6, 1, &(gdc_term){{5, 2147483647}, 1}), "0 to 5");
    refused(with_row(6, 1, &(gdc_term){{2, 0}, 1}), "0 to 5");
    refused(with_row(6, 2, (const gdc_term[]){{{0, 3}, 1}, {{2, 2}, 2}}), "partition 2 two coefficients");
}

static void refuses_rows_out_of_order(void **state)
{
    (void)state;
    gdc_plan_writer *writer = begin(1, 2);
    gdc_plan_add_leg(writer, (gdc_span){0, 2}, false);
    gdc_plan_add_row(writer, 2, 1, &(gdc_term){{0, 2}, 1});
    gdc_plan_add_row(writer, 1, 1, &(gdc_term){{0, 1}, 1});
    gdc_plan_end_worker(writer);
    refused(writer, "row 1 of worker 0");
}

static void refuses_bad_walks(void **state)
{
    (void)state;
    const gdc_span twice[][2] = {{{0, 2}, {1, 1}}, {{0, 2}, {0, 2}}, {{1, 1}, {0, 2}}};
    for (int c = 0; c < 3; c++) {
        gdc_plan_writer *writer = begin(1, 4);
        gdc_plan_add_leg(writer, twice[c][0], false);
        gdc_plan_add_leg(writer, twice[c][1], false);
        gdc_plan_end_worker(writer);
        refused(writer, "twice");
    }
    gdc_plan_writer *outside = begin(1, 4);
    gdc_plan_add_leg(outside, (gdc_span){2, 3}, false);
    gdc_plan_end_worker(outside);
    refused(outside, "worker 0 walks 3 partitions from 2");
}

static void refuses_partitions_that_nobody_holds_and_rows_that_are_not_walked(void **state)
{
    (void)state;
    gdc_plan_writer *writer = begin(2, 4);
    gdc_plan_add_leg(writer, (gdc_span){0, 2}, false);
    gdc_plan_end_worker(writer);
    gdc_plan_add_leg(writer, (gdc_span){3, 1}, false);
    gdc_plan_end_worker(writer);
    refused(writer, "no worker holds partition 2");
    writer = begin(2, 4);
    gdc_plan_add_leg(writer, (gdc_span){0, 2}, false);
    gdc_plan_add_row(writer, 2, 1, &(gdc_term){{2, 1}, 1});
    gdc_plan_end_worker(writer);
    refused(writer, "needs others");
}

static void refuses_too_few_and_too_many_workers(void **state)
{
    (void)state;
    gdc_plan_writer *writer = begin(2, 2);
    gdc_plan_add_leg(writer, (gdc_span){0, 2}, false);
    gdc_plan_end_worker(writer);
    refused(writer, "1 workers are written: want all 2");
    writer = begin(1, 1);
    for (int w = 0; w < 2; w++) {
        gdc_plan_add_leg(writer, (gdc_span){0, 1}, false);
        gdc_plan_end_worker(writer);
    }
    refused(writer, "more than 1");
    assert_int_equal(gdc_plan_writer_create(0, 3, &writer), GDC_EINVAL);
    gdc_plan_writer_destroy(NULL);
    gdc_plan_destroy(NULL);
}

/* ---- questions ---- */

static void shards_tile_the_partitions_near_equally(void **state)
{
    (void)state;
    for (int n = 1; n <= 12; n++)
        for (int k = n; k <= 40; k++) {
            int end = 0;
            for (int c = 0; c < n; c++) {
                gdc_span shard = gdc_shard(n, k, c);
                assert_int_equal(shard.first, end);
                assert_true(shard.count == k / n || shard.count == (k + n - 1) / n);
                end += shard.count;
            }
            assert_int_equal(end, k);
        }
    gdc_span last = gdc_shard(100000, 2000000000, 99999);
    assert_true(last.first == 1999980000 && last.count == 20000);
}

/* Walks each worker step by step and counts the rows whose support it has entered and that are not due yet.
 */
static int count_most_open(const gdc_plan *plan, int w)
{
    int most = 0;
    for (int step = 0; step < gdc_plan_held(plan, w); step++) {
        int open = 0;
        for (int r = 0; r < gdc_plan_rows(plan, w); r++) {
            const gdc_row *row = gdc_plan_row(plan, w, r);
            int begun = 0;
            for (int i = 0; i <= step; i++)
                begun |= gdc_row_coefficient(row, gdc_plan_walk(plan, w, i)) != 0;
            open += begun && step < row->after;
        }
        most = open > most ? open : most;
    }
    return most;
}

static void counts_the_rows_that_are_open_at_once(void **state)
{
    (void)state;
    gdc_plan *plan = NULL;
    gdc_plan_writer *writer = begin(1, 6);
    gdc_plan_add_leg(writer, (gdc_span){4, 2}, true);
    gdc_plan_add_leg(writer, (gdc_span){0, 4}, false);
    gdc_plan_add_row(writer, 1, 1, &(gdc_term){{5, 1}, 1});
    gdc_plan_add_row(writer, 3, 2, (const gdc_term[]){{{0, 1}, 2}, {{4, 2}, 1}});
    gdc_plan_add_row(writer, 4, 1, &(gdc_term){{0, 2}, 1});
    gdc_plan_add_row(writer, 6, 1, &(gdc_term){{0, 6}, 1});
    gdc_plan_add_row(writer, 6, 1, &(gdc_term){{2, 2}, 1});
    gdc_plan_end_worker(writer);
    assert_int_equal(gdc_plan_writer_finish(writer, &plan), GDC_OK);
    assert_int_equal(gdc_plan_most_open(plan, 0), 3);
    assert_int_equal(count_most_open(plan, 0), 3);
    gdc_plan_destroy(plan);
}

static void check_walks(const char *spec, const gdc_plan *plan, void *context)
{
    (void)context;
    for (int w = 0; w < plan->workers; w++) {
        bool seen[16] = {false};
        for (int i = 0; i < gdc_plan_held(plan, w); i++) {
            int partition = gdc_plan_walk(plan, w, i);
            if (partition < 0 || partition >= plan->partitions || seen[partition])
                fail_msg("%s: step %d of worker %d is partition %d", spec, i, w, partition);
            seen[partition] = true;
        }
        assert_int_equal(gdc_plan_walk(plan, w, gdc_plan_held(plan, w)), -1);
        assert_int_equal(gdc_plan_walk(plan, w, -1), -1);
        assert_int_equal(gdc_plan_most_open(plan, w), count_most_open(plan, w));
    }
}

static void every_code_walks_each_of_its_partitions_once(void **state)
{
    (void)state;
    assert_true(for_every_plan(8, check_walks, NULL) > 250);
}

static void questions_about_nobody_have_answers(void **state)
{
    (void)state;
    gdc_plan *plan = NULL;
    assert_int_equal(gdc_plan_create("uncoded", 2, 2, 1, &plan), GDC_OK);
    const int nobody[] = {-1, 2, 1 << 30};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(gdc_plan_held(plan, nobody[i]), 0);
        assert_int_equal(gdc_plan_rows(plan, nobody[i]), 0);
        assert_int_equal(gdc_plan_walk(plan, nobody[i], 0), -1);
        assert_int_equal(gdc_plan_most_open(plan, nobody[i]), 0);
        assert_null(gdc_plan_row(plan, nobody[i], 0));
        assert_null(gdc_plan_row(plan, 0, nobody[i]));
    }
    gdc_plan_destroy(plan);
}

/* ---- digests ---- */

/* Two workers hold everything; x[0..8] are all the numbers of the plan. */
static uint64_t digest_of(int n, int k, const int *x, double coefficient, bool backward)
{
    gdc_plan *plan = NULL;
    gdc_plan_writer *writer = begin(n, k);
    for (int w = 0; w < n; w++) {
        gdc_plan_add_leg(writer, (gdc_span){0, x[0]}, backward);
        if (x[0] < k)
            gdc_plan_add_leg(writer, (gdc_span){x[0], k - x[0]}, false);
        gdc_plan_add_row(writer, x[1], 1, &(gdc_term){{x[2], x[3]}, coefficient});
        for (int i = 0; i < x[4] && w == 0; i++)
            gdc_plan_add_row(writer, k, 1, &(gdc_term){{0, 1}, 1});
        gdc_plan_end_worker(writer);
    }
    assert_int_equal(gdc_plan_writer_finish(writer, &plan), GDC_OK);
    uint64_t digest = gdc_plan_digest(plan);
    gdc_plan_destroy(plan);
    return digest;
}

static void digests_differ_when_anything_differs(void **state)
{
    (void)state;
    const int base[] = {3, 3, 0, 2, 0};
    uint64_t digest[] = {
        digest_of(2, 4, base, 1, false),
        digest_of(2, 4, base, 1, true),
        digest_of(2, 4, base, nextafter(1, 2), false),
        digest_of(2, 4, base, -1, false),
        digest_of(3, 4, base, 1, false),
        digest_of(2, 5, base, 1, false),
        digest_of(2, 4, (const int[]){4, 3, 0, 2, 0}, 1, false),
        digest_of(2, 4, (const int[]){3, 4, 0, 2, 0}, 1, false),
        digest_of(2, 4, (const int[]){3, 3, 1, 2, 0}, 1, false),
        digest_of(2, 4, (const int[]){3, 3, 0, 3, 0}, 1, false),
        digest_of(2, 4, (const int[]){3, 3, 0, 2, 1}, 1, false),
        digest_of(2, 4, (const int[]){3, 3, 0, 2, 2}, 1, false),
    };
    for (size_t i = 0; i < sizeof digest / sizeof *digest; i++)
        for (size_t j = 0; j < i; j++)
            assert_true(digest[i] != digest[j]);
    assert_true(digest_of(2, 4, base, 1, false) == digest[0]);
}

static uint64_t digest_of_spec(const char *spec, uint64_t seed)
{
    gdc_plan *plan = NULL;
    assert_int_equal(gdc_plan_create(spec, 8, 16, seed, &plan), GDC_OK);
    uint64_t digest = gdc_plan_digest(plan);
    gdc_plan_destroy(plan);
    return digest;
}

static void equal_specs_and_seeds_give_equal_plans(void **state)
{
    (void)state;
    const char *const specs[] = {"uncoded:load=2",          "fractional",           "cyclic:load=3",
                                 "cyclic:load=3,permute=0", "fractional:permute=0", "uncoded:load=2,walk=two-ended"};
    for (int i = 0; i < 6; i++) {
        assert_true(digest_of_spec(specs[i], 1) == digest_of_spec(specs[i], 1));
        bool drawn = i != 4; /* nothing is random there */
        assert_int_equal(digest_of_spec(specs[i], 1) != digest_of_spec(specs[i], 2), drawn);
        for (int j = 0; j < i; j++)
            assert_true(digest_of_spec(specs[i], 1) != digest_of_spec(specs[j], 1));
    }
}

/* ---- specs ---- */

static void refuses_bad_specs_with_a_sentence(void **state)
{
    (void)state;
    const struct {
        const char *spec;
        int n, k;
        const char *sentence;
    } cases[] = {
        {"bogus", 4, 4, "uncoded, fractional, cyclic"},
        {"cyclic:lode=2", 4, 4, "lode"},
        {"cyclic:load=two", 4, 4, "load"},
        {"cyclic", 4, 6, "a multiple of 4"},
        {"cyclic", 4, 3, "a multiple of 4"},
        {"cyclic", 4, 0, "a multiple of 4"},
        {"cyclic", 0, 4, "0 workers"},
        {"cyclic", -1, -1, "-1 workers"},
        {"", 4, 4, ""},
        {NULL, 4, 4, ""},
        {":load=2", 4, 4, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        gdc_plan *plan = NULL;
        assert_int_equal(gdc_plan_create(cases[i].spec, cases[i].n, cases[i].k, 1, &plan), GDC_EINVAL);
        assert_null(plan);
        if (strstr(gdc_last_error(), cases[i].sentence) == NULL)
            fail_msg("\"%s\" does not say \"%s\"", gdc_last_error(), cases[i].sentence);
    }
}

static void lists_every_code_with_its_options(void **state)
{
    (void)state;
    int count = 0;
    const gdc_option *options;
    const char *help, *name;
    while ((name = gdc_code(count, &options, &help)) != NULL) {
        bool permutes = false;
        assert_true(strlen(name) > 0 && strlen(help) > 0);
        for (; options->key != NULL; options++)
            permutes = permutes || strcmp(options->key, "permute") == 0;
        assert_true(permutes);
        count++;
    }
    assert_true(count >= 3);
    assert_null(gdc_code(-1, NULL, NULL));
    assert_null(gdc_code(count + 5, NULL, NULL));
    assert_string_equal(gdc_code(0, NULL, NULL), "uncoded");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sorts_merges_and_drops_terms),
        cmocka_unit_test(accepts_a_row_from_the_moment_its_partitions_are_walked),
        cmocka_unit_test(refuses_bad_rows),
        cmocka_unit_test(refuses_rows_out_of_order),
        cmocka_unit_test(refuses_bad_walks),
        cmocka_unit_test(refuses_partitions_that_nobody_holds_and_rows_that_are_not_walked),
        cmocka_unit_test(refuses_too_few_and_too_many_workers),
        cmocka_unit_test(shards_tile_the_partitions_near_equally),
        cmocka_unit_test(counts_the_rows_that_are_open_at_once),
        cmocka_unit_test(every_code_walks_each_of_its_partitions_once),
        cmocka_unit_test(questions_about_nobody_have_answers),
        cmocka_unit_test(digests_differ_when_anything_differs),
        cmocka_unit_test(equal_specs_and_seeds_give_equal_plans),
        cmocka_unit_test(refuses_bad_specs_with_a_sentence),
        cmocka_unit_test(lists_every_code_with_its_options),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

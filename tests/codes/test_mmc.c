/* test_mmc.c - clusters and orders: who sends which rows, what suffices, and what mixing orders is worth.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gradcode/decoder.h"
#include "plan/plan.h"
#include "plan/quality.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ALL_SETS = 100000, SEED = 5, MOST = 8 };

static gdc_plan *make_seeded(const char *spec, int n, int m, uint64_t seed)
{
    gdc_plan *plan = NULL;
    if (gdc_plan_create(spec, n, n * m, seed, &plan) != GDC_OK)
        fail_msg("%s: %s", spec, gdc_last_error());
    return plan;
}

static gdc_plan *make(const char *spec, int n, int m)
{
    return make_seeded(spec, n, m, SEED);
}

static gdc_decoder *decoder_of(const gdc_plan *plan)
{
    gdc_decoder *decoder;
    assert_int_equal(gdc_decoder_create(plan, &decoder), GDC_OK);
    return decoder;
}

static int members(int set)
{
    int count = 0;
    for (; set != 0; set &= set - 1)
        count++;
    return count;
}

/* ---- rows ---- */

static void order_m_covers_the_first_m_shards_of_the_walk(void **state)
{
    (void)state;
    enum { N = 12, M = 3, SIZE = 6, LOAD = 4 };
    static const int orders[] = {1, 2, 4};
    gdc_plan *plan = make("mmc:load=4,clusters=2,orders=4+1+2", N, M);
    for (int w = 0; w < N; w++) {
        int cluster = gdc_plan_walk(plan, w, 0) / M / SIZE;
        assert_int_equal(gdc_plan_rows(plan, w), 3);
        assert_int_equal(gdc_plan_held(plan, w), LOAD * M);
        for (int i = 0; i < LOAD * M; i++)
            assert_int_equal(gdc_plan_walk(plan, w, i) / M / SIZE, cluster);
        for (int r = 0; r < 3; r++) {
            const gdc_row *row = gdc_plan_row(plan, w, r);
            assert_int_equal(row->after, orders[r] * M);
            assert_int_equal(gdc_row_support(row), orders[r] * M);
            for (int i = 0; i < LOAD * M; i++) {
                double c = gdc_row_coefficient(row, gdc_plan_walk(plan, w, i));
                assert_int_equal(c != 0, i < orders[r] * M);
                assert_true(c == gdc_row_coefficient(row, gdc_plan_walk(plan, w, i / M * M)));
            }
            assert_true(gdc_row_coefficient(row, gdc_plan_walk(plan, w, 0)) == 1);
        }
    }
    gdc_plan_destroy(plan);
}

static void order_1_is_a_partial_and_order_l_the_sum_of_the_cluster(void **state)
{
    (void)state;
    gdc_plan *plan = make("mmc:load=4,clusters=2,orders=1+4", 8, 2);
    for (int w = 0; w < 8; w++) {
        int cluster = gdc_plan_walk(plan, w, 0) / 8;
        const gdc_row *first = gdc_plan_row(plan, w, 0), *last = gdc_plan_row(plan, w, 1);
        assert_true(first->terms == 1 && first->term[0].span.count == 2 && first->term[0].coefficient == 1);
        assert_true(last->terms == 1 && last->term[0].span.first == 8 * cluster && last->term[0].span.count == 8);
        assert_true(last->term[0].coefficient == 1);
    }
    gdc_plan_destroy(plan);
}

/* Shards are numbered along the ring, so a worker's first one tells its position. */
static void permuting_deals_workers_to_clusters(void **state)
{
    (void)state;
    enum { N = 12 };
    gdc_plan *plain = make("mmc:load=2,clusters=3,permute=0", N, 1), *dealt = make("mmc:load=2,clusters=3", N, 1);
    int seen[N] = {0}, moved = 0;
    for (int w = 0; w < N; w++) {
        int at = gdc_plan_walk(dealt, w, 0);
        assert_int_equal(gdc_plan_walk(plain, w, 0), w);
        assert_int_equal(gdc_plan_walk(dealt, w, 1), gdc_plan_walk(plain, at, 1));
        seen[at]++;
        moved += at / 4 != w / 4;
    }
    for (int i = 0; i < N; i++)
        assert_int_equal(seen[i], 1);
    assert_true(moved > 0);
    gdc_plan_destroy(plain);
    gdc_plan_destroy(dealt);
}

static void orders_may_be_given_in_any_order_and_default_to_the_load(void **state)
{
    (void)state;
    const char *const pairs[][2] = {{"mmc:load=3,orders=1+2+3", "mmc:load=3,orders=3+1+2"},
                                    {"mmc:load=3", "mmc:load=3,orders=3"}};
    for (int i = 0; i < 2; i++) {
        gdc_plan *a = make(pairs[i][0], 6, 1), *b = make(pairs[i][1], 6, 1);
        assert_int_equal(gdc_plan_digest(a), gdc_plan_digest(b));
        gdc_plan_destroy(a);
        gdc_plan_destroy(b);
    }
}

/* ---- what suffices ---- */

/* Do the messages `index` of the workers in the set give the gradient? */
static int decodes(gdc_decoder *decoder, int n, int set, int index)
{
    gdc_decoder_reset(decoder);
    for (int w = 0; w < n; w++)
        if ((set >> w & 1) != 0)
            gdc_decoder_offer(decoder, w, index);
    return gdc_decoder_complete(decoder);
}

static void any_l_minus_m_plus_1_messages_of_order_m_suffice_and_no_fewer(void **state)
{
    (void)state;
    for (int l = 1; l <= MOST; l++)
        for (int m = 1; m <= l; m++) {
            char spec[64];
            snprintf(spec, sizeof spec, m > 1 ? "mmc:load=%d,orders=1+%d" : "mmc:load=%d,orders=1", m, m);
            gdc_plan *plan = make(spec, l, 1);
            gdc_decoder *decoder = decoder_of(plan);
            for (int set = 0; set < 1 << l; set++)
                assert_int_equal(decodes(decoder, l, set, m > 1), members(set) >= l - m + 1);
            gdc_decoder_destroy(decoder);
            gdc_plan_destroy(plan);
        }
}

/* load - 1 in every cluster by itself: over all clusters together load - 1 whichever they are. */
static void survives_load_minus_1_stragglers_in_every_cluster(void **state)
{
    (void)state;
    for (int n = 2; n <= MOST; n++)
        for (int clusters = 1; clusters <= n; clusters++)
            for (int load = 1; n % clusters == 0 && load <= n / clusters; load++) {
                char spec[64];
                gdc_quality quality;
                snprintf(spec, sizeof spec, "mmc:load=%d,clusters=%d", load, clusters);
                gdc_plan *plan = make(spec, n, 1);
                assert_int_equal(gdc_plan_quality(plan, ALL_SETS, 1, &quality), GDC_OK);
                assert_int_equal(quality.exhaustive, 1);
                assert_int_equal(quality.tolerance, load - 1);
                int most = clusters * (load - 1);
                assert_true(quality.recoverable[most] > 0);
                assert_true(most + 1 > n || quality.recoverable[most + 1] == 0);
                gdc_plan_destroy(plan);
            }
}

static double worst_of(const char *spec, uint64_t seed)
{
    double worst;
    gdc_plan *plan = make_seeded(spec, MOST, 1, seed);
    assert_int_equal(gdc_plan_worst(plan, 3, ALL_SETS, 1, INFINITY, &worst, NULL), GDC_OK);
    gdc_plan_destroy(plan);
    return worst;
}

static void the_best_of_20_draws_is_never_worse_than_the_first(void **state)
{
    (void)state;
    int better = 0;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        double first = worst_of("mmc:load=4,tries=1", seed), best = worst_of("mmc:load=4", seed);
        assert_true(best <= first * (1 + 1e-12));
        better += best < first / 2;
    }
    assert_true(better > 4);
}

/* ---- mixing orders: every progress vector of one cluster ---- */

typedef struct shares {
    int all, mixed, apart; /* progress vectors: all; decodable; decodable by messages of one order alone */
} shares;

/* How many messages a worker has sent after it finished so many shards. */
static int sent(const gdc_plan *plan, int worker, int shards)
{
    int count = 0;
    while (count < gdc_plan_rows(plan, worker) && gdc_plan_row(plan, worker, count)->after <= shards)
        count++;
    return count;
}

static int one_order_suffices(const gdc_plan *plan, gdc_decoder *decoder, const int *progress)
{
    for (int index = 0; index < gdc_plan_rows(plan, 0); index++) {
        int set = 0;
        for (int w = 0; w < plan->workers; w++)
            set |= (sent(plan, w, progress[w]) > index) << w;
        if (decodes(decoder, plan->workers, set, index))
            return 1;
    }
    return 0;
}

static int together_suffice(const gdc_plan *plan, gdc_decoder *decoder, const int *progress)
{
    gdc_decoder_reset(decoder);
    for (int w = 0; w < plan->workers; w++)
        for (int i = 0; i < sent(plan, w, progress[w]); i++)
            gdc_decoder_offer(decoder, w, i);
    return gdc_decoder_complete(decoder);
}

static bool advance(int n, int most, int *progress)
{
    for (int w = 0; w < n; w++) {
        if (progress[w]++ < most)
            return true;
        progress[w] = 0;
    }
    return false;
}

static shares count_shares(const char *spec, int l, int load)
{
    gdc_plan *plan = make(spec, l, 1);
    gdc_decoder *decoder = decoder_of(plan);
    shares s = {0};
    int progress[MOST] = {0};
    do {
        s.all++;
        s.mixed += together_suffice(plan, decoder, progress);
        s.apart += one_order_suffices(plan, decoder, progress);
    } while (advance(l, load, progress));
    gdc_decoder_destroy(decoder);
    gdc_plan_destroy(plan);
    return s;
}

/* Progress uniform on {0 .. load}; P(recoverable) to four figures, half a unit of the last and a bit. */
static void expect_shares(const char *spec, int l, int load, double mixed, double apart)
{
    shares s = count_shares(spec, l, load);
    print_message("%-24s l=%d  mixed %d/%d = %.4f  apart %.4f\n", spec, l, s.mixed, s.all, (double)s.mixed / s.all,
                  (double)s.apart / s.all);
    assert_true(fabs((double)s.mixed / s.all - mixed) < 0.000051);
    assert_true(fabs((double)s.apart / s.all - apart) < 0.000051);
}

static void mixing_orders_is_worth_what_enumeration_says(void **state)
{
    (void)state;
    expect_shares("mmc:load=3,orders=3", 4, 3, .2617, .2617);
    expect_shares("mmc:load=3,orders=2+3", 4, 3, .4062, .4062);
    expect_shares("mmc:load=3,orders=1+2+3", 4, 3, .7227, .5117);
    expect_shares("mmc:load=3,orders=2+3", 6, 3, .2686, .1240);
    expect_shares("mmc:load=3,orders=1+2", 4, 3, .6289, .4414);
    expect_shares("mmc:load=3,orders=2+3,tries=1", 6, 3, .2686,
                  .1240); /* the first draws of both orders are independent */
}

static int covers(const gdc_plan *plan, const int *progress)
{
    int covered = 0;
    for (int w = 0; w < plan->workers; w++)
        for (int i = 0; i < progress[w]; i++)
            covered |= 1 << gdc_plan_walk(plan, w, i);
    return covered == (1 << plan->workers) - 1;
}

/* All orders together decode exactly when uncoded messages on the same walk would: when everything is covered. */
static void all_orders_decode_as_early_as_uncoded_messages(void **state)
{
    (void)state;
    for (int l = 2; l <= 6; l++)
        for (int load = 1; load <= l && load <= 4; load++) {
            const char *const orders[] = {"1", "1+2", "1+2+3", "1+2+3+4"};
            char spec[64];
            int progress[MOST] = {0};
            snprintf(spec, sizeof spec, "mmc:load=%d,orders=%s", load, orders[load - 1]);
            gdc_plan *plan = make(spec, l, 1);
            gdc_decoder *decoder = decoder_of(plan);
            do
                assert_int_equal(together_suffice(plan, decoder, progress), covers(plan, progress));
            while (advance(l, load, progress));
            gdc_decoder_destroy(decoder);
            gdc_plan_destroy(plan);
        }
}

/* ---- refusals ---- */

static void refused(const char *spec, const char *sentence)
{
    gdc_plan *plan = NULL;
    assert_int_equal(gdc_plan_create(spec, 12, 12, 1, &plan), GDC_EINVAL);
    assert_null(plan);
    if (strstr(gdc_last_error(), sentence) == NULL)
        fail_msg("%s: \"%s\" does not say \"%s\"", spec, gdc_last_error(), sentence);
}

static void refuses_what_does_not_fit(void **state)
{
    (void)state;
    refused("mmc:clusters=5",
            "mmc: clusters=5 with 12 workers: want a divisor of 12 (1, 2, 3, 4, 6, 12), nearest is 4");
    refused("mmc:clusters=100", "nearest is 12");
    refused("mmc:clusters=0", "clusters=0");
    refused("mmc:clusters=3,load=5", "mmc: load=5 in clusters of 4 workers: want 1 to 4, nearest is 4");
    refused("mmc:load=13", "mmc: load=13 with 12 workers: want 1 to 12, nearest is 12");
    refused("mmc:load=3,orders=2+4", "mmc: orders=4 with load=3: want 1 to 3, nearest is 3");
    refused("mmc:load=3,orders=0", "orders");
    refused("mmc:load=3,orders=2+2", "mmc: orders has 2 twice");
    refused("mmc:walk=forward", "walk");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_m_covers_the_first_m_shards_of_the_walk),
        cmocka_unit_test(order_1_is_a_partial_and_order_l_the_sum_of_the_cluster),
        cmocka_unit_test(permuting_deals_workers_to_clusters),
        cmocka_unit_test(orders_may_be_given_in_any_order_and_default_to_the_load),
        cmocka_unit_test(any_l_minus_m_plus_1_messages_of_order_m_suffice_and_no_fewer),
        cmocka_unit_test(survives_load_minus_1_stragglers_in_every_cluster),
        cmocka_unit_test(the_best_of_20_draws_is_never_worse_than_the_first),
        cmocka_unit_test(mixing_orders_is_worth_what_enumeration_says),
        cmocka_unit_test(all_orders_decode_as_early_as_uncoded_messages),
        cmocka_unit_test(refuses_what_does_not_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

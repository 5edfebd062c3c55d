/* test_one_message.c - laws of every code that sends one message per worker: every set of arrivals, every
 * order. SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gradcode/decoder.h"
#include "gradcode/draw.h"
#include "support/brute.h"
#include "support/every_plan.h"
#include "support/exactness.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 8, SETS = 1 << MOST, MOST_K = 2 * MOST, ALL_ORDERS_TO = 5, SEEDED_ORDERS = 10000, ORDER_PURPOSE = 77 };

typedef struct scene {
    const char *spec;
    const gdc_plan *plan;
    gdc_decoder *decoder;
    int n;
    bool spans[SETS]; /* what brute force says of a set of workers */
    double gradient[MOST_K * EXACTNESS_D];
    bool known[SETS];
    double weight[SETS][MOST]; /* of the first order that accepted this set */
    uint64_t seed;
    int tried; /* plans */
} scene;

static bool sends_once(const gdc_plan *plan)
{
    for (int w = 0; w < plan->workers; w++)
        if (gdc_plan_rows(plan, w) != 1)
            return false;
    return true;
}

static void ask_brute_force(scene *s)
{
    brute *b = brute_create(s->plan);
    for (int set = 0; set < 1 << s->n; set++) {
        unsigned char given[MOST];
        for (int w = 0; w < s->n; w++)
            given[w] = (set >> w & 1) != 0;
        s->spans[set] = brute_spans(b, given);
    }
    brute_destroy(b);
}

static void begin(scene *s, const char *spec, const gdc_plan *plan)
{
    s->spec = spec;
    s->plan = plan;
    s->n = plan->workers;
    s->tried++;
    memset(s->known, 0, sizeof s->known);
    assert_int_equal(gdc_decoder_create(plan, &s->decoder), GDC_OK);
    ask_brute_force(s);
    exactness_gradients(plan->partitions, s->seed, s->gradient);
}

/* ---- what a decode must be ---- */

static void check_exact(const scene *s, int set)
{
    double weight[MOST], sum[EXACTNESS_D], whole = 0;
    gdc_decode decode = {.size = sizeof decode};
    unsigned char missing[MOST_K];
    if (gdc_decoder_weights(s->decoder, weight, missing, &decode) != GDC_OK)
        fail_msg("%s, n=%d, set %#x: %s", s->spec, s->n, (unsigned)set, gdc_last_error());
    for (int w = 0; w < s->n; w++)
        assert_true((set >> w & 1) != 0 || weight[w] == 0);
    exactness_decode(s->plan, weight, EXACTNESS_D, s->gradient, sum);
    double ratio = exactness_ratio(s->plan, weight, EXACTNESS_D, s->gradient, sum, DBL_EPSILON / 2);
    if (!(ratio <= 1))
        fail_msg("%s, n=%d, set %#x: %g times the tolerance", s->spec, s->n, (unsigned)set, ratio);
    if (exactness_is_unit(s->plan)) {
        for (int j = 0; j < s->plan->partitions; j++)
            whole += s->gradient[j * EXACTNESS_D + EXACTNESS_WHOLE];
        assert_true(sum[EXACTNESS_WHOLE] == whole);
    }
    double residual = exactness_residual(s->plan, weight, NULL);
    double amplification = exactness_amplification(s->plan, weight);
    assert_true(residual <= 1e-9);
    assert_true(fabs(decode.residual - residual) <= 16 * DBL_EPSILON * amplification * s->plan->partitions);
    assert_true(fabs(decode.amplification - amplification) <= 1e-12 * amplification);
    assert_int_equal(decode.missing, 0);
    for (int j = 0; j < s->plan->partitions; j++)
        assert_int_equal(missing[j], 0);
}

static void check_inexact(const scene *s, int set)
{
    double weight[MOST], rho[MOST_K], squares = 0;
    gdc_decode decode = {.size = sizeof decode};
    unsigned char missing[MOST_K];
    int flagged = 0;
    if (gdc_decoder_weights(s->decoder, weight, missing, &decode) != GDC_OK)
        fail_msg("%s, n=%d, set %#x: %s", s->spec, s->n, (unsigned)set, gdc_last_error());
    assert_true(exactness_residual(s->plan, weight, rho) > 1e-7);
    for (int j = 0; j < s->plan->partitions; j++) {
        assert_int_equal(missing[j], fabs(rho[j]) > 1e-7);
        flagged += missing[j];
        squares += rho[j] * rho[j];
    }
    assert_true(flagged > 0);
    assert_int_equal(decode.missing, flagged);
    assert_true(fabs(decode.residual_rms - sqrt(squares / s->plan->partitions)) <= 1e-9);
}

/* ---- laws ---- */

static void law_of_sets(const char *spec, const gdc_plan *plan, void *context)
{
    scene *s = context;
    if (!sends_once(plan))
        return;
    begin(s, spec, plan);
    for (int set = 0; set < 1 << s->n; set++) {
        gdc_decoder_reset(s->decoder);
        for (int w = 0; w < s->n; w++)
            if ((set >> w & 1) != 0)
                gdc_decoder_offer(s->decoder, w, 0);
        if (gdc_decoder_complete(s->decoder) != s->spans[set])
            fail_msg("%s, n=%d, set %#x: complete=%d, rank test %d", spec, s->n, (unsigned)set,
                     gdc_decoder_complete(s->decoder), s->spans[set]);
        if (s->spans[set])
            check_exact(s, set);
        else
            check_inexact(s, set);
    }
    gdc_decoder_destroy(s->decoder);
}

static void agrees_with_the_rank_test_on_every_set_of_arrivals(void **state)
{
    (void)state;
    scene s = {.seed = exactness_seed(20260101)};
    for_every_plan(MOST, law_of_sets, &s);
    assert_true(s.tried >= 3 * 36); /* uncoded's with load 1 are among them */
}

/* A refused message made no difference: completion comes exactly when brute force over ALL that was offered
 * says so. */
static void check_order(scene *s, const int *order)
{
    int offered = 0, accepted = 0;
    double weight[MOST];
    gdc_decoder_reset(s->decoder);
    for (int i = 0; i < s->n; i++) {
        int wanted = gdc_decoder_wants(s->decoder, order[i], 0), took = gdc_decoder_offer(s->decoder, order[i], 0);
        assert_int_equal(wanted, took);
        assert_int_equal(gdc_decoder_offer(s->decoder, order[i], 0), 0);
        offered |= 1 << order[i];
        accepted |= took << order[i];
        if (gdc_decoder_complete(s->decoder) != s->spans[offered])
            fail_msg("%s, n=%d, arrival %d (worker %d) of an order: complete=%d, rank test %d", s->spec, s->n, i,
                     order[i], gdc_decoder_complete(s->decoder), s->spans[offered]);
    }
    assert_int_equal(gdc_decoder_weights(s->decoder, weight, NULL, NULL), GDC_OK);
    if (!s->known[accepted])
        memcpy(s->weight[accepted], weight, (size_t)s->n * sizeof *weight);
    s->known[accepted] = true;
    assert_memory_equal(s->weight[accepted], weight, (size_t)s->n * sizeof *weight);
}

static void swap(int *a, int *b)
{
    int kept = *a;
    *a = *b;
    *b = kept;
}

/* The next permutation in lexicographic order; false after the last. */
static bool next_order(int n, int *order)
{
    int i = n - 2, j = n - 1;
    while (i >= 0 && order[i] > order[i + 1])
        i--;
    if (i < 0)
        return false;
    while (order[j] < order[i])
        j--;
    swap(&order[i], &order[j]);
    for (int low = i + 1, high = n - 1; low < high; low++, high--)
        swap(&order[low], &order[high]);
    return true;
}

static void law_of_orders(const char *spec, const gdc_plan *plan, void *context)
{
    scene *s = context;
    if (!sends_once(plan) || plan_is_whole(plan))
        return;
    begin(s, spec, plan);
    int order[MOST] = {0, 1, 2, 3, 4, 5, 6, 7};
    if (s->n <= ALL_ORDERS_TO)
        do
            check_order(s, order);
        while (next_order(s->n, order));
    else
        for (uint64_t i = 0; i < SEEDED_ORDERS; i++) {
            gdc_draw_permutation((gdc_key){s->seed, ORDER_PURPOSE, i, 0, 0}, s->n, order);
            check_order(s, order);
        }
    gdc_decoder_destroy(s->decoder);
}

static void completes_at_the_earliest_arrival_and_gives_the_same_bits_in_any_order(void **state)
{
    (void)state;
    scene s = {.seed = exactness_seed(20260102)};
    for_every_plan(MOST, law_of_orders, &s);
    assert_true(s.tried >= 3 * 36);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_the_rank_test_on_every_set_of_arrivals),
        cmocka_unit_test(completes_at_the_earliest_arrival_and_gives_the_same_bits_in_any_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_dual_decode.c - the structured decode of dual codes: exact for every tolerated loss, and like the generic one.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "plan/decoder.h"
#include "plan/plan.h"
#include "support/dual_plan.h"
#include "support/exactness.h"

#include "gradcode/draw.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 24, MOST_K = 8 * MOST, SEED = 5, SETS_PURPOSE = 91 };

/* ---- decode ---- */

typedef struct scene {
    gdc_plan *plan;
    gdc_decoder *decoder, *generic;
    double gradient[MOST_K * EXACTNESS_D];
    bool agree; /* all solutions are lambda C: both decodes must give the same weights */
} scene;

static void begin(scene *s, gdc_plan *plan, bool agree)
{
    const struct gdc_code_ops *code = plan->code;
    s->plan = plan;
    s->agree = agree;
    assert_int_equal(gdc_decoder_create(plan, &s->decoder), GDC_OK);
    plan->code = NULL; /* the fast path is hidden */
    assert_int_equal(gdc_decoder_create(plan, &s->generic), GDC_OK);
    plan->code = code;
    exactness_gradients(plan->partitions, SEED, s->gradient);
}

static void end(scene *s)
{
    const struct gdc_code_ops *code = s->plan->code;
    gdc_decoder_destroy(s->decoder);
    s->plan->code = NULL;
    gdc_decoder_destroy(s->generic);
    s->plan->code = code;
    gdc_plan_destroy(s->plan);
}

static void decode(gdc_decoder *decoder, const gdc_plan *plan, const unsigned char *straggler, double *weight)
{
    gdc_decoder_reset(decoder);
    for (int w = 0; w < plan->workers; w++)
        if (!straggler[w])
            for (int r = plan->row_at[w]; r < plan->row_at[w + 1]; r++)
                gdc_decoder_take(decoder, r);
    assert_int_equal(gdc_decoder_complete(decoder), 1);
    if (gdc_decoder_weights(decoder, weight, NULL, NULL) != GDC_OK)
        fail_msg("%s", gdc_last_error());
}

static void check_decode(scene *s, const unsigned char *straggler)
{
    const struct gdc_code_ops *code = s->plan->code;
    double weight[MOST], expected[MOST], sum[EXACTNESS_D], size = 0;
    decode(s->decoder, s->plan, straggler, weight);
    s->plan->code = NULL;
    decode(s->generic, s->plan, straggler, expected);
    s->plan->code = code;
    double amplification = exactness_amplification(s->plan, weight);
    assert_true(exactness_residual(s->plan, weight, NULL) <= 1e-11 * fmax(1, amplification));
    assert_true(exactness_residual(s->plan, expected, NULL) <= 1e-11 * fmax(1, amplification));
    exactness_decode(s->plan, weight, EXACTNESS_D, s->gradient, sum);
    assert_true(exactness_ratio(s->plan, weight, EXACTNESS_D, s->gradient, sum, DBL_EPSILON / 2) <= 1);
    for (int i = 0; i < s->plan->row_at[s->plan->workers]; i++)
        size = fmax(size, fabs(expected[i]));
    for (int w = 0; w < s->plan->workers; w++)
        for (int r = s->plan->row_at[w]; r < s->plan->row_at[w + 1]; r++) {
            assert_true(!straggler[w] || weight[r] == 0);
            assert_true(!s->agree || fabs(weight[r] - expected[r]) <= 1e-8 * size);
        }
}

static int members(int set)
{
    int count = 0;
    for (; set != 0; set &= set - 1)
        count++;
    return count;
}

static void check_all_sets(gdc_plan *plan, int load, bool agree)
{
    static scene s;
    begin(&s, plan, agree);
    for (int set = 0; set < 1 << plan->workers; set++) {
        unsigned char straggler[MOST] = {0};
        for (int w = 0; w < plan->workers; w++)
            straggler[w] = (set >> w & 1) != 0;
        if (members(set) < load)
            check_decode(&s, straggler);
    }
    end(&s);
}

static void decodes_every_tolerated_loss_like_least_squares_on_any_placement(void **state)
{
    (void)state;
    for (int n = 2; n <= 8; n++)
        for (int load = 1; load <= n; load++)
            for (int p = 0; p < 4; p++) {
                char items[32];
                snprintf(items, sizeof items, ",place=%s,tries=2", dual_places[p]);
                check_all_sets(make_dual(items, load, n, 1, SEED), load, p != 1 && load < n);
            }
}

static void decodes_every_tolerated_loss_with_unequal_speeds(void **state)
{
    uint64_t seed = exactness_seed(20260302);
    int tried = 0;
    (void)state;
    for (int n = 3; n <= 8; n++)
        for (int load = 2; load < n; load++)
            for (int m = 1; m <= 5; m += 4) {
                char items[64];
                int speed[MOST];
                if (!draw_speeds(seed + (uint64_t)(100 * n + load), n, load, speed, items, sizeof items - 16))
                    continue;
                strcat(items, ",tries=2");
                check_all_sets(make_dual(items, load, n, m, SEED), load, false);
                tried++;
            }
    assert_true(tried > 30);
}

static void decodes_sampled_losses_of_large_plans_like_least_squares(void **state)
{
    static const struct {
        int load;
        const char *items;
        bool agree;
    } plans[] = {{3, ",place=random", true},
                 {6, ",place=ring", true},
                 {5, ",speeds=1+1+2+4+1+1+2+4+1+1+2+4+1+1+2+4+1+1+2+4+1+1+2+4", false}};
    uint64_t seed = exactness_seed(20260303);
    static scene s;
    (void)state;
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) {
        begin(&s, make_dual(plans[i].items, plans[i].load, MOST, 3, SEED), plans[i].agree);
        for (uint64_t set = 0; set < 60; set++) {
            unsigned char straggler[MOST] = {0};
            int order[MOST];
            gdc_draw_permutation((gdc_key){seed, SETS_PURPOSE, i, set, 0}, MOST, order);
            for (int j = 0; j < (int)set % plans[i].load; j++)
                straggler[order[j]] = 1;
            check_decode(&s, straggler);
        }
        end(&s);
    }
}

/* Worker 0 is so slow that it is given nothing: it is not missed, and two others may be. */
static void a_worker_that_owns_nothing_is_not_missed(void **state)
{
    (void)state;
    static scene s;
    gdc_plan *plan = make_dual(",speeds=1+90+90+90+90+90,permute=0", 3, 6, 1, SEED);
    assert_int_equal(gdc_plan_held(plan, 0), 0);
    assert_int_equal(gdc_plan_rows(plan, 0), 0);
    begin(&s, plan, false);
    for (int a = 1; a < 6; a++)
        for (int b = 1; b < 6; b++) {
            unsigned char straggler[MOST] = {1};
            straggler[a] = straggler[b] = 1;
            check_decode(&s, straggler);
        }
    end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decodes_every_tolerated_loss_like_least_squares_on_any_placement),
        cmocka_unit_test(decodes_every_tolerated_loss_with_unequal_speeds),
        cmocka_unit_test(decodes_sampled_losses_of_large_plans_like_least_squares),
        cmocka_unit_test(a_worker_that_owns_nothing_is_not_missed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

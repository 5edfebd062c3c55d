/* test_gilbert.c - workers that turn bad and good again: a Markov chain, though every draw is a pure function of its key.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gradcode/delay.h"
#include "gradcode/draw.h"
#include "straggling/model.h"
#include "support/delay_laws.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

enum { WORKERS = 8, DRAWS = 1000000, VERSIONS = DRAWS / WORKERS };

static uint64_t seed = 1;

static gdc_delay *make(const char *spec, int workers)
{
    return law_delay(LAW_SPECS("none:piece=1", spec), seed, workers, 1);
}

static bool is_bad(const gdc_delay *delay, int worker, uint64_t version)
{
    double duration_s = gdc_delay_draw(delay, worker, version, 0);
    assert_true(duration_s == 1 || duration_s == 5);
    return duration_s == 5;
}

static double share_bad(const char *spec, int workers, uint64_t version)
{
    gdc_delay *delay = make(spec, workers);
    int bad = 0;
    for (int w = 0; w < workers; w++)
        bad += is_bad(delay, w, version);
    gdc_delay_destroy(delay);
    return (double)bad / workers;
}

static void the_chain_starts_and_stays_stationary(void **state)
{
    static const struct chain {
        const char *spec;
        double in, out;
    } chains[] = {{"gilbert", .03, .3}, {"gilbert:in=.2,out=.1", .2, .1}, {"gilbert:in=.01,out=.02", .01, .02}};
    (void)state;
    for (size_t i = 0; i < sizeof chains / sizeof *chains; i++) {
        double bad = chains[i].in / (chains[i].in + chains[i].out), error = sqrt(bad * (1 - bad) / DRAWS);
        law_near("at version 1", share_bad(chains[i].spec, DRAWS, 1), bad, error);
        law_near("at version 2", share_bad(chains[i].spec, DRAWS, 2), bad, error);
        law_near("at version 500", share_bad(chains[i].spec, DRAWS / 10, 500), bad, error * sqrt(10));
    }
}

/* One worker's time in rounds is correlated by 1 - in - out from each to the next. */
static void the_share_over_time_is_that_over_workers(void **state)
{
    const double bad = .03 / .33, memory = 1 - .33;
    double *x = law_draws(make("gilbert:in=.03,out=.3,factor=5", WORKERS), WORKERS, VERSIONS, 1), sum = 0;
    (void)state;
    for (int i = 0; i < DRAWS; i++)
        sum += x[i] == 5;
    law_near("share", sum / DRAWS, bad, sqrt(bad * (1 - bad) / DRAWS * (1 + memory) / (1 - memory)));
    free(x);
}

typedef struct runs {
    double count, sum, squares;
} runs;

/* The lengths of whole runs of each state; the first and the last run of a worker are cut by the ends of the record. */
static void collect_runs(const gdc_delay *delay, int worker, runs of[2])
{
    uint64_t since = 0;
    for (uint64_t v = 2; v <= VERSIONS; v++) {
        bool before = is_bad(delay, worker, v - 1);
        if (is_bad(delay, worker, v) == before)
            continue;
        double length = (double)(v - since);
        of[before].count += since > 0;
        of[before].sum += since > 0 ? length : 0;
        of[before].squares += since > 0 ? length * length : 0;
        since = v;
    }
}

static void check_geometric(const char *what, runs of, double leave)
{
    double mean = of.sum / of.count, variance = of.squares / of.count - mean * mean,
           wide = (1 - leave) / (leave * leave), kurtosis = 9 + leave * leave / (1 - leave);
    law_near(what, mean, 1 / leave, sqrt(wide / of.count));
    law_near(what, variance, wide, wide * sqrt((kurtosis - 1) / of.count));
}

static void runs_are_geometric(void **state)
{
    gdc_delay *delay = make("gilbert:in=.03,out=.3", WORKERS);
    runs of[2] = {{0, 0, 0}, {0, 0, 0}};
    (void)state;
    for (int w = 0; w < WORKERS; w++)
        collect_runs(delay, w, of);
    check_geometric("good runs", of[0], .03);
    check_geometric("bad runs", of[1], .3);
    gdc_delay_destroy(delay);
}

static void a_state_lasts_for_the_round(void **state)
{
    gdc_delay *delay = make("gilbert:in=.3,out=.4,factor=5", WORKERS);
    (void)state;
    for (uint64_t v = 1; v <= 500; v++)
        for (uint64_t q = 1; q < 60; q += 7)
            assert_true(gdc_delay_draw(delay, 4, v, q) == gdc_delay_draw(delay, 4, v, 0));
    gdc_delay_destroy(delay);
}

static void looking_back_gives_what_walking_forward_gives(void **state)
{
    const double in = .05, out = .15;
    gdc_delay *delay = make("gilbert:in=.05,out=.15", WORKERS);
    (void)state;
    for (int w = 0; w < WORKERS; w++) {
        gdc_key key = {seed, UINT64_C(0x64656c6179) << 24 | GDC_DRAWS_GILBERT, (uint64_t)w, 0, 0};
        bool bad = gdc_draw_uniform(key) < in / (in + out);
        for (key.b = 1; key.b <= 3000; key.b++) {
            double u = gdc_draw_uniform(key);
            bad = bad ? u < 1 - out : u < in;
            assert_int_equal(is_bad(delay, w, key.b), bad);
        }
    }
    gdc_delay_destroy(delay);
}

static void a_state_is_the_same_in_any_order(void **state)
{
    gdc_delay *forward = make("gilbert", WORKERS), *backward = make("gilbert", WORKERS);
    bool known[2000];
    (void)state;
    for (int v = 0; v < 2000; v++)
        known[v] = is_bad(forward, v % WORKERS, (uint64_t)v);
    for (int v = 1999; v >= 0; v--)
        assert_int_equal(is_bad(backward, v % WORKERS, (uint64_t)v), known[v]);
    gdc_delay_destroy(forward);
    gdc_delay_destroy(backward);
}

/* A look-back that went to the beginning would not end here. */
static void late_versions_are_as_near_as_early_ones(void **state)
{
    gdc_delay *delay = make("gilbert", 1);
    const double bad = .03 / .33, memory = 1 - .33;
    const uint64_t far = UINT64_MAX - 200000;
    double sum = 0;
    (void)state;
    for (uint64_t i = 0; i < 200000; i++)
        sum += is_bad(delay, 0, far + i);
    law_near("share", sum / 200000, bad, sqrt(bad * (1 - bad) / 200000 * (1 + memory) / (1 - memory)));
    gdc_delay_destroy(delay);
}

/* Nothing is forced within the test: what was drawn before version 1 stays, and looking back ends there. */
static void a_chain_that_hardly_moves_keeps_its_start(void **state)
{
    gdc_delay *delay = make("gilbert:in=1e-12,out=1e-12", 400);
    int bad = 0;
    (void)state;
    for (int w = 0; w < 400; w++) {
        bool first = is_bad(delay, w, 1);
        bad += first;
        assert_true(is_bad(delay, w, 2) == first && is_bad(delay, w, 2000) == first);
    }
    law_near("share", bad / 400., .5, .5 / sqrt(400));
    gdc_delay_destroy(delay);
}

static void the_ends_of_the_range_are_what_they_say(void **state)
{
    (void)state;
    for (uint64_t v = 1; v <= 3; v++) {
        assert_true(share_bad("gilbert:in=1,out=0", 1000, v) == 1);
        assert_true(share_bad("gilbert:in=.2,out=0", 1000, v) == 1);
        assert_true(share_bad("gilbert:in=0,out=1", 1000, v) == 0);
        assert_true(share_bad("gilbert:in=0,out=.2", 1000, v) == 0);
        law_near("without memory", share_bad("gilbert:in=.3,out=.7", DRAWS / 10, v), .3, sqrt(.3 * .7 / (DRAWS / 10)));
    }
}

static void impossible_chains_say_what_would_be_right(void **state)
{
    (void)state;
    LAW_REFUSES(GDC_EINVAL, WORKERS, LAW_SPECS("gilbert:in=.8,out=.3"), "in=0.8", "out=0.3", "in + out of at most 1",
                "nearest valid value: out=0.2)");
    LAW_REFUSES(GDC_EINVAL, WORKERS, LAW_SPECS("gilbert:in=0,out=0"), "in=0", "out=0", "want in + out above 0");
    LAW_REFUSES(GDC_EINVAL, WORKERS, LAW_SPECS("gilbert:in=-.1"), "in=-.1", "nearest valid value: 0");
    LAW_REFUSES(GDC_EINVAL, WORKERS, LAW_SPECS("gilbert:out=1.1"), "out=1.1", "nearest valid value: 1");
    LAW_REFUSES(GDC_EINVAL, WORKERS, LAW_SPECS("gilbert:factor=-1"), "factor=-1", "nearest valid value: 0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_chain_starts_and_stays_stationary),
        cmocka_unit_test(the_share_over_time_is_that_over_workers),
        cmocka_unit_test(runs_are_geometric),
        cmocka_unit_test(a_state_lasts_for_the_round),
        cmocka_unit_test(looking_back_gives_what_walking_forward_gives),
        cmocka_unit_test(a_state_is_the_same_in_any_order),
        cmocka_unit_test(late_versions_are_as_near_as_early_ones),
        cmocka_unit_test(a_chain_that_hardly_moves_keeps_its_start),
        cmocka_unit_test(the_ends_of_the_range_are_what_they_say),
        cmocka_unit_test(impossible_chains_say_what_would_be_right),
    };
    seed = law_seed();
    return cmocka_run_group_tests(tests, NULL, NULL);
}

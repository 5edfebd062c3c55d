/* test_delay_models.c - heavy tails, bursts, spread and stalls against their closed forms; how models draw apart.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gradcode/delay.h"
#include "gradcode/statistics.h"
#include "support/delay_laws.h"

#include <math.h>
#include <stdlib.h>

enum { WORKERS = 8, DRAWS = 1000000 };

static uint64_t seed = 1;

#define MAKE(...) law_delay(LAW_SPECS(__VA_ARGS__), seed, WORKERS, 4)

static double *draws_of(gdc_delay *delay, int pieces)
{
    return law_draws(delay, WORKERS, DRAWS / WORKERS / pieces, pieces);
}

static double normal_below(double z)
{
    return erfc(-z / sqrt(2)) / 2;
}

/* ---- bases ---- */

/* With alpha = 10 the sample variance has a standard error; with alpha = 2 there is only the law itself. */
static void pareto_has_its_moments_where_they_exist(void **state)
{
    const double a = 10, min = .3, mean = a * min / (a - 1), variance = min * min * a / ((a - 1) * (a - 1) * (a - 2)),
                 kurtosis = 3 + 6 * (a * a * a + a * a - 6 * a - 2) / (a * (a - 3) * (a - 4));
    double *x = draws_of(MAKE("pareto:alpha=10,min=.3"), 10);
    (void)state;
    law_moments(x, DRAWS, mean, variance, kurtosis);
    free(x);
}

static void pareto_has_its_quantiles(void **state)
{
    static const double levels[] = {.01, .1, .5, .9, .99, .999, .9999};
    double *x = draws_of(MAKE("pareto:alpha=2,min=.5"), 10);
    (void)state;
    for (int i = 0; i < DRAWS; i++)
        assert_true(x[i] >= .5 && isfinite(x[i]));
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
        law_quantile(x, DRAWS, levels[i], .5 * pow(1 - levels[i], -1. / 2));
    free(x);
}

static void the_heaviest_tail_is_finite(void **state)
{
    gdc_delay *delay = MAKE("pareto:alpha=.1,min=1e9");
    (void)state;
    for (uint64_t v = 1; v <= 100000; v++)
        assert_true(isfinite(gdc_delay_draw(delay, 0, v, 0)));
    gdc_delay_destroy(delay);
}

/* E min(e^(m + N), K)^j */
static double clipped_moment(double m, double most, int j)
{
    double edge = log(most) - m;
    return exp(j * m + j * j / 2.) * normal_below(edge - j) + pow(most, j) * normal_below(-edge);
}

/* What is added, in units of mu: min(Z/(2 e^4.5), 5.5) with Z ~ LogNormal(4, 1). */
static void lognormal_has_its_moments(void **state)
{
    const double m = 4 - 4.5 - log(2), most = 5.5;
    double e[5], *x = draws_of(MAKE("lognormal:mu=1"), 10);
    (void)state;
    for (int j = 1; j <= 4; j++)
        e[j] = clipped_moment(m, most, j);
    double mean = e[1], variance = e[2] - mean * mean,
           fourth = e[4] - 4 * mean * e[3] + 6 * mean * mean * e[2] - 3 * pow(mean, 4);
    law_moments(x, DRAWS, 1 + mean, variance, fourth / (variance * variance));
    for (double z = -3; z <= 2.5; z += .5)
        law_quantile(x, DRAWS, normal_below(z), 1 + exp(m + z));
    free(x);
}

/* The figures printed with the published simulation: mean +0.495, sd .603, P(clip) .0019. */
static void lognormal_has_the_published_figures(void **state)
{
    double *x = draws_of(MAKE("lognormal:mu=.02"), 10), clipped = 0;
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        assert_true(x[i] > .02 && x[i] <= .02 * 6.5);
        clipped += x[i] == .02 * 6.5;
    }
    double last_digit = .0005, mean_error = .603 / sqrt(DRAWS), sd_error = .603 * sqrt(21. / DRAWS) / 2;
    law_near("mean", gdc_mean(x, DRAWS) / .02 - 1, .495, mean_error + last_digit / 4);
    law_near("sd", sqrt(gdc_variance(x, DRAWS)) / .02, .603, sd_error + last_digit / 4);
    law_near("share clipped", clipped / DRAWS, .0019, sqrt(.0019 / DRAWS) + last_digit / 10 / 4);
    free(x);
}

static void per_round_gives_all_pieces_of_a_round_one_draw(void **state)
{
    static const char *const bases[][2] = {{"pareto:alpha=2,min=.5", "pareto:alpha=2,min=.5,per=round"},
                                           {"lognormal:mu=1", "lognormal:mu=1,per=round"}};
    (void)state;
    for (size_t b = 0; b < sizeof bases / sizeof *bases; b++) {
        gdc_delay *piece = MAKE(bases[b][0]), *round = MAKE(bases[b][1]);
        for (uint64_t i = 0; i < 1000; i++) {
            int w = (int)(i % WORKERS);
            double first = gdc_delay_draw(piece, w, i, 0);
            assert_true(gdc_delay_draw(round, w, i, 0) == first && gdc_delay_draw(round, w, i, 7) == first);
            assert_true(gdc_delay_draw(piece, w, i, 7) != first || first == 6.5);
        }
        gdc_delay_destroy(piece);
        gdc_delay_destroy(round);
    }
}

/* ---- modifiers ---- */

static void a_burst_multiplies_with_its_probability(void **state)
{
    const double p = .05;
    double *x = draws_of(MAKE("none:piece=2", "burst"), 1), *rare = draws_of(MAKE("burst:p=.001,factor=3"), 1);
    int hit = 0, rarely = 0;
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        assert_true(x[i] == 2 || x[i] == 20);
        hit += x[i] == 20;
        rarely += rare[i] == .001 * 3;
    }
    law_near("share", (double)hit / DRAWS, p, sqrt(p * (1 - p) / DRAWS));
    law_near("rare share", (double)rarely / DRAWS, .001, sqrt(.001 * .999 / DRAWS));
    law_moments(x, DRAWS, 2 * (1 + 9 * p), 4 * 81 * p * (1 - p), 3 + (1 - 6 * p * (1 - p)) / (p * (1 - p)));
    free(x);
    free(rare);
}

static void spread_multiplies_by_one_plus_an_exponential(void **state)
{
    double *x = draws_of(MAKE("none:piece=1", "spread:mean=.25"), 1),
           *one = draws_of(MAKE("none:piece=3", "spread"), 1);
    (void)state;
    law_exponential(x, DRAWS, 1, .25);
    law_exponential(one, DRAWS, 3, 3);
    free(x);
    free(one);
}

static void bursts_and_spread_last_for_the_round(void **state)
{
    gdc_delay *burst = MAKE("burst:p=.5,factor=2"), *spread = MAKE("spread:mean=1");
    (void)state;
    for (uint64_t v = 1; v <= 500; v++) {
        int w = (int)(v % WORKERS);
        for (uint64_t q = 1; q < 60; q += 7) {
            assert_true(gdc_delay_draw(burst, w, v, q) == gdc_delay_draw(burst, w, v, 0));
            assert_true(gdc_delay_draw(spread, w, v, q) == gdc_delay_draw(spread, w, v, 0));
        }
    }
    gdc_delay_destroy(burst);
    gdc_delay_destroy(spread);
}

static void a_stall_adds_its_seconds_with_its_probability(void **state)
{
    const double p = .0041667, extra = 200;
    double *x = draws_of(MAKE("none:piece=1", "stall:p=.0041667,extra=200"), 10);
    int hit = 0;
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        assert_true(x[i] == 1 || x[i] == 201);
        hit += x[i] == 201;
    }
    law_near("share", (double)hit / DRAWS, p, sqrt(p * (1 - p) / DRAWS));
    law_moments(x, DRAWS, 1 + extra * p, extra * extra * p * (1 - p), 3 + (1 - 6 * p * (1 - p)) / (p * (1 - p)));
    free(x);
}

static void modifiers_apply_in_the_order_given(void **state)
{
    gdc_delay *added = MAKE("none:piece=1", "burst:p=1,factor=10", "stall:p=1,extra=200"),
              *multiplied = MAKE("none:piece=1", "stall:p=1,extra=200", "burst:p=1,factor=10"),
              *never = MAKE("none:piece=1", "stall:p=0,extra=200", "burst:p=0", "spread:mean=0");
    (void)state;
    assert_true(gdc_delay_draw(added, 5, 1, 0) == 210);
    assert_true(gdc_delay_draw(multiplied, 5, 1, 0) == 2010);
    assert_true(gdc_delay_draw(never, 5, 1, 0) == 1);
    gdc_delay_destroy(added);
    gdc_delay_destroy(multiplied);
    gdc_delay_destroy(never);
}

/* ---- how draws hang together ---- */

/* A coin: is a draw above the median? Each of these models decides by one draw of its own. */
typedef struct coin {
    const char *specs[2];
    double median;
    int per_piece;
} coin;

static const coin coins[] = {
    {{"exp:mean=1", "slow:workers=0"}, .6931471805599453, 1},
    {{"none:piece=1", "jitter:sd=1"}, 1.6744897501960817, 1},
    {{"none:piece=1", "burst:p=.5"}, 5, 0},
    {{"none:piece=1", "spread"}, 1.6931471805599453, 0},
    {{"none:piece=1", "gilbert:in=.5,out=.5"}, 3, 0},
    {{"none:piece=1", "stall:p=.5,extra=1"}, 1.5, 1},
};
enum { COINS = sizeof coins / sizeof *coins, TOSSES = 100000 };

static gdc_delay *coin_delay(int i)
{
    return law_delay(coins[i].specs, 2, seed, WORKERS, 4);
}

/* How often the coins of two delays agree; where they toss, and the second one further by the steps. */
static void agree_by_half(int i, int j, int worker_step, uint64_t version_step, uint64_t piece_step)
{
    gdc_delay *one = coin_delay(i), *two = coin_delay(j);
    int agree = 0;
    for (uint64_t v = 1; v <= TOSSES; v++) {
        int w = (int)(v % (WORKERS - 1));
        agree += (gdc_delay_draw(one, w, v, 0) > coins[i].median) ==
                 (gdc_delay_draw(two, w + worker_step, v + version_step, piece_step) > coins[j].median);
    }
    law_near(coins[i].specs[1], (double)agree / TOSSES, .5, .5 / sqrt(TOSSES));
    gdc_delay_destroy(one);
    gdc_delay_destroy(two);
}

static void models_draw_apart(void **state)
{
    (void)state;
    for (int i = 0; i < COINS; i++)
        for (int j = 0; j < i; j++)
            agree_by_half(i, j, 0, 0, 0);
}

static void neighbours_draw_apart(void **state)
{
    (void)state;
    for (int i = 0; i < COINS; i++) {
        agree_by_half(i, i, 1, 0, 0);
        agree_by_half(i, i, 0, 1, 0);
        if (coins[i].per_piece)
            agree_by_half(i, i, 0, 0, 1);
    }
}

static void a_draw_is_the_same_in_any_order_and_in_any_handle(void **state)
{
    static const char *const all[] = {"lognormal:mu=1", "burst:p=.3,factor=3", "spread:mean=.5", "gilbert:in=.1,out=.2",
                                      "stall:p=.2,extra=7"};
    gdc_delay *one = law_delay(all, 5, seed, WORKERS, 4), *two = law_delay(all, 5, seed, WORKERS, 1),
              *other = law_delay(all, 5, seed + 1, WORKERS, 4);
    double forward[1000];
    int different = 0;
    (void)state;
    for (int i = 0; i < 1000; i++)
        forward[i] = gdc_delay_draw(one, i % WORKERS, (uint64_t)(i % 13), (uint64_t)(i / 13));
    for (int i = 999; i >= 0; i--) {
        assert_true(gdc_delay_draw(one, i % WORKERS, (uint64_t)(i % 13), (uint64_t)(i / 13)) == forward[i]);
        assert_true(gdc_delay_draw(two, i % WORKERS, (uint64_t)(i % 13), (uint64_t)(i / 13)) == forward[i]);
        different += gdc_delay_draw(other, i % WORKERS, (uint64_t)(i % 13), (uint64_t)(i / 13)) != forward[i];
    }
    assert_int_equal(different, 1000);
    gdc_delay_destroy(one);
    gdc_delay_destroy(two);
    gdc_delay_destroy(other);
}

/* What a seed means does not change: these numbers are kept from one release to the next. They were worked out by a
 * generator written apart from this one. */
static void the_numbers_of_a_seed_stay(void **state)
{
    static const struct known {
        const char *specs[2];
        uint64_t version, q;
        double duration_s;
    } known[] = {
        {{"pareto:alpha=2,min=.5", "slow:workers=0"}, 20, 2, 2.0126936043246375},
        {{"lognormal:mu=1", "slow:workers=0"}, 20, 2, 3.65837921475986},
        {{"none:piece=1", "spread"}, 20, 2, 3.205263900321599},
        {{"none:piece=1", "burst"}, 29, 2, 1},
        {{"none:piece=1", "burst"}, 30, 2, 10},
        {{"none:piece=1", "gilbert"}, 66, 2, 1},
        {{"none:piece=1", "gilbert"}, 67, 2, 5},
        {{"none:piece=1", "gilbert"}, 68, 2, 1},
        {{"none:piece=1", "stall:p=.05,extra=3"}, 20, 67, 1},
        {{"none:piece=1", "stall:p=.05,extra=3"}, 20, 68, 4},
    };
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        gdc_delay *delay = law_delay(known[i].specs, 2, 1, WORKERS, 4);
        double got = gdc_delay_draw(delay, 3, known[i].version, known[i].q);
        if (!(fabs(got / known[i].duration_s - 1) < 1e-14)) /* libm may differ in the last bit */
            fail_msg("%s: %.17g", known[i].specs[1], got);
        gdc_delay_destroy(delay);
    }
}

/* ---- bad input ---- */

static void bad_specs_say_what_would_be_right(void **state)
{
    (void)state;
    LAW_REFUSES(GDC_EINVAL, WORKERS, LAW_SPECS("pareto:min=1"), "pareto: alpha= is missing");
    LAW_REFUSES(GDC_EINVAL, WORKERS, LAW_SPECS("pareto:alpha=2"), "pareto: min= is missing");
    LAW_REFUSES(GDC_EINVAL, WORKERS, LAW_SPECS("pareto:alpha=0,min=1"), "alpha=0", "nearest valid value: 0.1");
    LAW_REFUSES(GDC_EINVAL, WORKERS, LAW_SPECS("pareto:alpha=2,min=-1"), "min=-1", "nearest valid value: 0");
    LAW_REFUSES(GDC_EINVAL, WORKERS, LAW_SPECS("lognormal"), "lognormal: mu= is missing");
    LAW_REFUSES(GDC_EINVAL, WORKERS, LAW_SPECS("lognormal:mu=1,per=day"), "per=day", "want piece, round");
    LAW_REFUSES(GDC_EINVAL, WORKERS, LAW_SPECS("burst:p=1.5"), "p=1.5", "from 0 to 1", "nearest valid value: 1");
    LAW_REFUSES(GDC_EINVAL, WORKERS, LAW_SPECS("burst:factor=-1"), "factor=-1", "nearest valid value: 0");
    LAW_REFUSES(GDC_EINVAL, WORKERS, LAW_SPECS("spread:mean=-1"), "mean=-1", "nearest valid value: 0");
    LAW_REFUSES(GDC_EINVAL, WORKERS, LAW_SPECS("stall:p=.1"), "stall: extra= is missing");
    LAW_REFUSES(GDC_EINVAL, WORKERS, LAW_SPECS("stall:extra=1"), "stall: p= is missing");
    LAW_REFUSES(GDC_EINVAL, WORKERS, LAW_SPECS("stall:p=2,extra=1"), "p=2", "nearest valid value: 1");
    LAW_REFUSES(GDC_EINVAL, WORKERS, LAW_SPECS("stall:p=.1,extra=-1"), "extra=-1", "nearest valid value: 0");
    LAW_REFUSES(GDC_EINVAL, WORKERS, LAW_SPECS("burst", "pareto:alpha=2,min=1"), "after the modifier 'burst'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pareto_has_its_moments_where_they_exist),
        cmocka_unit_test(pareto_has_its_quantiles),
        cmocka_unit_test(the_heaviest_tail_is_finite),
        cmocka_unit_test(lognormal_has_its_moments),
        cmocka_unit_test(lognormal_has_the_published_figures),
        cmocka_unit_test(per_round_gives_all_pieces_of_a_round_one_draw),
        cmocka_unit_test(a_burst_multiplies_with_its_probability),
        cmocka_unit_test(spread_multiplies_by_one_plus_an_exponential),
        cmocka_unit_test(bursts_and_spread_last_for_the_round),
        cmocka_unit_test(a_stall_adds_its_seconds_with_its_probability),
        cmocka_unit_test(modifiers_apply_in_the_order_given),
        cmocka_unit_test(models_draw_apart),
        cmocka_unit_test(neighbours_draw_apart),
        cmocka_unit_test(a_draw_is_the_same_in_any_order_and_in_any_handle),
        cmocka_unit_test(the_numbers_of_a_seed_stay),
        cmocka_unit_test(bad_specs_say_what_would_be_right),
    };
    seed = law_seed();
    return cmocka_run_group_tests(tests, NULL, NULL);
}

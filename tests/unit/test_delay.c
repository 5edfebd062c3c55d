/* test_delay.c - delay models: their laws against closed forms, purity, and the sentences about bad input.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gradcode/delay.h"
#include "gradcode/draw.h"
#include "gradcode/spec.h"
#include "gradcode/statistics.h"
#include "support/delay_laws.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { WORKERS = 8, VERSIONS = 12500, PIECES = 10, DRAWS = WORKERS * VERSIONS * PIECES };

static uint64_t seed = 1;

static gdc_delay *make(const char *const *specs, int count, uint64_t with_seed)
{
    return law_delay(specs, count, with_seed, WORKERS, PIECES);
}
#define MAKE(...) law_delay(LAW_SPECS(__VA_ARGS__), seed, WORKERS, PIECES)

static double *draws_of(gdc_delay *delay)
{
    return law_draws(delay, WORKERS, VERSIONS, PIECES);
}

/* ---- bases ---- */

static void no_specs_mean_a_millisecond_per_piece(void **state)
{
    (void)state;
    gdc_delay *delay = make(NULL, 0, seed);
    assert_true(gdc_delay_draw(delay, 3, 7, 5) == .001);
    gdc_delay_destroy(delay);
    delay = MAKE("none:piece=.25");
    assert_true(gdc_delay_draw(delay, 3, 7, 5) == .25);
    gdc_delay_destroy(delay);
    gdc_delay_destroy(NULL);
}

static void exponential_bases_have_their_law(void **state)
{
    double *plain = draws_of(MAKE("exp:mean=.05")), *shifted = draws_of(MAKE("shifted-exp:shift=.01,mean=.1"));
    (void)state;
    law_exponential(plain, DRAWS, 0, .05);
    law_exponential(shifted, DRAWS, .01, .1);
    free(plain);
    free(shifted);
}

/* Products of deviations of pairs of draws that differ in one part of the key. */
static void draws_of_different_keys_are_uncorrelated(void **state)
{
    gdc_delay *delay = MAKE("exp:mean=1");
    double by_worker = 0, by_version = 0, by_piece = 0;
    enum { PAIRS = 40000 };
    (void)state;
    for (int i = 0; i < PAIRS; i++) {
        uint64_t v = (uint64_t)i + 1;
        double here = gdc_delay_draw(delay, 2, v, 4) - 1;
        by_worker += here * (gdc_delay_draw(delay, 3, v, 4) - 1) / PAIRS;
        by_version += here * (gdc_delay_draw(delay, 2, v + 1, 4) - 1) / PAIRS;
        by_piece += here * (gdc_delay_draw(delay, 2, v, 5) - 1) / PAIRS;
    }
    law_near("workers", by_worker, 0, 1 / sqrt(PAIRS));
    law_near("versions", by_version, 0, 1 / sqrt(PAIRS));
    law_near("pieces", by_piece, 0, 1 / sqrt(PAIRS));
    gdc_delay_destroy(delay);
}

static void per_round_gives_all_pieces_of_a_round_one_draw(void **state)
{
    gdc_delay *delay = MAKE("shifted-exp:shift=.1,mean=1,per=round");
    double *seen = malloc(WORKERS * VERSIONS * sizeof *seen);
    (void)state;
    assert_non_null(seen);
    for (int i = 0; i < WORKERS * VERSIONS; i++) {
        seen[i] = gdc_delay_draw(delay, i % WORKERS, (uint64_t)(i / WORKERS), 0);
        for (uint64_t q = 1; q < 200; q += 33)
            assert_true(gdc_delay_draw(delay, i % WORKERS, (uint64_t)(i / WORKERS), q) == seen[i]);
    }
    law_near("mean", gdc_mean(seen, WORKERS * VERSIONS), 1.1, 1 / sqrt(WORKERS * VERSIONS));
    gdc_delay_destroy(delay);
    free(seen);
}

/* ---- purity ---- */

static void a_draw_is_the_same_in_any_order_and_in_any_handle(void **state)
{
    static const char *const specs[] = {"exp:mean=1", "jitter:sd=.3", "slow:workers=3,factor=7"};
    gdc_delay *one = make(specs, 3, seed), *two = make(specs, 3, seed), *other = make(specs, 3, seed + 1);
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
    assert_true(different == 1000);
    gdc_delay_destroy(one);
    gdc_delay_destroy(two);
    gdc_delay_destroy(other);
}

/* What a seed means does not change: these numbers are kept from one release to the next. */
static void the_numbers_of_a_seed_stay(void **state)
{
    static const char *const specs[] = {"exp:mean=1", "jitter:sd=1"};
    static const double known[] = {2.7852422143003368, 6.2139655339855375};
    (void)state;
    for (int i = 0; i < 2; i++) {
        gdc_delay *delay = make(specs, i + 1, 1);
        assert_true(fabs(gdc_delay_draw(delay, 3, 20, 2) / known[i] - 1) < 1e-14); /* libm may differ in the last bit */
        gdc_delay_destroy(delay);
    }
}

/* ---- modifiers ---- */

static void jitter_multiplies_by_one_plus_a_folded_normal(void **state)
{
    const double pi = 3.141592653589793, sd = .2;
    double *x = draws_of(MAKE("none:piece=2", "jitter:sd=.2")), mean = sqrt(2 / pi), variance = 1 - 2 / pi;
    int below_one_sd = 0;
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        assert_true(x[i] >= 2);
        below_one_sd += x[i] < 2 * (1 + sd);
    }
    law_near("mean", gdc_mean(x, DRAWS), 2 * (1 + sd * mean), 2 * sd * sqrt(variance / DRAWS));
    law_near("share within one sd", (double)below_one_sd / DRAWS, erf(sqrt(.5)), sqrt(.6827 * .3173 / DRAWS));
    free(x);
}

static void jitter_is_not_correlated_with_its_base(void **state)
{
    gdc_delay *plain = MAKE("exp:mean=1"), *both = MAKE("exp:mean=1", "jitter:sd=1");
    const double pi = 3.141592653589793, mean = sqrt(2 / pi), variance = 1 - 2 / pi;
    double sum = 0;
    enum { PAIRS = 40000 };
    (void)state;
    for (int i = 0; i < PAIRS; i++) {
        double base = gdc_delay_draw(plain, 1, (uint64_t)i, 2), factor = gdc_delay_draw(both, 1, (uint64_t)i, 2) / base;
        sum += (base - 1) * (factor - 1 - mean) / PAIRS;
    }
    law_near("covariance", sum, 0, sqrt(variance / PAIRS));
    gdc_delay_destroy(plain);
    gdc_delay_destroy(both);
}

static int slow_set(const char *spec, uint64_t with_seed, bool *is_slow)
{
    gdc_delay *delay = make((const char *const[]){"none:piece=1", spec}, 2, with_seed);
    int count = 0;
    for (int w = 0; w < WORKERS; w++) {
        double first = gdc_delay_draw(delay, w, 1, 0);
        is_slow[w] = first == 10;
        assert_true(is_slow[w] || first == 1);
        for (uint64_t i = 0; i < 50; i++)
            assert_true(gdc_delay_draw(delay, w, i, 3 * i) == first);
        count += is_slow[w];
    }
    gdc_delay_destroy(delay);
    return count;
}

static void slow_workers_are_the_named_ones(void **state)
{
    bool is_slow[WORKERS];
    (void)state;
    assert_int_equal(slow_set("slow:which=3+5", seed, is_slow), 2);
    assert_true(is_slow[3] && is_slow[5]);
    assert_int_equal(slow_set("slow:which=0", seed + 1, is_slow), 1);
    assert_true(is_slow[0]);
}

static void drawn_slow_workers_are_as_many_as_asked_and_a_function_of_the_seed(void **state)
{
    int times[WORKERS] = {0};
    enum { SEEDS = 4000 };
    (void)state;
    for (uint64_t s = 0; s < SEEDS; s++) {
        bool one[WORKERS], two[WORKERS];
        assert_int_equal(slow_set("slow:workers=3", s, one), 3);
        assert_int_equal(slow_set("slow:workers=3", s, two), 3);
        assert_memory_equal(one, two, sizeof one);
        for (int w = 0; w < WORKERS; w++)
            times[w] += one[w];
    }
    for (int w = 0; w < WORKERS; w++)
        law_near("share of a worker", (double)times[w] / SEEDS, 3. / WORKERS, sqrt(3. / 8 * 5 / 8 / SEEDS));
}

static void all_or_no_workers_can_be_slow(void **state)
{
    bool is_slow[WORKERS];
    (void)state;
    assert_int_equal(slow_set("slow:workers=8", seed, is_slow), WORKERS);
    assert_int_equal(slow_set("slow:workers=0", seed, is_slow), 0);
}

static void modifiers_alone_stand_on_the_default_base(void **state)
{
    gdc_delay *delay = MAKE("slow:which=1,factor=3");
    (void)state;
    assert_true(gdc_delay_draw(delay, 0, 1, 0) == .001);
    assert_true(gdc_delay_draw(delay, 1, 1, 0) == .001 * 3);
    gdc_delay_destroy(delay);
}

static void equal_modifiers_draw_apart_and_leave_the_others_alone(void **state)
{
    gdc_delay *none = MAKE("jitter:sd=1"), *one = MAKE("slow:which=7", "jitter:sd=1"),
              *two = MAKE("jitter:sd=1", "jitter:sd=1");
    (void)state;
    for (uint64_t v = 0; v < 100; v++) {
        double factor = gdc_delay_draw(none, 2, v, 0) / .001;
        assert_true(gdc_delay_draw(one, 2, v, 0) == gdc_delay_draw(none, 2, v, 0));
        assert_true(fabs(gdc_delay_draw(two, 2, v, 0) / (.001 * factor * factor) - 1) > 1e-9);
    }
    gdc_delay_destroy(none);
    gdc_delay_destroy(one);
    gdc_delay_destroy(two);
}

static void durations_stay_finite_whatever_is_multiplied(void **state)
{
    const char *specs[80] = {"none:piece=1e9"};
    (void)state;
    for (int i = 1; i < 80; i++)
        specs[i] = i < 79 ? "slow:workers=8,factor=1e6" : "slow:workers=8,factor=0";
    gdc_delay *delay = make(specs, 79, seed);
    assert_true(isfinite(gdc_delay_draw(delay, 0, 1, 0)));
    gdc_delay_destroy(delay);
    delay = make(specs, 80, seed);
    assert_true(gdc_delay_draw(delay, 0, 1, 0) == 0);
    gdc_delay_destroy(delay);
}

/* ---- bad input ---- */

static void bad_specs_say_what_would_be_right(void **state)
{
    (void)state;
    LAW_REFUSES(GDC_EINVAL, WORKERS, LAW_SPECS("expo:mean=1"), "unknown delay 'expo'",
                "want none, exp, shifted-exp, pareto, lognormal, trace, jitter, slow, burst, spread, gilbert, stall",
                "did you mean exp?");
    LAW_REFUSES(GDC_EINVAL, WORKERS, LAW_SPECS("exp"), "exp: mean= is missing", "want a number from 0 to");
    LAW_REFUSES(GDC_EINVAL, WORKERS, LAW_SPECS("exp:mean=-1"), "mean=-1", "nearest valid value: 0");
    LAW_REFUSES(GDC_EINVAL, WORKERS, LAW_SPECS("exp:mean=nan"), "mean=nan", "want a number");
    LAW_REFUSES(GDC_EINVAL, WORKERS, LAW_SPECS("exp:mean=inf"), "mean=inf", "want a number");
    LAW_REFUSES(GDC_EINVAL, WORKERS, LAW_SPECS("exp:mean=1,per=worker"), "per=worker", "want piece, round");
    LAW_REFUSES(GDC_EINVAL, WORKERS, LAW_SPECS("exp:mean=1,shift=2"), "unknown key 'shift'", "want mean, per");
    LAW_REFUSES(GDC_EINVAL, WORKERS, LAW_SPECS("shifted-exp:mean=1"), "shift= is missing");
    LAW_REFUSES(GDC_EINVAL, WORKERS, LAW_SPECS(""), "empty");
    LAW_REFUSES(GDC_EINVAL, WORKERS, LAW_SPECS(NULL, "exp:mean=1"), "empty");
}

static void wrong_compositions_say_what_would_be_right(void **state)
{
    (void)state;
    LAW_REFUSES(GDC_EINVAL, WORKERS, LAW_SPECS("exp:mean=1", "none"), "'none'", "base already, 'exp'");
    LAW_REFUSES(GDC_EINVAL, WORKERS, LAW_SPECS("jitter:sd=1", "exp:mean=1"), "'exp:mean=1'",
                "after the modifier 'jitter'", "base first");
}

static void slow_workers_that_do_not_exist_are_refused(void **state)
{
    (void)state;
    LAW_REFUSES(GDC_EINVAL, WORKERS, LAW_SPECS("slow:which=3+8"), "which=8", "8 workers", "nearest valid value: 7");
    LAW_REFUSES(GDC_EINVAL, WORKERS, LAW_SPECS("slow:workers=9"), "workers=9", "8 workers", "nearest valid value: 8");
    LAW_REFUSES(GDC_EINVAL, WORKERS, LAW_SPECS("slow:workers=-1"), "workers=-1", "nearest valid value: 0");
    LAW_REFUSES(GDC_EINVAL, WORKERS, LAW_SPECS("slow:workers=2,which=3"), "both");
}

static void wrong_counts_are_refused(void **state)
{
    gdc_delay *delay;
    (void)state;
    assert_int_equal(gdc_delay_create(NULL, -1, 1, 4, 1, &delay), GDC_EINVAL);
    assert_int_equal(gdc_delay_create(NULL, 0, 1, 0, 1, &delay), GDC_EINVAL);
    assert_int_equal(gdc_delay_create(NULL, 0, 1, 4, 0, &delay), GDC_EINVAL);
}

/* ---- the registry ---- */

static void every_model_is_listed_with_help_for_each_option(void **state)
{
    const gdc_option *options;
    const char *help, *name;
    int count = 0;
    (void)state;
    for (; (name = gdc_delay_model(count, &options, &help)) != NULL; count++) {
        assert_true(strlen(name) > 0 && strlen(help) > 0);
        for (; options->key != NULL; options++)
            assert_non_null(options->help);
    }
    assert_true(count >= 12);
    assert_null(gdc_delay_model(-1, &options, &help));
    assert_null(gdc_delay_model(count + 1, &options, &help));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_specs_mean_a_millisecond_per_piece),
        cmocka_unit_test(exponential_bases_have_their_law),
        cmocka_unit_test(draws_of_different_keys_are_uncorrelated),
        cmocka_unit_test(per_round_gives_all_pieces_of_a_round_one_draw),
        cmocka_unit_test(a_draw_is_the_same_in_any_order_and_in_any_handle),
        cmocka_unit_test(the_numbers_of_a_seed_stay),
        cmocka_unit_test(jitter_multiplies_by_one_plus_a_folded_normal),
        cmocka_unit_test(jitter_is_not_correlated_with_its_base),
        cmocka_unit_test(slow_workers_are_the_named_ones),
        cmocka_unit_test(drawn_slow_workers_are_as_many_as_asked_and_a_function_of_the_seed),
        cmocka_unit_test(all_or_no_workers_can_be_slow),
        cmocka_unit_test(modifiers_alone_stand_on_the_default_base),
        cmocka_unit_test(equal_modifiers_draw_apart_and_leave_the_others_alone),
        cmocka_unit_test(durations_stay_finite_whatever_is_multiplied),
        cmocka_unit_test(bad_specs_say_what_would_be_right),
        cmocka_unit_test(wrong_compositions_say_what_would_be_right),
        cmocka_unit_test(slow_workers_that_do_not_exist_are_refused),
        cmocka_unit_test(wrong_counts_are_refused),
        cmocka_unit_test(every_model_is_listed_with_help_for_each_option),
    };
    seed = law_seed();
    return cmocka_run_group_tests(tests, NULL, NULL);
}

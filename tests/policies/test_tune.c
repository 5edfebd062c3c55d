/* test_tune.c - automatic parameters against brute force over the same profile.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gradcode/delay.h"
#include "gradcode/tune.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 8, ROUNDS = 20, M = 4 };

static gdc_profile *profile_of_pieces(const char *base, const char *modifier, int pieces)
{
    const char *specs[] = {base, modifier};
    gdc_delay *delay;
    gdc_profile *profile;
    assert_int_equal(gdc_delay_create(specs, modifier ? 2 : 1, 7, N, M, &delay), GDC_OK);
    assert_int_equal(gdc_profile_create(N, ROUNDS, pieces, &profile), GDC_OK);
    for (int i = 0; i < ROUNDS; i++)
        for (int w = 0; w < N; w++)
            for (int m = 0; m < pieces; m++)
                gdc_profile_set(profile, i, w, m, gdc_delay_draw(delay, w, 1 + (uint64_t)i, (uint64_t)m));
    gdc_delay_destroy(delay);
    return profile;
}

static gdc_profile *profile_of(const char *base, const char *modifier)
{
    return profile_of_pieces(base, modifier, M);
}

static gdc_options options_for(const char *strategy)
{
    gdc_options options;
    gdc_options_init(&options);
    options.strategy = strategy;
    options.partitions = M;
    return options;
}

/* Time per useful sample of a strategy without auto. */
static double sample_s(const gdc_profile *profile, const char *strategy)
{
    gdc_options options = options_for(strategy);
    gdc_engine *engine;
    gdc_delay *delay;
    double used = 0;
    assert_int_equal(gdc_delay_replay(profile, &delay), GDC_OK);
    options.delay = delay;
    assert_int_equal(gdc_open_virtual(&options, N, NULL, NULL, &engine), GDC_OK);
    for (int i = 0; i < ROUNDS; i++) {
        gdc_round round = {.size = sizeof round};
        assert_int_equal(gdc_gradient(engine, NULL, NULL, &round), GDC_OK);
        used += round.used / ROUNDS;
    }
    double per = (gdc_now(engine) / ROUNDS + gdc_profile_overhead(profile)) / used;
    gdc_close(engine, NULL);
    gdc_delay_destroy(delay);
    return per;
}

static void tuned(const gdc_profile *profile, const char *strategy, const char *expected)
{
    gdc_options options = options_for(strategy);
    gdc_tuning tuning = {.size = sizeof tuning};
    char *spec = NULL;
    assert_int_equal(gdc_tune(&options, profile, &spec, &tuning), GDC_OK);
    assert_string_equal(spec, expected);
    assert_true(fabs(sample_s(profile, spec) - tuning.best.sample_s) < 1e-12);
    free(spec);
}

static void a_replayed_delay_gives_the_measured_times(void **state)
{
    gdc_profile *profile = profile_of("exp:mean=1", NULL);
    gdc_delay *delay;
    (void)state;
    assert_int_equal(gdc_delay_replay(profile, &delay), GDC_OK);
    for (int v = 1; v <= 2 * ROUNDS; v++)
        for (int w = 0; w < N; w++)
            for (int q = 0; q < 2 * M; q++)
                assert_true(gdc_delay_draw(delay, w, (uint64_t)v, (uint64_t)q) ==
                            gdc_profile_get(profile, (v - 1 + q / M) % ROUNDS, w, q % M));
    gdc_delay_destroy(delay);
    gdc_profile_set(profile, 0, 3, 1, NAN);
    assert_int_equal(gdc_delay_replay(profile, &delay), GDC_EINVAL);
    gdc_profile_destroy(profile);
}

static void the_choice_is_the_fastest_per_useful_sample(void **state)
{
    static const char *const bases[] = {"exp:mean=1", "pareto:alpha=2,min=0.5", "lognormal:mu=1"};
    (void)state;
    for (size_t b = 0; b < sizeof bases / sizeof *bases; b++) {
        gdc_profile *profile = profile_of(bases[b], NULL);
        gdc_options options = options_for("ignore:s=auto");
        gdc_tuning tuning = {.size = sizeof tuning};
        double fastest = INFINITY, fastest_careful = INFINITY;
        char *spec = NULL;
        for (int s = 0; s < N; s++) {
            char text[32];
            snprintf(text, sizeof text, "ignore:s=%d", s);
            double per = sample_s(profile, text);
            fastest = fmin(fastest, per);
            fastest_careful = (double)(N - s) / N >= .9 ? fmin(fastest_careful, per) : fastest_careful;
        }
        assert_int_equal(gdc_tune(&options, profile, &spec, &tuning), GDC_OK);
        assert_int_equal(tuning.candidates, N);
        assert_true(tuning.best.sample_s <= 1.01 * fastest);
        assert_true(fabs(tuning.careful.sample_s - fastest_careful) < 1e-12);
        assert_true(tuning.careful.used >= .9);
        assert_true(fabs(sample_s(profile, spec) - tuning.best.sample_s) < 1e-12);
        free(spec);
        gdc_profile_destroy(profile);
    }
}

static void equal_speeds_ask_for_no_redundancy_and_no_dropping(void **state)
{
    gdc_profile *profile = profile_of("none:piece=1", NULL);
    (void)state;
    tuned(profile, "ignore:s=auto", "ignore:s=0");
    tuned(profile, "gc:code=fractional,load=auto,permute=0", "gc:code=fractional,load=1,permute=0");
    gdc_profile_destroy(profile);
}

static void a_slow_worker_is_worth_a_second_copy(void **state)
{
    gdc_profile *profile = profile_of("none:piece=1", "slow:workers=1,factor=20");
    (void)state;
    tuned(profile, "gc:code=fractional,load=auto", "gc:code=fractional,load=2");
    tuned(profile, "ignore:s=auto", "ignore:s=1");
    gdc_profile_destroy(profile);
}

/* Mean round of a strategy with one piece per shard under independent exponential times. */
static double drawn_round_s(const char *strategy)
{
    enum { DRAWN = 500 };
    const char *base = "exp:mean=1";
    gdc_options options = options_for(strategy);
    gdc_engine *engine;
    gdc_delay *delay;
    assert_int_equal(gdc_delay_create(&base, 1, 8, N, 1, &delay), GDC_OK);
    options.partitions = 1;
    options.delay = delay;
    assert_int_equal(gdc_open_virtual(&options, N, NULL, NULL, &engine), GDC_OK);
    for (int i = 0; i < DRAWN; i++)
        assert_int_equal(gdc_gradient(engine, NULL, NULL, NULL), GDC_OK);
    double mean = gdc_now(engine) / DRAWN;
    gdc_close(engine, NULL);
    gdc_delay_destroy(delay);
    return mean;
}

/* A worker that is fast once is not fast in all that a large load lets it compute: everything everywhere takes twice the best. */
static void pieces_behind_a_shard_take_times_of_their_own(void **state)
{
    gdc_profile *profile = profile_of_pieces("exp:mean=1", NULL, 1);
    gdc_options options = options_for("gc:code=fractional,load=auto");
    double best = INFINITY;
    char *spec = NULL;
    (void)state;
    for (int load = 1; load <= N; load++) {
        char text[48];
        snprintf(text, sizeof text, "gc:code=fractional,load=%d", load);
        best = fmin(best, drawn_round_s(text));
    }
    assert_true(drawn_round_s("gc:code=fractional,load=8") > 1.5 * best);
    options.partitions = 1;
    assert_int_equal(gdc_tune(&options, profile, &spec, NULL), GDC_OK);
    assert_true(drawn_round_s(spec) < 1.2 * best);
    free(spec);
    gdc_profile_destroy(profile);
}

/* With times for two shards in a round, a round with load=2 is known: slow in both, or in none. */
static void a_longer_profile_tells_what_more_than_a_shard_takes(void **state)
{
    gdc_profile *whole = profile_of_pieces("none:piece=1", "burst:p=.3,factor=10", 2 * M);
    gdc_profile *shard = profile_of("none:piece=1", "burst:p=.3,factor=10");
    gdc_options options = options_for("gc:code=fractional,load=auto");
    gdc_tuning tuning = {.size = sizeof tuning};
    char *spec = NULL;
    (void)state;
    gdc_profile_set_wall(whole, 100 * ROUNDS);
    gdc_profile_set_wall(shard, 100 * ROUNDS);
    assert_int_equal(gdc_tune(&options, whole, &spec, &tuning), GDC_OK);
    assert_string_not_equal(spec, "gc:code=fractional,load=1");
    double per = sample_s(whole, spec) - gdc_profile_overhead(whole) + gdc_profile_overhead(shard);
    assert_true(fabs(tuning.best.sample_s - per) < 1e-9);
    free(spec);
    options.strategy = "drop:tau=auto";
    char *of_shard = NULL;
    assert_int_equal(gdc_tune(&options, whole, &spec, NULL), GDC_OK);
    assert_int_equal(gdc_tune(&options, shard, &of_shard, NULL), GDC_OK);
    assert_string_equal(spec, of_shard);
    free(spec);
    free(of_shard);
    gdc_profile_destroy(shard);
    gdc_profile_destroy(whole);
}

static void tau_is_that_of_the_profile(void **state)
{
    gdc_profile *profile = profile_of("none:piece=1", "slow:workers=1,factor=20");
    gdc_options options = options_for("drop:tau=auto");
    gdc_tuning tuning = {.size = sizeof tuning};
    gdc_threshold threshold;
    char *spec = NULL;
    (void)state;
    assert_int_equal(gdc_profile_choose(profile, GDC_CHECK_PIECE, 0, &threshold), GDC_OK);
    assert_int_equal(gdc_tune(&options, profile, &spec, &tuning), GDC_OK);
    assert_true(fabs(tuning.best.round_s - threshold.round_s) < 1e-9);
    assert_true(fabs(tuning.best.used - threshold.kept) < 1e-9);
    assert_int_equal(strncmp(spec, "drop:tau=", 9), 0);
    assert_true(fabs(atof(spec + 9) / threshold.tau_s - 1) < 1e-5);
    free(spec);
    options.strategy = "drop:auto";
    assert_int_equal(gdc_tune(&options, profile, &spec, NULL), GDC_OK);
    assert_int_equal(strncmp(spec, "drop:", 5), 0);
    free(spec);
    gdc_profile_destroy(profile);
}

/* A quarter of the workers is slow: dropping most of theirs is best, and who wants nine tenths of the batch must wait for them. */
static void a_careful_threshold_is_offered_beside_the_best(void **state)
{
    gdc_profile *profile = profile_of("none:piece=1", "slow:workers=2,factor=20");
    gdc_options options = options_for("drop:tau=auto");
    gdc_tuning tuning = {.size = sizeof tuning};
    gdc_threshold careful;
    char *spec = NULL;
    (void)state;
    assert_int_equal(gdc_profile_choose(profile, GDC_CHECK_PIECE, .9, &careful), GDC_OK);
    assert_int_equal(gdc_tune(&options, profile, &spec, &tuning), GDC_OK);
    assert_int_equal(tuning.candidates, 2);
    assert_true(tuning.best.used < .9 && tuning.careful.used >= .9);
    assert_true(tuning.best.sample_s < tuning.careful.sample_s);
    assert_true(fabs(tuning.careful.round_s - careful.round_s) < 1e-9);
    free(spec);
    gdc_profile_destroy(profile);
}

static void refused(const gdc_profile *profile, const char *strategy, const char *part)
{
    gdc_options options = options_for(strategy);
    char *spec = NULL;
    assert_int_equal(gdc_tune(&options, profile, &spec, NULL), GDC_EINVAL);
    assert_null(spec);
    if (!strstr(gdc_last_error(), part))
        fail_msg("%s: '%s' does not say '%s'", strategy, gdc_last_error(), part);
}

static void what_cannot_be_tuned_is_refused_with_what_can(void **state)
{
    gdc_profile *profile = profile_of("exp:mean=1", NULL), *other;
    gdc_options options = options_for("ignore:s=auto");
    char *spec = NULL;
    (void)state;
    refused(profile, "ignore:s=2", "nothing is auto");
    refused(profile, "gc:code=auto", "auto is for s, k, k0, load, tau");
    refused(profile, "gc:code=mmc,load=auto,s=auto", "want one auto");
    refused(profile, "gc:code=nonsense,load=auto", "nonsense");
    refused(profile, "sync:load=auto", "load");
    options.partitions = M + 1;
    assert_int_equal(gdc_tune(&options, profile, &spec, NULL), GDC_EINVAL);
    assert_int_equal(gdc_profile_create(N, 1, M, &other), GDC_OK);
    options.partitions = M;
    assert_int_equal(gdc_tune(&options, other, &spec, NULL), GDC_OK); /* a profile of no time at all */
    assert_string_equal(spec, "ignore:s=0");
    free(spec);
    gdc_profile_destroy(other);
    gdc_profile_destroy(profile);
}

static void auto_is_seen_only_where_it_is_a_value(void **state)
{
    (void)state;
    assert_true(gdc_tune_is_wanted("drop:tau=auto"));
    assert_true(gdc_tune_is_wanted("drop:auto,check=poll"));
    assert_false(gdc_tune_is_wanted("drop:tau=1"));
    assert_false(gdc_tune_is_wanted("gc:code=automatic"));
    assert_false(gdc_tune_is_wanted("::"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_replayed_delay_gives_the_measured_times),
        cmocka_unit_test(the_choice_is_the_fastest_per_useful_sample),
        cmocka_unit_test(equal_speeds_ask_for_no_redundancy_and_no_dropping),
        cmocka_unit_test(a_slow_worker_is_worth_a_second_copy),
        cmocka_unit_test(tau_is_that_of_the_profile),
        cmocka_unit_test(a_careful_threshold_is_offered_beside_the_best),
        cmocka_unit_test(pieces_behind_a_shard_take_times_of_their_own),
        cmocka_unit_test(a_longer_profile_tells_what_more_than_a_shard_takes),
        cmocka_unit_test(what_cannot_be_tuned_is_refused_with_what_can),
        cmocka_unit_test(auto_is_seen_only_where_it_is_a_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_drop_auto.c - DropCompute that chooses its threshold by itself, on the virtual clock.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gradcode/tune.h"
#include "support/virtual_bench.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { M = 4, K = N * M, WARMUP = 5, PROFILE = 8, LEAD = WARMUP + PROFILE };

static double acc_of(const bench *b, int worker, uint64_t version, int count)
{
    double acc = 0;
    for (int m = 0; m < count; m++)
        acc += gdc_delay_draw(b->delay, worker, version, (uint64_t)m);
    return acc;
}

typedef struct outcome {
    int kept[N];
    double time_s;
} outcome;

/* The definitions, with up to `most` micro-batches. */
static outcome round_at(const bench *b, uint64_t version, double tau, int poll, int most)
{
    outcome o = {.time_s = 0};
    for (int w = 0; w < N; w++) {
        int within = 0;
        while (within < most && acc_of(b, w, version, within + 1) <= tau)
            within++;
        o.kept[w] = poll || within == most ? within : within + 1;
        double end = poll ? fmin(tau, acc_of(b, w, version, most)) : acc_of(b, w, version, o.kept[w]);
        o.time_s = fmax(o.time_s, end);
    }
    return o;
}

/* c (T + T^c) / (T(tau) + T^c) over the profiled rounds; *kept: c. */
static double speedup_at(const bench *b, double tau, int poll, double overhead, double *kept)
{
    double count = 0, time = 0, full = 0;
    for (uint64_t v = WARMUP + 1; v <= LEAD; v++) {
        outcome o = round_at(b, v, tau, poll, M);
        for (int w = 0; w < N; w++)
            count += o.kept[w];
        time += o.time_s;
        full += round_at(b, v, INFINITY, 0, M).time_s;
    }
    *kept = count / (PROFILE * K);
    return *kept * (full / PROFILE + overhead) / (time / PROFILE + overhead);
}

static double best_speedup(const bench *b, int poll, double overhead)
{
    double best = 0, kept;
    for (uint64_t v = WARMUP + 1; v <= LEAD; v++)
        for (int w = 0; w < N; w++)
            for (int m = 1; m <= M; m++) {
                double s = speedup_at(b, acc_of(b, w, v, m), poll, overhead, &kept);
                best = kept >= 1. / M ? fmax(best, s) : best;
            }
    return best;
}

static double chosen_tau(const bench *b)
{
    const char *text = gdc_chosen(b->engine);
    assert_memory_equal(text, "tau=", 4);
    return strtod(text + 4, NULL);
}

/* sum[i] of what round_at keeps of partition ids p, p + k, ... */
static void kept_sum(const outcome *o, uint64_t version, double *sum)
{
    memset(sum, 0, D * sizeof *sum);
    for (int w = 0; w < N; w++)
        for (int m = 0; m < o->kept[w]; m++)
            for (int i = 0; i < D; i++)
                sum[i] += (double)version * (w * M + m % M + m / M * K + 1) + i;
}

static void run_lead_in(const bench *b)
{
    for (uint64_t v = 1; v <= LEAD; v++) {
        double g[D], all[D];
        gdc_round round = {.size = sizeof round};
        outcome o = round_at(b, v, INFINITY, 0, M);
        kept_sum(&o, v, all);
        assert_string_equal(gdc_chosen(b->engine), "");
        assert_int_equal(gdc_gradient(b->engine, model, g, &round), GDC_OK);
        assert_true(round.exact && round.used == 1 && round.scale == 1);
        assert_memory_equal(g, all, sizeof g);
    }
}

static void open_auto(bench *b, const char *strategy, double latency_s)
{
    open_bench(b, strategy, "exp:mean=1", M);
    b->options.poll_s = .01;
    b->options.latency_s = latency_s;
    start_bench(b);
    assert_int_equal(gdc_lead_in(b->engine), LEAD);
    run_lead_in(b);
}

static void check_auto(const char *strategy, int poll, double latency_s)
{
    bench b;
    double overhead = 2 * ceil(log2(N)) * latency_s, dropped = 0, kept;
    open_auto(&b, strategy, latency_s);
    for (uint64_t v = LEAD + 1; v <= LEAD + 30; v++) {
        double g[D], want[D];
        gdc_round round = {.size = sizeof round};
        assert_int_equal(gdc_gradient(b.engine, model, g, &round), GDC_OK);
        double tau = chosen_tau(&b);
        outcome o = round_at(&b, v, tau, poll, M);
        kept_sum(&o, v, want);
        assert_memory_equal(g, want, sizeof g);
        assert_true(fabs(round.ended_s - round.began_s - o.time_s - overhead) < 1e-7);
        dropped += 1 - round.used;
    }
    /* The text has nine digits: what sits exactly on the threshold may be on either side of it. */
    double tau = chosen_tau(&b), best = best_speedup(&b, poll, overhead);
    double got =
        fmax(speedup_at(&b, tau * (1 + 1e-8), poll, overhead, &kept), speedup_at(&b, tau, poll, overhead, &kept));
    if (fabs(got - best) > 1e-6 * best)
        fail_msg("%s: %s gives %g, the best is %g", strategy, gdc_chosen(b.engine), got, best);
    assert_true(best > 1.05 && dropped > 0);
    close_bench(&b);
}

static void the_chosen_threshold_is_the_best_of_the_profile(void **state)
{
    (void)state;
    check_auto("drop:tau=auto,profile=8", 0, 0);
    check_auto("drop:tau=auto,profile=8,check=poll", 1, 0);
}

/* Round time that is not computation makes dropping worth less; without it the best threshold is another one. */
static void what_is_not_computation_counts(void **state)
{
    bench b;
    double kept;
    (void)state;
    check_auto("drop:tau=auto,profile=8,check=poll", 1, .5);
    open_auto(&b, "drop:tau=auto,profile=8,check=poll", .5);
    assert_int_equal(gdc_gradient(b.engine, model, (double[D]){0}, NULL), GDC_OK);
    assert_true(speedup_at(&b, chosen_tau(&b) * (1 + 1e-8), 1, 0, &kept) < .99 * best_speedup(&b, 1, 0));
    close_bench(&b);
}

static void the_default_profile_is_twenty_rounds(void **state)
{
    bench b;
    (void)state;
    open_bench(&b, "drop:auto", "exp:mean=1", M);
    start_bench(&b);
    assert_int_equal(gdc_lead_in(b.engine), WARMUP + 20);
    close_bench(&b);
    open_bench(&b, "drop:tau=1", "exp:mean=1", M);
    start_bench(&b);
    assert_int_equal(gdc_lead_in(b.engine), 0);
    assert_string_equal(gdc_chosen(b.engine), "");
    close_bench(&b);
}

/* A round that failed is profiled again. */
static void failed_rounds_are_not_learnt_from(void **state)
{
    bench b;
    double g[D];
    (void)state;
    open_bench(&b, "drop:tau=auto,profile=2", "exp:mean=1", M);
    start_bench(&b);
    for (int v = 1; v <= WARMUP + 3; v++) {
        b.problem.fail_partition = v == WARMUP + 1 ? 3 : -1;
        assert_int_equal(gdc_gradient(b.engine, model, g, NULL), v == WARMUP + 1 ? GDC_ENUMERIC : GDC_OK);
        assert_string_equal(gdc_chosen(b.engine), "");
    }
    assert_int_equal(gdc_gradient(b.engine, model, g, NULL), GDC_OK);
    assert_true(chosen_tau(&b) > 0);
    close_bench(&b);
}

/* Mean of round.used after the lead-in, each round checked against its definition. */
static double used_with(const char *strategy, double tau, int *most)
{
    bench b;
    double used = 0, g[D], want[D];
    open_auto(&b, strategy, 0);
    for (uint64_t v = LEAD + 1; v <= LEAD + 60; v++) {
        gdc_round round = {.size = sizeof round};
        assert_int_equal(gdc_gradient(b.engine, model, g, &round), GDC_OK);
        const char *up_to = strstr(gdc_chosen(b.engine), "most=");
        *most = up_to ? atoi(up_to + 5) : M;
        outcome o = round_at(&b, v, isnan(tau) ? chosen_tau(&b) : tau, 0, *most);
        kept_sum(&o, v, want);
        assert_memory_equal(g, want, sizeof g);
        assert_true(!round.exact || (round.used == 1 && *most == M));
        used += round.used / 60;
    }
    close_bench(&b);
    return used;
}

static void extra_micro_batches_make_up_for_dropped_ones(void **state)
{
    int none, most;
    (void)state;
    double without = used_with("drop:tau=auto,profile=8", NAN, &none);
    double with = used_with("drop:tau=auto,profile=8,resample=batch", NAN, &most);
    print_message("used %.3f without, %.3f with up to %d micro-batches\n", without, with, most);
    assert_true(without < .93 && fabs(with - 1) < .07);
    assert_true(none == M && most > M && most <= 4 * M);
}

/* A given threshold is profiled first, then both hold: M' = ceil(M / c). */
static void a_given_threshold_is_profiled_for_its_batch(void **state)
{
    bench b;
    double kept;
    int most;
    (void)state;
    used_with("drop:tau=2.5,profile=8,resample=batch", 2.5, &most);
    open_bench(&b, "sync", "exp:mean=1", M);
    speedup_at(&b, 2.5, 0, 0, &kept);
    gdc_delay_destroy(b.delay);
    assert_int_equal(most, (int)ceil(M / kept - 1e-9));
    used_with("drop:tau=1e-3,profile=8,resample=batch", 1e-3, &most);
    assert_int_equal(most, 4 * M);
}

/* The tuner's way to the same: a spec in which the threshold and its batch stand. */
static void a_tuned_batch_makes_up_on_its_profile(void **state)
{
    bench b;
    gdc_profile *profile;
    char *spec = NULL;
    double used = 0;
    (void)state;
    open_bench(&b, "drop:tau=auto,resample=batch", "lognormal:mu=1", M);
    assert_int_equal(gdc_profile_create(N, 40, M, &profile), GDC_OK);
    for (int i = 0; i < 40 * N * M; i++)
        gdc_profile_set(profile, i / (N * M), i / M % N, i % M,
                        gdc_delay_draw(b.delay, i / M % N, (uint64_t)(i / (N * M)) + 1, (uint64_t)(i % M)));
    assert_int_equal(gdc_tune(&b.options, profile, &spec, NULL), GDC_OK);
    assert_non_null(strstr(spec, ",most="));
    assert_false(gdc_tune_is_wanted("drop:tau=auto,profile=3"));
    b.options.strategy = spec;
    start_bench(&b);
    for (int v = 0; v < 200; v++) {
        gdc_round round = {.size = sizeof round};
        assert_int_equal(gdc_gradient(b.engine, model, (double[D]){0}, &round), GDC_OK);
        used += round.used / 200;
    }
    print_message("%s uses %.3f\n", spec, used);
    assert_true(fabs(used - 1) < .05);
    free(spec);
    gdc_profile_destroy(profile);
    close_bench(&b);
}

static void dropping_nothing_is_sync_bit_for_bit(void **state)
{
    bench b, s;
    (void)state;
    open_bench(&s, "sync", "exp:mean=1", M);
    open_bench(&b, "drop:tau=inf", "exp:mean=1", M);
    start_bench(&s);
    start_bench(&b);
    for (int v = 0; v < 20; v++) {
        double g[D], h[D];
        gdc_round rb = {.size = sizeof rb}, rs = {.size = sizeof rs};
        assert_int_equal(gdc_gradient(b.engine, model, g, &rb), GDC_OK);
        assert_int_equal(gdc_gradient(s.engine, model, h, &rs), GDC_OK);
        assert_memory_equal(g, h, sizeof g);
        assert_true(rb.ended_s == rs.ended_s && rb.exact && rb.used == 1);
    }
    close_bench(&b);
    close_bench(&s);
}

/* The sentence must have both words. */
static void refuses(const char *strategy, const char *word, const char *range)
{
    gdc_status status = gdc_strategy_check(strategy, N, M, 1, NULL, NULL);
    if (status != GDC_EINVAL || !strstr(gdc_last_error(), word) || !strstr(gdc_last_error(), range))
        fail_msg("%s: status %d, '%s' without '%s' and '%s'", strategy, (int)status, gdc_last_error(), word, range);
}

static void bad_values_name_the_valid_range(void **state)
{
    (void)state;
    refuses("drop:tau=0", "tau=0", "at least 1e-09, or inf, or auto");
    refuses("drop:tau=-1", "tau=-1", "at least 1e-09");
    refuses("drop:tau=soon", "tau=soon", "or auto");
    refuses("drop:tau=auto,profile=0", "profile=0", "from 1 to 1000");
    refuses("drop:tau=1,resample=batch", "resample=batch", "want profile=1 to 1000 or most=4 to 16");
    refuses("drop:tau=1,profile=5", "profile=5", "want tau=auto or resample=batch");
    refuses("drop:tau=1,resample=batch,most=3", "most=3", "want 4 to 16");
    refuses("drop:tau=1,resample=batch,most=17", "most=17", "want 4 to 16");
    refuses("drop:tau=1,most=5", "most=5", "resample=batch");
    refuses("drop:tau=1,resample=more", "resample=more", "none, steps, batch");
    refuses("local:steps=0", "steps=0", "from 1 to 1000");
    refuses("local:steps=2,tau=0", "tau=0", "at least 1e-09, or inf");
    refuses("local", "steps", "from 1 to 1000");
}

/* Extra mini-batches have partition ids of their own, and ids are ints. */
static void partition_ids_do_not_overflow(void **state)
{
    enum { MILLIONS = 1000000 };
    const int most = INT_MAX / (N * MILLIONS);
    char spec[40];
    (void)state;
    snprintf(spec, sizeof spec, "local:steps=%d", most);
    assert_int_equal(gdc_strategy_check(spec, N, MILLIONS, 1, NULL, NULL), GDC_OK);
    snprintf(spec, sizeof spec, "local:steps=%d", most + 1);
    assert_int_equal(gdc_strategy_check(spec, N, MILLIONS, 1, NULL, NULL), GDC_EINVAL);
    assert_non_null(strstr(gdc_last_error(), "nearest is"));
    assert_int_equal(gdc_strategy_check("drop:tau=1", N, INT_MAX / N, 1, NULL, NULL), GDC_OK);
    assert_int_equal(gdc_strategy_check("drop:tau=auto,resample=batch", N, INT_MAX / N, 1, NULL, NULL), GDC_EINVAL);
    assert_non_null(strstr(gdc_last_error(), "resample=batch"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_chosen_threshold_is_the_best_of_the_profile),
        cmocka_unit_test(what_is_not_computation_counts),
        cmocka_unit_test(the_default_profile_is_twenty_rounds),
        cmocka_unit_test(failed_rounds_are_not_learnt_from),
        cmocka_unit_test(extra_micro_batches_make_up_for_dropped_ones),
        cmocka_unit_test(a_given_threshold_is_profiled_for_its_batch),
        cmocka_unit_test(a_tuned_batch_makes_up_on_its_profile),
        cmocka_unit_test(dropping_nothing_is_sync_bit_for_bit),
        cmocka_unit_test(bad_values_name_the_valid_range),
        cmocka_unit_test(partition_ids_do_not_overflow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

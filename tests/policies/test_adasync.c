/* test_adasync.c - AdaSync on the virtual clock: K against the rules, given losses that the test makes up.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gradcode/round.h"
#include "gradcode/runtime.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { P = 8, D = 2 };

/* Losses fall with the version, by hand. */
typedef struct slope {
    double start, rate; /* loss per sample at version v: start * exp(-rate v) */
    bool is_mute;
} slope;

static double loss_at(const slope *s, uint64_t version)
{
    return s->start * exp(-s->rate * (double)version);
}

static int partial(void *context, gdc_task *task, void *sum)
{
    const slope *s = context;
    double *out = sum;
    out[0] += task->scale;
    out[1] += task->scale * (double)task->version;
    if (!s->is_mute)
        task->loss = loss_at(s, task->version);
    return 0;
}

typedef struct bench {
    gdc_options options;
    gdc_delay *delay;
    gdc_engine *engine;
    slope slope;
    gdc_round round;
    double gradient[D];
} bench;

static void open_bench(bench *b, const char *spec, const char *delay)
{
    memset(b, 0, sizeof *b);
    gdc_options_init(&b->options);
    b->slope = (slope){.start = 10, .rate = .01};
    b->options.strategy = spec;
    b->options.dimension = D;
    b->options.poll_s = 0;
    assert_int_equal(gdc_delay_create(&delay, 1, 5, P, 1, &b->delay), GDC_OK);
    b->options.delay = b->delay;
}

static void start_bench(bench *b)
{
    if (gdc_open_virtual(&b->options, P, partial, &b->slope, &b->engine) != GDC_OK)
        fail_msg("%s: %s", b->options.strategy, gdc_last_error());
}

static gdc_status try_round(bench *b)
{
    static const double model[D];
    b->round = (gdc_round){.size = sizeof b->round};
    return gdc_gradient(b->engine, model, b->gradient, &b->round);
}

static int next_k(bench *b)
{
    if (try_round(b) != GDC_OK)
        fail_msg("%s: %s", b->options.strategy, gdc_last_error());
    return (int)b->round.vectors;
}

static void close_bench(bench *b)
{
    gdc_close(b->engine, NULL);
    gdc_delay_destroy(b->delay);
}

/* ---- the sequence ---- */

/* What the header says, once more: F0 the mean of five updates, F an average of weight .9, K at most every `every` seconds. */
typedef struct expected {
    int k, losses;
    double first, loss, change_s;
} expected;

static void expect_begin(expected *e, double began_s, double every_s, double (*rule)(double fall))
{
    if (e->losses == 0)
        e->change_s = began_s + every_s;
    if (began_s < e->change_s)
        return;
    double k = e->losses >= 5 ? floor(rule(e->first / e->loss) + .5) : 0;
    e->k = k > e->k ? (int)fmin(k, P) : e->k;
    e->change_s = began_s + every_s;
}

static void expect_loss(expected *e, double loss)
{
    e->first += e->losses < 5 ? loss / 5 : 0;
    e->loss = e->losses < 5 ? e->first : .9 * e->loss + .1 * loss;
    e->losses++;
}

static double quad2(double fall)
{
    return gdc_adasync_quad(2, P, fall);
}

static double quad4(double fall)
{
    return gdc_adasync_quad(4, P, fall);
}

static double sqrt4(double fall)
{
    return gdc_adasync_sqrt(4, fall);
}

static void follows(const char *spec, int k0, double every_s, double (*rule)(double fall))
{
    bench b;
    expected e = {.k = k0};
    int changes = 0;
    open_bench(&b, spec, "exp:mean=1");
    start_bench(&b);
    for (int r = 0; r < 500; r++) {
        int before = e.k;
        expect_begin(&e, gdc_now(b.engine), every_s, rule);
        changes += e.k != before;
        assert_int_equal(next_k(&b), e.k);
        assert_true(fabs(b.gradient[0] - P) < 1e-9);
        expect_loss(&e, b.round.loss);
    }
    assert_true(changes >= 3 && e.k >= P - 1);
    close_bench(&b);
}

static void k_follows_the_loss_by_its_rule_and_is_held_between(void **state)
{
    (void)state;
    follows("adasync:base=k-sync,k0=2,every=3", 2, 3, quad2);
    follows("adasync:base=k-sync,k0=4,every=0.5", 4, .5, quad4);
    follows("adasync:base=k-async,k0=4,every=5", 4, 5, quad4);
    follows("adasync:base=k-batch-async,k0=4,every=5", 4, 5, sqrt4);
    follows("adasync:base=k-batch-sync,k0=4,every=1e-9", 4, 1e-9, sqrt4);
    follows("adasync:base=k-sync,k0=4,every=2,rule=sqrt", 4, 2, sqrt4);
}

/* Equal losses per version: the K of theory at F0/F = 2, 4, 6, 12, 32. */
static void a_long_hold_gives_the_table(void **state)
{
    static const double fall[] = {2, 4, 6, 12, 32};
    static const int quad[] = {3, 3, 4, 5, 6};
    (void)state;
    for (int i = 0; i < 5; i++) {
        bench b;
        int k = 0;
        open_bench(&b, "adasync:base=k-sync,k0=2,every=1000", "none:piece=1");
        b.slope.rate = 0;
        start_bench(&b);
        for (int r = 0; r < 6; r++) {
            b.slope.start = r == 2 ? INFINITY : 10; /* one that overflows is passed over */
            assert_int_equal(next_k(&b), 2);
        }
        b.slope.start /= fall[i];
        for (int r = 0; r < 1100; r++)
            k = next_k(&b);
        assert_int_equal(k, quad[i]);
        close_bench(&b);
    }
}

static void k_never_falls(void **state)
{
    bench b;
    int before = 0;
    (void)state;
    open_bench(&b, "adasync:base=k-sync,k0=2,every=1", "exp:mean=1");
    start_bench(&b);
    for (int r = 0; r < 300; r++) {
        int k = next_k(&b);
        assert_true(k >= before);
        before = k;
        if (r == 150)
            b.slope.start *= 1e6; /* the loss explodes */
    }
    assert_true(before > 2 && before < P);
    close_bench(&b);
}

static void without_losses_k_stays(void **state)
{
    static const char *const specs[] = {"adasync:base=k-sync,k0=3,every=1", "adasync:base=k-batch-async,k0=3,every=1"};
    (void)state;
    for (int i = 0; i < 6; i++) {
        bench b;
        open_bench(&b, specs[i % 2], "exp:mean=1");
        b.slope.is_mute = i < 2;
        b.slope.start = i / 2 == 1 ? -1 : 0; /* and where a ratio of losses says nothing */
        start_bench(&b);
        for (int r = 0; r < 100; r++)
            assert_int_equal(next_k(&b), 3);
        close_bench(&b);
    }
}

static void timing_alone_keeps_k(void **state)
{
    bench b;
    (void)state;
    open_bench(&b, "adasync:base=k-async,k0=3,every=1", "exp:mean=1");
    assert_int_equal(gdc_open_virtual(&b.options, P, NULL, NULL, &b.engine), GDC_OK);
    for (int r = 0; r < 100; r++) {
        gdc_round round = {.size = sizeof round};
        assert_int_equal(gdc_gradient(b.engine, NULL, NULL, &round), GDC_OK);
        assert_true(round.vectors == 3 && isnan(round.loss));
    }
    close_bench(&b);
}

/* ---- measured times ---- */

typedef struct arrivals {
    double at_s[P];
    int count;
} arrivals;

/* After ten updates with everybody, the rule is asked with what they showed: pieces of 1 s for all but the last two
 * workers, of 50 s for these: K stops at six. */
static void the_empirical_rule_measures_first_and_stops_before_the_slow(void **state)
{
    static const char *const bases[] = {"k-sync", "k-async"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        const char *delay[] = {"shifted-exp:shift=.2,mean=.8", "slow:which=6+7,factor=50"};
        bench b;
        char spec[80];
        int k = 0;
        snprintf(spec, sizeof spec, "adasync:base=%s,k0=2,every=5,rule=empirical", bases[i]);
        open_bench(&b, spec, "none");
        gdc_delay_destroy(b.delay);
        assert_int_equal(gdc_delay_create(delay, 2, 5, P, 1, &b.delay), GDC_OK);
        b.options.delay = b.delay;
        b.slope.rate = .013;
        start_bench(&b);
        for (int r = 0; r < 10; r++)
            assert_int_equal(next_k(&b), P);
        assert_int_equal(next_k(&b), 2);
        for (int r = 0; r < 400; r++)
            k = next_k(&b);
        assert_int_equal(k, 6);
        close_bench(&b);
    }
}

static void note_time(void *context, const gdc_arrival_note *note)
{
    arrivals *a = context;
    if (a->count < P)
        a->at_s[a->count++] = note->arrival_s;
}

/* K once more, with T_j from what an observer saw of the ten updates. */
static void the_empirical_rule_is_told_mean_times_of_arrival(void **state)
{
    bench b;
    arrivals a;
    expected e = {.k = 2};
    double times[P] = {0};
    (void)state;
    open_bench(&b, "adasync:base=k-sync,k0=2,every=4,rule=empirical", "pareto:alpha=2,min=1");
    b.options.observe = note_time;
    b.options.observe_context = &a;
    start_bench(&b);
    for (int r = 0; r < 300; r++) {
        double began_s = gdc_now(b.engine);
        if (e.losses == 0)
            e.change_s = began_s + 4;
        if (r >= 10 && began_s >= e.change_s) {
            e.k = gdc_adasync_step(gdc_adasync_empirical(2, P, times, e.first / e.loss), e.k, P);
            e.change_s = began_s + 4;
        }
        a.count = 0;
        assert_int_equal(next_k(&b), r < 10 ? P : e.k);
        for (int j = 0; r < 10 && j < P; j++)
            times[j] += (a.at_s[j] - began_s) / 10;
        expect_loss(&e, b.round.loss);
    }
    assert_true(e.k >= 5);
    close_bench(&b);
}

static void a_rank_that_was_never_seen_is_not_waited_for(void **state)
{
    const gdc_fault kill = {GDC_FAULT_KILL, GDC_AT_COMPUTE, 7, 1, 0};
    bench b;
    (void)state;
    open_bench(&b, "adasync:base=k-sync,k0=2,every=1,rule=empirical", "exp:mean=1");
    b.options.faults = &kill;
    b.options.fault_count = 1;
    b.slope.rate = 0;
    start_bench(&b);
    for (int r = 0; r < 60; r++)
        assert_int_equal(next_k(&b), r < 10 ? P - 1 : 2);
    close_bench(&b);
}

/* ---- losses of workers ---- */

static void with_fewer_workers_than_k_those_that_live_are_enough_down_to_k0(void **state)
{
    bench b;
    gdc_fault faults[6];
    gdc_status status = GDC_OK;
    int rounds = 0;
    (void)state;
    for (int i = 0; i < 6; i++)
        faults[i] = (gdc_fault){GDC_FAULT_KILL, GDC_AT_COMPUTE, i, (uint64_t)(400 + 20 * i), 0};
    open_bench(&b, "adasync:base=k-sync,k0=3,every=1", "exp:mean=1");
    b.options.faults = faults;
    b.options.fault_count = 6;
    b.slope.rate = .02;
    start_bench(&b);
    for (; rounds < 600 && status == GDC_OK; rounds++) {
        status = try_round(&b);
        if (status == GDC_OK && rounds > 380 && rounds % 20 == 10)
            assert_int_equal(b.round.vectors, rounds < 400 ? P : P - 1 - (rounds - 400) / 20);
    }
    assert_int_equal(status, GDC_EUNRECOVERABLE);
    assert_true(rounds > 495 && rounds < 510); /* the sixth death leaves two */
    assert_non_null(strstr(gdc_last_error(), "without the lost workers 0-5"));
    close_bench(&b);
}

/* ---- refusals ---- */

static void refused(const char *strategy, int workers, const char *sentence)
{
    gdc_options options;
    gdc_engine *engine = NULL;
    gdc_options_init(&options);
    options.strategy = strategy;
    assert_int_equal(gdc_open_virtual(&options, workers, NULL, NULL, &engine), GDC_EINVAL);
    if (strstr(gdc_last_error(), sentence) == NULL)
        fail_msg("%s: \"%s\" does not say \"%s\"", strategy, gdc_last_error(), sentence);
}

static void impossible_values_are_refused_with_their_range(void **state)
{
    (void)state;
    refused("adasync:k0=9,every=1,rule=sqrt", P, "adasync: k0=9 with 8 workers: want 1 to 8, nearest is 8");
    refused("adasync:k0=9,every=1", P, "adasync: k0=9 with 8 workers and rule=quad: want 1 to 7, nearest is 7");
    refused("adasync:k0=8,every=1", P, "k0=8 with 8 workers and rule=quad: want 1 to 7, nearest is 7");
    refused("adasync:base=k-async,k0=8,every=1,rule=quad", P, "want 1 to 7");
    refused("adasync:base=k-batch-async,k0=0,every=1", P, "k0=0 with 8 workers: want 1 to 8, nearest is 1");
    refused("adasync:k0=1,every=1", 1, "rule=quad with 1 worker");
    refused("adasync:k0=2,every=0", P, "every=0");
    refused("adasync:k0=2,every=-1", P, "every=-1");
    refused("adasync:k0=2", P, "every= is missing");
    refused("adasync:every=2", P, "k0= is missing");
    refused("adasync:k0=2,every=1,base=sync", P, "base=sync");
    refused("adasync:k0=2,every=1,rule=cubic", P, "rule=cubic");
    refused("adasync:k0=2,every=1,cancel=2", P, "cancel=2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(k_follows_the_loss_by_its_rule_and_is_held_between),
        cmocka_unit_test(a_long_hold_gives_the_table),
        cmocka_unit_test(k_never_falls),
        cmocka_unit_test(without_losses_k_stays),
        cmocka_unit_test(timing_alone_keeps_k),
        cmocka_unit_test(the_empirical_rule_measures_first_and_stops_before_the_slow),
        cmocka_unit_test(the_empirical_rule_is_told_mean_times_of_arrival),
        cmocka_unit_test(a_rank_that_was_never_seen_is_not_waited_for),
        cmocka_unit_test(with_fewer_workers_than_k_those_that_live_are_enough_down_to_k0),
        cmocka_unit_test(impossible_values_are_refused_with_their_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

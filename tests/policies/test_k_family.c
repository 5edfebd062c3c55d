/* test_k_family.c - k-sync, k-batch-sync, k-async, k-batch-async against their definition on the virtual clock. Gradients are
 * integers that say who computed what on which model.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/k_bench.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ROUNDS = 60 };

typedef struct shape {
    const char *name;
    bool any, stale;
} shape;

static const shape shapes[] = {
    {"k-sync", false, false}, {"k-batch-sync", true, false}, {"k-async", false, true}, {"k-batch-async", true, true}};

/* ---- what every update is ---- */

static void check_books(const k_bench *b, const shape *s, int k, bool cancels)
{
    const gdc_round *r = &b->round;
    double gave[K_N], received = 0, used = 0, squares = 0;
    bool once = true;
    assert_int_equal(r->vectors, k);
    assert_true(r->fresh <= r->vectors && (s->stale || r->fresh == r->vectors));
    near(b->gradient[0] / r->scale, K_M * k);
    near(b->gradient[1] / r->scale, K_M * ((double)k * (double)r->version - (double)r->staleness));
    for (int w = 0; w < K_N; w++) {
        gave[w] = b->gradient[2 + w] / r->scale / K_M;
        near(gave[w], round(gave[w]));
        assert_true(gave[w] >= -1e-9 && (s->any || gave[w] < 1 + 1e-9));
        once = once && round(gave[w]) == 1;
        received += gave[w] * k_shard_samples(b, w);
        squares += (r->scale * gave[w] - 1) * (r->scale * gave[w] - 1);
    }
    used = received / k_all_samples(b);
    near(r->scale, 1 / used);
    assert_true(r->exact == (once && r->staleness == 0));
    near(r->used, used);
    near(r->residual, sqrt(squares / K_N));
    if (!s->stale)
        assert_true(r->staleness == 0 && r->in_flight == 0);
    if (s->stale && !cancels)
        assert_int_equal(b->stale_so_far + r->in_flight, (uint64_t)(s->any ? K_N - 1 : K_N - k) * r->version);
}

static void check_rounds(const shape *s, int k, bool cancels, double poll_s, bool uneven)
{
    k_bench b;
    char spec[64];
    snprintf(spec, sizeof spec, "%s:k=%d,cancel=%d", s->name, k, cancels);
    k_open(&b, spec, "exp:mean=1", uneven);
    b.options.poll_s = poll_s;
    k_start(&b);
    for (int r = 0; r < ROUNDS; r++) {
        k_round(&b);
        check_books(&b, s, k, cancels);
    }
    assert_false(b.problem.doubled || b.problem.skipped);
    k_close(&b);
}

static void every_update_takes_k_scales_them_and_keeps_the_books(void **state)
{
    static const int few[] = {1, 2, 5, K_N}, many[] = {1, 4, K_N, 3 * K_N + 1};
    (void)state;
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            for (int cancels = 0; cancels < 2; cancels++) {
                int k = shapes[i].any ? many[j] : few[j];
                check_rounds(&shapes[i], k, cancels, 0, false);
                check_rounds(&shapes[i], k, cancels, INFINITY, true);
            }
}

/* Ties, tails without variance, a slow link: the identity is one of integers, not of laws. */
static void the_staleness_identity_holds_under_any_delays(void **state)
{
    static const char *const delays[] = {"none:piece=1", "pareto:alpha=1.1,min=1", "lognormal:mu=0.1"};
    (void)state;
    for (int i = 2; i < 4; i++)
        for (int d = 0; d < 3; d++) {
            k_bench b;
            char spec[64];
            int k = 3;
            snprintf(spec, sizeof spec, "%s:k=%d", shapes[i].name, k);
            k_open(&b, spec, delays[d], false);
            b.options.latency_s = .05;
            b.options.bandwidth = 500;
            k_start(&b);
            for (int r = 0; r < 400; r++) {
                k_round(&b);
                if (r >= K_N) /* by now all have begun */
                    assert_int_equal(b.stale_so_far + b.round.in_flight,
                                     (uint64_t)(shapes[i].any ? K_N - 1 : K_N - k) * b.round.version);
            }
            k_close(&b);
        }
}

static void the_mean_loss_is_told(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++)
        for (int uneven = 0; uneven < 2; uneven++) {
            k_bench b;
            char spec[64];
            snprintf(spec, sizeof spec, "%s:k=4", shapes[i].name);
            k_open(&b, spec, "exp:mean=1", uneven);
            k_start(&b);
            for (int r = 0; r < 30; r++) {
                k_round(&b);
                if (!uneven) /* a partition's loss per sample is its version */
                    near(b.round.loss, (double)b.round.version - (double)b.round.staleness / 4);
                else if (b.round.staleness == 0)
                    near(b.round.loss, (double)b.round.version);
            }
            b.problem.mute_version = 32;
            for (int r = 30; r < 40; r++) {
                k_round(&b);
                if (b.round.version < 32)
                    assert_true(isfinite(b.round.loss));
                else if (b.round.fresh > 0)
                    assert_true(isnan(b.round.loss));
            }
            k_close(&b);
        }
}

/* ---- special cases ---- */

static void waiting_for_all_is_exact_and_equals_gradient_coding_without_codes(void **state)
{
    static const char *const specs[] = {"gc:code=uncoded", "k-sync:k=6", "k-async:k=6"};
    k_bench b[3];
    (void)state;
    for (int i = 0; i < 3; i++) {
        k_open(&b[i], specs[i], "exp:mean=1", true);
        k_start(&b[i]);
    }
    for (int r = 0; r < 20; r++) {
        for (int i = 0; i < 3; i++)
            k_round(&b[i]);
        for (int i = 1; i < 3; i++) {
            assert_memory_equal(b[i].gradient, b[0].gradient, sizeof b[0].gradient);
            assert_true(b[i].round.exact && b[i].round.scale == 1 && b[i].round.used == 1);
            assert_true(b[i].round.ended_s == b[0].round.ended_s && b[i].round.residual == 0);
        }
    }
    for (int i = 0; i < 3; i++)
        k_close(&b[i]);
}

/* Cut at once and without latency nobody is ever stale. */
static void cancelling_at_once_makes_the_asynchronous_ones_synchronous(void **state)
{
    static const char *const specs[][2] = {{"k-sync:k=4", "k-async:k=4,cancel=1"},
                                           {"k-batch-sync:k=9", "k-batch-async:k=9,cancel=1"}};
    (void)state;
    for (int pair = 0; pair < 2; pair++) {
        k_bench a, b;
        k_open(&a, specs[pair][0], "pareto:alpha=2,min=1", true);
        k_open(&b, specs[pair][1], "pareto:alpha=2,min=1", true);
        a.options.poll_s = b.options.poll_s = 0;
        k_start(&a);
        k_start(&b);
        for (int r = 0; r < 100; r++) {
            k_round(&a);
            k_round(&b);
            assert_memory_equal(a.gradient, b.gradient, sizeof a.gradient);
            assert_true(a.round.ended_s == b.round.ended_s && b.round.staleness == 0);
        }
        k_close(&a);
        k_close(&b);
    }
}

/* Not cancelled, the late ones finish what they do; it is discarded, and they go on with the newest model. */
static void late_results_of_a_synchronous_update_are_discarded(void **state)
{
    static const char *const specs[] = {"k-sync:k=2,cancel=0", "k-batch-sync:k=2,cancel=0"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        k_bench b;
        int late = 0;
        k_open(&b, specs[i], "exp:mean=1", false);
        k_start(&b);
        for (int r = 0; r < 200; r++) {
            k_round(&b);
            for (int j = 0; j < b.notes; j++) {
                bool current = b.note[j].version == b.round.version;
                assert_true(current == (b.note[j].fate != GDC_FATE_DISCARDED));
                late += !current;
            }
            assert_true(b.round.fresh == 2 && b.round.staleness == 0);
        }
        assert_true(late > 100);
        k_close(&b);
    }
}

/* One vector per update: its factor shows. */
static void check_steps(const char *spec, bool drops, int killed)
{
    k_bench b;
    int stale = 0;
    const gdc_fault kill = {GDC_FAULT_KILL, GDC_AT_COMPUTE, 0, 2, 0};
    k_open(&b, spec, "exp:mean=1", false);
    b.options.faults = &kill;
    b.options.fault_count = killed;
    k_start(&b);
    for (int r = 0; r < 1500; r++) {
        k_round(&b);
        double expected = 0, all = 0, entered = 0;
        for (int j = 0; j < b.notes; j++) {
            double tau = (double)(b.round.version - b.note[j].version), busy = K_N - (r > 50 ? killed : 0);
            double factor = tau <= busy ? 1 : drops ? 0 : busy / tau;
            assert_true((factor > 0) == (b.note[j].fate != GDC_FATE_DISCARDED));
            expected += factor;
            all++;
            entered += factor > 0;
            stale += tau > busy;
        }
        if (r > 50 || !killed) {
            near(b.round.scale, K_N / all);
            near(b.gradient[0], K_M * expected * b.round.scale);
            near(b.round.used, entered / K_N);
            assert_true((double)b.round.vectors == entered);
        }
    }
    assert_true(stale > 20);
    k_close(&b);
}

static void stale_gradients_are_weighed_down_or_dropped(void **state)
{
    (void)state;
    check_steps("k-batch-async:k=1,step=adaptive", false, 0);
    check_steps("k-batch-async:k=1,step=drop", true, 0);
    check_steps("k-async:k=1,step=adaptive", false, 0);
    check_steps("k-async:k=1,step=drop", true, 0);
    check_steps("k-batch-async:k=2,step=adaptive", false, 0);
    check_steps("k-async:k=1,step=adaptive", false, 1); /* busy: those that live */
}

/* ---- refusals ---- */

static void refused(const char *strategy, const char *sentence)
{
    gdc_options options;
    gdc_engine *engine = NULL;
    gdc_options_init(&options);
    options.strategy = strategy;
    assert_int_equal(gdc_open_virtual(&options, K_N, NULL, NULL, &engine), GDC_EINVAL);
    if (strstr(gdc_last_error(), sentence) == NULL)
        fail_msg("%s: \"%s\" does not say \"%s\"", strategy, gdc_last_error(), sentence);
}

static void impossible_values_are_refused_with_their_range(void **state)
{
    (void)state;
    refused("k-sync:k=0", "k-sync: k=0 with 6 workers: want 1 to 6, nearest is 1");
    refused("k-sync:k=7", "k-sync: k=7 with 6 workers: want 1 to 6, nearest is 6");
    refused("k-async:k=7", "k-async: k=7 with 6 workers: want 1 to 6, nearest is 6");
    refused("k-batch-sync:k=-1", "k-batch-sync: k=-1 with 6 workers: want 1 to 6000, nearest is 1");
    refused("k-batch-async:k=6001", "k-batch-async: k=6001 with 6 workers: want 1 to 6000, nearest is 6000");
    refused("k-sync", "k= is missing");
    refused("k-sync:k=2,cancel=2", "cancel=2");
    refused("k-sync:k=2,step=drop", "step");
    refused("k-async:k=2,step=half", "step=half");
    refused("k-async:k=2,load=2", "load");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_update_takes_k_scales_them_and_keeps_the_books),
        cmocka_unit_test(the_staleness_identity_holds_under_any_delays),
        cmocka_unit_test(the_mean_loss_is_told),
        cmocka_unit_test(waiting_for_all_is_exact_and_equals_gradient_coding_without_codes),
        cmocka_unit_test(cancelling_at_once_makes_the_asynchronous_ones_synchronous),
        cmocka_unit_test(late_results_of_a_synchronous_update_are_discarded),
        cmocka_unit_test(stale_gradients_are_weighed_down_or_dropped),
        cmocka_unit_test(impossible_values_are_refused_with_their_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_approx.c - approximate decoding on the virtual clock: when a round ends, what it applies, and what it says of that.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "plan/code.h"
#include "plan/decoder.h"
#include "support/exactness.h"
#include "support/scratch.h"
#include "support/virtual_bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { M = 2, K = N * M, MOST_ROWS = N * K };

/* ---- what should happen ---- */

typedef struct sent {
    double at_s;
    int worker, index, slot;
} sent;

static int compare_sent(const void *left, const void *right)
{
    const sent *a = left, *b = right;
    return (a->at_s > b->at_s) - (a->at_s < b->at_s);
}

/* The same plan without the code's own weights: nothing but least squares. */
typedef struct reference {
    gdc_plan *plan;
    gdc_decoder *decoder;
    sent sent[MOST_ROWS];
    int rows;
    double time_s, factor[K], residual; /* of a round */
    int messages;                       /* of it */
} reference;

static void open_reference(reference *r, const char *code)
{
    gdc_options options;
    gdc_options_init(&options);
    assert_int_equal(gdc_plan_create(code, N, K, options.seed, &r->plan), GDC_OK);
    r->plan->code = NULL;
    r->rows = r->plan->row_at[N];
    assert_int_equal(gdc_decoder_create(r->plan, &r->decoder), GDC_OK);
}

static void close_reference(reference *r)
{
    gdc_decoder_destroy(r->decoder);
    gdc_plan_destroy(r->plan);
}

/* Workers fresh at the round's begin. */
static void list_messages(reference *r, const gdc_delay *delay, uint64_t version)
{
    int count = 0;
    for (int w = 0; w < N; w++) {
        double at_s = 0;
        for (int done = 0, i = 0; i < gdc_plan_rows(r->plan, w); i++) {
            for (; done < gdc_plan_row(r->plan, w, i)->after; done++)
                at_s += gdc_delay_draw(delay, w, version, (uint64_t)done);
            r->sent[count++] = (sent){at_s, w, i, r->plan->row_at[w] + i};
        }
    }
    qsort(r->sent, (size_t)count, sizeof *r->sent, compare_sent);
}

/* fixed: weight of the messages of whoever has given all; 0: least squares, and the end as soon as all is there. */
static void play_round(reference *r, int wait, double fixed)
{
    int came[N] = {0}, given = 0;
    double weight[MOST_ROWS] = {0}, squares = 0;
    gdc_decoder_reset(r->decoder);
    for (r->messages = 0; given < wait && !(fixed == 0 && gdc_decoder_complete(r->decoder)); r->messages++) {
        const sent *s = &r->sent[r->messages];
        gdc_decoder_offer(r->decoder, s->worker, s->index);
        given += ++came[s->worker] == gdc_plan_rows(r->plan, s->worker);
        r->time_s = s->at_s;
    }
    if (fixed == 0)
        assert_int_equal(gdc_decoder_weights(r->decoder, weight, NULL, NULL), GDC_OK);
    for (int w = 0; w < N; w++)
        for (int i = r->plan->row_at[w]; fixed != 0 && i < r->plan->row_at[w + 1]; i++)
            weight[i] = came[w] == gdc_plan_rows(r->plan, w) ? fixed : 0;
    exactness_residual(r->plan, weight, r->factor);
    for (int p = 0; p < K; p++) {
        squares += r->factor[p] * r->factor[p];
        r->factor[p] += 1;
    }
    r->residual = sqrt(squares / K);
}

/* Partition p at version v gives v * (p + 1) + i in coordinate i. */
static void check_applied(const reference *r, const double *g, uint64_t version)
{
    for (size_t i = 0; i < D; i++) {
        double want = 0, size = 0;
        for (int p = 0; p < K; p++) {
            double partial = (double)version * (p + 1) + (double)i;
            want += r->factor[p] * partial;
            size += partial;
        }
        if (!(fabs(g[i] - want) <= 1e-12 * size))
            fail_msg("round %d, coordinate %zu: %.17g, want %.17g", (int)version, i, g[i], want);
    }
}

static double share_entered(const reference *r, const double *samples)
{
    double used = 0, all = 0;
    for (int p = 0; p < K; p++) {
        used += fabs(r->factor[p]) > 1e-9 ? samples[p] : 0;
        all += samples[p];
    }
    return used / all;
}

static const struct {
    const char *code, *keys;
    double fixed; /* times wait; 0: optimal, or own */
    double own;
} shapes[] = {
    {"erasurehead:load=2", "code=erasurehead,load=2", 0, 0},
    {"erasurehead:load=3", "code=erasurehead,load=3,decode=optimal", 0, 0},
    {"graph:degree=2", "code=graph,degree=2", 0, 0},
    {"graph:degree=3", "code=graph,degree=3", 0, 0},
    {"stochastic:load=3,p=.5", "code=stochastic,load=3,p=.5", 0, 1},
    {"stochastic:load=3,p=.5", "code=stochastic,load=3,p=.5,decode=optimal", 0, 0},
    {"stochastic:load=3,p=.5", "code=stochastic,load=3,p=.5,decode=fixed", N / 2., 0},
    {"graph:degree=3", "code=graph,degree=3,decode=fixed", N / 3., 0},
    {"erasurehead:load=2", "code=erasurehead,load=2,decode=fixed", N / 2., 0},
    {"fractional:load=4", "code=fractional,load=4", 0, 0},
    {"cyclic:load=3", "code=cyclic,load=3", 0, 0},
    {"uncoded:load=2,message=1", "code=uncoded,load=2,message=1", 0, 0},
    {"uncoded:load=2,message=1", "code=uncoded,load=2,message=1,decode=fixed", N / 2., 0},
    {"mmc:load=3,orders=2+3", "code=mmc,load=3,orders=2+3", 0, 0},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static void check_rounds(size_t shape, int wait)
{
    bench b;
    reference r;
    char strategy[128];
    int home[N] = {0}; /* partitions of each shard that entered, however many times in one round */
    double samples[K], fixed = shapes[shape].own + shapes[shape].fixed / wait;
    snprintf(strategy, sizeof strategy, "approx:wait=%d,%s", wait, shapes[shape].keys);
    open_reference(&r, shapes[shape].code);
    open_bench(&b, strategy, "exp:mean=1", M);
    for (int p = 0; p < K; p++)
        samples[p] = 1 + p % 5;
    b.options.samples = samples;
    b.options.poll_s = 0;
    start_bench(&b);
    for (uint64_t v = 1; v <= 40; v++) {
        double g[D];
        gdc_round round = {.size = sizeof round};
        list_messages(&r, b.delay, v);
        play_round(&r, wait, fixed);
        assert_int_equal(gdc_gradient(b.engine, model, g, &round), GDC_OK);
        if (!(fabs(round.ended_s - round.began_s - r.time_s) < 1e-9))
            fail_msg("%s: round %d took %g, want %g", strategy, (int)v, round.ended_s - round.began_s, r.time_s);
        check_applied(&r, g, v);
        assert_int_equal(round.messages, r.messages);
        assert_true(fabs(round.residual - r.residual) < 1e-12);
        assert_int_equal(round.exact, r.residual < 1e-7);
        assert_true(fabs(round.used - share_entered(&r, samples)) < 1e-12);
        for (int p = 0; p < K; p++)
            home[p / M] += fabs(r.factor[p]) > 1e-9;
        double scale = shapes[shape].fixed > 0 ? (double)N / wait : 1;
        assert_true(round.scale == (round.exact ? 1 : scale));
    }
    for (int w = 0; w < N; w++) {
        gdc_worker_stats stats = {.size = sizeof stats};
        assert_int_equal(gdc_stats(b.engine, w, &stats), GDC_OK);
        assert_true(stats.home_used == home[w]);
    }
    close_bench(&b);
    close_reference(&r);
}

static void what_the_first_workers_give_is_weighted_as_well_as_can_be(void **state)
{
    (void)state;
    for (size_t shape = 0; shape < SHAPES; shape++)
        for (int wait = 1; wait <= N; wait++)
            check_rounds(shape, wait);
}

/* Block v of what is applied, coordinate by coordinate, from the blocks of all partials: factors of least squares per block. */
static double applied_from_blocks(const reference *r, const double *weight, int v, size_t j, uint64_t version,
                                  double *squares)
{
    double factor[2 * K] = {0}, sum = 0;
    *squares = 0;
    for (int i = 0; i < r->rows; i++)
        for (int c = 0; c < 2 * K; c++)
            factor[c] += weight[v * r->rows + i] * gdc_row_coefficient(&r->plan->row[i], c);
    for (int c = 0; c < 2 * K; c++) {
        size_t first, length = gdc_plan_block(r->plan, D, c / K, &first);
        double off = factor[c] - (c / K == v);
        *squares += off * off;
        sum += j < length ? factor[c] * ((double)version * (c % K + 1) + (double)(first + j)) : 0;
    }
    return sum;
}

static void blocks_are_weighted_each_by_itself(void **state)
{
    (void)state;
    for (int wait = 1; wait <= N; wait++) {
        bench b;
        reference r;
        char strategy[64];
        snprintf(strategy, sizeof strategy, "approx:wait=%d,code=dual,load=4,shorten=2", wait);
        open_reference(&r, "dual:load=4,shorten=2");
        open_bench(&b, strategy, "exp:mean=1", M);
        b.options.poll_s = 0;
        start_bench(&b);
        for (uint64_t version = 1; version <= 20; version++) {
            double g[D], weight[2 * N], squares[2];
            gdc_round round = {.size = sizeof round};
            list_messages(&r, b.delay, version);
            gdc_decoder_reset(r.decoder);
            for (int i = 0; i < wait && !gdc_decoder_complete(r.decoder); i++)
                gdc_decoder_offer(r.decoder, r.sent[i].worker, 0);
            assert_int_equal(gdc_decoder_weights(r.decoder, weight, NULL, NULL), GDC_OK);
            assert_int_equal(gdc_gradient(b.engine, model, g, &round), GDC_OK);
            for (int v = 0; v < 2; v++) {
                size_t first, length = gdc_plan_block(r.plan, D, v, &first);
                for (size_t j = 0; j < length; j++) {
                    double want = applied_from_blocks(&r, weight, v, j, version, &squares[v]);
                    assert_true(fabs(g[first + j] - want) <= 1e-9 * integer_total(K, version, 0));
                }
            }
            assert_true(fabs(round.residual - sqrt((squares[0] + squares[1]) / (2 * K))) < 1e-9);
            assert_int_equal(round.exact, wait >= 4);
            assert_true(round.used == 1 || wait < 3);
        }
        close_bench(&b);
        close_reference(&r);
    }
}

static void waiting_for_all_equals_gradient_coding_bit_by_bit(void **state)
{
    static const char *const codes[] = {"erasurehead,load=3", "graph,degree=3", "cyclic,load=3"};
    (void)state;
    for (size_t c = 0; c < sizeof codes / sizeof *codes; c++) {
        bench approx, gc;
        char one[64], other[64];
        snprintf(one, sizeof one, "approx:wait=6,code=%s", codes[c]);
        snprintf(other, sizeof other, "gc:code=%s", codes[c]);
        open_bench(&approx, one, "exp:mean=1", M);
        open_bench(&gc, other, "exp:mean=1", M);
        start_bench(&approx);
        start_bench(&gc);
        for (int i = 0; i < 20; i++) {
            double g[D], h[D];
            gdc_round a = {.size = sizeof a}, b = {.size = sizeof b};
            assert_int_equal(gdc_gradient(approx.engine, model, g, &a), GDC_OK);
            assert_int_equal(gdc_gradient(gc.engine, model, h, &b), GDC_OK);
            assert_memory_equal(g, h, sizeof g);
            assert_true(a.exact && a.used == 1 && a.scale == 1 && a.ended_s == b.ended_s);
        }
        close_bench(&approx);
        close_bench(&gc);
    }
}

/* Weights that do not look, and an end that does not either: over rounds every partition enters with 1. */
static void fixed_weights_are_right_on_average(void **state)
{
    enum { ROUNDS = 4000 };
    static const char *const strategies[] = {"approx:wait=4,code=stochastic,load=3,p=0.33333333333333333",
                                             "approx:wait=4,code=stochastic,load=2,p=.7,decode=fixed",
                                             "approx:wait=2,code=graph,degree=2,decode=fixed"};
    (void)state;
    for (size_t c = 0; c < sizeof strategies / sizeof *strategies; c++) {
        bench b;
        double sum = 0, squares = 0;
        open_bench(&b, strategies[c], "exp:mean=1", M);
        b.options.poll_s = 0;
        start_bench(&b);
        for (int v = 1; v <= ROUNDS; v++) {
            double g[D];
            assert_int_equal(gdc_gradient(b.engine, model, g, NULL), GDC_OK);
            double ratio = g[0] / integer_total(K, (uint64_t)v, 0);
            sum += ratio;
            squares += ratio * ratio;
        }
        double mean = sum / ROUNDS, error = sqrt((squares / ROUNDS - mean * mean) / ROUNDS);
        print_message("%s: mean %.4f +- %.4f\n", strategies[c], mean, error);
        assert_true(error > 0 && error < .02 && fabs(mean - 1) < 4 * error);
        close_bench(&b);
    }
}

/* ---- refusals ---- */

static void refused(const char *strategy, const char *sentence)
{
    gdc_options options;
    gdc_engine *engine = NULL;
    gdc_options_init(&options);
    options.strategy = strategy;
    assert_int_equal(gdc_open_virtual(&options, N, NULL, NULL, &engine), GDC_EINVAL);
    assert_null(engine);
    if (strstr(gdc_last_error(), sentence) == NULL)
        fail_msg("%s: \"%s\" does not say \"%s\"", strategy, gdc_last_error(), sentence);
}

static void refuses_what_cannot_be(void **state)
{
    (void)state;
    refused("approx", "wait= is missing");
    refused("approx:wait=0", "nearest valid value: 1");
    refused("approx:wait=7", "approx: wait=7 with 6 workers: want 1 to 6, nearest is 6");
    refused("approx:wait=3,load=4", "erasurehead: load=4");
    refused("approx:wait=3,decode=best", "own, optimal, fixed");
    refused("approx:wait=3,code=cyclic,decode=fixed", "decode=fixed with code=cyclic");
    refused("approx:wait=3,lode=2", "lode");
}

/* Waiting for what cannot come would fail every round; approximate decoding takes the nearest there is. */
static void rows_that_are_no_code_are_for_approx_only(void **state)
{
    static const char text[] = "1,0,0,0,0,0\n0,1,2,0,0,0\n0,1,2,0,0,0\n0,0,0,1,0,0\n0,0,0,0,1,0\n0,0,0,0,0,1\n";
    char strategy[512];
    bench b;
    double g[D];
    gdc_round round = {.size = sizeof round};
    (void)state;
    scratch_write("b.csv", text, strlen(text));
    snprintf(strategy, sizeof strategy, "gc:code=file,path=%s", scratch_path("b.csv"));
    refused(strategy, "leave 2 of 6 partitions wrong");
    refused(strategy, "approx:code=file");
    snprintf(strategy, sizeof strategy, "approx:wait=6,code=file,path=%s", scratch_path("b.csv"));
    open_bench(&b, strategy, "exp:mean=1", M);
    start_bench(&b);
    assert_int_equal(gdc_gradient(b.engine, model, g, &round), GDC_OK);
    assert_true(!round.exact && round.used == 1);
    assert_true(fabs(round.residual - sqrt((.4 * .4 + .2 * .2) / 6)) < 1e-12); /* .6 (1, 2) */
    close_bench(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_the_first_workers_give_is_weighted_as_well_as_can_be),
        cmocka_unit_test(blocks_are_weighted_each_by_itself),
        cmocka_unit_test(waiting_for_all_equals_gradient_coding_bit_by_bit),
        cmocka_unit_test(fixed_weights_are_right_on_average),
        cmocka_unit_test(refuses_what_cannot_be),
        cmocka_unit_test(rows_that_are_no_code_are_for_approx_only),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}

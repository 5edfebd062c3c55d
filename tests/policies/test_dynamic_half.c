/* test_dynamic_half.c - the dynamic strategy at a worker: for every way in which its limit may fall between any two boundaries,
 * whatever its pieces take, what it sends is what it computed, each piece once, and what it promised is kept.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/sums.h"
#include "engine/worker.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { WORKERS = 2, ME = 1, PIECES_MAX = 6, STEPS_MAX = 2 * PIECES_MAX };

typedef struct bench {
    gdc_strategy_parts parts;
    gdc_worker *machine;
    gdc_sums *sums;
    int pieces, k;
    uint64_t version;
    double now_s;
    /* what was seen of this model */
    int computed, promised;
    bool sent[PIECES_MAX], asked;
    int vectors;
} bench;

static void open_bench(bench *b, const char *strategy, int pieces)
{
    *b = (bench){.pieces = pieces, .k = WORKERS * pieces};
    if (gdc_strategy_open(strategy, WORKERS, b->k, 1, false, &b->parts) != GDC_OK)
        fail_msg("%s", gdc_last_error());
    assert_int_equal(gdc_worker_create(b->parts.ops, b->parts.state, b->parts.plan, ME, &b->machine), GDC_OK);
    assert_int_equal(gdc_sums_create(b->parts.plan, ME, false, GDC_F64, (size_t)b->k, (size_t)b->k * sizeof(double), 1,
                                     false, &b->sums),
                     GDC_OK);
    assert_true(gdc_worker_next(b->machine, 0).ready); /* it is born */
}

static void close_bench(bench *b)
{
    gdc_worker_destroy(b->machine);
    gdc_sums_destroy(b->sums);
    gdc_strategy_close(&b->parts);
}

static void give_model(bench *b, int limit)
{
    gdc_sums_abandon(b->sums);
    gdc_worker_model(b->machine, ++b->version, (gdc_hint){.limit = limit, .nominal_s = 1}, b->now_s);
    b->computed = b->vectors = 0;
    b->promised = b->pieces;
    b->asked = false;
    memset(b->sent, 0, sizeof b->sent);
}

/* ---- what it sends ---- */

static void check_vector(bench *b, const gdc_step *step)
{
    double *vector = gdc_sums_take_span(b->sums, step->span);
    for (int p = 0; p < b->k; p++) {
        bool inside = p >= step->span.first && p < step->span.first + step->span.count;
        assert_true(vector[p] == (inside ? (double)b->version : 0));
    }
    double loss = 0;
    for (int p = step->span.first; p < step->span.first + step->span.count; p++)
        loss += p + 1;
    assert_true(gdc_sums_loss(b->sums) == loss); /* each piece's goes with it */
    gdc_sums_give(b->sums, vector);
    b->vectors++;
}

/* Own pieces [base, ..) as a prefix that goes on where the last one ended, or the last piece alone. */
static void check_own(bench *b, const gdc_step *step)
{
    int begin = step->span.first - ME * b->pieces, end = begin + step->span.count;
    assert_true(begin >= 0 && end <= b->computed && begin < end);
    for (int j = 0; j < b->pieces; j++)
        assert_true(j >= begin ? true : b->sent[j]); /* nothing before is left out */
    for (int j = begin; j < end; j++) {
        assert_false(b->sent[j]);
        b->sent[j] = true;
    }
    bool is_last_alone = step->ready && step->span.count == 1 && begin >= b->promised;
    assert_true(end <= b->promised || is_last_alone);
}

static void check_message(bench *b, const gdc_step *step)
{
    assert_false(b->asked);
    if (step->kind == GDC_SEND) {
        check_vector(b, step);
        check_own(b, step);
    }
    assert_int_equal(step->done, b->computed);
    assert_true(!step->ready || step->ack == 0);
    b->promised = step->ack < b->promised ? step->ack : b->promised;
    b->asked = step->ready;
}

/* Runs to the next piece (true), or to the end of its own. */
static bool runs_on(bench *b)
{
    for (int i = 0; i < STEPS_MAX; i++) {
        gdc_step step = gdc_worker_next(b->machine, b->now_s);
        if (gdc_worker_take_abandoned(b->machine))
            gdc_sums_abandon(b->sums);
        if (step.kind == GDC_WAIT) {
            assert_true(b->asked);
            return false;
        }
        if (step.kind == GDC_COMPUTE) {
            assert_int_equal(step.partition, ME * b->pieces + b->computed);
            assert_true(gdc_sums_open(b->sums, step.partition));
            return true;
        }
        check_message(b, &step);
    }
    fail_msg("it goes on speaking");
    return false;
}

static void finish_piece(bench *b, double takes_s)
{
    int p = ME * b->pieces + b->computed;
    double scale, *into = gdc_sums_target(b->sums, p, &scale);
    into[p] += scale * (double)b->version;
    gdc_sums_added(b->sums, p);
    gdc_sums_tell_loss(b->sums, p + 1);
    b->now_s += takes_s;
    b->computed++;
    gdc_worker_computed(b->machine, b->now_s);
}

/* ---- every way ---- */

static void check_end(bench *b)
{
    int left;
    for (int j = 0; j < b->computed; j++)
        assert_true(b->sent[j]);
    double *rest = gdc_sums_take_all(b->sums, &left);
    assert_int_equal(left, 0);
    for (int p = 0; p < b->k; p++)
        assert_true(rest[p] == 0);
    gdc_sums_give(b->sums, rest);
}

/* way: one digit per boundary, base 2 * (pieces + 1): is the piece slow, and what the limit falls to while it runs. */
static void go_way(bench *b, int first_limit, long way)
{
    int choices = b->pieces + 1;
    give_model(b, first_limit);
    while (runs_on(b)) {
        int limit = (int)(way % choices);
        way /= choices;
        bool is_slow = way % 2;
        way /= 2;
        gdc_worker_limit(b->machine, b->version, limit);
        finish_piece(b, is_slow ? 3 : 1);
    }
    check_end(b);
}

static void go_all_ways(const char *strategy, int pieces)
{
    bench b;
    long ways = 1, gone = 0;
    open_bench(&b, strategy, pieces);
    for (int i = 0; i < pieces; i++)
        ways *= 2L * (pieces + 1);
    long step = ways > 200000 ? ways / 200000 | 1 : 1;
    for (int limit = 0; limit <= pieces; limit++)
        for (long way = 0; way < ways; way += step, gone++)
            go_way(&b, limit, way);
    print_message("%s, %d pieces: %ld ways of %ld\n", strategy, pieces, gone, ways * (pieces + 1));
    close_bench(&b);
}

static void what_is_sent_is_what_was_computed_each_piece_once(void **state)
{
    (void)state;
    for (int pieces = 1; pieces <= 4; pieces++) {
        go_all_ways("dynamic:load=2", pieces);
        go_all_ways("dynamic:load=2,progress=0", pieces);
        go_all_ways("dynamic:load=2,reproducible=1", pieces);
    }
    go_all_ways("dynamic:load=2", PIECES_MAX);
}

/* ---- single points ---- */

static void without_news_there_is_one_vector_of_the_whole_shard(void **state)
{
    bench b;
    (void)state;
    open_bench(&b, "dynamic:load=2", 5);
    go_way(&b, 5, 0 + 5 + 12 * (5 + 12 * (5 + 12 * (5 + 12 * 5)))); /* fast, and no limit below 5 */
    assert_int_equal(b.vectors, 1);
    assert_int_equal(b.computed, 5);
    close_bench(&b);
}

static void a_last_piece_that_overran_the_limit_goes_apart(void **state)
{
    bench b;
    (void)state;
    open_bench(&b, "dynamic:load=2", 5);
    give_model(&b, 5);
    for (int i = 0; i < 3; i++) {
        assert_true(runs_on(&b));
        if (i == 2)
            gdc_worker_limit(b.machine, b.version, 2); /* while piece 2 runs */
        finish_piece(&b, 1);
    }
    assert_false(runs_on(&b));
    assert_int_equal(b.vectors, 2); /* [0, 2) and piece 2 */
    check_end(&b);
    close_bench(&b);
}

static void a_ring_in_any_phase_leaves_nothing_behind(void **state)
{
    (void)state;
    for (int at = 0; at <= 4; at++)
        for (int limit = 0; limit <= 4; limit++) {
            bench b;
            open_bench(&b, "dynamic:load=2", 4);
            give_model(&b, 4);
            bool goes_on = runs_on(&b);
            for (int i = 0; goes_on && i < at; i++) {
                gdc_worker_limit(b.machine, b.version, limit);
                finish_piece(&b, 1);
                goes_on = runs_on(&b);
            }
            gdc_worker_ring(b.machine, b.version);
            if (goes_on)
                finish_piece(&b, 1);
            gdc_step step = gdc_worker_next(b.machine, b.now_s);
            assert_true(!goes_on || (step.kind == GDC_REPORT && step.ready));
            go_way(&b, 4, 4 + 10 * (4 + 10 * (4 + 10 * 4))); /* the next model is walked as if nothing had been */
            assert_int_equal(b.vectors, 1);
            close_bench(&b);
        }
}

static void a_limit_that_overtook_its_model_is_obeyed(void **state)
{
    bench b;
    (void)state;
    open_bench(&b, "dynamic:load=2", 4);
    gdc_worker_limit(b.machine, 1, 2);
    go_way(&b, 4, 4 + 10 * (4 + 10 * (4 + 10 * 4)));
    assert_int_equal(b.computed, 2);
    gdc_worker_limit(b.machine, 2, 0);
    go_way(&b, 4, 0);
    assert_int_equal(b.computed, 0);
    assert_int_equal(b.vectors, 0);
    close_bench(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_sent_is_what_was_computed_each_piece_once),
        cmocka_unit_test(without_news_there_is_one_vector_of_the_whole_shard),
        cmocka_unit_test(a_last_piece_that_overran_the_limit_goes_apart),
        cmocka_unit_test(a_ring_in_any_phase_leaves_nothing_behind),
        cmocka_unit_test(a_limit_that_overtook_its_model_is_obeyed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

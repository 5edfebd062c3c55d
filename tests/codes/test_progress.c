/* test_progress.c - laws of every code that sends several messages per worker: every reachable progress,
 * every interleaving. SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gradcode/draw.h"
#include "plan/decoder.h"
#include "support/brute.h"
#include "support/every_plan.h"
#include "support/exactness.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 8, MOST_K = 2 * MOST, MOST_ROWS = MOST * MOST_K, SEEDED = 10000, PURPOSE = 78 };
static const double everything = 1e5; /* up to so many cases are all tried */

typedef struct scene {
    const char *spec;
    const gdc_plan *plan;
    int n, k, rows;
    gdc_decoder *decoder, *other;
    brute *book;
    bool unit;
    double whole; /* the sum of the whole numbers */
    double gradient[MOST_K * EXACTNESS_D];
    uint64_t seed;
    int tried; /* plans */
    long complete, incomplete, interleavings;
} scene;

static bool begin(scene *s, const char *spec, const gdc_plan *plan)
{
    s->spec = spec;
    s->plan = plan;
    s->n = plan->workers;
    s->k = plan->partitions;
    s->rows = plan->row_at[plan->workers];
    if (s->rows == s->n || (plan_is_whole(plan) && exactness_is_unit(plan)))
        return false;
    assert_true(s->rows <= MOST_ROWS);
    s->tried++;
    assert_int_equal(gdc_decoder_create(plan, &s->decoder), GDC_OK);
    assert_int_equal(gdc_decoder_create(plan, &s->other), GDC_OK);
    s->book = brute_create(plan);
    s->unit = exactness_is_unit(plan);
    s->whole = 0;
    exactness_gradients(s->k, s->seed, s->gradient);
    for (int j = 0; j < s->k; j++)
        s->whole += s->gradient[j * EXACTNESS_D + EXACTNESS_WHOLE];
    return true;
}

static void end(scene *s)
{
    gdc_decoder_destroy(s->decoder);
    gdc_decoder_destroy(s->other);
    brute_destroy(s->book);
}

/* ---- what a decode must be ---- */

static void check_exact(const scene *s, const double *weight)
{
    double sum[EXACTNESS_D];
    exactness_decode(s->plan, weight, EXACTNESS_D, s->gradient, sum);
    double ratio = exactness_ratio(s->plan, weight, EXACTNESS_D, s->gradient, sum, DBL_EPSILON / 2);
    if (!(ratio <= 1))
        fail_msg("%s, n=%d, k=%d: %g times the tolerance", s->spec, s->n, s->k, ratio);
    assert_true(exactness_residual(s->plan, weight, NULL) <= 1e-9);
    if (s->unit)
        assert_true(sum[EXACTNESS_WHOLE] == s->whole);
}

static void check_decode(scene *s, const unsigned char *given)
{
    double weight[MOST_ROWS], rho[MOST_K];
    gdc_decode decode = {.size = sizeof decode};
    unsigned char missing[MOST_K];
    assert_int_equal(gdc_decoder_weights(s->decoder, weight, missing, &decode), GDC_OK);
    for (int i = 0; i < s->rows; i++)
        assert_true(given[i] || weight[i] == 0);
    exactness_residual(s->plan, weight, rho);
    for (int j = 0; j < s->k; j++)
        assert_int_equal(missing[j], fabs(rho[j]) > 1e-7);
    if (gdc_decoder_complete(s->decoder)) {
        check_exact(s, weight);
        s->complete++;
        return;
    }
    assert_true(decode.missing > 0);
    s->incomplete++;
}

/* ---- progress ---- */

static void check_progress(scene *s, const int *progress)
{
    unsigned char given[MOST_ROWS] = {0};
    gdc_decoder_reset(s->decoder);
    for (int w = 0; w < s->n; w++)
        for (int i = 0; i < progress[w]; i++) {
            gdc_decoder_offer(s->decoder, w, i);
            given[s->plan->row_at[w] + i] = 1;
        }
    bool spans = brute_spans(s->book, given);
    if (gdc_decoder_complete(s->decoder) != spans)
        fail_msg("%s, n=%d, k=%d: complete=%d, rank test %d", s->spec, s->n, s->k, gdc_decoder_complete(s->decoder),
                 spans);
    check_decode(s, given);
}

static double count_progress(const scene *s)
{
    double count = 1;
    for (int w = 0; w < s->n; w++)
        count *= gdc_plan_rows(s->plan, w) + 1;
    return count;
}

/* Counts up in mixed radix; false after the last vector. */
static bool advance(const scene *s, int *progress)
{
    for (int w = 0; w < s->n; w++) {
        if (progress[w]++ < gdc_plan_rows(s->plan, w))
            return true;
        progress[w] = 0;
    }
    return false;
}

/* Half of the vectors come from slow rounds, so that both verdicts are seen. */
static void draw_progress(const scene *s, uint64_t i, int *progress)
{
    for (int w = 0; w < s->n; w++) {
        gdc_key key = {s->seed, PURPOSE, i, (uint64_t)w, 0};
        int rows = gdc_plan_rows(s->plan, w), most = i % 2 == 0 ? rows : (rows + 1) / 2;
        progress[w] = (int)gdc_draw_below(key, (uint64_t)most + 1);
    }
}

static void law_of_progress(const char *spec, const gdc_plan *plan, void *context)
{
    scene *s = context;
    int progress[MOST] = {0};
    if (!begin(s, spec, plan))
        return;
    if (count_progress(s) <= everything)
        do
            check_progress(s, progress);
        while (advance(s, progress));
    else
        for (uint64_t i = 0; i < SEEDED; i++) {
            draw_progress(s, i, progress);
            check_progress(s, progress);
        }
    end(s);
}

static void agrees_with_the_rank_test_on_every_progress(void **state)
{
    (void)state;
    scene s = {.seed = exactness_seed(20260103)};
    for_every_plan(MOST, law_of_progress, &s);
    print_message("%d plans, %ld decodable, %ld not\n", s.tried, s.complete, s.incomplete);
    assert_true(s.tried >= 100 && s.complete > 100000 && s.incomplete > 100000);
}

/* ---- interleavings ---- */

/* The same accepted messages, forced in ascending order into another decoder: at every fourth interleaving, since solving twice
 * more is what these laws cost. */
static void check_same_bits(scene *s, const unsigned char *accepted, const double *weight)
{
    double again[MOST_ROWS];
    if (s->interleavings++ % 4 != 0)
        return;
    gdc_decoder_reset(s->other);
    for (int i = 0; i < s->rows; i++)
        if (accepted[i])
            gdc_decoder_take(s->other, i);
    assert_int_equal(gdc_decoder_weights(s->other, again, NULL, NULL), GDC_OK);
    assert_memory_equal(weight, again, (size_t)s->rows * sizeof *weight);
}

/* worker[i] sends the i-th arrival. Completion comes with the first arrival at which brute force over all
 * that was OFFERED says yes: so no refused message mattered. The rank only grows, so the arrival and the one
 * before settle it. */
static void check_interleaving(scene *s, const int *worker)
{
    unsigned char offered[MOST_ROWS] = {0}, accepted[MOST_ROWS] = {0};
    int sent[MOST] = {0}, completed = -1;
    double weight[MOST_ROWS];
    gdc_decoder_reset(s->decoder);
    for (int i = 0; i < s->rows; i++) {
        int w = worker[i], message = s->plan->row_at[w] + sent[w];
        int wanted = gdc_decoder_wants(s->decoder, w, sent[w]);
        accepted[message] = (unsigned char)gdc_decoder_offer(s->decoder, w, sent[w]++);
        assert_int_equal(accepted[message], wanted);
        if (completed >= 0) {
            assert_int_equal(wanted, 0);
            continue;
        }
        if (gdc_decoder_complete(s->decoder)) {
            completed = message;
            assert_false(brute_spans(s->book, offered));
            offered[message] = 1;
            assert_true(brute_spans(s->book, offered));
        }
        offered[message] = 1;
    }
    assert_true(completed >= 0);
    assert_int_equal(gdc_decoder_weights(s->decoder, weight, NULL, NULL), GDC_OK);
    check_exact(s, weight);
    check_same_bits(s, accepted, weight);
}

static double count_interleavings(const scene *s)
{
    double count = 1;
    for (int w = 0, sent = 0; w < s->n; w++)
        for (int i = 1; i <= gdc_plan_rows(s->plan, w); i++)
            count = count * ++sent / i;
    return count;
}

static void swap(int *a, int *b)
{
    int kept = *a;
    *a = *b;
    *b = kept;
}

/* The next arrangement of a multiset in lexicographic order; false after the last. */
static bool next_arrangement(int count, int *x)
{
    int i = count - 2, j = count - 1;
    while (i >= 0 && x[i] >= x[i + 1])
        i--;
    if (i < 0)
        return false;
    while (x[j] <= x[i])
        j--;
    swap(&x[i], &x[j]);
    for (int low = i + 1, high = count - 1; low < high; low++, high--)
        swap(&x[low], &x[high]);
    return true;
}

static void law_of_interleavings(const char *spec, const gdc_plan *plan, void *context)
{
    scene *s = context;
    int worker[MOST_ROWS], shuffled[MOST_ROWS], order[MOST_ROWS];
    if (plan_is_whole(plan) || !begin(s, spec, plan))
        return;
    for (int w = 0; w < s->n; w++)
        for (int r = plan->row_at[w]; r < plan->row_at[w + 1]; r++)
            worker[r] = w;
    if (count_interleavings(s) <= everything)
        do
            check_interleaving(s, worker);
        while (next_arrangement(s->rows, worker));
    else
        for (uint64_t i = 0; i < SEEDED; i++) {
            gdc_draw_permutation((gdc_key){s->seed, PURPOSE, i, 0, 0}, s->rows, order);
            for (int r = 0; r < s->rows; r++)
                shuffled[r] = worker[order[r]];
            check_interleaving(s, shuffled);
        }
    end(s);
}

static void completes_at_the_earliest_message_and_gives_the_same_bits_in_any_order(void **state)
{
    (void)state;
    scene s = {.seed = exactness_seed(20260104)};
    for_every_plan(MOST, law_of_interleavings, &s);
    assert_true(s.tried >= 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_the_rank_test_on_every_progress),
        cmocka_unit_test(completes_at_the_earliest_message_and_gives_the_same_bits_in_any_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

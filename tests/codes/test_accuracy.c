/* test_accuracy.c - the error of real decodes against the predicted one, for all codes, both types and several sizes: normal
 * payloads are encoded and combined in their type as in a round, the truth is summed in long double. Payloads of one sign and
 * size would err by more, up to twice the prediction where nothing cancels: that is plain summation, whatever the code.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/sums.h"
#include "kernels/vector.h"
#include "plan/decoder.h"
#include "plan/early.h"
#include "plan/plan.h"
#include "plan/quality.h"
#include "support/exactness.h"

#include "gradcode/draw.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COORDINATES = 512, SETS = 120, MOST = 24, MOST_ROWS = 6 * MOST, SEED = 1, VALUE_PURPOSE = 80 };

typedef struct payload {
    bool f32;
    double value[MOST * COORDINATES]; /* representable in the type */
    double largest;
} payload;

static payload load;

static void draw_payload(bool f32, int k, uint64_t seed)
{
    load.f32 = f32;
    load.largest = 0;
    for (int i = 0; i < k * COORDINATES; i++) {
        double value = gdc_draw_normal((gdc_key){seed, VALUE_PURPOSE, (uint64_t)i, f32, 0});
        load.value[i] = f32 ? (float)value : value;
        load.largest = fmax(load.largest, fabs(load.value[i]));
    }
}

static int partial(void *context, gdc_task *task, void *sum)
{
    const double *value = load.value + task->partition * COORDINATES;
    (void)context;
    for (int c = 0; c < COORDINATES; c++)
        if (load.f32)
            ((float *)sum)[c] += (float)task->scale * (float)value[c];
        else
            ((double *)sum)[c] += task->scale * value[c];
    return 0;
}

/* The decoded sum as a round computes it. */
static void decode(const gdc_plan *plan, const double *weight, double *decoded)
{
    static double message[MOST_ROWS][COORDINATES], scratch[COORDINATES], out[COORDINATES];
    const void *in[MOST_ROWS];
    double used[MOST_ROWS];
    int count = 0;
    for (int w = 0; w < plan->workers; w++)
        for (int i = 0; i < gdc_plan_rows(plan, w); i++) {
            gdc_task task = {.size = sizeof task, .worker = w};
            gdc_told told = {.norms = false};
            if (weight[plan->row_at[w] + i] == 0)
                continue;
            used[count] = weight[plan->row_at[w] + i];
            in[count] = message[count];
            gdc_encode_row(plan, w, i, load.f32 ? GDC_F32 : GDC_F64, COORDINATES, partial, NULL, &task, scratch,
                           message[count++], &told);
        }
    gdc_combine(load.f32, COORDINATES, count, used, in, false, out);
    for (int c = 0; c < COORDINATES; c++)
        decoded[c] = load.f32 ? (double)((float *)(void *)out)[c] : out[c];
}

/* Largest error relative to k max|g|. */
static double error_of(const gdc_plan *plan, const double *weight)
{
    double decoded[COORDINATES];
    long double largest = 0;
    decode(plan, weight, decoded);
    for (int c = 0; c < COORDINATES; c++) {
        long double truth = 0;
        for (int j = 0; j < plan->partitions; j++)
            truth += load.value[j * COORDINATES + c];
        largest = fmaxl(largest, fabsl(decoded[c] - truth));
    }
    return (double)largest / (plan->partitions * load.largest);
}

/* The error of the decode from the marked messages. */
static double error_given(const gdc_plan *plan, const unsigned char *given)
{
    double weight[MOST_ROWS];
    gdc_decoder *decoder;
    assert_int_equal(gdc_decoder_create(plan, &decoder), GDC_OK);
    for (int i = 0; i < plan->row_at[plan->workers]; i++)
        if (given[i])
            gdc_decoder_take(decoder, i);
    assert_int_equal(gdc_decoder_weights(decoder, weight, NULL, NULL), GDC_OK);
    gdc_decoder_destroy(decoder);
    return error_of(plan, weight);
}

/* Without the straggler set of a size that amplifies most; everybody else sends all. */
static double error_without(const gdc_plan *plan, int size)
{
    unsigned char straggler[MOST] = {0}, given[MOST_ROWS] = {0};
    double worst;
    assert_int_equal(gdc_plan_worst(plan, size, SETS, SEED, INFINITY, &worst, straggler), GDC_OK);
    for (int w = 0; w < plan->workers; w++)
        memset(given + plan->row_at[w], !straggler[w], (size_t)gdc_plan_rows(plan, w));
    return error_given(plan, given);
}

/* In the round that amplifies most where it ends at the earliest message. */
static double error_in_rounds(const gdc_plan *plan)
{
    unsigned char given[MOST_ROWS] = {0};
    double worst, median;
    assert_int_equal(gdc_plan_early(plan, SETS, SEED, &worst, &median, given), GDC_OK);
    return error_given(plan, given);
}

static void check(const char *spec, const gdc_plan *plan, const gdc_quality *quality, bool f32)
{
    double measured, worst = fmax(quality->worst, quality->early_worst);
    double predicted = 2 * (f32 ? FLT_EPSILON / 2 : DBL_EPSILON / 2) * worst;
    draw_payload(f32, plan->partitions, SEED);
    measured = error_in_rounds(plan);
    for (int size = 0; size <= quality->tolerance; size++)
        measured = fmax(measured, error_without(plan, size));
    print_message("%-40s %2d  %s  %8.3g %8.3g  %9.2e  %9.2e  %5.1f\n", spec, plan->workers, f32 ? "f32" : "f64",
                  quality->worst, quality->early_worst, measured, predicted, predicted / measured);
    if (!(predicted >= measured && predicted <= 20 * measured))
        fail_msg("%s, n=%d, %s: measured %.3g, predicted %.3g", spec, plan->workers, f32 ? "f32" : "f64", measured,
                 predicted);
}

static void check_sizes(const char *form, int least_load)
{
    static const int sizes[] = {4, 8, 16, 24}, loads[] = {1, 2, 3, 4, 6};
    for (int i = 0; i < 4; i++)
        for (int l = 0; l < 5; l++) {
            char spec[64];
            gdc_plan *plan = NULL;
            snprintf(spec, sizeof spec, form, loads[l], loads[l] - 1, loads[l]);
            if (loads[l] < least_load || gdc_plan_create(spec, sizes[i], sizes[i], SEED, &plan) != GDC_OK)
                continue; /* does not fit */
            gdc_quality quality;
            assert_int_equal(gdc_plan_quality(plan, SETS, SEED, &quality), GDC_OK);
            check(spec, plan, &quality, false);
            check(spec, plan, &quality, true);
            gdc_plan_destroy(plan);
        }
}

static void errors_stay_below_the_prediction_and_within_a_factor_20(void **state)
{
    (void)state;
    print_message("%-40s  n  type  worst A in rounds  error      predicted  ratio\n", "code");
    check_sizes("uncoded:load=%d", 1);
    check_sizes("fractional:load=%d", 1);
    check_sizes("cyclic:load=%d", 2);
    check_sizes("circulant:load=%d", 2);
    check_sizes("mmc:load=%d,clusters=2", 2);
    check_sizes("mmc:load=%d,clusters=2,orders=%d+%d", 2);
    check_sizes("mmc:load=%d,orders=%d+%d", 2);
}

/* What the least-squares weights leave is not more than rounding the weights themselves to double explains. */
static void weights_are_exact_to_their_own_rounding(void **state)
{
    static const char *const specs[] = {"cyclic:load=2", "cyclic:load=4", "mmc:load=3,clusters=2,orders=2+3",
                                        "mmc:load=4,clusters=2,orders=3+4"};
    (void)state;
    for (int n = 8; n <= MOST; n += 8)
        for (int i = 0; i < 4; i++) {
            gdc_plan *plan = NULL;
            assert_int_equal(gdc_plan_create(specs[i], n, n, SEED, &plan), GDC_OK);
            gdc_decoder *decoder;
            double weight[MOST_ROWS], size = 0;
            assert_int_equal(gdc_decoder_create(plan, &decoder), GDC_OK);
            for (int r = 0; r < plan->row_at[n]; r++)
                gdc_decoder_take(decoder, r);
            assert_int_equal(gdc_decoder_weights(decoder, weight, NULL, NULL), GDC_OK);
            for (int j = 0; j < n; j++) {
                double column = 0;
                for (int r = 0; r < plan->row_at[n]; r++)
                    column += fabs(weight[r] * gdc_row_coefficient(&plan->row[r], j));
                size = fmax(size, column);
            }
            assert_true(exactness_residual(plan, weight, NULL) <= DBL_EPSILON / 2 * size);
            gdc_decoder_destroy(decoder);
            gdc_plan_destroy(plan);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_are_exact_to_their_own_rounding),
        cmocka_unit_test(errors_stay_below_the_prediction_and_within_a_factor_20),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

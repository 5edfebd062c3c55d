/* test_vector.c - kernels over long vectors: tuned and plain agree to the last bit, and nothing not finite is
 * missed. SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gradcode/draw.h"
#include "kernels/vector.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 1500, VECTORS = 9, GUARD = 8 };

static uint64_t seed = 1;
static const size_t sizes[] = {0, 1, 2, 3, 7, 8, 9, 255, 256, 257, 511, 512, 513, 767, 1023, 1025, 1499};
enum { SIZES = sizeof sizes / sizeof *sizes };

static double random_of(uint64_t a, uint64_t b)
{
    return gdc_draw_normal((gdc_key){seed, 1, a, b, 0});
}

/* One set of inputs; vectors begin one element off, so that nothing depends on alignment. */
typedef struct inputs {
    double weight[130], f64[VECTORS][MOST + 1];
    float f32[VECTORS][MOST + 1];
    const double *in64[130];
    const float *in32[130];
    const void *any64[130], *any32[130];
} inputs;

static inputs *make_inputs(void)
{
    inputs *x = malloc(sizeof *x);
    assert_non_null(x);
    for (int i = 0; i < VECTORS; i++)
        for (int j = 0; j <= MOST; j++) {
            x->f64[i][j] = random_of((uint64_t)i, (uint64_t)j);
            x->f32[i][j] = (float)x->f64[i][j];
        }
    for (int i = 0; i < 130; i++) {
        x->weight[i] = random_of(99, (uint64_t)i);
        x->any64[i] = x->in64[i] = x->f64[i % VECTORS] + i % 2;
        x->any32[i] = x->in32[i] = x->f32[i % VECTORS] + i % 2;
    }
    return x;
}

static void fill(double *a, float *b)
{
    for (int j = 0; j < MOST + GUARD; j++)
        b[j] = (float)(a[j] = random_of(77, (uint64_t)j));
}

static void compare(const inputs *x, size_t count, int m, bool accumulate)
{
    double a[MOST + GUARD], ref64[MOST + GUARD];
    float b[MOST + GUARD], ref32[MOST + GUARD];
    fill(a, b);
    fill(ref64, ref32);
    gdc_combine_f64(count, m, x->weight, x->in64, accumulate, a);
    gdc_combine_f64_ref(count, m, x->weight, x->in64, accumulate, ref64);
    gdc_combine_f32(count, m, x->weight, x->in32, accumulate, b);
    gdc_combine_f32_ref(count, m, x->weight, x->in32, accumulate, ref32);
    assert_memory_equal(a, ref64, sizeof a); /* what is past the end stays as well */
    assert_memory_equal(b, ref32, sizeof b);
    fill(a, b);
    gdc_combine(false, count, m, x->weight, x->any64, accumulate, a);
    gdc_combine(true, count, m, x->weight, x->any32, accumulate, b);
    assert_memory_equal(a, ref64, sizeof a);
    assert_memory_equal(b, ref32, sizeof b);
}

static void combine_agrees_with_its_plain_twin_to_the_last_bit(void **state)
{
    inputs *x = make_inputs();
    (void)state;
    for (int s = 0; s < SIZES; s++)
        for (int m = 0; m <= VECTORS; m++) {
            compare(x, sizes[s], m, false);
            compare(x, sizes[s], m, true);
        }
    for (int m = 63; m <= 129; m += 33) { /* around the number of pointers that are copied at a time */
        compare(x, 300, m, false);
        compare(x, 300, m, true);
    }
    free(x);
}

static void the_plain_twin_is_the_weighted_sum(void **state)
{
    const double a[2] = {1, 2}, b[2] = {10, 20}, weight[2] = {3, -.5}, *in[2] = {a, b};
    double out[2] = {100, 200};
    (void)state;
    gdc_combine_f64_ref(2, 2, weight, in, true, out);
    assert_true(out[0] == 98 && out[1] == 196);
    gdc_combine_f64_ref(2, 2, weight, in, false, out);
    assert_true(out[0] == -2 && out[1] == -4);
}

static void float_weights_are_rounded_first(void **state)
{
    const float a[1] = {3};
    const float *in[1] = {a};
    const double weight[1] = {1. / 3};
    float out[1];
    (void)state;
    gdc_combine_f32(1, 1, weight, in, false, out);
    assert_true(out[0] == (float)((float)(1. / 3) * 3.f));
}

static void no_vectors_give_zeros_or_change_nothing(void **state)
{
    double out[MOST];
    (void)state;
    for (int j = 0; j < MOST; j++)
        out[j] = NAN;
    gdc_combine_f64(MOST, 0, NULL, NULL, false, out);
    for (int j = 0; j < MOST; j++)
        assert_true(out[j] == 0);
    out[3] = 5;
    gdc_combine_f64(MOST, 0, NULL, NULL, true, out);
    assert_true(out[3] == 5);
}

static void scale_multiplies_every_element_and_no_more(void **state)
{
    (void)state;
    for (int s = 0; s < SIZES; s++) {
        double a[MOST + GUARD], was[MOST + GUARD];
        float b[MOST + GUARD], was32[MOST + GUARD];
        fill(a, b);
        fill(was, was32);
        gdc_scale(false, sizes[s], 1. / 3, a);
        gdc_scale(true, sizes[s], 1. / 3, b);
        for (size_t j = 0; j < MOST + GUARD; j++) {
            assert_true(a[j] == (j < sizes[s] ? was[j] * (1. / 3) : was[j]));
            assert_true(b[j] == (j < sizes[s] ? was32[j] * (float)(1. / 3) : was32[j]));
        }
    }
}

static void largest_and_smallest_numbers_are_finite(void **state)
{
    double a[600];
    float b[600];
    (void)state;
    for (int j = 0; j < 600; j++) {
        a[j] = j % 3 == 0 ? DBL_MAX : j % 3 == 1 ? -DBL_MAX : 5e-324;
        b[j] = j % 3 == 0 ? FLT_MAX : j % 3 == 1 ? -FLT_MAX : 1e-45f;
    }
    assert_true(gdc_all_finite(false, 600, a));
    assert_true(gdc_all_finite(true, 600, b));
    assert_true(gdc_all_finite_f64(0, NULL));
}

static void one_number_that_is_not_finite_is_found_anywhere(void **state)
{
    const double bad[4] = {NAN, -NAN, INFINITY, -INFINITY};
    (void)state;
    for (int s = 1; s < SIZES; s++)
        for (size_t j = 0; j < sizes[s]; j++) {
            double a[MOST + GUARD];
            float b[MOST + GUARD];
            memset(a, 0, sizeof a);
            memset(b, 0, sizeof b);
            a[sizes[s]] = b[sizes[s]] = NAN; /* past the end: nobody looks */
            assert_true(j > 0 || (gdc_all_finite_f64(sizes[s], a) && gdc_all_finite_f32(sizes[s], b)));
            a[j] = bad[j % 4];
            b[j] = (float)bad[j % 4];
            assert_false(gdc_all_finite_f64(sizes[s], a));
            assert_false(gdc_all_finite_f32(sizes[s], b));
        }
}

static void norm2_is_the_sum_of_squares_in_double(void **state)
{
    (void)state;
    for (int s = 0; s < SIZES; s++) {
        double a[MOST + GUARD], sum64 = 0, sum32 = 0;
        float b[MOST + GUARD];
        fill(a, b);
        for (size_t j = 0; j < sizes[s]; j++) {
            sum64 += a[j] * a[j];
            sum32 += (double)b[j] * (double)b[j];
        }
        assert_true(fabs(gdc_norm2(false, sizes[s], a) - sum64) <= 1e-13 * sum64);
        assert_true(fabs(gdc_norm2(true, sizes[s], b) - sum32) <= 1e-13 * sum32);
    }
    const float large[1] = {1e30f}; /* its square is no float */
    assert_true(isfinite(gdc_norm2_f32(1, large)));
}

static void elements_have_their_size(void **state)
{
    (void)state;
    assert_int_equal(gdc_element_bytes(true), 4);
    assert_int_equal(gdc_element_bytes(false), 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(combine_agrees_with_its_plain_twin_to_the_last_bit),
        cmocka_unit_test(the_plain_twin_is_the_weighted_sum),
        cmocka_unit_test(float_weights_are_rounded_first),
        cmocka_unit_test(no_vectors_give_zeros_or_change_nothing),
        cmocka_unit_test(scale_multiplies_every_element_and_no_more),
        cmocka_unit_test(largest_and_smallest_numbers_are_finite),
        cmocka_unit_test(one_number_that_is_not_finite_is_found_anywhere),
        cmocka_unit_test(norm2_is_the_sum_of_squares_in_double),
        cmocka_unit_test(elements_have_their_size),
    };
    const char *given = getenv("GDC_TEST_SEED");
    seed = given != NULL ? strtoull(given, NULL, 10) : seed;
    print_message("GDC_TEST_SEED=%llu\n", (unsigned long long)seed);
    return cmocka_run_group_tests(tests, NULL, NULL);
}

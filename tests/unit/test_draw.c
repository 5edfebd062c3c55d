/* test_draw.c - draws: the generator's known answers, purity, and the laws of the numbers.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gradcode/draw.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { DRAWS = 200000 };

static uint64_t seed = 1;

static gdc_key key_of(uint64_t purpose, int i)
{
    return (gdc_key){.seed = seed, .purpose = purpose, .a = (uint64_t)i % 7, .b = (uint64_t)i / 7, .c = 3};
}

/* Mean of f over many draws, held against its expectation within 4 standard errors. */
static void check_mean(double (*draw)(gdc_key), double (*f)(double), double expected, double variance)
{
    double sum = 0;
    for (int i = 0; i < DRAWS; i++)
        sum += f(draw(key_of(1, i)));
    double error = fabs(sum / DRAWS - expected), allowed = 4 * sqrt(variance / DRAWS);
    if (!(error <= allowed))
        fail_msg("mean %.6f, expected %.6f within %.6f", sum / DRAWS, expected, allowed);
}

static double first(double x)
{
    return x;
}

static double second(double x)
{
    return x * x;
}

static double third(double x)
{
    return x * x * x;
}

static double below_a_quarter(double x)
{
    return x < .25;
}

static double above_two(double x)
{
    return x > 2;
}

/* ---- the generator ---- */

/* Random123's published known answer for philox4x64-10 at counter 0 and key 0. */
static void the_generator_gives_the_published_answer(void **state)
{
    static const uint64_t known[4] = {UINT64_C(0x16554d9eca36314c), UINT64_C(0xdb20fe9d672d0fdc),
                                      UINT64_C(0xd7e772cee186176b), UINT64_C(0x7e68b68aec7ba23b)};
    uint64_t bits[4];
    (void)state;
    gdc_draw_bits((gdc_key){0}, bits);
    assert_memory_equal(bits, known, sizeof bits);
}

static void every_part_of_the_key_changes_every_word(void **state)
{
    gdc_key keys[6] = {{5, 6, 7, 8, 9}, {4, 6, 7, 8, 9}, {5, 7, 7, 8, 9},
                       {5, 6, 8, 8, 9}, {5, 6, 7, 9, 9}, {5, 6, 7, 8, 8}};
    uint64_t bits[6][4];
    (void)state;
    for (int i = 0; i < 6; i++) {
        gdc_draw_bits(keys[i], bits[i]);
        for (int j = 0; j < i; j++)
            for (int word = 0; word < 4; word++)
                assert_true(bits[i][word] != bits[j][word]);
    }
}

static void the_same_key_gives_the_same_number_in_any_order(void **state)
{
    double forward[100];
    (void)state;
    for (int i = 0; i < 100; i++)
        forward[i] = gdc_draw_normal(key_of(2, i));
    for (int i = 99; i >= 0; i--)
        assert_true(gdc_draw_normal(key_of(2, i)) == forward[i]);
}

/* ---- laws ---- */

static void uniforms_lie_strictly_inside_and_are_uniform(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        double u = gdc_draw_uniform(key_of(1, i));
        assert_true(u > 0 && u < 1);
    }
    check_mean(gdc_draw_uniform, first, .5, 1. / 12);
    check_mean(gdc_draw_uniform, second, 1. / 3, 1. / 5 - 1. / 9);
    check_mean(gdc_draw_uniform, below_a_quarter, .25, .25 * .75);
}

static void exponentials_have_the_moments_and_tail_of_mean_one(void **state)
{
    (void)state;
    check_mean(gdc_draw_exponential, first, 1, 1);
    check_mean(gdc_draw_exponential, second, 2, 24 - 4);
    check_mean(gdc_draw_exponential, below_a_quarter, 1 - exp(-.25), exp(-.25) * (1 - exp(-.25)));
    check_mean(gdc_draw_exponential, above_two, exp(-2), exp(-2) * (1 - exp(-2)));
}

static void normals_have_the_moments_and_tail_of_the_standard_law(void **state)
{
    double tail = erfc(sqrt(2)) / 2, low = erfc(-.25 / sqrt(2)) / 2;
    (void)state;
    check_mean(gdc_draw_normal, first, 0, 1);
    check_mean(gdc_draw_normal, second, 1, 2);
    check_mean(gdc_draw_normal, third, 0, 15);
    check_mean(gdc_draw_normal, above_two, tail, tail * (1 - tail));
    check_mean(gdc_draw_normal, below_a_quarter, low, low * (1 - low));
}

static void bounded_draws_hit_every_number_equally(void **state)
{
    enum { BOUND = 11 };
    int hits[BOUND] = {0};
    double chi2 = 0, expected = (double)DRAWS / BOUND;
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        uint64_t x = gdc_draw_below(key_of(3, i), BOUND);
        assert_true(x < BOUND);
        hits[x]++;
    }
    for (int i = 0; i < BOUND; i++)
        chi2 += (hits[i] - expected) * (hits[i] - expected) / expected;
    assert_true(chi2 < 10 + 4 * sqrt(20)); /* 10 degrees of freedom: mean 10, variance 20 */
}

/* floor(word * 2^64 + next, times bound, over 2^128), by long multiplication in a base of 2^16. */
static uint64_t below_by_hand(const uint64_t bits[4], uint64_t bound)
{
    uint32_t x[8], product[12] = {0};
    uint64_t result = 0;
    for (int i = 0; i < 8; i++)
        x[i] = (uint32_t)(bits[i < 4] >> 16 * (i % 4)) & 0xffff;
    for (int j = 0; j < 4; j++) {
        uint32_t carry = 0, digit = (uint32_t)(bound >> 16 * j) & 0xffff;
        for (int i = 0; i < 8; i++) {
            uint64_t sum = product[i + j] + (uint64_t)x[i] * digit + carry;
            product[i + j] = (uint32_t)sum & 0xffff;
            carry = (uint32_t)(sum >> 16);
        }
        product[8 + j] = carry;
    }
    for (int i = 11; i >= 8; i--)
        result = result << 16 | product[i];
    return result;
}

static void bounded_draws_scale_128_bits_exactly(void **state)
{
    (void)state;
    for (int i = 0; i < 20000; i++) {
        uint64_t bits[4], bounds[4];
        gdc_draw_bits(key_of(4, i), bits);
        gdc_draw_bits(key_of(5, i), bounds);
        uint64_t bound = bounds[0] >> bounds[1] % 64;
        assert_true(gdc_draw_below(key_of(4, i), bound) == below_by_hand(bits, bound));
    }
    assert_true(gdc_draw_below(key_of(4, 0), 1) == 0);
    assert_true(gdc_draw_below(key_of(4, 0), UINT64_MAX) > 0);
}

/* ---- permutations ---- */

static void permutations_contain_every_number_once(void **state)
{
    (void)state;
    for (int count = 0; count <= 40; count++) {
        int permutation[40];
        bool seen[40] = {false};
        gdc_draw_permutation(key_of(6, count), count, permutation);
        for (int i = 0; i < count; i++) {
            assert_in_range(permutation[i], 0, count - 1);
            assert_false(seen[permutation[i]]);
            seen[permutation[i]] = true;
        }
    }
}

static void all_permutations_are_equally_likely(void **state)
{
    enum { ROUNDS = 60000, KINDS = 24 };
    int hits[4 * 4 * 4] = {0};
    double chi2 = 0, expected = (double)ROUNDS / KINDS;
    (void)state;
    for (int i = 0; i < ROUNDS; i++) {
        int p[4];
        gdc_draw_permutation(key_of(7, i), 4, p);
        hits[p[0] * 16 + p[1] * 4 + p[2]]++;
    }
    for (int i = 0; i < 64; i++)
        chi2 += hits[i] == 0 ? 0 : (hits[i] - expected) * (hits[i] - expected) / expected;
    assert_true(chi2 < 23 + 4 * sqrt(46));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_generator_gives_the_published_answer),
        cmocka_unit_test(every_part_of_the_key_changes_every_word),
        cmocka_unit_test(the_same_key_gives_the_same_number_in_any_order),
        cmocka_unit_test(uniforms_lie_strictly_inside_and_are_uniform),
        cmocka_unit_test(exponentials_have_the_moments_and_tail_of_mean_one),
        cmocka_unit_test(normals_have_the_moments_and_tail_of_the_standard_law),
        cmocka_unit_test(bounded_draws_hit_every_number_equally),
        cmocka_unit_test(bounded_draws_scale_128_bits_exactly),
        cmocka_unit_test(permutations_contain_every_number_once),
        cmocka_unit_test(all_permutations_are_equally_likely),
    };
    const char *given = getenv("GDC_TEST_SEED");
    seed = given != NULL ? strtoull(given, NULL, 10) : seed;
    print_message("GDC_TEST_SEED=%llu\n", (unsigned long long)seed);
    return cmocka_run_group_tests(tests, NULL, NULL);
}

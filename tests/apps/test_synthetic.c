/* test_synthetic.c - seeded data: made-up samples, and the shuffle that every reader gets.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "data/data.h"

#include <math.h>
#include <string.h>

static data *open_set(const char *spec, uint64_t seed, int shuffle)
{
    data *set = NULL;
    if (data_open(spec, seed, (data_order)shuffle, &set))
        fail_msg("%s", gdc_last_error());
    return set;
}

static void assert_equal_sets(const data *a, const data *b, int equal)
{
    size_t values = a->samples * a->features;
    assert_int_equal(a->samples, b->samples);
    assert_int_equal(memcmp(a->x, b->x, values * sizeof(float)) == 0, equal);
    assert_int_equal(memcmp(a->y, b->y, a->samples * sizeof(float)) == 0, equal);
}

static void assert_seeds_matter(const char *spec, int shuffle)
{
    data *one = open_set(spec, 7, shuffle), *same = open_set(spec, 7, shuffle), *other = open_set(spec, 8, shuffle);
    assert_equal_sets(one, same, 1);
    assert_equal_sets(one, other, 0);
    data_close(one);
    data_close(same);
    data_close(other);
}

static void same_seed_same_bits(void **state)
{
    (void)state;
    assert_seeds_matter("synthetic:samples=200,features=5", 0);
    assert_seeds_matter("synthetic:samples=200,features=5", 1);
    assert_seeds_matter("synthetic:samples=200,features=5,classes=3", 1);
}

static void targets_come_from_the_optimum(void **state)
{
    (void)state;
    data *set = open_set("synthetic:samples=300,features=20,noise=0", 3, 1);
    assert_int_equal(set->classes, 0);
    assert_non_null(set->optimum);
    for (size_t i = 0; i < set->samples; i++) {
        double y = 0;
        for (size_t j = 0; j < set->features; j++)
            y += ((const float *)set->x)[i * set->features + j] * set->optimum[j];
        assert_true(fabs(y - (double)set->y[i]) < 1e-6);
    }
    data_close(set);
}

/* The spread of a mean of 4000 squares is 0.022: 0.15 is six of them. */
static void noise_is_the_deviation_of_targets(void **state)
{
    (void)state;
    data *clean = open_set("synthetic:samples=4000,features=4,noise=0", 3, 0);
    data *noisy = open_set("synthetic:samples=4000,features=4,noise=2", 3, 0);
    double squares = 0;
    assert_memory_equal(clean->x, noisy->x, 16000 * sizeof(float));
    for (size_t i = 0; i < 4000; i++)
        squares += pow((double)noisy->y[i] - (double)clean->y[i], 2);
    assert_true(fabs(squares / 4000 / 4 - 1) < 0.15);
    data_close(clean);
    data_close(noisy);
}

static void classes_all_occur_and_noise_flips_labels(void **state)
{
    (void)state;
    data *clean = open_set("synthetic:samples=3000,features=4,classes=5,noise=0", 3, 0);
    data *noisy = open_set("synthetic:samples=3000,features=4,classes=5,noise=0.2", 3, 0);
    int of_class[5] = {0}, flipped_to[5] = {0}, flipped = 0;
    assert_int_equal(clean->classes, 5);
    assert_null(clean->optimum);
    for (size_t i = 0; i < 3000; i++) {
        of_class[(int)clean->y[i]]++;
        if (clean->y[i] != noisy->y[i]) {
            flipped_to[(int)noisy->y[i]]++;
            flipped++;
        }
    }
    for (int c = 0; c < 5; c++) {
        assert_in_range(of_class[c], 470, 730); /* 600 and 120, +- 6 standard deviations */
        assert_in_range(flipped_to[c], 55, 185);
    }
    assert_in_range(flipped, 470, 730);
    data_close(clean);
    data_close(noisy);
}

static void shuffling_permutes_whole_samples(void **state)
{
    (void)state;
    data *plain = open_set("synthetic:samples=997,features=80", 5, 0);
    data *mixed = open_set("synthetic:samples=997,features=80", 5, 1);
    size_t row = 80 * sizeof(float), moved = 0;
    char taken[997] = {0};
    for (size_t i = 0; i < 997; i++) {
        size_t j = 0;
        while (j < 997 && (taken[j] || memcmp((char *)mixed->x + i * row, (char *)plain->x + j * row, row)))
            j++;
        assert_true(j < 997);
        assert_true(mixed->y[i] == plain->y[j]);
        taken[j] = 1;
        moved += i != j;
    }
    assert_true(moved > 980);
    data_close(plain);
    data_close(mixed);
}

static void rows_convert_alike_in_both_types(void **state)
{
    (void)state;
    data *set = open_set("synthetic:samples=10,features=3", 5, 1);
    double wide[12];
    float narrow[12];
    data_rows_f64(set, 2, 4, wide);
    data_rows_f32(set, 2, 4, narrow);
    for (size_t i = 0; i < 12; i++) {
        assert_true(wide[i] == (double)narrow[i]);
        assert_true(narrow[i] == ((const float *)set->x)[6 + i]);
    }
    data_close(set);
}

/* By class: the shuffled samples, whole, each class together and as shuffled. */
static void sorting_by_class_keeps_the_shuffled_order_within_a_class(void **state)
{
    (void)state;
    const char *spec = "synthetic:samples=500,features=3,classes=4";
    data *shuffled = open_set(spec, 5, DATA_SHUFFLED), *sorted = open_set(spec, 5, DATA_BY_CLASS), *real = NULL;
    size_t at = 0, row = 3 * sizeof(float);
    for (int c = 0; c < 4; c++)
        for (size_t i = 0; i < 500; i++)
            if (shuffled->y[i] == (float)c) {
                assert_true(sorted->y[at] == (float)c);
                assert_memory_equal((float *)sorted->x + 3 * at++, (float *)shuffled->x + 3 * i, row);
            }
    assert_int_equal(at, 500);
    data_close(shuffled);
    data_close(sorted);
    assert_int_equal(data_open("synthetic", 5, DATA_BY_CLASS, &real), GDC_EINVAL);
    assert_non_null(strstr(gdc_last_error(), "real targets"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_seed_same_bits),
        cmocka_unit_test(targets_come_from_the_optimum),
        cmocka_unit_test(noise_is_the_deviation_of_targets),
        cmocka_unit_test(classes_all_occur_and_noise_flips_labels),
        cmocka_unit_test(shuffling_permutes_whole_samples),
        cmocka_unit_test(sorting_by_class_keeps_the_shuffled_order_within_a_class),
        cmocka_unit_test(rows_convert_alike_in_both_types),
    };
    return cmocka_run_group_tests_name("synthetic", tests, NULL, NULL);
}

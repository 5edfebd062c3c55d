/* test_images.c - the IDX reader on files of its own making, and Fashion-MNIST itself where it is installed.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "data/data.h"
#include "support/scratch.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define IMAGES "train-images-idx3-ubyte"
#define LABELS "train-labels-idx1-ubyte"

/* Three images of 2 x 2. */
static const unsigned char images[28] = {0, 0, 8, 3, 0, 0, 0, 3, 0, 0, 0, 2, 0,   0,
                                         0, 2, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 255, 51};
static const unsigned char labels[11] = {0, 0, 8, 1, 0, 0, 0, 3, 9, 0, 5};

static void remove_files(void)
{
    remove(scratch_path(IMAGES));
    remove(scratch_path(LABELS));
    remove(scratch_path(IMAGES ".gz"));
    remove(scratch_path(LABELS ".gz"));
}

static void assert_small_set(const char *options)
{
    data *set = NULL;
    if (data_open(scratch_spec("fashion-mnist:", "", options), 1, 0, &set))
        fail_msg("%s", gdc_last_error());
    assert_int_equal(set->samples, 3);
    assert_int_equal(set->features, 4);
    assert_int_equal(set->classes, 10);
    assert_int_equal(set->type, DATA_U8);
    assert_memory_equal(set->x, images + 16, 12);
    assert_true(set->y[0] == 9 && set->y[1] == 0 && set->y[2] == 5);
    data_close(set);
}

static void plain_and_packed_files_are_the_same(void **state)
{
    (void)state;
    remove_files();
    scratch_write(IMAGES, images, sizeof images);
    scratch_write(LABELS, labels, sizeof labels);
    assert_small_set("");
    remove_files();
    scratch_write_gzip(IMAGES ".gz", images, sizeof images);
    scratch_write_gzip(LABELS ".gz", labels, sizeof labels);
    assert_small_set("");
}

static void fewer_samples_are_the_first_ones(void **state)
{
    data *set = NULL;
    (void)state;
    remove_files();
    scratch_write(IMAGES, images, sizeof images);
    scratch_write(LABELS, labels, sizeof labels);
    assert_int_equal(data_open(scratch_spec("fashion-mnist:", "", ",samples=2"), 1, 0, &set), GDC_OK);
    assert_int_equal(set->samples, 2);
    assert_memory_equal(set->x, images + 16, 8);
    data_close(set);
    set = NULL;
    assert_int_equal(data_open(scratch_spec("fashion-mnist:", "", ",samples=4"), 1, 0, &set), GDC_EINVAL);
    assert_non_null(strstr(gdc_last_error(), "samples=4: want 1 to 3"));
    assert_null(set);
}

static void bytes_are_scaled_to_one(void **state)
{
    data *set = NULL;
    double rows[4];
    float narrow[4];
    (void)state;
    remove_files();
    scratch_write(IMAGES, images, sizeof images);
    scratch_write(LABELS, labels, sizeof labels);
    assert_int_equal(data_open(scratch_spec("fashion-mnist:", "", ""), 1, 0, &set), GDC_OK);
    data_rows_f64(set, 2, 1, rows);
    data_rows_f32(set, 2, 1, narrow);
    for (int i = 0; i < 4; i++)
        assert_true(rows[i] - narrow[i] < 1e-7 && narrow[i] - rows[i] < 1e-7);
    assert_true(rows[1] == 0 && rows[2] == 1 && narrow[2] == 1);
    assert_true(rows[0] > 0.035294 && rows[0] < 0.035295);
    data_close(set);
}

typedef struct damage {
    int in_labels;
    size_t at, count; /* the byte changed, the length of the file */
    unsigned char to;
    const char *sentence;
} damage;

static void damaged_files_are_refused_with_the_place(void **state)
{
    static const damage cases[] = {
        {0, 0, 0, 0, "images-idx3-ubyte: byte 0: the data end in the header"},
        {0, 0, 15, 0, "images-idx3-ubyte: byte 15: the data end in the header, want 16"},
        {0, 3, 28, 1, "images-idx3-ubyte: byte 0: magic 00000801, want 00000803"},
        {0, 2, 28, 9, "images-idx3-ubyte: byte 0: magic 00000903, want 00000803"},
        {0, 7, 28, 4, "images-idx3-ubyte: byte 16: 12 values, want 16"},
        {0, 7, 28, 0, "images-idx3-ubyte: byte 4: size 0"},
        {0, 4, 28, 255, "values, want"},
        {0, 0, 27, 0, "images-idx3-ubyte: byte 16: 11 values, want 12"},
        {1, 3, 7, 1, "labels-idx1-ubyte: byte 7: the data end in the header, want 8"},
        {1, 7, 10, 2, "labels-idx1-ubyte: byte 4: 2 labels, want 3"},
        {1, 9, 11, 10, "labels-idx1-ubyte: byte 9: label 10, want 0 to 9"},
        {0, 7, 24, 2, "labels-idx1-ubyte: byte 4: 3 labels, want 2"},
    };
    data *set = NULL;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        unsigned char copy[2][28];
        memcpy(copy[0], images, sizeof images);
        memcpy(copy[1], labels, sizeof labels);
        copy[cases[i].in_labels][cases[i].at] = cases[i].to;
        remove_files();
        scratch_write(IMAGES, copy[0], cases[i].in_labels ? sizeof images : cases[i].count);
        scratch_write(LABELS, copy[1], cases[i].in_labels ? cases[i].count : sizeof labels);
        gdc_status status = data_open(scratch_spec("fashion-mnist:", "", ""), 1, 0, &set);
        if (status != GDC_EDATA || !strstr(gdc_last_error(), cases[i].sentence))
            fail_msg("case %zu: status %d, \"%s\" lacks \"%s\"", i, status, gdc_last_error(), cases[i].sentence);
    }
    assert_null(set);
}

/* gzip tools would join the members; the length at the end of the file is that of the last one only. */
static void a_second_gzip_member_is_refused(void **state)
{
    unsigned char member[400];
    data *set = NULL;
    (void)state;
    FILE *stream = fopen(scratch_write_gzip("members", "1,2\n3,4\n", 8), "rb");
    assert_non_null(stream);
    size_t count = fread(member, 1, sizeof member / 2, stream);
    fclose(stream);
    memcpy(member + count, member, count);
    scratch_write("members", member, 2 * count);
    assert_int_equal(data_open(scratch_spec("csv:", "members", ""), 1, 0, &set), GDC_EDATA);
    assert_non_null(strstr(gdc_last_error(), "want the end of the file (one gzip member)"));
    assert_null(set);
}

static void a_missing_package_is_named(void **state)
{
    data *set = NULL;
    (void)state;
    assert_int_equal(data_open("fashion-mnist:/nowhere", 1, 0, &set), GDC_EDATA);
    assert_non_null(strstr(gdc_last_error(), "apt-get install dataset-fashion-mnist"));
}

static void assert_fashion(const char *spec, size_t samples, uint64_t pixels)
{
    data *set = NULL;
    size_t of_class[10] = {0};
    uint64_t sum = 0;
    if (data_open(spec, 1, 0, &set))
        fail_msg("%s", gdc_last_error());
    assert_int_equal(set->samples, samples);
    assert_int_equal(set->features, 784);
    assert_int_equal(set->classes, 10);
    assert_true(set->y[0] == 9);
    for (size_t i = 0; i < samples * 784; i++)
        sum += ((const unsigned char *)set->x)[i];
    assert_int_equal(sum, pixels);
    for (size_t i = 0; i < samples; i++)
        of_class[(int)set->y[i]]++;
    for (int c = 0; c < 10; c++)
        assert_int_equal(of_class[c], samples / 10);
    data_close(set);
}

static void fashion_mnist_is_read_whole(void **state)
{
    (void)state;
    if (access("/usr/share/datasets/fashion-mnist", R_OK)) {
        print_message("skipped: no /usr/share/datasets/fashion-mnist (apt-get install dataset-fashion-mnist)\n");
        skip();
    }
    assert_fashion("fashion-mnist", 60000, 3431114169u);
    assert_fashion("fashion-mnist:part=test", 10000, 573469082u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_and_packed_files_are_the_same),
        cmocka_unit_test(fewer_samples_are_the_first_ones),
        cmocka_unit_test(bytes_are_scaled_to_one),
        cmocka_unit_test(damaged_files_are_refused_with_the_place),
        cmocka_unit_test(a_second_gzip_member_is_refused),
        cmocka_unit_test(a_missing_package_is_named),
        cmocka_unit_test(fashion_mnist_is_read_whole),
    };
    return cmocka_run_group_tests_name("images", tests, scratch_setup, scratch_teardown);
}

/* test_garbled.c - files cut off or changed at random are refused or read as what they are, never a crash.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "data/data.h"
#include "gradcode/draw.h"
#include "support/scratch.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MUTANTS = 800, ROOM = 2000 };

#define IMAGES "t10k-images-idx3-ubyte"
#define LABELS "t10k-labels-idx1-ubyte"

static uint64_t seed;

static uint64_t below(uint64_t mutant, uint64_t step, uint64_t bound)
{
    return gdc_draw_below((gdc_key){.seed = seed, .purpose = 77, .a = mutant, .b = step}, bound);
}

static size_t load(const char *path, unsigned char *into)
{
    FILE *stream = fopen(path, "rb");
    assert_non_null(stream);
    size_t count = fread(into, 1, ROOM, stream);
    fclose(stream);
    assert_in_range(count, 1, ROOM / 2);
    return count;
}

/* A set that was accepted is a sound one. */
static void assert_sound(const data *set)
{
    size_t values = set->samples * set->features;
    assert_true(set->samples > 0 && set->features > 0);
    for (size_t i = 0; i < set->samples; i++) {
        assert_true(isfinite(set->y[i]));
        assert_true(!set->classes || (set->y[i] >= 0 && set->y[i] < (float)set->classes));
    }
    for (size_t i = 0; set->type == DATA_F32 && i < values; i++)
        assert_true(isfinite(((const float *)set->x)[i]));
}

/* What a test opens: PREFIX FOLDER/NAME SUFFIX. */
typedef struct target {
    const char *prefix, *name, *suffix;
} target;

static gdc_status try_open(target t, data **kept)
{
    data *set = NULL;
    gdc_status status = data_open(scratch_spec(t.prefix, t.name, t.suffix), 1, 0, &set);
    if (status) {
        assert_int_equal(status, GDC_EDATA);
        assert_null(set);
        assert_true(strlen(gdc_last_error()) > 10);
    } else {
        assert_sound(set);
    }
    if (kept)
        *kept = set;
    else
        data_close(set);
    return status;
}

/* One to four changes: a bit, a byte, a digit, a piece repeated, a piece lost, the end lost. */
static size_t mutate(uint64_t mutant, unsigned char *content, size_t count)
{
    uint64_t changes = 1 + below(mutant, 0, 4);
    for (uint64_t i = 1; i <= changes && count > 1; i++) {
        size_t at = below(mutant, 10 * i, count), piece = 1 + below(mutant, 10 * i + 1, count - at);
        switch (below(mutant, 10 * i + 2, 6)) {
        case 0:
            content[at] ^= (unsigned char)(1 << below(mutant, 10 * i + 3, 8));
            break;
        case 1:
            content[at] = (unsigned char)below(mutant, 10 * i + 3, 256);
            break;
        case 2:
            content[at] = (unsigned char)"0123456789.:,-e \n"[below(mutant, 10 * i + 3, 17)];
            break;
        case 3:
            if (count + piece <= ROOM) {
                memmove(content + at + piece, content + at, count - at);
                count += piece;
            }
            break;
        case 4:
            memmove(content + at, content + at + piece, count - at - piece);
            count -= piece;
            break;
        default:
            count = at;
        }
    }
    return count;
}

static void attack(const char *name, target t)
{
    unsigned char original[ROOM], mutant[ROOM];
    size_t count = load(scratch_path(name), original);
    int refused = 0;
    for (uint64_t i = 0; i < MUTANTS; i++) {
        memcpy(mutant, original, count);
        scratch_write(name, mutant, mutate(i, mutant, count));
        refused += try_open(t, NULL) != GDC_OK;
    }
    print_message("%s: %d of %d mutants refused\n", name, refused, MUTANTS);
    assert_true(refused > MUTANTS / 20);
    scratch_write(name, original, count);
    assert_int_equal(try_open(t, NULL), GDC_OK);
}

/* A file that says its own length cannot be cut anywhere. */
static void cut(const char *name, target t)
{
    unsigned char original[ROOM];
    size_t count = load(scratch_path(name), original);
    for (size_t kept = 0; kept < count; kept++) {
        scratch_write(name, original, kept);
        if (try_open(t, NULL) == GDC_OK)
            fail_msg("%s: the first %zu of %zu bytes were accepted", name, kept, count);
    }
    original[count] = 0;
    scratch_write(name, original, count + 1);
    assert_int_equal(try_open(t, NULL), GDC_EDATA);
    scratch_write(name, original, count);
}

static void garbled_libsvm(void **state)
{
    static const char text[] = "+1 1:0.5 3:-2.25 7:1e-3\n-1 2:4 3:5 # note\n+1 1:1 2:2 3:3 4:4 5:5\n-1 6:100\n";
    (void)state;
    scratch_write("svm", text, sizeof text - 1);
    attack("svm", (target){"libsvm:", "svm", ",features=9"});
    scratch_write_gzip("svm", text, sizeof text - 1);
    attack("svm", (target){"libsvm:", "svm", ",features=9"});
}

static void garbled_csv(void **state)
{
    static const char text[] = "a,b,\"c\"\n1,2.5,0\n-3e2,\"4\",1\n 5 ,6,0\r\n7,8,2\n";
    (void)state;
    scratch_write("csv", text, sizeof text - 1);
    attack("csv", (target){"csv:", "csv", ""});
}

static const target images_in_folder = {"fashion-mnist:", "", ",part=test"};

static size_t make_images(unsigned char *images, unsigned char *labels)
{
    static const unsigned char head[] = {0, 0, 8, 3, 0, 0, 0, 9, 0, 0, 0, 5, 0, 0, 0, 7};
    memcpy(images, head, 16);
    memcpy(labels, (const unsigned char[]){0, 0, 8, 1, 0, 0, 0, 9}, 8);
    for (size_t i = 0; i < 9 * 5 * 7; i++)
        images[16 + i] = (unsigned char)(i * i % 11 * (i % 3));
    for (size_t i = 0; i < 9; i++)
        labels[8 + i] = (unsigned char)(9 - i);
    return 16 + 9 * 5 * 7;
}

static void garbled_images(void **state)
{
    unsigned char images[ROOM], labels[17];
    size_t count = make_images(images, labels);
    (void)state;
    scratch_write(IMAGES, images, count);
    scratch_write(LABELS, labels, sizeof labels);
    attack(IMAGES, images_in_folder);
    attack(LABELS, images_in_folder);
    cut(IMAGES, images_in_folder);
    cut(LABELS, images_in_folder);
}

static void garbled_packed_images(void **state)
{
    unsigned char images[ROOM], labels[17];
    size_t count = make_images(images, labels);
    (void)state;
    scratch_write_gzip(IMAGES ".gz", images, count);
    scratch_write_gzip(LABELS ".gz", labels, sizeof labels);
    attack(IMAGES ".gz", images_in_folder);
    attack(LABELS ".gz", images_in_folder);
    cut(IMAGES ".gz", images_in_folder);
    cut(LABELS ".gz", images_in_folder);
}

static void assert_same_images(data *set, const unsigned char *values)
{
    assert_int_equal(set->samples * set->features, 9 * 5 * 7);
    assert_memory_equal(set->x, values, 9 * 5 * 7);
    data_close(set);
}

/* Whatever bit flips in a packed file: either CRC or length tells, or it meant nothing (time and system in
 * the header, the bits that fill up the last byte of the stream). */
static void no_flipped_bit_changes_the_data_of_a_packed_file(void **state)
{
    unsigned char images[ROOM], labels[17], content[ROOM];
    size_t packed, count = make_images(images, labels), accepted = 0;
    (void)state;
    scratch_write_gzip(LABELS ".gz", labels, sizeof labels);
    packed = load(scratch_write_gzip(IMAGES ".gz", images, count), content);
    for (size_t bit = 0; bit < 8 * packed; bit++) {
        data *set = NULL;
        content[bit / 8] ^= (unsigned char)(1 << bit % 8);
        scratch_write(IMAGES ".gz", content, packed);
        content[bit / 8] ^= (unsigned char)(1 << bit % 8);
        if (try_open(images_in_folder, &set) == GDC_OK) {
            assert_same_images(set, images + 16);
            accepted++;
        }
    }
    assert_in_range(accepted, 1, 80);
}

int main(void)
{
    const char *given = getenv("GDC_TEST_SEED");
    seed = given ? strtoull(given, NULL, 10) : 20240601;
    print_message("GDC_TEST_SEED=%llu\n", (unsigned long long)seed);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(garbled_libsvm),
        cmocka_unit_test(garbled_csv),
        cmocka_unit_test(garbled_images),
        cmocka_unit_test(garbled_packed_images),
        cmocka_unit_test(no_flipped_bit_changes_the_data_of_a_packed_file),
    };
    return cmocka_run_group_tests_name("garbled", tests, scratch_setup, scratch_teardown);
}

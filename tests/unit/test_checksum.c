/* test_checksum.c - CRC32C: the published check value, additivity, and the plain twin.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernels/checksum.h"

#include <string.h>

enum { BYTES = 4099 };

static void fill(unsigned char *bytes)
{
    uint32_t x = 12345;
    for (int i = 0; i < BYTES; i++) {
        x = x * 1664525 + 1013904223;
        bytes[i] = (unsigned char)(x >> 24);
    }
}

static void the_check_value_is_the_published_one(void **state)
{
    (void)state;
    assert_int_equal(gdc_crc32c(0, "123456789", 9), 0xE3069283);
    assert_int_equal(gdc_crc32c_ref(0, "123456789", 9), 0xE3069283);
}

/* RFC 3720, B.4. */
static void the_vectors_of_iscsi_hold(void **state)
{
    unsigned char zeros[32] = {0}, ones[32], rising[32];
    (void)state;
    memset(ones, 0xff, sizeof ones);
    for (int i = 0; i < 32; i++)
        rising[i] = (unsigned char)i;
    assert_int_equal(gdc_crc32c(0, zeros, 32), 0x8A9136AA);
    assert_int_equal(gdc_crc32c(0, ones, 32), 0x62A8AB43);
    assert_int_equal(gdc_crc32c(0, rising, 32), 0x46DD794E);
}

static void nothing_changes_nothing(void **state)
{
    (void)state;
    assert_int_equal(gdc_crc32c(0, NULL, 0), 0);
    assert_int_equal(gdc_crc32c(0xE3069283, "", 0), 0xE3069283);
}

static void the_plain_twin_agrees_at_every_length_and_offset(void **state)
{
    unsigned char bytes[BYTES];
    (void)state;
    fill(bytes);
    for (size_t count = 0; count < 300; count++)
        for (size_t offset = 0; offset < 9; offset++)
            assert_int_equal(gdc_crc32c(7, bytes + offset, count), gdc_crc32c_ref(7, bytes + offset, count));
    assert_int_equal(gdc_crc32c(0, bytes, BYTES), gdc_crc32c_ref(0, bytes, BYTES));
}

static void parts_in_order_give_the_whole(void **state)
{
    unsigned char bytes[BYTES];
    (void)state;
    fill(bytes);
    for (size_t cut = 0; cut <= BYTES; cut += 37)
        assert_int_equal(gdc_crc32c(gdc_crc32c(0, bytes, cut), bytes + cut, BYTES - cut), gdc_crc32c(0, bytes, BYTES));
}

static void every_single_bit_matters(void **state)
{
    unsigned char bytes[BYTES];
    (void)state;
    fill(bytes);
    uint32_t whole = gdc_crc32c(0, bytes, 256);
    for (int bit = 0; bit < 256 * 8; bit++) {
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
        assert_int_not_equal(gdc_crc32c(0, bytes, 256), whole);
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_check_value_is_the_published_one),
        cmocka_unit_test(the_vectors_of_iscsi_hold),
        cmocka_unit_test(nothing_changes_nothing),
        cmocka_unit_test(the_plain_twin_agrees_at_every_length_and_offset),
        cmocka_unit_test(parts_in_order_give_the_whole),
        cmocka_unit_test(every_single_bit_matters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

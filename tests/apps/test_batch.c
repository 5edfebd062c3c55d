/* test_batch.c - which samples a partition stands for: shares, windows, every sample as often as every other.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "problems/batch.h"

#include <stdlib.h>
#include <string.h>

static batch make(size_t samples, size_t size, int partitions)
{
    batch b;
    if (batch_init(samples, size, partitions, &b))
        fail_msg("%s", gdc_last_error());
    return b;
}

/* The block of partition j, as whoever reads the header would cut it: near-equal, in order. */
static sample_range block_of(const batch *b, int partition)
{
    batch whole = make(b->samples, 0, b->partitions);
    sample_range ranges[2];
    assert_int_equal(batch_ranges(&whole, 0, partition, ranges), 1);
    return ranges[0];
}

/* Adds 1 to count[i] for each sample i of the partition's window; asserts that it lies in the block and has
 * the share's length. */
static void tally(const batch *b, uint64_t version, int partition, unsigned *count)
{
    sample_range ranges[2], block = block_of(b, partition);
    int pieces = batch_ranges(b, version, partition, ranges);
    size_t total = 0;
    assert_in_range(pieces, 1, 2);
    for (int r = 0; r < pieces; r++) {
        assert_true(ranges[r].count > 0);
        assert_true(ranges[r].first >= block.first);
        assert_true(ranges[r].first + ranges[r].count <= block.first + block.count);
        for (size_t i = 0; i < ranges[r].count; i++)
            count[ranges[r].first + i]++;
        total += ranges[r].count;
    }
    assert_true(total == batch_share(b, partition));
}

static void shares_fit_their_blocks_and_sum_to_the_batch(void **state)
{
    (void)state;
    for (size_t samples = 1; samples <= 40; samples++)
        for (int k = 1; k <= (int)samples; k++)
            for (size_t size = (size_t)k; size <= samples; size++) {
                batch b = make(samples, size, k);
                size_t sum = 0, least = samples, most = 0, covered = 0;
                for (int j = 0; j < k; j++) {
                    size_t share = batch_share(&b, j);
                    sample_range block = block_of(&b, j);
                    assert_true(share <= block.count && block.first == covered);
                    covered += block.count;
                    sum += share;
                    least = share < least ? share : least;
                    most = share > most ? share : most;
                }
                assert_true(sum == size && covered == samples && least >= 1 && most - least <= 1);
            }
}

static void no_sample_is_twice_in_a_batch(void **state)
{
    (void)state;
    for (size_t samples = 1; samples <= 14; samples++)
        for (int k = 1; k <= (int)samples; k++)
            for (size_t size = (size_t)k; size <= samples; size++)
                for (uint64_t version = 0; version < 20; version++) {
                    batch b = make(samples, size, k);
                    unsigned count[14] = {0};
                    size_t sum = 0;
                    for (int j = 0; j < k; j++)
                        tally(&b, version, j, count);
                    for (size_t i = 0; i < samples; i++) {
                        assert_true(count[i] <= 1);
                        sum += count[i];
                    }
                    assert_true(sum == size);
                }
}

static void windows_cover_their_block_equally_over_time(void **state)
{
    (void)state;
    for (size_t samples = 1; samples <= 20; samples++)
        for (int k = 1; k <= (int)samples; k++)
            for (size_t size = (size_t)k; size <= samples; size++) {
                batch b = make(samples, size, k);
                for (int j = 0; j < k; j++) {
                    unsigned count[20] = {0};
                    sample_range block = block_of(&b, j);
                    for (uint64_t t = 0; t < block.count; t++)
                        tally(&b, 1000 + t, j, count);
                    for (size_t i = 0; i < block.count; i++)
                        assert_true(count[block.first + i] == batch_share(&b, j));
                }
            }
}

static void the_whole_set_is_every_sample_exactly_once(void **state)
{
    enum { SAMPLES = 10007 };
    static unsigned count[SAMPLES];
    (void)state;
    for (int k = 8; k <= 48; k += 8) {
        batch b = make(SAMPLES, 0, k);
        assert_true(b.size == SAMPLES);
        memset(count, 0, sizeof count);
        for (int j = 0; j < k; j++)
            tally(&b, 17, j, count);
        for (size_t i = 0; i < SAMPLES; i++)
            assert_int_equal(count[i], 1);
    }
}

/* 20 samples, 3 partitions: blocks 7 7 6; batch 8: shares 3 3 2. */
static void windows_are_those_worked_out_by_hand(void **state)
{
    sample_range r[2];
    (void)state;
    batch b = make(20, 8, 3);
    assert_int_equal(batch_ranges(&b, 0, 0, r), 1);
    assert_true(r[0].first == 0 && r[0].count == 3);
    assert_int_equal(batch_ranges(&b, 2, 0, r), 2);
    assert_true(r[0].first == 6 && r[0].count == 1 && r[1].first == 0 && r[1].count == 2);
    assert_int_equal(batch_ranges(&b, 3, 1, r), 1);
    assert_true(r[0].first == 9 && r[0].count == 3);
    assert_int_equal(batch_ranges(&b, 4, 2, r), 1);
    assert_true(r[0].first == 16 && r[0].count == 2);
}

static void an_extra_batch_is_the_window_moved_on(void **state)
{
    (void)state;
    batch b = make(101, 40, 7);
    for (int j = 0; j < 7; j++)
        for (int q = 0; q < 30; q++)
            for (uint64_t t = 0; t < 30; t++) {
                sample_range extra[2], later[2];
                int pieces = batch_ranges(&b, t, j + q * 7, extra);
                assert_int_equal(pieces, batch_ranges(&b, t + (uint64_t)q, j, later));
                for (int r = 0; r < pieces; r++)
                    assert_true(extra[r].first == later[r].first && extra[r].count == later[r].count);
                assert_true(batch_share(&b, j + q * 7) == batch_share(&b, j));
            }
}

static void a_round_number_near_the_end_of_its_range_is_a_round_number(void **state)
{
    (void)state;
    batch b = make(101, 40, 7);
    unsigned count[101] = {0};
    for (uint64_t back = 0; back < 50; back++)
        for (int j = 0; j < 14; j++)
            tally(&b, UINT64_MAX - back, j, count);
}

static void impossible_batches_are_refused(void **state)
{
    batch b = {0};
    (void)state;
    assert_int_equal(batch_init(100, 7, 8, &b), GDC_EINVAL);
    assert_non_null(strstr(gdc_last_error(), "each partition needs a sample"));
    assert_int_equal(batch_init(100, 101, 8, &b), GDC_EINVAL);
    assert_non_null(strstr(gdc_last_error(), "batch 101 of 100 samples"));
    assert_int_equal(batch_init(7, 0, 8, &b), GDC_EINVAL);
    assert_non_null(strstr(gdc_last_error(), "7 samples for 8 partitions"));
    assert_int_equal(batch_init(7, 0, 0, &b), GDC_EINVAL);
    assert_true(b.samples == 0 && b.size == 0 && b.partitions == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_fit_their_blocks_and_sum_to_the_batch),
        cmocka_unit_test(no_sample_is_twice_in_a_batch),
        cmocka_unit_test(windows_cover_their_block_equally_over_time),
        cmocka_unit_test(the_whole_set_is_every_sample_exactly_once),
        cmocka_unit_test(windows_are_those_worked_out_by_hand),
        cmocka_unit_test(an_extra_batch_is_the_window_moved_on),
        cmocka_unit_test(a_round_number_near_the_end_of_its_range_is_a_round_number),
        cmocka_unit_test(impossible_batches_are_refused),
    };
    return cmocka_run_group_tests_name("batch", tests, NULL, NULL);
}

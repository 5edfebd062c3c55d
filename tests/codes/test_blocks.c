/* test_blocks.c - plans that cut gradients into blocks: lengths, rows over the columns of blocks, one encode path live and late.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/sums.h"
#include "kernels/vector.h"
#include "support/dual_plan.h"
#include "support/normal_problem.h"

enum { SEED = 5 };

/* ---- the encode path ---- */

static void step_by_step_and_in_one_go_give_the_same_bits(void **state)
{
    (void)state;
    gdc_plan *plan = make_dual(",shorten=3,tries=1,speeds=2+1+2+1+2+2", 4, 6, 3, SEED);
    for (int w = 0; w < plan->workers; w++)
        for (size_t d = 1; d <= NORMAL_MOST_D; d++)
            for (int f32 = 0; f32 < 2; f32++) {
                normal_problem p = {.f32 = f32 != 0, .d = d};
                double late[NORMAL_MOST_D];
                gdc_sums *sums;
                size_t bytes = gdc_plan_length(plan, d) * gdc_element_bytes(p.f32);
                encode_normal(plan, &p, w, 0, late);
                assert_int_equal(gdc_sums_create(plan, w, true, f32 ? GDC_F32 : GDC_F64, d, bytes, 0, false, &sums),
                                 GDC_OK);
                for (int i = 0; i < gdc_plan_held(plan, w); i++) {
                    gdc_task task = {.size = sizeof task, .worker = w, .partition = gdc_plan_walk(plan, w, i)};
                    assert_true(gdc_sums_open(sums, task.partition));
                    normal_partial(&p, &task, gdc_sums_target(sums, task.partition, &task.scale));
                    gdc_sums_added(sums, task.partition);
                }
                assert_memory_equal(gdc_sums_take_row(sums, 0), late, bytes);
                gdc_sums_destroy(sums);
            }
    gdc_plan_destroy(plan);
}

static void blocks_cut_a_vector_into_lengths_that_add_up(void **state)
{
    (void)state;
    for (int m = 1; m <= 4; m++) {
        char items[32];
        snprintf(items, sizeof items, ",shorten=%d,tries=1", m);
        gdc_plan *plan = make_dual(items, 4, 4, 1, SEED);
        assert_int_equal(gdc_plan_blocks(plan), m);
        for (size_t d = 1; d < 20; d++) {
            size_t next = 0, first;
            assert_int_equal(gdc_plan_length(plan, d), (d + (size_t)m - 1) / (size_t)m);
            for (int v = 0; v < m; v++) {
                size_t count = gdc_plan_block(plan, d, v, &first);
                assert_int_equal(first, next);
                assert_true(count <= gdc_plan_length(plan, d) && (v > 0 || count == gdc_plan_length(plan, d)));
                next += count;
            }
            assert_int_equal(next, d);
        }
        gdc_plan_destroy(plan);
    }
}

/* ---- plans ---- */

static gdc_status write_row(int blocks, gdc_span first, gdc_span second, gdc_plan **plan)
{
    const gdc_term term[] = {{first, 1}, {second, 1}};
    gdc_plan_writer *writer;
    assert_int_equal(gdc_plan_writer_create(1, 4, &writer), GDC_OK);
    gdc_plan_set_blocks(writer, blocks);
    gdc_plan_add_leg(writer, (gdc_span){0, 4}, false);
    gdc_plan_add_row(writer, 4, 2, term);
    gdc_plan_end_worker(writer);
    return gdc_plan_writer_finish(writer, plan);
}

static void terms_stay_within_their_block(void **state)
{
    (void)state;
    gdc_plan *plan = NULL, *other = NULL;
    assert_int_equal(write_row(2, (gdc_span){0, 4}, (gdc_span){4, 4}, &plan), GDC_OK);
    assert_int_equal(gdc_plan_row(plan, 0, 0)->terms, 2); /* neighbours, but of two blocks */
    assert_int_equal(write_row(2, (gdc_span){0, 2}, (gdc_span){2, 2}, &other), GDC_OK);
    assert_int_equal(gdc_plan_row(other, 0, 0)->terms, 1);
    assert_true(gdc_plan_digest(plan) != gdc_plan_digest(other));
    gdc_plan_destroy(other);
    gdc_plan_destroy(plan);
    plan = NULL;
    assert_int_equal(write_row(2, (gdc_span){0, 1}, (gdc_span){3, 2}, &plan), GDC_EINVAL);
    assert_int_equal(write_row(2, (gdc_span){0, 1}, (gdc_span){8, 1}, &plan), GDC_EINVAL);
    assert_int_equal(write_row(1, (gdc_span){0, 1}, (gdc_span){4, 1}, &plan), GDC_EINVAL);
    assert_int_equal(write_row(0, (gdc_span){0, 1}, (gdc_span){1, 1}, &plan), GDC_EINVAL);
    assert_int_equal(write_row(1 << 30, (gdc_span){0, 1}, (gdc_span){1, 1}, &plan), GDC_EINVAL);
    assert_null(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(step_by_step_and_in_one_go_give_the_same_bits),
        cmocka_unit_test(blocks_cut_a_vector_into_lengths_that_add_up),
        cmocka_unit_test(terms_stay_within_their_block),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

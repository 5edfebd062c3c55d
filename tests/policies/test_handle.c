/* test_handle.c - the engine handle refuses what cannot be right, with a sentence.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/integer_problem.h"

#include <math.h>
#include <string.h>

enum { N = 4, D = 3 };

static integer_problem problem = {.dimension = D, .fail_partition = -1, .nan_partition = -1};

static gdc_options good(void)
{
    gdc_options options;
    gdc_options_init(&options);
    options.dimension = D;
    return options;
}

static void refuses(const gdc_options *options, const char *word)
{
    gdc_engine *engine = NULL;
    assert_int_equal(gdc_open_virtual(options, N, integer_partial, &problem, &engine), GDC_EINVAL);
    assert_null(engine);
    if (!strstr(gdc_last_error(), word))
        fail_msg("'%s' does not name '%s'", gdc_last_error(), word);
}

static void bad_options_are_named(void **state)
{
    (void)state;
    gdc_options o = good();
    o.size = 0;
    refuses(&o, "gdc_options_init");
    o = good(), o.strategy = "gc:code=fractionl";
    refuses(&o, "fractional");
    o = good(), o.strategy = "gc:code=fractional,load=9";
    refuses(&o, "load=9");
    o = good(), o.strategy = "gc:code=fractional,lod=2";
    refuses(&o, "lod");
    o = good(), o.dimension = 0;
    refuses(&o, "dimension");
    o = good(), o.partitions = 0;
    refuses(&o, "partitions=0");
    o = good(), o.poll_s = NAN;
    refuses(&o, "poll_s");
    o = good(), o.round_deadline_s = -1;
    refuses(&o, "round_deadline_s");
    o = good(), o.bandwidth = 0;
    refuses(&o, "bandwidth");
    o = good(), o.strategy = "drop:tau=1,check=poll";
    refuses(&o, "poll_s");
    o = good(), o.fault_count = 1;
    refuses(&o, "fault_count");
}

static void a_delay_for_fewer_workers_is_refused(void **state)
{
    const char *spec = "none:piece=1";
    gdc_options o = good();
    gdc_delay *delay;
    (void)state;
    assert_int_equal(gdc_delay_create(&spec, 1, 1, N - 1, 1, &delay), GDC_OK);
    o.delay = delay;
    refuses(&o, "3 workers");
    gdc_delay_destroy(delay);
}

static void float32_against_the_prediction_needs_force(void **state)
{
    gdc_options o = good();
    gdc_engine *engine;
    (void)state;
    o.strategy = "gc:code=cyclic,load=9,tries=1";
    o.dtype = GDC_F32;
    assert_int_equal(gdc_open_virtual(&o, 24, NULL, NULL, &engine), GDC_EINVAL);
    assert_non_null(strstr(gdc_last_error(), "float64"));
    assert_non_null(strstr(gdc_last_error(), "fractional"));
    o.force = 1;
    assert_int_equal(gdc_open_virtual(&o, 24, NULL, NULL, &engine), GDC_OK);
    gdc_close(engine, NULL);
}

static void calls_out_of_place_are_refused(void **state)
{
    gdc_options o = good();
    gdc_engine *engine;
    gdc_worker_stats stats = {.size = sizeof stats};
    double model[D] = {0}, gradient[D];
    (void)state;
    assert_int_equal(gdc_gradient(NULL, model, gradient, NULL), GDC_EINVAL);
    assert_int_equal(gdc_finish(NULL, model), GDC_EINVAL);
    assert_int_equal(gdc_open_virtual(&o, N, integer_partial, &problem, &engine), GDC_OK);
    assert_int_equal(gdc_gradient(engine, model, model, NULL), GDC_EINVAL);
    assert_int_equal(gdc_work(engine, integer_partial, &problem), GDC_EINVAL);
    assert_int_equal(gdc_stats(engine, N, &stats), GDC_EINVAL);
    assert_int_equal(gdc_gradient(engine, model, gradient, NULL), GDC_OK);
    assert_int_equal(gdc_finish(engine, model), GDC_OK);
    assert_int_equal(gdc_gradient(engine, model, gradient, NULL), GDC_EINVAL);
    assert_int_equal(gdc_close(engine, NULL), GDC_OK);
    assert_int_equal(gdc_close(NULL, NULL), GDC_OK);
}

/* A caller of an older library knows a shorter struct: nothing beyond it is touched. */
static void shorter_structs_are_respected(void **state)
{
    gdc_options o = good();
    gdc_engine *engine;
    gdc_round round;
    double model[D] = {0}, gradient[D];
    (void)state;
    assert_int_equal(gdc_open_virtual(&o, N, integer_partial, &problem, &engine), GDC_OK);
    memset(&round, 0x5a, sizeof round);
    round.size = offsetof(gdc_round, scale);
    assert_int_equal(gdc_gradient(engine, model, gradient, &round), GDC_OK);
    assert_int_equal(round.version, 1);
    const unsigned char *rest = (const unsigned char *)&round + offsetof(gdc_round, scale);
    for (size_t i = 0; i < sizeof round - offsetof(gdc_round, scale); i++)
        assert_int_equal(rest[i], 0x5a);
    gdc_close(engine, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_options_are_named),
        cmocka_unit_test(a_delay_for_fewer_workers_is_refused),
        cmocka_unit_test(float32_against_the_prediction_needs_force),
        cmocka_unit_test(calls_out_of_place_are_refused),
        cmocka_unit_test(shorter_structs_are_respected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

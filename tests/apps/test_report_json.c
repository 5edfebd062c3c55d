/* test_report_json.c - laws of result.json: strict, whole, and null where nothing is known.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "sample_result.h"

#include <jansson.h>

static json_t *parsed(const result *r)
{
    char *text = result_to_json(r);
    assert_non_null(text);
    json_t *json = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(json);
    free(text);
    return json;
}

static const json_t *strategy_of(const json_t *json, size_t i)
{
    return json_array_get(json_object_get(json, "strategies"), i);
}

static void assert_has_all(const json_t *object, const char *const *names)
{
    for (; *names != NULL; names++)
        if (json_object_get(object, *names) == NULL)
            fail_msg("no field %s", *names);
}

static void json_holds_every_field(void **state)
{
    (void)state;
    static const char *const whole[] = {
        "tool",  "machine", "problem", "data", "delays", "workers", "partitions",        "k",
        "batch", "rounds",  "warmup",  "seed", "clock",  "status",  "arrivals_left_out", NULL};
    static const char *const each[] = {"spec",
                                       "exact",
                                       "error",
                                       "rounds_completed",
                                       "round_s",
                                       "wall_s",
                                       "ideal_round_s",
                                       "speedup_vs_sync",
                                       "effective_round_s",
                                       "speedup_effective",
                                       "messages_per_round",
                                       "bytes_per_round",
                                       "work_ratio",
                                       "used_fraction",
                                       "least_worker_share",
                                       "gradient_error",
                                       "loss_initial",
                                       "loss_final",
                                       "target_loss",
                                       "time_to_target_s",
                                       "compute_share",
                                       "overrun_share",
                                       "lost_workers",
                                       "note",
                                       "chosen",
                                       "careful",
                                       "careful_price",
                                       NULL};
    static const char *const round_s[] = {"mean", "ci95", "p50", "p99", "min", "max", NULL};
    static const char *const machine[] = {"cpu", "cores", "os", "mpi", NULL};
    result r = known_result();
    json_t *json = parsed(&r);
    assert_has_all(json, whole);
    assert_has_all(strategy_of(json, 0), each);
    assert_has_all(json_object_get(strategy_of(json, 0), "round_s"), round_s);
    assert_has_all(json_object_get(json, "machine"), machine);
    assert_int_equal(json_integer_value(json_object_get(json, "k")), 16);
    assert_string_equal(json_string_value(json_object_get(json, "status")), "finished");
    json_decref(json);
    result_free(&r);
}

static void json_says_null_where_nothing_is_known(void **state)
{
    (void)state;
    result r = known_result();
    r.strategy[1].gradient_error = NAN;
    r.strategy[1].compute_share = INFINITY;
    json_t *json = parsed(&r);
    const json_t *s = strategy_of(json, 1);
    assert_true(json_is_null(json_object_get(s, "gradient_error")));
    assert_true(json_is_null(json_object_get(s, "compute_share")));
    assert_true(json_is_null(json_object_get(s, "error")));
    assert_true(json_is_null(json_object_get(json, "bandwidth")));
    assert_true(fabs(json_real_value(json_object_get(s, "speedup_effective")) - 2) < 1e-12);
    json_decref(json);
    result_free(&r);
}

static void json_tells_losses_and_failures(void **state)
{
    (void)state;
    result r = known_result();
    add_loss(&r.strategy[1], (result_lost){3, 20, "dead", false});
    set_error(&r.strategy[3], "not run: worker 3 lost \xff");
    r.failed = true;
    r.strategy[1].note = copy("cannot drop");
    r.strategy[1].arrivals_left_out = 5;
    r.strategy[2].arrivals_left_out = 7;
    r.strategy[1].worker = calloc(8, sizeof *r.strategy[1].worker);
    r.strategy[1].worker[6].erased = 2;
    r.seed = UINT64_MAX;
    json_t *json = parsed(&r);
    const json_t *lost = json_array_get(json_object_get(strategy_of(json, 1), "lost_workers"), 0);
    assert_int_equal(json_integer_value(json_object_get(lost, "worker")), 3);
    assert_int_equal(json_integer_value(json_object_get(lost, "round")), 20);
    assert_string_equal(json_string_value(json_object_get(lost, "how")), "dead");
    assert_true(json_is_false(json_object_get(lost, "returned")));
    assert_string_equal(json_string_value(json_object_get(strategy_of(json, 3), "error")), "not run: worker 3 lost ?");
    assert_string_equal(json_string_value(json_object_get(json, "status")), "failed");
    assert_string_equal(json_string_value(json_object_get(strategy_of(json, 1), "note")), "cannot drop");
    assert_true(json_is_null(json_object_get(strategy_of(json, 2), "note")));
    assert_int_equal(json_integer_value(json_object_get(json, "arrivals_left_out")), 12);
    const json_t *worker = json_array_get(json_object_get(strategy_of(json, 1), "workers"), 6);
    assert_true(json_real_value(json_object_get(worker, "erased")) == 2);
    assert_string_equal(json_string_value(json_object_get(json, "seed")), "18446744073709551615");
    json_decref(json);
    result_free(&r);
}

static void json_is_strict_whatever_the_result(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 500; i++) {
        result r = odd_result(i);
        json_error_t error;
        char *text = result_to_json(&r);
        assert_non_null(text);
        json_t *json = json_loads(text, JSON_REJECT_DUPLICATES, &error);
        if (json == NULL)
            fail_msg("result %llu, line %d: %s", (unsigned long long)i, error.line, error.text);
        assert_int_equal(json_array_size(json_object_get(json, "strategies")), 4);
        json_decref(json);
        free(text);
        result_free(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json_holds_every_field),
        cmocka_unit_test(json_says_null_where_nothing_is_known),
        cmocka_unit_test(json_tells_losses_and_failures),
        cmocka_unit_test(json_is_strict_whatever_the_result),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

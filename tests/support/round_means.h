/* round_means.h - mean round time and messages of a strategy, workers fresh in every round and interrupted at once:
 * the setting of the published tables.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_SUPPORT_ROUND_MEANS_H
#define TESTS_SUPPORT_ROUND_MEANS_H

#include "gradcode/round.h"

#include <math.h>
#include <stdio.h>

enum { MEANS_WORKERS = 20, MEANS_ROUNDS = 20000 };

typedef struct round_means {
    double round_s, messages;
} round_means;

/* n = k = 20, T_i(m) = m (0.01 + Exp(mean 0.1)), one draw per worker and round, timing only. */
static inline round_means measure_rounds(const char *strategy)
{
    const char *spec = "shifted-exp:shift=0.01,mean=0.1,per=round";
    gdc_delay *delay;
    gdc_engine *engine;
    gdc_options options;
    round_means m = {0, 0};
    gdc_options_init(&options);
    options.strategy = strategy;
    options.poll_s = 0;
    assert_int_equal(gdc_delay_create(&spec, 1, 2026, MEANS_WORKERS, 1, &delay), GDC_OK);
    options.delay = delay;
    if (gdc_open_virtual(&options, MEANS_WORKERS, NULL, NULL, &engine) != GDC_OK)
        fail_msg("%s: %s", strategy, gdc_last_error());
    for (int r = 0; r < MEANS_ROUNDS; r++) {
        gdc_round round = {.size = sizeof round};
        assert_int_equal(gdc_gradient(engine, NULL, NULL, &round), GDC_OK);
        m.round_s += (round.ended_s - round.began_s) / MEANS_ROUNDS;
        m.messages += (double)round.messages / MEANS_ROUNDS;
    }
    gdc_close(engine, NULL);
    gdc_delay_destroy(delay);
    return m;
}

/* Both within 2 %. */
static inline void expect_means(const char *strategy, double round_s, double messages)
{
    round_means m = measure_rounds(strategy);
    printf("%-44s %.4f s (oracle %.4f)  %.2f messages (oracle %.2f)\n", strategy, m.round_s, round_s, m.messages,
           messages);
    assert_true(fabs(m.round_s / round_s - 1) < 0.02);
    assert_true(fabs(m.messages / messages - 1) < 0.02);
}

#endif

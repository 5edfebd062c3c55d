/* dual_plan.h - plans of dual codes with drawn speeds, for their tests.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_SUPPORT_DUAL_PLAN_H
#define TESTS_SUPPORT_DUAL_PLAN_H

#include "gradcode/draw.h"
#include "plan/plan.h"

#include <stdio.h>

static const char *const dual_places[] = {"ring", "group", "spread", "random"};

static inline gdc_plan *make_dual(const char *items, int load, int n, int m, uint64_t seed)
{
    char spec[256];
    gdc_plan *plan = NULL;
    snprintf(spec, sizeof spec, "dual:load=%d%s", load, items);
    if (gdc_plan_create(spec, n, n * m, seed, &plan) != GDC_OK)
        fail_msg("%s: %s", spec, gdc_last_error());
    return plan;
}

/* Speeds 1 .. 9 of which none is above sum/load; false if there are none like that among a few draws. */
static inline bool draw_speeds(uint64_t seed, int n, int load, int *speed, char *items, size_t bytes)
{
    for (uint64_t try = 0; try < 200; try++) {
        int sum = 0, most = 0;
        size_t at = (size_t)snprintf(items, bytes, ",speeds=");
        for (int w = 0; w < n; w++) {
            speed[w] = 1 + (int)gdc_draw_below((gdc_key){seed, 90, try, (uint64_t)w, 0}, 9);
            sum += speed[w];
            most = speed[w] > most ? speed[w] : most;
            at += (size_t)snprintf(items + at, bytes - at, w > 0 ? "+%d" : "%d", speed[w]);
        }
        if (most * load <= sum)
            return true;
    }
    return false;
}

#endif

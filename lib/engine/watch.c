/* watch.c - the rounds that a policy watches before it chooses (arXiv 2306.10598, automatic tau).
 * SPDX-License-Identifier: BSD-3-Clause */
#include "engine/watch.h"

gdc_status gdc_watch_open(gdc_watch *watch, const gdc_strategy_parts *parts)
{
    *watch = (gdc_watch){.parts = parts};
    if (parts->ops->lesson)
        watch->lesson = parts->ops->lesson(parts->state);
    if (watch->lesson.rounds == 0)
        return GDC_OK;
    int workers = gdc_plan_workers(parts->plan);
    return gdc_profile_create(workers, watch->lesson.rounds, gdc_plan_partitions(parts->plan) / workers,
                              &watch->profile);
}

void gdc_watch_close(gdc_watch *watch)
{
    gdc_profile_destroy(watch->profile);
    watch->profile = NULL;
}

/* Which row of the table the running round is; -1: none. */
static int row_of(const gdc_watch *watch)
{
    int row = watch->seen - watch->lesson.warmup;
    return watch->profile && row >= 0 && row < watch->lesson.rounds ? row : -1;
}

void gdc_watch_begin(gdc_watch *watch, double now_s)
{
    if (row_of(watch) == 0)
        watch->began_s = now_s;
}

void gdc_watch_piece(gdc_watch *watch, int worker, int piece, double seconds)
{
    int row = row_of(watch);
    if (row >= 0 && piece < gdc_profile_pieces(watch->profile))
        gdc_profile_set(watch->profile, row, worker, piece, seconds);
}

void gdc_watch_reduced(gdc_watch *watch)
{
    if (watch->profile)
        watch->seen++;
}

bool gdc_watch_is_full(const gdc_watch *watch)
{
    return watch->profile && watch->seen == watch->lesson.warmup + watch->lesson.rounds;
}

gdc_status gdc_watch_learn(gdc_watch *watch)
{
    gdc_status status = watch->parts->ops->learn(watch->parts->state, watch->profile);
    gdc_watch_close(watch);
    return status;
}

/* drop_piece.c - a piece of an all-reduce worker: drawn duration, cut, faults on purpose.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Nothing is on its way while a piece runs, so it may sleep in one go, exactly to its end or to its cut. */
#include "api/drop_handle.h"

#include <math.h>

double gdc_drop_now(const gdc_drop *drop)
{
    return gdc_clock_s() - drop->origin_s;
}

static bool is_due(const gdc_drop *drop, int i)
{
    return !drop->struck[i] && gdc_worker_version(drop->machine) >= drop->fault[i].version;
}

void gdc_drop_strike(gdc_drop *drop, gdc_fault_moment at)
{
    for (int i = 0; i < drop->options.fault_count; i++) {
        const gdc_fault *fault = &drop->fault[i];
        bool acts = fault->kind == GDC_FAULT_KILL || fault->kind == GDC_FAULT_STOP;
        if (acts && fault->at == at && is_due(drop, i)) {
            drop->struck[i] = true;
            drop->options.act(drop->options.act_context, fault);
        }
    }
}

bool gdc_drop_spoils(gdc_drop *drop)
{
    for (int i = 0; i < drop->options.fault_count; i++) {
        const gdc_fault *fault = &drop->fault[i];
        if ((fault->kind == GDC_FAULT_NAN || fault->kind == GDC_FAULT_CORRUPT) && is_due(drop, i)) {
            drop->struck[i] = true;
            return true;
        }
    }
    return false;
}

void gdc_drop_start_piece(gdc_drop *drop, const gdc_step *step)
{
    drop->has_piece = true;
    drop->partition = step->partition;
    drop->cut_s = drop->can_cut_pieces ? step->cut_s : 0;
    drop->wants_cut = drop->wants_cut || step->cut_s > 0;
    drop->q = gdc_worker_started(drop->machine) - 1;
    gdc_drop_strike(drop, GDC_AT_COMPUTE);
    drop->began_s = gdc_drop_now(drop);
}

static void count_piece(gdc_drop *drop, double compute_s, double now_s)
{
    drop->stats.pieces++;
    drop->stats.compute_s += compute_s;
    drop->stats.piece_s += now_s - drop->began_s;
}

bool gdc_drop_end_piece(gdc_drop *drop)
{
    double compute_s = gdc_drop_now(drop) - drop->began_s, duration_s = compute_s;
    drop->has_piece = false;
    if (drop->options.delay) {
        duration_s = gdc_delay_draw(drop->options.delay, drop->id, gdc_worker_version(drop->machine), drop->q);
        drop->stats.overran += compute_s > duration_s;
    }
    bool crosses = drop->cut_s > 0 && fmax(duration_s, compute_s) > drop->cut_s;
    double end_s = drop->began_s + (crosses ? drop->cut_s : duration_s);
    if (gdc_drop_now(drop) < end_s) {
        long slack = gdc_slack_enter();
        gdc_sleep_until(drop->origin_s + end_s);
        gdc_slack_leave(slack);
    }
    double now_s = gdc_drop_now(drop);
    if (crosses) {
        gdc_worker_cut(drop->machine, now_s);
        return false;
    }
    count_piece(drop, compute_s, now_s);
    gdc_watch_piece(&drop->watch, drop->id, gdc_worker_done(drop->machine), now_s - drop->began_s);
    gdc_worker_computed(drop->machine, now_s);
    return true;
}

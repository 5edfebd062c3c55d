/* dynamic_half.c - the dynamic strategy at a worker: its own shard first, then what the master leases it.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Own pieces [base, next) are in the sums; the last of them is in a vector of its own until the next is begun, so that it can
 * still be sent apart when the limit has been lowered below it meanwhile. The limit is advice: whatever is sent is a prefix
 * that continues the one before, or one piece. Leased pieces are the machine's business, unless the worker asks early. */
#include "policies/parts/dynamic.h"

void gdc_dynamic_start(const void *state, void *half, const gdc_boundary *at)
{
    const gdc_dynamic *d = state;
    (void)at;
    *(gdc_dynamic_half *)half = (gdc_dynamic_half){.spoken = -1, .told = d->pieces};
}

bool gdc_dynamic_work(const void *state, void *half, const gdc_boundary *at, gdc_span span)
{
    const gdc_dynamic *d = state;
    gdc_dynamic_half *h = half;
    int next = at->worker * d->pieces + at->done - h->foreign;
    if (h->is_through)
        return false;
    if (span.first != next) /* else: go on */
        h->work = span;
    return true;
}

/* ---- messages ---- */

static gdc_step send(int first, int count, int next, int ack, bool ready)
{
    return (gdc_step){
        .kind = GDC_SEND, .index = GDC_SPAN, .span = {first, count}, .done = next, .ack = ack, .ready = ready};
}

static gdc_step report(int next, int ack, bool ready)
{
    return (gdc_step){.kind = GDC_REPORT, .done = next, .ack = ack, .ready = ready};
}

/* Nothing of its own is left to do: what is unsent goes out, and no prefix will follow. */
static gdc_step end_own(gdc_dynamic_half *h, int first, int next, int limit)
{
    bool last_overran = next - 1 == limit && h->base <= limit && h->mixed < next;
    int base = h->base;
    if (last_overran && base < limit) {
        h->base = limit;
        return send(first + base, limit - base, next, limit, false);
    }
    h->is_through = true;
    return base < next ? send(first + base, next - base, next, 0, true) : report(next, 0, true);
}

static bool must_flush(const gdc_dynamic *d, const gdc_dynamic_half *h, const gdc_boundary *at, int next, int limit)
{
    if (h->base == next)
        return false;
    bool is_slow = at->piece_s > 2 * at->hint.nominal_s;
    return d->options.reproducible || (limit < d->pieces && (is_slow || limit - next <= 1));
}

/* At a boundary with own pieces left: sends, reports, asks, or does nothing. */
static bool speaks(const gdc_dynamic *d, gdc_dynamic_half *h, const gdc_boundary *at, int next, int limit,
                   gdc_step *step)
{
    int first = at->worker * d->pieces;
    bool asks = d->options.early > 0 && next > 0;
    bool is_news = limit < h->told || (d->options.progress && next > 0);
    if (h->spoken == next)
        return false;
    h->spoken = next;
    if (must_flush(d, h, at, next, limit)) {
        *step = send(first + h->base, next - h->base, next, limit, asks);
        h->base = next;
    } else if (is_news || asks) {
        *step = report(next, limit, asks);
    } else {
        return false;
    }
    h->told = limit;
    return true;
}

/* ---- early: pieces of others between own ones ---- */

static gdc_step help(gdc_dynamic_half *h, int next, int limit)
{
    int p = h->work.first;
    if (!h->is_running) {
        h->is_running = true;
        h->mixed = next;
        return (gdc_step){.kind = GDC_COMPUTE, .partition = p};
    }
    h->is_running = false;
    h->work = (gdc_span){0, 0};
    bool asks = next < limit; /* else the end of its own says READY */
    if (asks) {
        h->spoken = next;
        h->told = limit;
    }
    return send(p, 1, next, limit, asks);
}

gdc_step gdc_dynamic_next(const void *state, void *half, const gdc_boundary *at)
{
    const gdc_dynamic *d = state;
    gdc_dynamic_half *h = half;
    int limit = at->hint.limit < d->pieces ? at->hint.limit : d->pieces;
    bool has_helped = h->is_running;
    h->foreign += has_helped;
    int first = at->worker * d->pieces, next = at->done - h->foreign;
    gdc_step step;
    if (h->work.count > 0)
        return help(h, next, limit);
    if (next >= limit)
        return end_own(h, first, next, limit);
    if (speaks(d, h, at, next, limit, &step))
        return step;
    return (gdc_step){.kind = GDC_COMPUTE, .partition = first + next};
}

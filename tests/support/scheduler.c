/* scheduler.c - a transport that does everything a network may do, chosen by a seed.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "support/scheduler.h"

#include "engine/sums.h"
#include "engine/worker.h"
#include "gradcode/draw.h"
#include "support/line.h"
#include "support/schedule_round.h"
#include "transport/pump.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ACTIONS_MAX = 200000 };

typedef struct desk {
    gdc_worker *machine;
    gdc_sums *sums;
    line models, controls, out;
    bool dead, stopped, computing, holds_ready; /* holds_ready: the master owes an answer */
    int partition;
    uint64_t version;
} desk;

typedef struct scheduler {
    const schedule *s;
    schedule_report *report;
    gdc_strategy_parts parts;
    gdc_pump *pump;
    gdc_wire wire;
    desk *desk;
    double *sum;
    int d;
    uint64_t drawn, version;
    bool overflow;
    bool *erased_row; /* [rows] in this round */
} scheduler;

static uint64_t draw(scheduler *s, uint64_t bound)
{
    return gdc_draw_below((gdc_key){.seed = s->s->seed, .purpose = 77, .a = s->drawn++}, bound);
}

static bool happens(scheduler *s, int permille)
{
    return permille > 0 && draw(s, 1000) < (uint64_t)permille;
}

static void put(scheduler *s, line *l, mail m)
{
    s->overflow = !line_put(l, m) || s->overflow;
}

static void note_most(int *most, int now)
{
    if (now > *most)
        *most = now;
}

/* ---- the wire ---- */

static void wire_model(void *self, int worker, uint64_t version, gdc_hint hint)
{
    scheduler *s = self;
    desk *w = &s->desk[worker];
    s->report->extra_models += !w->holds_ready;
    w->holds_ready = false;
    put(s, &w->models, (mail){.kind = MODEL, .version = version, .hint = hint});
    note_most(&s->report->most_models, w->models.count);
}

static void wire_work(void *self, int worker, uint64_t version, gdc_span span)
{
    scheduler *s = self;
    s->desk[worker].holds_ready = false;
    put(s, &s->desk[worker].controls, (mail){.kind = WORK, .version = version, .span = span});
}

static void wire_ring(void *self, int worker, uint64_t version)
{
    scheduler *s = self;
    put(s, &s->desk[worker].controls, (mail){.kind = RING, .version = version});
    note_most(&s->report->most_controls, s->desk[worker].controls.count);
}

static void wire_limit(void *self, int worker, uint64_t version, int limit)
{
    put(self, &((scheduler *)self)->desk[worker].controls,
        (mail){.kind = LIMIT, .version = version, .hint = {.limit = limit}});
}

static void wire_release(void *self, void *vector)
{
    (void)self;
    free(vector);
}

/* ---- workers ---- */

static void send_step(scheduler *s, int id, const gdc_step *step)
{
    desk *w = &s->desk[id];
    mail m = {.kind = MESSAGE};
    m.arrival = (gdc_arrival){.worker = id,
                              .index = step->kind == GDC_SEND ? step->index : GDC_BARE,
                              .version = gdc_worker_version(w->machine),
                              .span = step->span,
                              .done = step->done,
                              .ack = step->ack,
                              .ready = step->ready,
                              .sound = true,
                              .finished = gdc_worker_finished(w->machine),
                              .piece_s = NAN,
                              .loss = NAN,
                              .norm2 = NAN};
    if (step->kind == GDC_SEND) {
        void *vector =
            step->index == GDC_SPAN ? gdc_sums_take_span(w->sums, step->span) : gdc_sums_take_row(w->sums, step->index);
        size_t bytes = gdc_plan_length(s->parts.plan, (size_t)s->d) * sizeof(double);
        m.vector = memcpy(malloc(bytes), vector, bytes);
        gdc_sums_give(w->sums, vector);
        m.arrival.sound = !happens(s, s->s->erase_permille);
    }
    put(s, &w->out, m);
    note_most(&s->report->most_vectors, w->out.count);
}

static void drive(scheduler *s, int id)
{
    desk *w = &s->desk[id];
    for (;;) {
        gdc_step step = gdc_worker_next(w->machine, 0);
        if (gdc_worker_take_abandoned(w->machine))
            gdc_sums_abandon(w->sums);
        if (step.kind == GDC_SEND || step.kind == GDC_REPORT) {
            send_step(s, id, &step);
            continue;
        }
        if (step.kind == GDC_COMPUTE) {
            w->computing = gdc_sums_open(w->sums, step.partition);
            w->partition = step.partition;
        }
        return;
    }
}

static void finish_piece(scheduler *s, int id)
{
    desk *w = &s->desk[id];
    double scale;
    double *into = gdc_sums_target(w->sums, w->partition, &scale);
    into[w->partition % s->d] += scale * (double)gdc_worker_version(w->machine);
    gdc_sums_added(w->sums, w->partition);
    w->computing = false;
    gdc_worker_computed(w->machine, 0);
    drive(s, id);
}

static void take_model(scheduler *s, int id)
{
    desk *w = &s->desk[id];
    mail m = line_get(&w->models);
    gdc_sums_abandon(w->sums);
    gdc_worker_model(w->machine, m.version, m.hint, 0);
    drive(s, id);
}

static void take_control(scheduler *s, int id)
{
    desk *w = &s->desk[id];
    mail m = line_get(&w->controls);
    if (m.kind == RING)
        gdc_worker_ring(w->machine, m.version);
    else if (m.kind == LIMIT)
        gdc_worker_limit(w->machine, m.version, m.hint.limit);
    else
        gdc_worker_work(w->machine, m.span);
    drive(s, id);
}

/* ---- the master ---- */

static void take_message(scheduler *s, int id)
{
    desk *w = &s->desk[id];
    mail m = line_get(&w->out);
    bool vector = m.arrival.index != GDC_BARE;
    w->holds_ready |= m.arrival.ready;
    if (m.arrival.index >= 0 && !m.arrival.sound && m.arrival.version == s->version)
        s->erased_row[s->parts.plan->row_at[id] + m.arrival.index] = true;
    if (!gdc_pump_message(s->pump, &m.arrival, vector, m.vector, 0))
        free(m.vector);
}

/* Could the workers that live, without what was erased, still give the gradient? */
static bool could_decode(scheduler *s)
{
    const int *row_at = s->parts.plan->row_at;
    for (int w = 0; w < s->s->workers; w++)
        for (int i = row_at[w]; i < row_at[w + 1]; i++)
            s->erased_row[i] = s->erased_row[i] || s->desk[w].dead;
    return is_decodable(s->parts.plan, s->erased_row);
}

static bool is_right(const scheduler *s, const gdc_round *round)
{
    const gdc_coordinator *c = gdc_pump_coordinator(s->pump);
    schedule_round done = {.sum = s->sum, .k = s->d, .tolerance = s->s->tolerance, .round = *round};
    for (int w = 0; w < s->s->workers; w++)
        done.busy += gdc_coordinator_is_busy(c, w) && gdc_coordinator_assigned(c, w) > 0;
    return s->s->judge ? s->s->judge(s->s->context, &done) : is_exact_round(&done);
}

static void end_round(scheduler *s)
{
    gdc_round round = {.size = sizeof round};
    if (gdc_pump_result(s->pump, &round) == GDC_OK) {
        s->report->finished++;
        s->report->wrong += !is_right(s, &round);
    } else {
        s->report->failed++;
        s->report->early += could_decode(s);
    }
}

static void begin_round(scheduler *s)
{
    s->version++;
    memset(s->erased_row, 0, (size_t)s->parts.plan->row_at[s->s->workers]);
    gdc_pump_begin(s->pump, s->version, s->sum, 0);
}

/* ---- the schedule ---- */

/* The dead: what it sent is delivered, then the master learns of it. */
static void kill_worker(scheduler *s, int id)
{
    desk *w = &s->desk[id];
    w->stopped = false;
    w->computing = false;
    while (w->out.count > 0)
        take_message(s, id);
    w->dead = true;
    gdc_pump_dead(s->pump, id, 0);
}

/* Does one thing that can happen at a worker or on its lines; false if there is none. */
static bool act(scheduler *s, int id)
{
    desk *w = &s->desk[id];
    void (*can[4])(scheduler *, int);
    uint64_t count = 0;
    bool delivers = gdc_pump_is_running(s->pump) || !s->parts.traits.counts_stale;
    if (w->out.count > 0 && delivers)
        can[count++] = take_message;
    if (!w->dead && !w->stopped) {
        if (w->computing)
            can[count++] = finish_piece;
        if (w->models.count > 0)
            can[count++] = take_model;
        if (w->controls.count > 0)
            can[count++] = take_control;
    }
    if (count == 0)
        return false;
    can[draw(s, count)](s, id);
    return true;
}

static void disturb(scheduler *s, int id)
{
    desk *w = &s->desk[id];
    if (!w->dead && happens(s, s->s->kill_permille))
        kill_worker(s, id);
    else if (happens(s, s->s->stop_permille))
        w->stopped = !w->dead;
}

static bool wake_one(scheduler *s)
{
    for (int w = 0; w < s->s->workers; w++) {
        if (s->desk[w].stopped) {
            s->desk[w].stopped = false;
            return true;
        }
    }
    return false;
}

/* False when nothing can happen. */
static bool step(scheduler *s)
{
    int n = s->s->workers, start = (int)draw(s, (uint64_t)n);
    if (happens(s, 2 * s->s->stop_permille))
        wake_one(s);
    disturb(s, start);
    if (!gdc_pump_is_running(s->pump))
        return true;
    for (int i = 0; i < n; i++)
        if (act(s, (start + i) % n))
            return true;
    return wake_one(s);
}

/* Between rounds the lines go on for a while. */
static void linger(scheduler *s)
{
    for (uint64_t i = draw(s, 6); i > 0; i--)
        act(s, (int)draw(s, (uint64_t)s->s->workers));
}

static void run_rounds(scheduler *s)
{
    int actions = 0;
    for (int r = 0; r < s->s->rounds && !s->overflow; r++) {
        begin_round(s);
        while (gdc_pump_is_running(s->pump)) {
            if (!step(s) || ++actions > ACTIONS_MAX) {
                s->report->stuck++;
                return;
            }
        }
        end_round(s);
        linger(s);
    }
    s->report->stuck += s->overflow;
}

/* ---- life ---- */

static gdc_status open_parts(scheduler *s)
{
    const schedule *w = s->s;
    if (!w->ops)
        return gdc_strategy_open(w->strategy, w->workers, s->d, w->seed, true, &s->parts);
    s->parts.ops = w->ops;
    s->parts.traits = w->ops->traits;
    gdc_status status = gdc_plan_create(w->strategy, w->workers, s->d, w->seed, &s->parts.plan);
    return status == GDC_OK ? w->ops->open(NULL, s->parts.plan, true, &s->parts.state, &s->parts.traits) : status;
}

static gdc_status build(scheduler *s)
{
    int n = s->s->workers;
    s->d = n * s->s->partitions;
    gdc_options options;
    gdc_options_init(&options);
    options.dimension = (size_t)s->d;
    options.partitions = s->s->partitions;
    s->wire = (gdc_wire){s, wire_model, wire_work, wire_ring, wire_limit, wire_release};
    gdc_status status = open_parts(s);
    if (status == GDC_OK)
        status = gdc_pump_create(&s->parts, &options, &s->wire, false, &s->pump);
    if (status != GDC_OK)
        return status;
    s->desk = calloc((size_t)n, sizeof *s->desk);
    s->sum = calloc((size_t)s->d, sizeof *s->sum);
    s->erased_row = calloc((size_t)s->parts.plan->row_at[n] + 1, 1);
    for (int w = 0; status == GDC_OK && w < n; w++) {
        status = gdc_worker_create(s->parts.ops, s->parts.state, s->parts.plan, w, &s->desk[w].machine);
        if (status == GDC_OK)
            status = gdc_sums_create(s->parts.plan, w, !s->parts.ops->next, GDC_F64, (size_t)s->d,
                                     (size_t)s->d * sizeof(double), 1, false, &s->desk[w].sums);
    }
    for (int w = 0; status == GDC_OK && w < n; w++)
        drive(s, w);
    return status;
}

static void tear_down(scheduler *s)
{
    for (int w = 0; s->desk && w < s->s->workers; w++) {
        while (s->desk[w].out.count > 0)
            free(line_get(&s->desk[w].out).vector);
        gdc_worker_destroy(s->desk[w].machine);
        gdc_sums_destroy(s->desk[w].sums);
    }
    if (s->pump)
        gdc_pump_expire(s->pump, s->erased_row, 0); /* an open round gives its vectors back */
    gdc_pump_destroy(s->pump);
    gdc_strategy_close(&s->parts);
    free(s->desk);
    free(s->sum);
    free(s->erased_row);
}

bool schedule_run(const schedule *what, schedule_report *report)
{
    scheduler s = {.s = what, .report = report};
    *report = (schedule_report){0};
    gdc_status status = build(&s);
    if (status == GDC_OK)
        run_rounds(&s);
    tear_down(&s);
    return status == GDC_OK;
}

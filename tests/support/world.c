/* world.c - a master and its workers on a network of which every single event is chosen by the test.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "support/world.h"

#include "engine/sums.h"
#include "engine/worker.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the wire ---- */

static void put(world *w, line *l, mail m)
{
    w->count.overflows += !line_put(l, m);
}

static void wire_model(void *self, int worker, uint64_t version, gdc_hint hint)
{
    world *w = self;
    line *l = &w->desk[worker].model;
    put(w, l, (mail){.kind = MODEL, .version = version, .hint = hint});
    w->count.most_models = l->count > w->count.most_models ? l->count : w->count.most_models;
}

static void wire_work(void *self, int worker, uint64_t version, gdc_span span)
{
    world *w = self;
    w->count.works++;
    put(w, &w->desk[worker].work, (mail){.kind = WORK, .version = version, .span = span});
}

static void wire_ring(void *self, int worker, uint64_t version)
{
    put(self, &((world *)self)->desk[worker].ring, (mail){.kind = RING, .version = version});
}

static void wire_limit(void *self, int worker, uint64_t version, int limit)
{
    put(self, &((world *)self)->desk[worker].limit,
        (mail){.kind = LIMIT, .version = version, .hint = {.limit = limit}});
}

static void wire_release(void *self, void *vector)
{
    (void)self;
    free(vector);
}

/* ---- workers ---- */

static void check_payload(world *w, const mail *m)
{
    bool right = true;
    for (int p = 0; p < w->k; p++) {
        bool inside = p >= m->arrival.span.first && p < m->arrival.span.first + m->arrival.span.count;
        right = right && m->vector[p] == (inside ? (double)m->arrival.version : 0);
    }
    w->count.wrong_messages += !right;
}

static void send_step(world *w, int id, const gdc_step *step)
{
    world_desk *k = &w->desk[id];
    mail m = {.kind = MESSAGE};
    m.arrival = (gdc_arrival){.worker = id,
                              .index = step->kind == GDC_SEND ? step->index : GDC_BARE,
                              .version = gdc_worker_version(k->machine),
                              .span = step->span,
                              .done = step->done,
                              .ack = step->ack,
                              .ready = step->ready,
                              .sound = true,
                              .finished = gdc_worker_finished(k->machine),
                              .piece_s = k->piece_s,
                              .loss = NAN,
                              .norm2 = NAN};
    if (step->kind == GDC_SEND) {
        double *vector = gdc_sums_take_span(k->sums, step->span);
        m.vector = malloc((size_t)w->k * sizeof(double));
        memcpy(m.vector, vector, (size_t)w->k * sizeof(double));
        gdc_sums_give(k->sums, vector);
        check_payload(w, &m);
        w->count.messages++;
    }
    put(w, &k->out, m);
}

static void drive(world *w, int id)
{
    world_desk *k = &w->desk[id];
    for (;;) {
        gdc_step step = gdc_worker_next(k->machine, w->now_s);
        if (gdc_worker_take_abandoned(k->machine))
            gdc_sums_abandon(k->sums);
        if (step.kind == GDC_SEND || step.kind == GDC_REPORT) {
            send_step(w, id, &step);
            continue;
        }
        if (step.kind == GDC_COMPUTE) {
            gdc_sums_open(k->sums, step.partition);
            k->computing = true;
            k->partition = step.partition;
        }
        return;
    }
}

/* A worker's state follows from what it went through: its limit at each boundary, the works it was given. */
static void remember(world_desk *k, world_kind kind, int value)
{
    world_key_add(&k->history, (uint64_t)kind << 32 | (uint64_t)value);
}

static void finish_piece(world *w, int id)
{
    world_desk *k = &w->desk[id];
    double scale;
    double *into = gdc_sums_target(k->sums, k->partition, &scale);
    into[k->partition] += scale * (double)gdc_worker_version(k->machine);
    gdc_sums_added(k->sums, k->partition);
    k->computing = false;
    remember(k, WORLD_PIECE, k->limit_now * 2 + gdc_worker_is_over(k->machine));
    gdc_worker_computed(k->machine, w->now_s);
    drive(w, id);
}

static void fail_piece(world *w, int id)
{
    world_desk *k = &w->desk[id];
    k->computing = false;
    gdc_sums_abandon(k->sums);
    remember(k, WORLD_FAIL, gdc_worker_is_over(k->machine));
    gdc_worker_failed(k->machine, w->now_s);
    drive(w, id);
}

static void take_model(world *w, int id)
{
    world_desk *k = &w->desk[id];
    mail m = line_get(&k->model);
    gdc_sums_abandon(k->sums);
    k->history = (world_key){3, 4};
    k->limit_now = m.hint.limit;
    if (k->kept_version == m.version && k->kept_limit < k->limit_now)
        k->limit_now = k->kept_limit;
    gdc_worker_model(k->machine, m.version, m.hint, w->now_s);
    remember(k, WORLD_MODEL, k->limit_now * 2 + gdc_worker_is_over(k->machine));
    drive(w, id);
}

static void take_work(world *w, int id)
{
    world_desk *k = &w->desk[id];
    mail m = line_get(&k->work);
    gdc_worker_work(k->machine, m.span);
    remember(k, WORLD_WORK, (m.span.first * 64 + k->limit_now) * 2 + gdc_worker_is_over(k->machine));
    drive(w, id);
}

static void take_limit(world *w, int id)
{
    world_desk *k = &w->desk[id];
    mail m = line_get(&k->limit);
    if (m.version == gdc_worker_version(k->machine) && m.hint.limit < k->limit_now)
        k->limit_now = m.hint.limit;
    if (m.version > gdc_worker_version(k->machine)) {
        k->kept_version = m.version;
        k->kept_limit = m.hint.limit;
    }
    gdc_worker_limit(k->machine, m.version, m.hint.limit);
    drive(w, id);
}

static void take_ring(world *w, int id)
{
    world_desk *k = &w->desk[id];
    mail m = line_get(&k->ring);
    k->rung = m.version > k->rung ? m.version : k->rung;
    gdc_worker_ring(k->machine, m.version);
    remember(k, WORLD_RING, gdc_worker_is_over(k->machine));
    drive(w, id);
}

/* ---- the master ---- */

static void count_round(world *w)
{
    if (w->was_counted || gdc_pump_is_running(w->pump) || w->version == 0)
        return;
    bool right = true;
    w->was_counted = true;
    if (gdc_pump_result(w->pump, NULL) != GDC_OK)
        return;
    w->count.rounds++;
    for (int p = 0; p < w->k; p++)
        right = right && w->sum[p] == (double)w->version;
    w->count.wrong_rounds += !right;
}

static void take_message(world *w, int id, bool sound)
{
    mail m = line_get(&w->desk[id].out);
    m.arrival.sound = sound;
    if (!gdc_pump_message(w->pump, &m.arrival, m.vector != NULL, m.vector, w->now_s))
        free(m.vector);
    count_round(w);
}

static void tick(world *w)
{
    w->now_s = fmax(w->now_s, gdc_coordinator_deadline(gdc_pump_coordinator(w->pump)));
    gdc_pump_tick(w->pump, w->now_s);
    count_round(w);
}

static void begin(world *w)
{
    memset(w->sum, 0, (size_t)w->k * sizeof *w->sum);
    w->was_counted = false;
    gdc_pump_begin(w->pump, ++w->version, w->sum, w->now_s);
    count_round(w);
}

static void kill_worker(world *w, int worker)
{
    world_desk *k = &w->desk[worker];
    while (k->out.count > 0)
        take_message(w, worker, true);
    k->dead = true;
    k->computing = false;
    gdc_pump_dead(w->pump, worker, w->now_s);
    count_round(w);
}

/* ---- acts ---- */

static int add_act(world_act *acts, int count, world_kind kind, int worker, bool can)
{
    if (can)
        acts[count++] = (world_act){(unsigned char)kind, (unsigned char)worker};
    return count;
}

int world_acts(const world *w, world_act *acts)
{
    int count = 0;
    const gdc_coordinator *c = gdc_pump_coordinator(w->pump);
    for (int i = 0; i < w->workers; i++) {
        const world_desk *k = &w->desk[i];
        bool lives = !k->dead && !k->stopped;
        count = add_act(acts, count, WORLD_MESSAGE, i, k->out.count > 0);
        count = add_act(acts, count, WORLD_PIECE, i, lives && k->computing);
        count = add_act(acts, count, WORLD_MODEL, i, lives && k->model.count > 0);
        count = add_act(acts, count, WORLD_WORK, i, lives && k->work.count > 0);
        count = add_act(acts, count, WORLD_LIMIT, i, lives && k->limit.count > 0);
        count = add_act(acts, count, WORLD_RING, i, lives && k->ring.count > 0);
    }
    count = add_act(acts, count, WORLD_TICK, 0, gdc_coordinator_deadline(c) < INFINITY);
    return add_act(acts, count, WORLD_BEGIN, 0, !gdc_coordinator_is_running(c));
}

void world_do(world *w, world_act act)
{
    switch ((world_kind)act.kind) {
    case WORLD_MESSAGE:
        take_message(w, act.worker, true);
        break;
    case WORLD_ERASED:
        take_message(w, act.worker, false);
        break;
    case WORLD_PIECE:
        finish_piece(w, act.worker);
        break;
    case WORLD_FAIL:
        fail_piece(w, act.worker);
        break;
    case WORLD_MODEL:
        take_model(w, act.worker);
        break;
    case WORLD_WORK:
        take_work(w, act.worker);
        break;
    case WORLD_LIMIT:
        take_limit(w, act.worker);
        break;
    case WORLD_RING:
        take_ring(w, act.worker);
        break;
    case WORLD_TICK:
        tick(w);
        break;
    case WORLD_BEGIN:
        begin(w);
        break;
    case WORLD_STOP:
    case WORLD_CONT:
        w->desk[act.worker].stopped = act.kind == WORLD_STOP;
        break;
    case WORLD_KILL:
        kill_worker(w, act.worker);
        break;
    }
}

bool world_may_erase(const world *w, int worker)
{
    const line *l = &w->desk[worker].out;
    return l->count > 0 && l->item[l->head].vector;
}

/* ---- life ---- */

static gdc_status create_machines(world *w)
{
    gdc_options options;
    gdc_options_init(&options);
    options.dimension = (size_t)w->k;
    options.partitions = w->k / w->workers;
    gdc_status status = gdc_pump_create(&w->parts, &options, &w->wire, false, &w->pump);
    for (int i = 0; status == GDC_OK && i < w->workers; i++)
        status = gdc_worker_create(w->parts.ops, w->parts.state, w->parts.plan, i, &w->desk[i].machine);
    return status;
}

static gdc_status build(world *w, const char *strategy, uint64_t seed)
{
    w->wire = (gdc_wire){w, wire_model, wire_work, wire_ring, wire_limit, wire_release};
    gdc_status status = gdc_strategy_open(strategy, w->workers, w->k, seed, true, &w->parts);
    if (status == GDC_OK)
        status = create_machines(w);
    for (int i = 0; status == GDC_OK && i < w->workers; i++) {
        w->desk[i].piece_s = NAN;
        status = gdc_sums_create(w->parts.plan, i, false, GDC_F64, (size_t)w->k, (size_t)w->k * sizeof(double), 1,
                                 false, &w->desk[i].sums);
    }
    return status;
}

static void drive_all(world *w)
{
    for (int i = 0; i < w->workers; i++)
        drive(w, i);
}

static void destroy_machines(world *w)
{
    bool nobody[WORLD_WORKERS_MAX] = {false};
    for (int i = 0; i < w->workers; i++) {
        while (w->desk[i].out.count > 0)
            free(line_get(&w->desk[i].out).vector);
        gdc_worker_destroy(w->desk[i].machine);
    }
    if (w->pump)
        gdc_pump_expire(w->pump, nobody, w->now_s); /* an open round gives its vectors back */
    gdc_pump_destroy(w->pump);
}

world *world_create(const char *strategy, int workers, int partitions, uint64_t seed)
{
    world *w = calloc(1, sizeof *w);
    w->workers = workers;
    w->k = workers * partitions;
    w->desk = calloc((size_t)workers, sizeof *w->desk);
    w->sum = calloc((size_t)w->k, sizeof *w->sum);
    if (build(w, strategy, seed) == GDC_OK) {
        drive_all(w);
        return w;
    }
    world_destroy(w);
    return NULL;
}

void world_restart(world *w)
{
    destroy_machines(w);
    for (int i = 0; i < w->workers; i++) {
        struct gdc_sums *sums = w->desk[i].sums;
        gdc_sums_abandon(sums);
        w->desk[i] = (world_desk){.sums = sums, .piece_s = NAN};
    }
    w->version = 0;
    w->now_s = 0;
    w->count = (world_counts){0};
    if (create_machines(w) != GDC_OK)
        abort();
    drive_all(w);
}

void world_destroy(world *w)
{
    destroy_machines(w);
    for (int i = 0; i < w->workers; i++)
        gdc_sums_destroy(w->desk[i].sums);
    gdc_strategy_close(&w->parts);
    free(w->desk);
    free(w->sum);
    free(w);
}

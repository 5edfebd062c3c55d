/* world_key.c - when do two worlds go on alike?
 * SPDX-License-Identifier: BSD-3-Clause */
#include "support/world.h"

#include "engine/coordinator_state.h"
#include "engine/worker.h"

void world_key_add(world_key *key, uint64_t value)
{
    for (int i = 0; i < 2; i++) {
        uint64_t *x = i ? &key->b : &key->a;
        *x = (*x ^ value) * (i ? UINT64_C(0x9e3779b97f4a7c15) : UINT64_C(0xbf58476d1ce4e5b9));
        *x ^= *x >> 29;
    }
}

static uint64_t age(const world *w, uint64_t version)
{
    return version == 0 ? UINT64_MAX : w->version - version;
}

static void add_line(const world *w, world_key *key, const line *l)
{
    world_key_add(key, (uint64_t)l->count);
    for (int i = 0; i < l->count; i++) {
        const mail *m = &l->item[(l->head + i) % LINE_LENGTH];
        world_key_add(key, (uint64_t)m->kind);
        world_key_add(key, age(w, m->kind == MESSAGE ? m->arrival.version : m->version));
        world_key_add(key, (uint64_t)m->span.first << 32 | (uint64_t)m->span.count);
        world_key_add(key, (uint64_t)m->hint.limit);
        const gdc_arrival *a = &m->arrival;
        world_key_add(key, (uint64_t)(a->index + 2) << 33 | (uint64_t)a->ready << 32 | (uint64_t)a->ack);
        world_key_add(key, (uint64_t)a->span.first << 32 | (uint64_t)a->span.count);
        world_key_add(key, (uint64_t)a->done);
    }
}

world_key world_outer_key(const world *w)
{
    world_key key = {1, 2};
    const gdc_coordinator *c = gdc_pump_coordinator(w->pump);
    world_key_add(&key, w->version * 2 + c->running);
    for (int p = 0; p < w->k; p++)
        world_key_add(&key, (uint64_t)(int64_t)w->sum[p]);
    for (int p = c->parked.first; p >= 0; p = c->parked.next[p])
        world_key_add(&key, (uint64_t)p);
    for (int i = 0; i < w->workers; i++) {
        const world_desk *k = &w->desk[i];
        world_key_add(&key, (uint64_t)c->busy[i] * 4 + k->dead * 2u + k->stopped);
        world_key_add(&key, age(w, c->assigned[i]));
        world_key_add(&key, age(w, gdc_worker_version(k->machine)));
        world_key_add(&key, k->history.a);
        world_key_add(&key, k->history.b);
        world_key_add(&key, (uint64_t)k->limit_now * 2 + k->computing);
        world_key_add(&key, age(w, k->rung > w->version || k->rung + 2 < w->version ? 0 : k->rung));
        world_key_add(&key, k->kept_version < w->version ? 0 : (uint64_t)k->kept_limit + 1);
        const line *const lines[] = {&k->model, &k->work, &k->limit, &k->ring, &k->out};
        for (int l = 0; l < 5; l++)
            add_line(w, &key, lines[l]);
    }
    return key;
}

/* dynamic_wake.c - the dynamic strategy: when a worker that found nothing to do is asked again.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Of all idle workers one has a timer, at the moment when the first piece becomes due that an idle worker holds. Were each to
 * wake for the first of its own, hundreds would ask for the same piece. */
#include "policies/parts/dynamic.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

bool gdc_dynamic_wake_init(gdc_dynamic *d)
{
    d->idlers = calloc((size_t)d->workers, sizeof *d->idlers);
    return gdc_parking_init(&d->idle, d->workers) && d->idlers &&
           (!d->held || gdc_ranking_init(&d->wake, d->workers, true));
}

void gdc_dynamic_wake_free(gdc_dynamic *d)
{
    gdc_parking_free(&d->idle);
    gdc_ranking_free(&d->wake);
    free(d->idlers);
}

void gdc_dynamic_wake_begin(gdc_dynamic *d)
{
    d->idle.first = d->idle.last = -1;
    d->armed = -1;
    for (int s = 0; s < d->workers; s++)
        d->idlers[s] = 0;
    if (d->held)
        gdc_ranking_clear(&d->wake);
}

void gdc_dynamic_wake_rank(gdc_dynamic *d, int shard)
{
    if (d->held)
        gdc_ranking_set(&d->wake, shard, d->idlers[shard] > 0 ? d->due.key[shard] : INFINITY);
}

void gdc_dynamic_set_idle(gdc_dynamic *d, int worker, bool is_idle)
{
    if (d->worker[worker].is_idle == is_idle)
        return;
    d->worker[worker].is_idle = is_idle;
    if (is_idle)
        gdc_parking_append(&d->idle, worker);
    else
        gdc_parking_remove(&d->idle, worker);
    for (int q = 0; d->held && q < d->load; q++) {
        int shard = d->held[(size_t)worker * (size_t)d->load + (size_t)q];
        d->idlers[shard] += is_idle ? 1 : -1;
        gdc_dynamic_wake_rank(d, shard);
    }
}

/* An idle worker that holds the shard. */
static int idle_holder(const gdc_dynamic *d, int shard)
{
    if (!d->held)
        return d->idle.first;
    const int *holder = d->holder + (size_t)shard * (size_t)d->load;
    while (!d->worker[*holder].is_idle)
        holder++;
    return *holder;
}

/* Who is to wake for what becomes due first; -1: nobody. */
static int next_to_wake(const gdc_dynamic *d, double *at_s)
{
    const gdc_ranking *ranking = d->held ? &d->wake : &d->due;
    int shard = d->idle.first < 0 ? -1 : gdc_ranking_best(ranking, NULL, 0, -1);
    if (shard < 0)
        return -1;
    *at_s = ranking->key[shard];
    return idle_holder(d, shard);
}

double gdc_dynamic_arm(gdc_dynamic *d, const gdc_scene *scene, int asking)
{
    double at_s = 0;
    int worker = next_to_wake(d, &at_s);
    at_s = worker < 0 ? 0 : fmax(fmax(at_s, scene->now_s), DBL_MIN); /* 0 would be no timer at all */
    if (worker == d->armed && at_s == d->armed_s && worker != asking)
        return 0;
    if (d->armed >= 0 && d->armed != asking && d->armed != worker)
        gdc_ask_again(scene, d->armed, 0);
    d->armed = worker;
    d->armed_s = at_s;
    if (worker >= 0 && worker != asking)
        gdc_ask_again(scene, worker, at_s);
    return worker == asking ? at_s : 0;
}

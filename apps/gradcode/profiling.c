/* profiling.c - rounds of sync under mpirun, run only to see how long pieces take.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "automatic.h"
#include "gradcode/drop.h"
#include "guard.h"
#include "session.h"
#include "trainer.h"

#include <stdlib.h>
#include <string.h>

enum { WARMUP = 5 };

/* One round by an own loop: gdc_drop_more returns when the piece that it gave before has taken its time. Rounds below 0 are
 * warm-up. */
static gdc_status run_round(gdc_drop *drop, trainer *t, int round, gdc_profile *profile, int worker)
{
    work w = {.run = t->run};
    int partition = 0, piece = 0;
    gdc_status status = gdc_drop_begin(drop);
    if (status != GDC_OK)
        return status;
    memset(t->gradient, 0, t->run->dimension * t->run->element);
    uint64_t version = run_profile_version(t->run) + (uint64_t)(WARMUP + round); /* as the handle counts */
    double before_s = session_clock();
    while (gdc_drop_more(drop, &partition)) {
        gdc_task task = {.size = sizeof task,
                         .version = version,
                         .worker = worker,
                         .partition = partition,
                         .model = t->model,
                         .scale = 1};
        if (piece > 0 && round >= 0)
            gdc_profile_set(profile, round, worker, piece - 1, session_clock() - before_s);
        before_s = session_clock();
        int code = work_partial(&w, &task, t->gradient);
        if (code != 0)
            return gdc_fail(GDC_ENUMERIC, "the problem failed with code %d while the profile was measured", code);
        piece++;
    }
    if (piece > 0 && round >= 0)
        gdc_profile_set(profile, round, worker, piece - 1, session_clock() - before_s);
    return gdc_drop_reduce(drop, t->gradient, NULL);
}

static gdc_status run_rounds(run *r, gdc_drop *drop, trainer *t, gdc_profile *profile, int worker)
{
    double start_s = 0;
    gdc_status status = GDC_OK;
    for (int i = -WARMUP; i < r->config->profile && status == GDC_OK; i++) {
        guard_on(); /* each round anew: the start-up is bounded by its slowest round */
        if (i == 0)
            start_s = session_clock();
        status = run_round(drop, t, i, profile, worker);
    }
    if (status == GDC_OK && worker == 0)
        gdc_profile_set_wall(profile, session_clock() - start_s);
    return status;
}

static gdc_status measure(run *r, const session *s, gdc_profile *profile)
{
    const entry sync = {.spec = "sync"};
    gdc_options options = run_options(r, &sync);
    gdc_drop *drop = NULL;
    trainer t;
    options.fault_count = 0;
    options.first_version = run_profile_version(r);
    gdc_status status = trainer_open(r, &t);
    if (status == GDC_OK)
        status = gdc_drop_open(s->workers_comm, &options, &drop);
    if (status == GDC_OK) {
        trainer_reset(&t);
        status = run_rounds(r, drop, &t, profile, s->rank - 1);
    }
    if (status == GDC_OK)
        status = gdc_drop_close(drop);
    trainer_close(&t);
    return status;
}

gdc_status automatic_by_rounds(run *r, session *s)
{
    gdc_profile *profile = NULL;
    size_t count = 0;
    gdc_status status = gdc_profile_create(r->workers, r->config->profile, r->config->partitions, &profile);
    if (status == GDC_OK && s->rank > 0)
        status = measure(r, s, profile);
    double *table = profile != NULL ? gdc_profile_raw(profile, &count) : NULL;
    guard_off();
    gdc_status shared = table != NULL ? session_share(s, table, count) : status;
    status = status != GDC_OK ? status : shared;
    if (status == GDC_OK) /* waits for nobody, and may take long: not under the guard */
        status = automatic_choose(r, profile);
    if (status == GDC_OK)
        status = entries_look(r);
    guard_on();
    gdc_profile_destroy(profile);
    return session_agree(s, status);
}

/* automatic.c - what is auto in the strategies of a run is chosen from a profile.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "automatic.h"
#include "gradcode/tune.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool automatic_is_wanted(const run *r)
{
    for (int i = 0; i < r->entry_count; i++)
        if (gdc_tune_is_wanted(r->entries[i].spec))
            return true;
    return false;
}

/* For who cannot do without a tenth of the batch. */
static gdc_status keep_careful(entry *e, const gdc_tuning *tuning)
{
    const gdc_trial *best = &tuning->best, *careful = &tuning->careful;
    free(e->careful);
    e->careful = NULL;
    if (strcmp(best->item, careful->item) == 0 || careful->item[0] == '\0')
        return GDC_OK;
    e->careful = strdup(careful->item);
    e->careful_price = careful->sample_s / best->sample_s;
    return e->careful != NULL ? GDC_OK : gdc_fail(GDC_ENOMEM, "no memory for a choice");
}

static gdc_status choose(const run *r, entry *e, const gdc_profile *profile)
{
    gdc_options options = run_options(r, e);
    gdc_tuning tuning = {.size = sizeof tuning};
    char *spec = NULL;
    options.strategy = e->spec;
    options.samples = NULL;
    gdc_status status = gdc_tune(&options, profile, &spec, &tuning);
    if (status != GDC_OK)
        return status;
    free(e->tuned);
    free(e->chosen);
    e->tuned = spec;
    e->chosen = strdup(tuning.best.item);
    if (e->chosen == NULL)
        return gdc_fail(GDC_ENOMEM, "no memory for a choice");
    return keep_careful(e, &tuning);
}

gdc_status automatic_choose(run *r, const gdc_profile *profile)
{
    gdc_status status = GDC_OK;
    for (int i = 0; i < r->entry_count && status == GDC_OK; i++)
        if (gdc_tune_is_wanted(r->entries[i].spec))
            status = choose(r, &r->entries[i], profile);
    return status;
}

/* Pieces of a drawn round: all that a worker could compute in it, as far as memory allows, in whole shards. */
static int pieces_to_draw(const run *r)
{
    enum { CELLS_MOST = 1 << 20 };
    double shard = (double)r->workers * r->config->profile * r->config->partitions;
    double shards = fmin(r->workers, floor(CELLS_MOST / shard));
    return r->config->partitions * (shards > 1 ? (int)shards : 1);
}

gdc_status profile_draw(const run *r, int workers, int rounds, int pieces, gdc_profile **profile)
{
    gdc_status status = gdc_profile_create(workers, rounds, pieces, profile);
    for (int i = 0; i < rounds && status == GDC_OK && r->delay != NULL; i++)
        for (int w = 0; w < workers; w++)
            for (int m = 0; m < pieces; m++)
                gdc_profile_set(*profile, i, w, m,
                                gdc_delay_draw(r->delay, w, run_profile_version(r) + (uint64_t)i, (uint64_t)m));
    return status;
}

gdc_status automatic_by_draws(run *r)
{
    gdc_profile *profile = NULL;
    gdc_status status = profile_draw(r, r->workers, r->config->profile, pieces_to_draw(r), &profile);
    if (status == GDC_OK)
        status = automatic_choose(r, profile);
    gdc_profile_destroy(profile);
    return status;
}

/* entries.c - the strategies of a run: defaults, order, doubled drops, and a trial opening of each.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "automatic.h"
#include "drops.h"
#include "gradcode/spec.h"
#include "menu.h"
#include "run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_entered(const run *r, const char *spec)
{
    for (int i = 0; i < r->entry_count; i++)
        if (strcmp(r->entries[i].spec, spec) == 0)
            return true;
    return false;
}

static gdc_status add(run *r, const char *spec, const char *suffix)
{
    if (suffix[0] == '\0' && is_entered(r, spec))
        return gdc_fail(GDC_EINVAL, "-s %s is given twice: want each strategy once", spec);
    entry *grown = realloc(r->entries, ((size_t)r->entry_count + 1) * sizeof *grown);
    if (grown == NULL)
        return gdc_fail(GDC_ENOMEM, "no memory for %d strategies", r->entry_count + 1);
    r->entries = grown;
    size_t length = strlen(spec) + strlen(suffix) + 2;
    char *text = malloc(length);
    if (text == NULL)
        return gdc_fail(GDC_ENOMEM, "no memory for the strategy %s", spec);
    const char *joint = suffix[0] == '\0' ? "" : strchr(spec, ':') != NULL ? "," : ":";
    snprintf(text, length, "%s%s%s", spec, joint, suffix);
    r->entries[r->entry_count++] =
        (entry){.spec = text, .first_version = r->warmup + 1, .rounds_most = r->config->rounds};
    return GDC_OK;
}

gdc_status note_add(char **note, const char *text)
{
    size_t length = *note != NULL ? strlen(*note) : 0, bytes = length + strlen(text) + 3;
    char *grown = realloc(*note, bytes);
    if (grown == NULL)
        return gdc_fail(GDC_ENOMEM, "no memory for a note");
    snprintf(grown + length, bytes - length, "%s%s", length > 0 ? "; " : "", text);
    *note = grown;
    return GDC_OK;
}

gdc_status entry_add_note(entry *e, const char *text)
{
    return note_add(&e->note, text);
}

/* Whether the strategy offers check=piece|poll and the spec leaves the choice open. */
static bool has_open_check(const gdc_spec *spec)
{
    const gdc_option *options = NULL;
    const char *name;
    for (int i = 0; (name = gdc_strategy(i, &options, NULL)) != NULL; i++)
        if (strcmp(name, gdc_spec_name(spec)) == 0)
            break;
    if (name == NULL || gdc_spec_value(spec, "check") != NULL)
        return false;
    for (const gdc_option *o = options; o != NULL && o->key != NULL; o++)
        if (strcmp(o->key, "check") == 0)
            return true;
    return false;
}

static gdc_status expand(run *r, const char *text)
{
    gdc_spec *spec = NULL;
    gdc_status status = gdc_spec_parse(text, &spec);
    if (status != GDC_OK)
        return status;
    if (isfinite(r->config->poll_s) && has_open_check(spec)) {
        status = add(r, text, "check=piece");
        if (status == GDC_OK)
            status = add(r, text, "check=poll");
        if (status == GDC_OK)
            status = entry_add_note(&r->entries[r->entry_count - 1],
                                    "looks at tau every --poll; without check= a drop is run both ways");
    } else {
        status = add(r, text, "");
    }
    gdc_spec_destroy(spec);
    return status;
}

/* One of all: unless it was given beside `all`, or is another row's with these workers. */
static gdc_status expand_missing(run *r, const char *text)
{
    const texts *given = &r->config->strategies;
    for (int i = 0; i < given->count; i++)
        if (strcmp(given->item[i], text) == 0)
            return GDC_OK;
    return is_entered(r, text) ? GDC_OK : expand(r, text);
}

/* sync goes first, so that a later loss does not take the baseline away. The order is stable otherwise. */
static void sync_first(run *r)
{
    for (int i = 1; i < r->entry_count; i++) {
        if (strcmp(r->entries[i].spec, "sync") != 0)
            continue;
        entry baseline = r->entries[i];
        memmove(r->entries + 1, r->entries, (size_t)i * sizeof *r->entries);
        r->entries[0] = baseline;
    }
}

static void look(const run *r, const gdc_engine *engine, entry *e)
{
    const gdc_plan *plan = gdc_engine_plan(engine);
    int held = r->config->partitions;
    e->rows = 1;
    for (int w = 0; plan != NULL && w < r->workers; w++) {
        held = gdc_plan_held(plan, w) > held ? gdc_plan_held(plan, w) : held;
        e->rows = gdc_plan_rows(plan, w) > e->rows ? gdc_plan_rows(plan, w) : e->rows;
    }
    e->load = (double)held / r->config->partitions;
    e->exact = gdc_is_exact(engine);
    e->collective = gdc_is_collective(engine);
    e->steps_locally = gdc_steps_locally(engine);
}

static gdc_status try_open(const run *r, entry *e)
{
    gdc_options options = run_options(r, e);
    gdc_engine *engine = NULL;
    gdc_status status = gdc_open_virtual(&options, r->workers, NULL, NULL, &engine);
    if (status != GDC_OK)
        return status;
    look(r, engine, e);
    return gdc_close(engine, NULL);
}

gdc_status entries_look(run *r)
{
    gdc_status status = GDC_OK;
    for (int i = 0; i < r->entry_count && status == GDC_OK; i++)
        status = try_open(r, &r->entries[i]);
    return status;
}

gdc_status entries_open(run *r)
{
    const texts *given = &r->config->strategies;
    gdc_status status = given->count == 0 ? menu_default(r, expand) : GDC_OK;
    for (int i = 0; i < given->count && status == GDC_OK; i++)
        status = strcmp(given->item[i], "all") == 0 ? menu_all(r, expand_missing) : expand(r, given->item[i]);
    if (status == GDC_OK)
        sync_first(r);
    if (status == GDC_OK)
        status = drops_prepare(r);
    if (status == GDC_OK && automatic_is_wanted(r))
        status = automatic_by_draws(r);
    if (status == GDC_OK)
        status = entries_look(r);
    for (int i = 0; i < r->entry_count && status == GDC_OK && r->config->partitions == 1; i++)
        status = drops_note_idle(&r->entries[i]);
    return status;
}

void entries_close(run *r)
{
    for (int i = 0; i < r->entry_count; i++) {
        free(r->entries[i].spec);
        free(r->entries[i].tuned);
        free(r->entries[i].chosen);
        free(r->entries[i].careful);
        free(r->entries[i].note);
    }
    free(r->entries);
    r->entries = NULL;
    r->entry_count = 0;
}

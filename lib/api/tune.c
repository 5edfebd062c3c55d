/* tune.c - automatic parameters: every candidate is run on the virtual clock over the rounds of a profile.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "gradcode/tune.h"

#include "base/items.h"
#include "straggling/profile.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CANDIDATES_MAX = 64 };

static const double near_best = 1.01;   /* slower by so much counts as equal */
static const double careful_used = 0.9; /* share of the batch that a careful choice uses at least */

/* Keys that can be tuned; large_first: of equally fast values the larger one is the better gradient. */
static const struct tunable {
    const char *key;
    bool is_whole, large_first;
} tunables[] = {{"s", true, false}, {"k", true, true}, {"k0", true, true}, {"load", true, false}, {"tau", false, true}};

typedef struct tuner {
    gdc_options options;        /* of a trial */
    const gdc_profile *profile; /* of a shard's micro-batches */
    gdc_profile *cut;           /* that one, where the caller's has more */
    gdc_spec *spec;
    const struct tunable *what;
    gdc_delay *delay;
    gdc_trial trial[CANDIDATES_MAX];
    int trials;
    gdc_status failure; /* of the last candidate that could not be run */
} tuner;

/* ---- the spec ---- */

static bool is_auto(const gdc_item *item)
{
    return strcmp(item->value, "auto") == 0;
}

/* A bare first item is the positional option: drop:auto. */
static const char *key_of(const gdc_item *item)
{
    return item->key ? item->key : "tau";
}

/* With profile= a strategy watches rounds of its own. */
int gdc_tune_is_wanted(const char *text)
{
    gdc_spec *spec = NULL;
    int wanted = 0;
    if (gdc_spec_parse(text, &spec) != GDC_OK)
        return 0;
    if (gdc_spec_value(spec, "profile")) {
        gdc_spec_destroy(spec);
        return 0;
    }
    for (int i = 0; i < spec->items; i++)
        wanted = wanted || is_auto(&spec->item[i]);
    gdc_spec_destroy(spec);
    return wanted;
}

static gdc_status find_key(tuner *t)
{
    const gdc_item *found = NULL;
    for (int i = 0; i < t->spec->items; i++) {
        const gdc_item *item = &t->spec->item[i];
        if (!is_auto(item))
            continue;
        if (found)
            return gdc_fail(GDC_EINVAL, "%s: %s=auto and %s=auto: want one auto in a spec", gdc_spec_text(t->spec),
                            key_of(found), key_of(item));
        found = item;
    }
    if (!found)
        return gdc_fail(GDC_EINVAL, "%s: nothing is auto: want one of s, k, k0, load, tau", gdc_spec_text(t->spec));
    for (size_t i = 0; i < sizeof tunables / sizeof *tunables; i++)
        if (strcmp(tunables[i].key, key_of(found)) == 0)
            t->what = &tunables[i];
    if (!t->what)
        return gdc_fail(GDC_EINVAL, "%s: %s=auto: want a value; auto is for s, k, k0, load, tau",
                        gdc_spec_text(t->spec), key_of(found));
    return GDC_OK;
}

/* The spec with a value for auto; NULL: out of memory. The item is found as the parser found it, by counting the commas that no
 * backslash escapes. */
static char *spec_with(const tuner *t, const char *value)
{
    const char *text = gdc_spec_text(t->spec), *at = strchr(text, ':');
    char *out = malloc(strlen(text) + strlen(value) + 1);
    for (int i = 0; at && !is_auto(&t->spec->item[i]); i++) {
        for (at++; *at != ','; at++)
            at += *at == '\\';
    }
    if (!out || !at) {
        free(out);
        return NULL;
    }
    at = strstr(at, "auto");
    snprintf(out, strlen(text) + strlen(value) + 1, "%.*s%s%s", (int)(at - text), text, value, at + strlen("auto"));
    return out;
}

/* ---- one candidate ---- */

static gdc_status run(const tuner *t, gdc_engine *engine, gdc_trial *trial)
{
    int rounds = gdc_profile_rounds(t->profile);
    double used = 0;
    for (int i = 0; i < rounds; i++) {
        gdc_round round = {.size = sizeof round};
        gdc_status status = gdc_gradient(engine, NULL, NULL, &round);
        if (status != GDC_OK)
            return status;
        used += round.used;
    }
    trial->round_s = gdc_now(engine) / rounds + gdc_profile_overhead(t->profile);
    trial->used = used / rounds;
    trial->sample_s = trial->used > 0 ? trial->round_s / trial->used : INFINITY;
    return GDC_OK;
}

static gdc_status try_value(tuner *t, const char *value)
{
    gdc_engine *engine = NULL;
    char *spec = spec_with(t, value);
    if (!spec)
        return gdc_fail(GDC_ENOMEM, "tune: no memory for a spec");
    gdc_trial *trial = &t->trial[t->trials];
    t->options.strategy = spec;
    gdc_status status = gdc_open_virtual(&t->options, gdc_profile_workers(t->profile), NULL, NULL, &engine);
    if (status == GDC_OK) {
        status = run(t, engine, trial);
        gdc_close(engine, NULL);
    }
    free(spec);
    if (status == GDC_ENOMEM)
        return status;
    if (status != GDC_OK) {
        t->failure = status;
        return GDC_OK;
    }
    snprintf(trial->item, sizeof trial->item, "%s=%s", t->what->key, value);
    t->trials++;
    return GDC_OK;
}

/* ---- candidates ---- */

/* All of 0 .. most, or about 64 of them, evenly spread by ratio. */
static gdc_status try_whole(tuner *t)
{
    int most = gdc_profile_workers(t->profile);
    gdc_status status = GDC_OK;
    for (int v = 0; v <= most && t->trials < CANDIDATES_MAX && status == GDC_OK;) {
        char value[16];
        snprintf(value, sizeof value, "%d", v);
        status = try_value(t, value);
        int step = most < CANDIDATES_MAX ? 1 : 1 + v / 10;
        v = v < most && v + step > most ? most : v + step;
    }
    return status;
}

/* The best threshold of those that keep at least `least` of the batch. */
static gdc_status try_threshold(tuner *t, gdc_check check, double least)
{
    const char *resample = gdc_spec_value(t->spec, "resample");
    gdc_threshold best;
    char value[40] = "inf";
    gdc_status status = gdc_profile_choose(t->profile, check, least, &best);
    if (status != GDC_OK)
        return status;
    bool enlarges = resample && strcmp(resample, "batch") == 0;
    int most = 0;
    if (enlarges)
        gdc_profile_enlarge(t->profile, check, 0, &best, &most);
    if (isfinite(best.tau_s)) /* rounded, but never below the sum of times that it was taken from */
        snprintf(value, sizeof value, "%.6g", best.tau_s * (1 + 2e-6));
    size_t length = strlen(value);
    if (enlarges)
        snprintf(value + length, sizeof value - length, ",most=%d", most);
    return try_value(t, value);
}

static gdc_status try_thresholds(tuner *t)
{
    const char *given = gdc_spec_value(t->spec, "check");
    gdc_check check = given && strcmp(given, "poll") == 0 ? GDC_CHECK_POLL : GDC_CHECK_PIECE;
    gdc_status status = try_threshold(t, check, 0);
    if (status == GDC_OK && t->trials == 1 && t->trial[0].used < careful_used)
        status = try_threshold(t, check, careful_used);
    return status;
}

/* ---- the choice ---- */

static bool is_preferred(const tuner *t, const gdc_trial *a, const gdc_trial *b)
{
    if (fabs(a->used - b->used) > 1e-9)
        return a->used > b->used;
    return t->what->large_first ? a > b : a < b; /* trials are in the order of values */
}

/* The fastest of those that use at least `least`; near it, the preferred one. */
static const gdc_trial *choose(const tuner *t, double least)
{
    const gdc_trial *best = NULL;
    double fastest = INFINITY;
    for (int i = 0; i < t->trials; i++)
        if (t->trial[i].used >= least)
            fastest = fmin(fastest, t->trial[i].sample_s);
    for (int i = 0; i < t->trials; i++) {
        const gdc_trial *one = &t->trial[i];
        if (one->used >= least && one->sample_s <= near_best * fastest && (!best || is_preferred(t, one, best)))
            best = one;
    }
    return best;
}

static gdc_status conclude(const tuner *t, char **spec, gdc_tuning *tuning)
{
    static const gdc_trial none = {.item = "", .round_s = NAN, .used = NAN, .sample_s = NAN};
    const gdc_trial *best = choose(t, 0), *careful = choose(t, careful_used - 1e-12);
    if (!best)
        return t->failure != GDC_OK ? gdc_fail(t->failure, "%s: no value of %s works: %s", gdc_spec_text(t->spec),
                                               t->what->key, gdc_last_error())
                                    : gdc_fail(GDC_ENUMERIC, "%s: no value of %s uses anything in the profile",
                                               gdc_spec_text(t->spec), t->what->key);
    char *chosen = spec_with(t, best->item + strlen(t->what->key) + 1);
    if (!chosen)
        return gdc_fail(GDC_ENOMEM, "tune: no memory for a spec");
    *spec = chosen;
    if (tuning) {
        gdc_tuning full = {
            .size = tuning->size, .candidates = t->trials, .best = *best, .careful = careful ? *careful : none};
        memcpy(tuning, &full, tuning->size < sizeof full ? tuning->size : sizeof full);
    }
    return GDC_OK;
}

/* A profile of more micro-batches than a shard has tells what the further ones of a round take. Thresholds, and the time that was
 * measured, are about the shard. */
static gdc_status cut_to_shard(tuner *t)
{
    const gdc_profile *whole = t->profile;
    int workers = gdc_profile_workers(whole), rounds = gdc_profile_rounds(whole), pieces = t->options.partitions;
    if (gdc_profile_pieces(whole) == pieces)
        return GDC_OK;
    if (pieces < 1 || gdc_profile_pieces(whole) % pieces != 0)
        return gdc_fail(GDC_EINVAL,
                        "tune: a profile of %d micro-batches per round for partitions=%d: want as many, or a multiple",
                        gdc_profile_pieces(whole), pieces);
    gdc_status status = gdc_profile_create(workers, rounds, pieces, &t->cut);
    for (int i = 0; status == GDC_OK && i < rounds; i++)
        for (int w = 0; w < workers; w++)
            for (int m = 0; m < pieces; m++)
                gdc_profile_set(t->cut, i, w, m, gdc_profile_get(whole, i, w, m));
    if (status == GDC_OK) {
        gdc_profile_set_wall(t->cut, whole->table[whole->cells]);
        t->profile = t->cut;
    }
    return status;
}

static gdc_status tune(tuner *t, char **spec, gdc_tuning *tuning)
{
    gdc_status status = gdc_spec_parse(t->options.strategy, &t->spec);
    if (status == GDC_OK)
        status = find_key(t);
    if (status == GDC_OK)
        status = gdc_delay_replay(t->profile, &t->delay);
    if (status == GDC_OK)
        status = cut_to_shard(t);
    t->options.delay = t->delay;
    t->options.faults = NULL;
    t->options.fault_count = 0;
    t->options.first_version = 1;
    if (status == GDC_OK)
        status = t->what->is_whole ? try_whole(t) : try_thresholds(t);
    if (status == GDC_OK)
        status = conclude(t, spec, tuning);
    gdc_delay_destroy(t->delay);
    gdc_profile_destroy(t->cut);
    gdc_spec_destroy(t->spec);
    return status;
}

gdc_status gdc_tune(const gdc_options *options, const gdc_profile *profile, char **spec, gdc_tuning *tuning)
{
    tuner *t = calloc(1, sizeof *t);
    if (!t)
        return gdc_fail(GDC_ENOMEM, "tune: out of memory");
    memcpy(&t->options, options, options->size < sizeof t->options ? options->size : sizeof t->options);
    t->profile = profile;
    gdc_status status = tune(t, spec, tuning);
    free(t);
    return status;
}

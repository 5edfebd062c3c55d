/* delay.c - a delay: a base and its modifiers, applied in order.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "gradcode/delay.h"
#include "straggling/model.h"
#include "straggling/profile.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

enum { MOST_MODELS = 32 };

typedef struct stage {
    const gdc_delay_ops *ops;
    gdc_spec *spec;
    void *values;
    uint64_t purpose;
} stage;

struct gdc_delay {
    uint64_t seed;
    int workers, count;
    stage stage[]; /* the base first */
};

/* ---- the registry ---- */

static const gdc_delay_ops *model(int i)
{
    for (const gdc_delay_ops *base = gdc_delay_bases; base->name != NULL; base++)
        if (i-- == 0)
            return base;
    for (const gdc_delay_ops *modifier = gdc_delay_modifiers; modifier->name != NULL; modifier++)
        if (i-- == 0)
            return modifier;
    return NULL;
}

static bool is_base(const gdc_delay_ops *ops)
{
    const gdc_delay_ops *base = gdc_delay_bases;
    while (base->name != NULL && base != ops)
        base++;
    return base == ops;
}

const char *gdc_delay_model(int i, const gdc_option **options, const char **help)
{
    const gdc_delay_ops *ops = i < 0 ? NULL : model(i);
    if (ops == NULL)
        return NULL;
    *options = ops->options;
    *help = ops->help;
    return ops->name;
}

static const gdc_delay_ops *find_model(const char *name)
{
    const char *names[MOST_MODELS + 1] = {NULL};
    for (int i = 0; i < MOST_MODELS && model(i) != NULL; i++)
        names[i] = model(i)->name;
    int chosen = gdc_spec_choose("delay", name, names);
    return chosen < 0 ? NULL : model(chosen);
}

/* ---- composition ---- */

/* "delay" in letters, so that the delay's purposes are apart from those of every other layer. Equal models in
 * one delay draw apart by their turn, and adding a model of another kind changes no draw of the ones that are
 * there. */
static uint64_t purpose_of(const gdc_delay *delay, const gdc_delay_ops *ops)
{
    uint64_t turn = 0;
    for (int i = 0; i < delay->count; i++)
        turn += delay->stage[i].ops == ops;
    return UINT64_C(0x64656c6179) << 24 | turn << 8 | ops->purpose;
}

static gdc_status check_place(const gdc_delay *delay, const gdc_delay_ops *ops, const char *text)
{
    if (delay->count == 0 || !is_base(ops))
        return GDC_OK;
    const gdc_delay_ops *first = delay->stage[0].ops;
    if (delay->count == 1)
        return gdc_fail(GDC_EINVAL, "delay '%.200s': there is a base already, '%s': want one base, then modifiers",
                        text, first->name);
    return gdc_fail(GDC_EINVAL, "delay '%.200s': a base after the modifier '%s': want the base first", text,
                    delay->stage[delay->count - 1].ops->name);
}

/* What was made of a stage is in the delay at once, so that destroy finds it also after a failure. */
static gdc_status fill_stage(gdc_delay *delay, const gdc_delay_ops *ops, gdc_spec *spec, gdc_delay_scene scene)
{
    const gdc_option *const tables[] = {ops->options, NULL};
    stage *s = &delay->stage[delay->count];
    *s = (stage){ops, spec, calloc(1, ops->bytes), purpose_of(delay, ops)};
    delay->count++;
    if (s->values == NULL)
        return gdc_fail(GDC_ENOMEM, "delay: no memory for '%.200s'", gdc_spec_text(spec));
    scene.key.purpose = s->purpose;
    gdc_status status = gdc_spec_read(spec, ops->options, s->values);
    if (status == GDC_OK)
        status = gdc_spec_finish(spec, tables);
    return status == GDC_OK && ops->open != NULL ? ops->open(s->values, spec, &scene) : status;
}

static gdc_status add_stage(gdc_delay *delay, const char *text, gdc_delay_scene scene)
{
    gdc_spec *spec;
    gdc_status status = gdc_spec_parse(text, &spec);
    if (status != GDC_OK)
        return status;
    const gdc_delay_ops *ops = find_model(gdc_spec_name(spec));
    status = ops == NULL ? GDC_EINVAL : check_place(delay, ops, text);
    if (status == GDC_OK && delay->count == 0 && !is_base(ops))
        status = add_stage(delay, "none", scene);
    if (status != GDC_OK) {
        gdc_spec_destroy(spec);
        return status;
    }
    return fill_stage(delay, ops, spec, scene);
}

gdc_status gdc_delay_create(const char *const *specs, int count, uint64_t seed, int workers, int pieces,
                            gdc_delay **delay)
{
    if (count < 0 || workers < 1 || pieces < 1)
        return gdc_fail(GDC_EINVAL, "delay: %d models for %d workers of %d pieces: want at least 0, 1 and 1", count,
                        workers, pieces);
    const gdc_delay_scene scene = {workers, pieces, {.seed = seed}};
    size_t most = (size_t)count + 1; /* a base may be added */
    gdc_delay *made = calloc(1, sizeof *made + most * sizeof *made->stage);
    if (made == NULL)
        return gdc_fail(GDC_ENOMEM, "delay: no memory for %d models", count);
    made->seed = seed;
    made->workers = workers;
    gdc_status status = count == 0 ? add_stage(made, "none", scene) : GDC_OK;
    for (int i = 0; i < count && status == GDC_OK; i++)
        status = add_stage(made, specs[i], scene);
    if (status != GDC_OK) {
        gdc_delay_destroy(made);
        return status;
    }
    *delay = made;
    return GDC_OK;
}

/* ---- measured times ---- */

typedef struct replay {
    const gdc_profile *profile;
} replay;

static double replay_apply(const void *values, gdc_key key, double before_s)
{
    const gdc_profile *p = ((const replay *)values)->profile;
    uint64_t pieces = (uint64_t)p->pieces, rounds = (uint64_t)p->rounds;
    int round = (int)(((key.b - 1) % rounds + key.c / pieces % rounds) % rounds), piece = (int)(key.c % pieces);
    (void)before_s;
    return gdc_profile_get(p, round, (int)key.a, piece);
}

/* No model of a spec: it has no name to be found by. */
static const gdc_delay_ops replay_ops = {.bytes = sizeof(replay), .apply = replay_apply};

gdc_status gdc_delay_replay(const gdc_profile *profile, gdc_delay **delay)
{
    for (size_t i = 0; i < profile->cells; i++)
        if (!(profile->table[i] >= 0) || isinf(profile->table[i]))
            return gdc_fail(GDC_EINVAL, "profile: a measured time of %g s: want finite times of at least 0",
                            profile->table[i]);
    gdc_delay *made = calloc(1, sizeof *made + sizeof *made->stage);
    replay *values = malloc(sizeof *values);
    if (made == NULL || values == NULL) {
        free(made);
        free(values);
        return gdc_fail(GDC_ENOMEM, "delay: no memory to replay a profile");
    }
    values->profile = profile;
    made->workers = profile->workers;
    made->count = 1;
    made->stage[0] = (stage){.ops = &replay_ops, .values = values};
    *delay = made;
    return GDC_OK;
}

/* ---- end and use ---- */

void gdc_delay_destroy(gdc_delay *delay)
{
    if (delay == NULL)
        return;
    for (int i = 0; i < delay->count; i++) {
        stage *s = &delay->stage[i];
        if (s->ops->close != NULL && s->values != NULL)
            s->ops->close(s->values);
        free(s->values);
        gdc_spec_destroy(s->spec);
    }
    free(delay);
}

int gdc_delay_workers(const gdc_delay *delay)
{
    return delay->workers;
}

double gdc_delay_draw(const gdc_delay *delay, int worker, uint64_t version, uint64_t q)
{
    double duration_s = 0;
    assert(worker >= 0 && worker < delay->workers);
    for (int i = 0; i < delay->count; i++) {
        const stage *s = &delay->stage[i];
        const gdc_key key = {delay->seed, s->purpose, (uint64_t)worker, version, q};
        duration_s = fmin(s->ops->apply(s->values, key, duration_s), DBL_MAX); /* many factors may overflow */
    }
    return duration_s;
}

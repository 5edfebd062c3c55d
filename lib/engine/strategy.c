/* strategy.c - from a strategy spec to a policy with its plan.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "engine/policy.h"
#include "gradcode/round.h"
#include "plan/code.h"

#include <stdlib.h>
#include <string.h>

enum { POLICIES_MAX = 64 };

static const gdc_policy_ops *find_policy(const char *name)
{
    const char *names[POLICIES_MAX + 1] = {NULL};
    for (int i = 0; gdc_policy_registry[i] && i < POLICIES_MAX; i++)
        names[i] = gdc_policy_registry[i]->name;
    int found = gdc_spec_choose("strategy", name, names);
    return found < 0 ? NULL : gdc_policy_registry[found];
}

const char *gdc_strategy(int i, const gdc_option **options, const char **help)
{
    if (i < 0)
        return NULL;
    for (int j = 0; gdc_policy_registry[j]; j++) {
        if (j != i)
            continue;
        if (options)
            *options = gdc_policy_registry[j]->options;
        if (help)
            *help = gdc_policy_registry[j]->help;
        return gdc_policy_registry[j]->name;
    }
    return NULL;
}

/* The plan of a policy that takes no code: worker w walks shard w. */
static const char plain_plan[] = "uncoded:load=1,permute=0";

/* Keys that the policy does not know are the code's: who mistypes a key sees those of both. */
static gdc_status make_coded_plan(const gdc_policy_ops *ops, const gdc_spec *spec, int workers, int partitions,
                                  uint64_t seed, gdc_plan **plan)
{
    const char *name = gdc_spec_value(spec, "code");
    const gdc_code_ops *code;
    char *code_spec = NULL;
    gdc_status status = gdc_code_find(name ? name : ops->code, &code);
    if (status == GDC_OK)
        status = gdc_spec_finish(spec, (const gdc_option *const[]){ops->options, code->options, NULL});
    if (status == GDC_OK)
        status = gdc_spec_rest(spec, code->name, &code_spec);
    if (status == GDC_OK)
        status = gdc_plan_create(code_spec, workers, partitions, seed, plan);
    free(code_spec);
    return status;
}

static gdc_status make_plan(const gdc_policy_ops *ops, const gdc_spec *spec, const void *values, int workers,
                            int partitions, uint64_t seed, gdc_plan **plan)
{
    const gdc_option *tables[] = {ops->options, NULL};
    if (ops->code)
        return make_coded_plan(ops, spec, workers, partitions, seed, plan);
    gdc_status status = gdc_spec_finish(spec, tables);
    if (status != GDC_OK)
        return status;
    return ops->plan ? ops->plan(values, workers, partitions, seed, plan)
                     : gdc_plan_create(plain_plan, workers, partitions, seed, plan);
}

static gdc_status open_policy(gdc_spec *spec, int workers, int partitions, uint64_t seed, bool can_cut,
                              gdc_strategy_parts *parts)
{
    void *values = calloc(1, parts->ops->options_bytes);
    if (!values)
        return gdc_fail(GDC_ENOMEM, "%s: out of memory", parts->ops->name);
    gdc_status status = gdc_spec_read(spec, parts->ops->options, values);
    if (status == GDC_OK)
        status = make_plan(parts->ops, spec, values, workers, partitions, seed, &parts->plan);
    if (status == GDC_OK && parts->plan->blocks > 1 && !parts->ops->takes_blocks)
        status = gdc_fail(
            GDC_EINVAL,
            "%s: its code cuts gradients into %d blocks (shorten=%d), which %s cannot combine: want shorten=1, "
            "or gc",
            parts->ops->name, parts->plan->blocks, parts->plan->blocks, parts->ops->name);
    parts->traits = parts->ops->traits;
    if (status == GDC_OK)
        status = parts->ops->open(values, parts->plan, can_cut, &parts->state, &parts->traits);
    free(values);
    return status;
}

gdc_status gdc_strategy_open(const char *text, int workers, int partitions, uint64_t seed, bool can_cut,
                             gdc_strategy_parts *out)
{
    gdc_spec *spec = NULL;
    gdc_strategy_parts parts = {0};
    gdc_status status = gdc_spec_parse(text, &spec);
    if (status != GDC_OK)
        return status;
    parts.ops = find_policy(gdc_spec_name(spec));
    status = parts.ops ? open_policy(spec, workers, partitions, seed, can_cut, &parts) : GDC_EINVAL;
    gdc_spec_destroy(spec);
    if (status == GDC_OK)
        *out = parts;
    else
        gdc_strategy_close(&parts);
    return status;
}

void gdc_strategy_close(gdc_strategy_parts *parts)
{
    if (parts->ops && parts->state)
        parts->ops->close(parts->state);
    gdc_plan_destroy(parts->plan);
    *parts = (gdc_strategy_parts){0};
}

int gdc_parts_lead_in(const gdc_strategy_parts *parts)
{
    if (!parts->ops->lesson)
        return 0;
    gdc_lesson lesson = parts->ops->lesson(parts->state);
    return lesson.warmup + lesson.rounds;
}

const char *gdc_parts_chosen(const gdc_strategy_parts *parts)
{
    return parts->ops->chosen ? parts->ops->chosen(parts->state) : "";
}

/* cmd_plan.c - gradcode plan: who computes what, who sends what when, and what the rows can do.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "gradcode/round.h"
#include "plan_view.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Decoding a set costs about n^2 to n^3: fewer are tried where each is dear. */
static int sets_for(int workers)
{
    return workers <= 24 ? 20000 : workers <= 100 ? 1000 : workers <= 1000 ? 20 : 2;
}

/* Each set that is not decodable is a least-squares problem: beyond 100 workers none is tried. */
static int residual_sets_for(int workers)
{
    return workers <= 24 ? 1000 : workers <= 100 ? 100 : 0;
}

static int residual_sizes_for(int workers)
{
    return workers <= 24 ? workers + 1 : 12;
}

/* A strategy's spec is not a plan's: its code is. */
static gdc_status check_name(const char *spec)
{
    size_t length = strcspn(spec, ":");
    const char *name;
    for (int i = 0; (name = gdc_strategy(i, NULL, NULL)) != NULL; i++)
        if (strlen(name) == length && strncmp(name, spec, length) == 0)
            return gdc_fail(
                GDC_EINVAL,
                "%s is a strategy: want a code (gradcode help codes), the code of gc:code=fractional,load=2 "
                "being fractional:load=2",
                name);
    return GDC_OK;
}

static gdc_status check(const config *c)
{
    if (c->rest.count != 1)
        return gdc_fail(GDC_EINVAL,
                        "%d codes given: want one SPEC, for example gradcode plan fractional:load=2 --workers 8",
                        c->rest.count);
    if (c->workers == 0)
        return gdc_fail(GDC_EINVAL, "--workers is missing: want the number of workers, for example --workers 8");
    if ((long)c->workers * c->partitions > INT_MAX)
        return gdc_fail(GDC_EINVAL, "--workers %d --partitions %d: want at most %d partitions in all", c->workers,
                        c->partitions, INT_MAX);
    return check_name(c->rest.item[0]);
}

static gdc_status examine(const config *c, plan_view *view, gdc_quality *quality)
{
    gdc_status status = gdc_plan_quality(view->plan, view->sets, c->seed, quality);
    int sets = residual_sets_for(c->workers);
    if (status != GDC_OK || sets == 0)
        return status;
    view->residuals = residual_sizes_for(c->workers);
    return gdc_plan_residual(view->plan, sets, c->seed, view->residuals, view->optimal, view->fixed);
}

static gdc_status show(const config *c, const plan_view *view)
{
    if (!c->json) {
        plan_print(view, stdout);
        return GDC_OK;
    }
    char *text = plan_to_json(view);
    if (text == NULL)
        return gdc_fail(GDC_ENOMEM, "no memory to print the plan");
    puts(text);
    free(text);
    return GDC_OK;
}

static gdc_status make_and_show(const launch *how, const config *c)
{
    gdc_plan *plan = NULL;
    gdc_quality quality;
    gdc_status status = gdc_plan_create(c->rest.item[0], c->workers, c->workers * c->partitions, c->seed, &plan);
    plan_view view = {.spec = c->rest.item[0],
                      .plan = plan,
                      .quality = &quality,
                      .partitions = c->partitions,
                      .seed = c->seed,
                      .sets = sets_for(c->workers)};
    if (status == GDC_OK)
        status = examine(c, &view, &quality);
    if (status == GDC_OK && how->rank == 0)
        status = show(c, &view);
    gdc_plan_destroy(plan);
    return status;
}

static int plan(const launch *how, int argc, char **argv)
{
    config c;
    gdc_status status = config_read(ON_PLAN, argc, argv, &c);
    if (status == GDC_OK)
        status = check(&c);
    if (status == GDC_OK)
        status = make_and_show(how, &c);
    config_free(&c);
    return status == GDC_OK ? ENDED_DONE : end_failed(how, "plan", status);
}

const command command_plan = {
    .name = "plan",
    .help = "who computes what and sends what when; tolerance and amplification of the rows",
    .usage = "gradcode plan CODE --workers N [--partitions M] [--seed S] [--json]",
    .run = plan,
    .bit = ON_PLAN,
};

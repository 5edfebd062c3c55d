/* menu.c - which strategies are run when none, or all, are asked for.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "menu.h"
#include "gradcode/tune.h"

#include <stdio.h>
#include <string.h>

enum { SPEC_MOST = 128 };

/* In a spec `#` stands for the number of workers, `%` for three quarters of them, `~` for the time of some rounds. Of the specs
 * between bars the first one that fits is taken; a row of which none does is left out. */
static const char *const all[] = {
    "sync",
    "drop:tau=auto",
    "local:steps=2",
    "gc:code=uncoded",
    "gc:code=uncoded,load=2,walk=two-ended,message=1",
    "gc:code=fractional,load=auto",
    "gc:code=cyclic,load=3|gc:code=cyclic,load=2",
    "gc:code=circulant,load=2|gc:code=circulant,load=3",
    "gc:code=dual,load=2",
    "gc:code=dual,load=3,shorten=2",
    "gc:code=mmc,load=2,clusters=4,orders=1+2|gc:code=mmc,load=2,clusters=2,orders=1+2|gc:code=mmc,load=2,orders=1+2",
    "approx:code=graph,degree=4,wait=%|approx:code=graph,degree=3,wait=%|approx:code=graph,degree=2,wait=%",
    "approx:code=stochastic,load=2,p=.25,wait=%",
    "approx:code=erasurehead,load=2,wait=%|approx:code=erasurehead,load=3,wait=%",
    "ignore:s=auto",
    "k-sync:k=auto",
    "k-batch-sync:k=auto",
    "k-async:k=auto",
    "k-batch-async:k=auto",
    "adasync:base=k-sync,k0=2,every=~",
    "dynamic:load=2",
    "dynamic:load=#", /* with two workers that is the same */
};

static const char *const usual[] = {
    "sync", "drop:tau=auto", "gc:code=uncoded", "gc:code=fractional,load=2", "dynamic:load=2",
};

/* The time in which a worker does its shard some ten times, from versions that are not measured; a second without delays. */
static double some_rounds_s(const run *r)
{
    enum { ROUNDS = 10 };
    double sum = 0;
    for (uint64_t v = 0; v < ROUNDS && r->delay != NULL; v++)
        for (int q = 0; q < r->config->partitions; q++)
            sum += gdc_delay_draw(r->delay, 0, run_profile_version(r) + v, (uint64_t)q);
    return sum > 1e-6 ? sum : 1;
}

static void fill_in(const run *r, const char *from, size_t length, char *spec)
{
    size_t at = 0;
    for (size_t i = 0; i < length && at + 24 < SPEC_MOST; i++) {
        if (from[i] == '#')
            at += (size_t)snprintf(spec + at, SPEC_MOST - at, "%d", r->workers);
        else if (from[i] == '%')
            at += (size_t)snprintf(spec + at, SPEC_MOST - at, "%d", (3 * r->workers + 3) / 4);
        else if (from[i] == '~')
            at += (size_t)snprintf(spec + at, SPEC_MOST - at, "%.3g", some_rounds_s(r));
        else
            spec[at++] = from[i];
    }
    spec[at] = '\0';
}

/* What is auto finds a value that fits. */
static bool fits(const run *r, const char *spec)
{
    return gdc_tune_is_wanted(spec) ||
           gdc_strategy_check(spec, r->workers, r->config->partitions, r->config->seed, NULL, NULL) == GDC_OK;
}

static gdc_status offer(run *r, const char *row, gdc_status (*take)(run *r, const char *spec))
{
    char spec[SPEC_MOST];
    for (const char *from = row; from != NULL;) {
        const char *bar = strchr(from, '|');
        fill_in(r, from, bar != NULL ? (size_t)(bar - from) : strlen(from), spec);
        if (fits(r, spec))
            return take(r, spec);
        from = bar != NULL ? bar + 1 : NULL;
    }
    return GDC_OK;
}

static gdc_status offer_rows(run *r, const char *const *row, size_t rows, gdc_status (*take)(run *r, const char *spec))
{
    gdc_status status = GDC_OK;
    for (size_t i = 0; i < rows && status == GDC_OK; i++)
        status = offer(r, row[i], take);
    return status;
}

gdc_status menu_default(run *r, gdc_status (*take)(run *r, const char *spec))
{
    return offer_rows(r, usual, sizeof usual / sizeof *usual, take);
}

gdc_status menu_all(run *r, gdc_status (*take)(run *r, const char *spec))
{
    return offer_rows(r, all, sizeof all / sizeof *all, take);
}

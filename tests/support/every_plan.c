/* every_plan.c - specs made from the option tables of the registry.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/every_plan.h"

#include "gradcode/spec.h"

#include <stdio.h>
#include <string.h>

enum { SPEC = 256, VARIANTS = 128, SEED = 11 };

typedef struct walk {
    plan_law law;
    void *context;
    int n, k, load, plans;
    uint64_t seen[VARIANTS]; /* digests of the variants of one (code, n, k, load) */
    int variants;
} walk;

static void try_spec(walk *w, const char *spec)
{
    gdc_plan *plan = NULL;
    gdc_status status = gdc_plan_create(spec, w->n, w->k, SEED, &plan);
    if (status != GDC_OK) {
        if (status != GDC_EINVAL || strstr(gdc_last_error(), "nearest") == NULL)
            fail_msg("%s with %d workers: %s", spec, w->n, gdc_last_error());
        return;
    }
    uint64_t digest = gdc_plan_digest(plan);
    bool is_new = true;
    for (int i = 0; i < w->variants; i++)
        is_new = is_new && w->seen[i] != digest;
    if (is_new) {
        assert_true(w->variants < VARIANTS);
        w->seen[w->variants++] = digest;
        w->plans++;
        w->law(spec, plan, w->context);
    }
    gdc_plan_destroy(plan);
}

/* plain: words and clusters have their defaults so far. */
static void vary(walk *w, const char *spec, const gdc_option *option, bool plain);

static void vary_with(walk *w, const char *spec, const gdc_option *option, const char *value, int length, bool plain)
{
    char longer[SPEC];
    int wrote = snprintf(longer, sizeof longer, "%s,%s=%.*s", spec, option->key, length, value);
    assert_true(wrote > 0 && wrote < (int)sizeof longer);
    vary(w, longer, option + 1, plain);
}

static void vary_words(walk *w, const char *spec, const gdc_option *option)
{
    for (const char *word = option->words; word != NULL; word = strchr(word, '|')) {
        word += *word == '|';
        int length = (int)strcspn(word, "|");
        if (strncmp(word, option->fallback, (size_t)length) != 0)
            vary_with(w, spec, option, word, length, false);
    }
}

static void vary_clusters(walk *w, const char *spec, const gdc_option *option)
{
    for (int clusters = 2; w->k == w->n && clusters <= w->n; clusters++) {
        char value[16];
        snprintf(value, sizeof value, "%d", clusters);
        if (w->n % clusters == 0)
            vary_with(w, spec, option, value, (int)strlen(value), false);
    }
}

static void vary_orders(walk *w, const char *spec, const gdc_option *option, bool plain)
{
    char value[64] = "1";
    if (w->load == 1)
        return;
    for (int m = 2; m <= w->load; m++)
        snprintf(value + strlen(value), sizeof value - strlen(value), "+%d", m);
    vary_with(w, spec, option, value, (int)strlen(value), plain);
    if (w->k > w->n)
        return;
    snprintf(value, sizeof value, "%d+%d", w->load - 1, w->load);
    vary_with(w, spec, option, value, (int)strlen(value), plain);
    if (!plain)
        return;
    snprintf(value, sizeof value, "%d+1", w->load);
    vary_with(w, spec, option, value, (int)strlen(value), plain);
}

/* Appends values of the remaining options that change the shape of a plan; the default first. */
static void vary(walk *w, const char *spec, const gdc_option *option, bool plain)
{
    if (option->key == NULL) {
        try_spec(w, spec);
        return;
    }
    vary(w, spec, option + 1, plain);
    if (option->type == GDC_WORD && plain)
        vary_words(w, spec, option);
    else if (strcmp(option->key, "message") == 0)
        vary_with(w, spec, option, "1", 1, plain);
    else if (strcmp(option->key, "clusters") == 0)
        vary_clusters(w, spec, option);
    else if (strcmp(option->key, "orders") == 0)
        vary_orders(w, spec, option, plain);
}

/* The key that says on how many workers a shard is; NULL for a code whose plans are in a file: there the rows are the file's, and
 * so is what they can do. */
static const char *find_load(const gdc_option *option)
{
    for (; option->key != NULL; option++)
        if (strcmp(option->key, "load") == 0 || strcmp(option->key, "degree") == 0)
            return option->key;
    return NULL;
}

static void walk_load(walk *w, const char *code, const gdc_option *options)
{
    char spec[SPEC];
    snprintf(spec, sizeof spec, "%s:%s=%d", code, find_load(options), w->load);
    w->variants = 0;
    vary(w, spec, options, true);
}

int for_every_plan(int most_workers, plan_law law, void *context)
{
    walk w = {.law = law, .context = context};
    const gdc_option *options;
    const char *code;
    for (int c = 0; (code = gdc_code(c, &options, NULL)) != NULL; c++)
        for (w.n = 1; w.n <= most_workers; w.n++)
            for (w.k = w.n; w.k <= 2 * w.n; w.k += w.n)
                for (w.load = 1; w.load <= w.n && find_load(options) != NULL; w.load++)
                    walk_load(&w, code, options);
    return w.plans;
}

bool plan_is_whole(const gdc_plan *plan)
{
    int shard = plan->partitions / plan->workers;
    for (int i = 0; i < plan->row_at[plan->workers]; i++)
        for (int t = 0; t < plan->row[i].terms; t++)
            if (plan->row[i].term[t].span.first % shard != 0 || plan->row[i].term[t].span.count % shard != 0)
                return false;
    return shard > 1;
}

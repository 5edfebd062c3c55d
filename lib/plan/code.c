/* code.c - from a spec to a plan: the registry of codes, and what codes share.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "plan/code.h"

#include "gradcode/draw.h"

#include <stdio.h>
#include <stdlib.h>

enum { PLACEMENT_PURPOSE = 0x706c6163 };

const char *gdc_code(int i, const struct gdc_option **options, const char **help)
{
    for (int c = 0; c <= i; c++)
        if (gdc_code_registry[c] == NULL)
            return NULL;
    if (i < 0)
        return NULL;
    if (options != NULL)
        *options = gdc_code_registry[i]->options;
    if (help != NULL)
        *help = gdc_code_registry[i]->help;
    return gdc_code_registry[i]->name;
}

gdc_status gdc_code_find(const char *name, const gdc_code_ops **code)
{
    int count = 0;
    while (gdc_code_registry[count] != NULL)
        count++;
    const char **names = calloc((size_t)count + 1, sizeof *names);
    if (names == NULL)
        return gdc_fail(GDC_ENOMEM, "plan: out of memory");
    for (int c = 0; c < count; c++)
        names[c] = gdc_code_registry[c]->name;
    int chosen = gdc_spec_choose("code", name, names);
    free(names);
    if (chosen < 0)
        return GDC_EINVAL;
    *code = gdc_code_registry[chosen];
    return GDC_OK;
}

static gdc_status build(gdc_spec *spec, const gdc_code_ops *code, int n, int k, uint64_t seed, gdc_plan **plan)
{
    void *values = calloc(1, code->options_bytes + 1);
    if (values == NULL)
        return gdc_fail(GDC_ENOMEM, "plan: out of memory");
    gdc_status status = gdc_spec_read(spec, code->options, values);
    if (status == GDC_OK)
        status = gdc_spec_finish(spec, (const gdc_option *const[]){code->options, NULL});
    if (status == GDC_OK)
        status = code->build(values, n, k, seed, plan);
    if (status == GDC_OK)
        (*plan)->code = code;
    free(values);
    return status;
}

gdc_status gdc_plan_create(const char *spec, int workers, int partitions, uint64_t seed, gdc_plan **plan)
{
    if (workers < 1)
        return gdc_fail(GDC_EINVAL, "plan: %d workers: want at least 1", workers);
    if (partitions < 1 || partitions % workers != 0) {
        int shards = partitions < workers ? 1 : partitions / workers;
        return gdc_fail(GDC_EINVAL, "plan: %d partitions for %d workers: want a multiple of %d, the next below is %lld",
                        partitions, workers, workers, (long long)shards * workers);
    }
    gdc_spec *parsed;
    gdc_status status = gdc_spec_parse(spec, &parsed);
    if (status != GDC_OK)
        return status;
    const gdc_code_ops *code = NULL;
    status = gdc_code_find(gdc_spec_name(parsed), &code);
    if (status == GDC_OK)
        status = build(parsed, code, workers, partitions, seed, plan);
    gdc_spec_destroy(parsed);
    return status;
}

/* ---- what codes share ---- */

gdc_status gdc_code_check_load(const char *code, int load, int n)
{
    if (load >= 1 && load <= n)
        return GDC_OK;
    return gdc_fail(GDC_EINVAL, "%s: load=%d with %d workers: want 1 to %d, nearest is %d", code, load, n, n,
                    load < 1 ? 1 : n);
}

/* "1, 2, 4, 8"; long lists end in "...". */
static void list_divisors(int n, char *text, size_t bytes)
{
    size_t at = 0;
    text[0] = '\0';
    for (int d = 1; d <= n && at + 24 < bytes; d++)
        if (n % d == 0)
            at += (size_t)snprintf(text + at, bytes - at, at > 0 ? ", %d" : "%d", d);
    if (at + 24 >= bytes)
        snprintf(text + at, bytes - at, ", ...");
}

static int nearest_divisor(int n, int wanted)
{
    int nearest = n;
    for (int d = n - 1; d >= 1; d--)
        if (n % d == 0 && abs(d - wanted) <= abs(nearest - wanted))
            nearest = d;
    return nearest;
}

gdc_status gdc_code_check_divisor(const char *code, const char *key, int value, int n)
{
    char divisors[128];
    if (value >= 1 && n % value == 0)
        return GDC_OK;
    list_divisors(n, divisors, sizeof divisors);
    return gdc_fail(GDC_EINVAL, "%s: %s=%d with %d workers: want a divisor of %d (%s), nearest is %d", code, key, value,
                    n, n, divisors, nearest_divisor(n, value));
}

gdc_status gdc_code_check_clusters(const char *code, int clusters, int load, int n)
{
    if (clusters == 1)
        return gdc_code_check_load(code, load, n);
    gdc_status status = gdc_code_check_divisor(code, "clusters", clusters, n);
    if (status != GDC_OK)
        return status;
    int size = n / clusters;
    if (load >= 1 && load <= size)
        return GDC_OK;
    return gdc_fail(GDC_EINVAL, "%s: load=%d in clusters of %d workers: want 1 to %d, nearest is %d", code, load, size,
                    size, load < 1 ? 1 : size);
}

void gdc_code_positions(bool permute, int n, uint64_t seed, int *order)
{
    if (permute) {
        gdc_draw_permutation((gdc_key){.seed = seed, .purpose = PLACEMENT_PURPOSE}, n, order);
        return;
    }
    for (int p = 0; p < n; p++)
        order[p] = p;
}

gdc_status gdc_code_placement(bool permute, int n, uint64_t seed, int **order, int **position_of)
{
    int *made = calloc((size_t)n, sizeof *made), *inverse = calloc((size_t)n, sizeof *inverse);
    if (made == NULL || inverse == NULL) {
        free(made);
        free(inverse);
        return gdc_fail(GDC_ENOMEM, "plan: no memory for the positions of %d workers", n);
    }
    gdc_code_positions(permute, n, seed, made);
    for (int p = 0; p < n; p++)
        inverse[made[p]] = p;
    if (order != NULL)
        *order = made;
    else
        free(made);
    *position_of = inverse;
    return GDC_OK;
}

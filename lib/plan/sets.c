/* sets.c - straggler sets in lexicographic order, or drawn.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "plan/sets.h"

#include "gradcode/draw.h"

#include <stdlib.h>
#include <string.h>

enum { SETS_PURPOSE = 0x73657473 };

gdc_status gdc_sets_create(int n, int limit, uint64_t seed, gdc_sets *sets)
{
    gdc_sets made = {.n = n, .limit = limit < 1 ? 1 : limit, .seed = seed};
    made.member = calloc((size_t)n, sizeof *made.member);
    made.out = calloc((size_t)n, sizeof *made.out);
    if (made.member == NULL || made.out == NULL) {
        gdc_sets_free(&made);
        return gdc_fail(GDC_ENOMEM, "plan: no memory to try straggler sets of %d workers", n);
    }
    *sets = made;
    return GDC_OK;
}

void gdc_sets_free(gdc_sets *sets)
{
    free(sets->member);
    free(sets->out);
    *sets = (gdc_sets){0};
}

static double binomial(int n, int size)
{
    double count = 1;
    for (int i = 1; i <= size; i++)
        count = count * (n - size + i) / i;
    return count;
}

void gdc_sets_begin(gdc_sets *s, int size)
{
    s->size = size;
    s->next = 0;
    s->all = binomial(s->n, size) < s->limit + 0.5;
    for (int i = 0; i < size; i++)
        s->member[i] = i;
}

/* The next combination in lexicographic order; false after the last. */
static bool advance(int n, int size, int *member)
{
    int i = size - 1;
    while (i >= 0 && member[i] == n - size + i)
        i--;
    if (i < 0)
        return false;
    member[i]++;
    for (int j = i + 1; j < size; j++)
        member[j] = member[j - 1] + 1;
    return true;
}

/* A uniformly random set of `size` (Floyd's algorithm). */
static void sample(gdc_sets *s)
{
    for (int last = s->n - s->size; last < s->n; last++) {
        gdc_key key = {s->seed, SETS_PURPOSE, (uint64_t)s->size, (uint64_t)s->next, (uint64_t)last};
        int worker = (int)gdc_draw_below(key, (uint64_t)last + 1);
        s->out[s->out[worker] ? last : worker] = 1;
    }
}

bool gdc_sets_next(gdc_sets *s)
{
    if (s->all ? s->next > 0 && !advance(s->n, s->size, s->member) : s->next == s->limit)
        return false;
    memset(s->out, 0, (size_t)s->n);
    if (s->all)
        for (int i = 0; i < s->size; i++)
            s->out[s->member[i]] = 1;
    else
        sample(s);
    s->next++;
    return true;
}

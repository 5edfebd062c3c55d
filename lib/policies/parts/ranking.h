/* ranking.h - numbered things in order of their keys: an indexed heap, or plain keys where only a few are ever compared.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GDC_POLICIES_RANKING_H
#define GDC_POLICIES_RANKING_H

#include <stdbool.h>

typedef struct gdc_ranking {
    int count;
    double *key; /* [count]; INFINITY: not in the ranking */
    int *heap;   /* [count] ids, no key above its children's; NULL: not ordered */
    int *place;  /* [count] where an id is in the heap */
} gdc_ranking;

/* Ids 0 .. count - 1, none ranked. ordered: gdc_ranking_best is O(1), set O(log count). False: out of memory. */
bool gdc_ranking_init(gdc_ranking *ranking, int count, bool ordered);
void gdc_ranking_free(gdc_ranking *ranking);
void gdc_ranking_clear(gdc_ranking *ranking);
void gdc_ranking_set(gdc_ranking *ranking, int id, double key);
/* The ranked id with the least key, `except` left out; -1: none. Of among[length], the first where keys are equal; NULL: of
 * all, if ordered. */
int gdc_ranking_best(const gdc_ranking *ranking, const int *among, int length, int except);

#endif

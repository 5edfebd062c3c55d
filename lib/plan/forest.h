/* forest.h - union-find over integers.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * parent[i] = i marks a root. The root of a set is its least member, so results do not depend on the order of
 * joins. */
#ifndef GDC_PLAN_FOREST_H
#define GDC_PLAN_FOREST_H

static inline int gdc_forest_root(int *parent, int i)
{
    while (parent[i] != i) {
        parent[i] = parent[parent[i]]; /* halves the path for later calls */
        i = parent[i];
    }
    return i;
}

static inline void gdc_forest_join(int *parent, int i, int j)
{
    int a = gdc_forest_root(parent, i), b = gdc_forest_root(parent, j);
    if (a < b)
        parent[b] = a;
    else
        parent[a] = b;
}

#endif

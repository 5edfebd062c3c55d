/* regular.h - simple connected graphs in which every node has the same degree.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GDC_PLAN_REGULAR_H
#define GDC_PLAN_REGULAR_H

#include "gradcode/status.h"

#include <stdbool.h>
#include <stdint.h>

/* edge[2 e], edge[2 e + 1]: the nodes of edge e, nodes * degree / 2 edges. 2 <= degree < nodes, one of the two even.
 * Not random: every node is joined to its nearest on a ring (and, for an odd degree, to the one across). Random: from there on
 * seeded exchanges of ends between pairs of edges that keep the graph simple, until it is well mixed and connected; of degree 2
 * there is only the cycle. ENUMERIC: not connected after many exchanges. ENOMEM. */
gdc_status gdc_regular_graph(int nodes, int degree, bool random, uint64_t seed, int *edge);

#endif

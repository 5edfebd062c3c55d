/* cyclic_rows.h - rows of cyclic gradient codes from a random matrix (arXiv 1612.03301, section 5), for codes that are
 * made of them.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * H is s x n Gaussian with H 1 = 0, s = load - 1. Row i is supported on shards i .. i + s (mod n) and lies in the null
 * space of H, which has dimension n - s and contains the all-ones vector: any n - s rows span it. How well depends on
 * luck: of `tries` seeded draws the one with the least worst amplification over a fixed collection of straggler sets is
 * taken. */
#ifndef GDC_PLAN_CYCLIC_ROWS_H
#define GDC_PLAN_CYCLIC_ROWS_H

#include "gradcode/status.h"

#include <stdint.h>

/* coefficient[i * load + t], [n * load]: of shard (i + t) mod n in row i; that of t = 0 is 1. Loads 1 and n need no luck:
 * all coefficients are 1. Other streams give independent draws. code is for the sentence. ENUMERIC: no draw can be
 * decoded. ENOMEM. */
gdc_status gdc_cyclic_rows(const char *code, int n, int load, int tries, uint64_t seed, uint64_t stream,
                           double *coefficient);

#endif

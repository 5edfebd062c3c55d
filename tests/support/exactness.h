/* exactness.h - is a decoded sum as exact as its weights promise? Plain arithmetic that shares nothing with
 * the library's. SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_SUPPORT_EXACTNESS_H
#define TESTS_SUPPORT_EXACTNESS_H

#include "plan/plan.h"

#include <stdbool.h>
#include <stdint.h>

/* The seed of a random test: GDC_TEST_SEED, or the fallback. Prints it. */
uint64_t exactness_seed(uint64_t fallback);

/* Gradients of k partitions, row-major [k x 3]: uniform in (-1, 1); of any sign and very different sizes;
 * whole numbers. */
enum { EXACTNESS_D = 3, EXACTNESS_WHOLE = 2 };
void exactness_gradients(int k, uint64_t seed, double *g);

/* The message of a row: message[c] = sum_j row_j g[j][c], term by term. */
void exactness_encode(const gdc_row *row, int d, const double *g, double *message);
/* sum_i weight[i] * message_i over all messages of the plan in order, zero weights skipped; encodes them on
 * the way. */
void exactness_decode(const gdc_plan *plan, const double *weight, int d, const double *g, double *sum);

/* The largest over coordinates of |sum - sum_j g_j| / bound, where with rho = a^T R - 1
 *     bound = sum_j |rho_j| |g_j| + (m + L + 2) u sum_i |a_i| sum_j |row_ij| |g_j|,
 * m messages combined, L the largest support, u the unit roundoff of the payload. At most 1 for an exact
 * decode. */
double exactness_ratio(const gdc_plan *plan, const double *weight, int d, const double *g, const double *sum, double u);

/* rho[j] = (a^T R)_j - 1, [k]; returns the largest |rho_j|. */
double exactness_residual(const gdc_plan *plan, const double *weight, double *rho);
/* sum_i |a_i| ||row_i||_1 / k */
double exactness_amplification(const gdc_plan *plan, const double *weight);

/* All coefficients of the plan are 1. */
bool exactness_is_unit(const gdc_plan *plan);

#endif

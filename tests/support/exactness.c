/* exactness.c - error bounds of decoded sums, in long double.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "support/exactness.h"

#include "gradcode/draw.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GRADIENT_PURPOSE = 0x67726164 };

uint64_t exactness_seed(uint64_t fallback)
{
    const char *given = getenv("GDC_TEST_SEED");
    uint64_t seed = given != NULL ? strtoull(given, NULL, 10) : fallback;
    printf("GDC_TEST_SEED=%llu\n", (unsigned long long)seed);
    return seed;
}

void exactness_gradients(int k, uint64_t seed, double *g)
{
    for (int j = 0; j < k; j++) {
        gdc_key key = {seed, GRADIENT_PURPOSE, (uint64_t)j, 0, 0};
        double *row = g + (size_t)j * EXACTNESS_D;
        row[0] = 2 * gdc_draw_uniform(key) - 1;
        key.b = 1;
        row[1] = gdc_draw_normal(key);
        key.b = 2;
        row[1] *= exp(5 * gdc_draw_normal(key));
        key.b = 3;
        row[EXACTNESS_WHOLE] = (double)gdc_draw_below(key, 2001) - 1000;
    }
}

void exactness_encode(const gdc_row *row, int d, const double *g, double *message)
{
    for (int c = 0; c < d; c++)
        message[c] = 0;
    for (int t = 0; t < row->terms; t++) {
        gdc_span span = row->term[t].span;
        for (int j = span.first; j < span.first + span.count; j++)
            for (int c = 0; c < d; c++)
                message[c] += row->term[t].coefficient * g[(size_t)j * (size_t)d + (size_t)c];
    }
}

static int messages_of(const gdc_plan *plan)
{
    return plan->row_at[plan->workers];
}

void exactness_decode(const gdc_plan *plan, const double *weight, int d, const double *g, double *sum)
{
    double *message = calloc((size_t)d, sizeof *message);
    if (message == NULL)
        abort();
    for (int c = 0; c < d; c++)
        sum[c] = 0;
    for (int i = 0; i < messages_of(plan); i++) {
        if (weight[i] == 0)
            continue;
        exactness_encode(&plan->row[i], d, g, message);
        for (int c = 0; c < d; c++)
            sum[c] += weight[i] * message[c];
    }
    free(message);
}

/* rho and, per coordinate, size = sum_i |a_i| sum_j |row_ij| |g_j| */
static void residual_and_size(const gdc_plan *plan, const double *weight, int d, const double *g, long double *rho,
                              long double *size)
{
    for (int j = 0; j < plan->partitions; j++)
        rho[j] = -1;
    for (int i = 0; i < messages_of(plan); i++) {
        const gdc_row *row = &plan->row[i];
        for (int t = 0; weight[i] != 0 && t < row->terms; t++)
            for (int j = row->term[t].span.first; j < row->term[t].span.first + row->term[t].span.count; j++) {
                long double share = (long double)weight[i] * row->term[t].coefficient;
                rho[j] += share;
                for (int c = 0; c < d; c++)
                    size[c] += fabsl(share) * fabs(g[(size_t)j * (size_t)d + (size_t)c]);
            }
    }
}

static int combined(const gdc_plan *plan, const double *weight, int *longest)
{
    int m = 0;
    *longest = 0;
    for (int i = 0; i < messages_of(plan); i++)
        if (weight[i] != 0) {
            int support = 0;
            for (int t = 0; t < plan->row[i].terms; t++)
                support += plan->row[i].term[t].span.count;
            *longest = support > *longest ? support : *longest;
            m++;
        }
    return m;
}

double exactness_ratio(const gdc_plan *plan, const double *weight, int d, const double *g, const double *sum, double u)
{
    long double *rho = calloc((size_t)plan->partitions + (size_t)d, sizeof *rho), largest = 0;
    if (rho == NULL)
        abort();
    long double *size = rho + plan->partitions;
    int longest, m = combined(plan, weight, &longest);
    residual_and_size(plan, weight, d, g, rho, size);
    for (int c = 0; c < d; c++) {
        long double truth = 0, bound = (m + longest + 2) * (long double)u * size[c];
        for (int j = 0; j < plan->partitions; j++) {
            long double value = g[(size_t)j * (size_t)d + (size_t)c];
            truth += value;
            bound += fabsl(rho[j]) * fabsl(value);
        }
        long double error = fabsl(sum[c] - truth);
        if (!(error <= largest * bound))
            largest = bound > 0 ? error / bound : INFINITY;
    }
    free(rho);
    return (double)largest;
}

double exactness_residual(const gdc_plan *plan, const double *weight, double *rho)
{
    long double *exact = calloc((size_t)plan->partitions, sizeof *exact), largest = 0;
    if (exact == NULL)
        abort();
    residual_and_size(plan, weight, 0, NULL, exact, NULL);
    for (int j = 0; j < plan->partitions; j++) {
        if (rho != NULL)
            rho[j] = (double)exact[j];
        largest = fabsl(exact[j]) > largest ? fabsl(exact[j]) : largest;
    }
    free(exact);
    return (double)largest;
}

double exactness_amplification(const gdc_plan *plan, const double *weight)
{
    long double size = 0;
    for (int i = 0; i < messages_of(plan); i++)
        for (int t = 0; t < plan->row[i].terms; t++) {
            const gdc_term *term = &plan->row[i].term[t];
            size += fabsl((long double)weight[i] * term->coefficient) * term->span.count;
        }
    return (double)(size / plan->partitions);
}

bool exactness_is_unit(const gdc_plan *plan)
{
    for (int i = 0; i < messages_of(plan); i++)
        for (int t = 0; t < plan->row[i].terms; t++)
            if (plan->row[i].term[t].coefficient != 1)
                return false;
    return true;
}

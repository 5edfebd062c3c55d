/* brute.c - full-pivot elimination, written for the tests alone.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "support/brute.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct brute {
    int k, rows;
    long double *row;    /* [rows x k] */
    int *first_equal;    /* [rows] */
    unsigned char *used; /* [rows] */
    long double *work;   /* [rows x k] */
    long double **line;  /* [rows] into work */
    long double *left;   /* [k] of all-ones */
};

static void *need(size_t count, size_t bytes)
{
    void *memory = calloc(count + 1, bytes);
    if (memory == NULL)
        abort();
    return memory;
}

static bool are_equal(const brute *b, int i, int j)
{
    for (int c = 0; c < b->k; c++)
        if (b->row[(size_t)i * (size_t)b->k + (size_t)c] != b->row[(size_t)j * (size_t)b->k + (size_t)c])
            return false;
    return true;
}

brute *brute_create(const gdc_plan *plan)
{
    brute *b = need(1, sizeof *b);
    b->k = plan->partitions;
    b->rows = plan->row_at[plan->workers];
    size_t rows = (size_t)b->rows, k = (size_t)b->k;
    b->row = need(rows * k, sizeof *b->row);
    b->first_equal = need(rows, sizeof *b->first_equal);
    b->used = need(rows, sizeof *b->used);
    b->work = need(rows * k, sizeof *b->work);
    b->line = need(rows, sizeof *b->line);
    b->left = need(k, sizeof *b->left);
    for (int i = 0; i < b->rows; i++) {
        for (int t = 0; t < plan->row[i].terms; t++)
            for (int c = 0; c < plan->row[i].term[t].span.count; c++)
                b->row[(size_t)i * k + (size_t)(plan->row[i].term[t].span.first + c)] =
                    plan->row[i].term[t].coefficient;
        for (b->first_equal[i] = 0; !are_equal(b, b->first_equal[i], i);)
            b->first_equal[i]++;
    }
    return b;
}

void brute_destroy(brute *b)
{
    free(b->row);
    free(b->first_equal);
    free(b->used);
    free(b->work);
    free(b->line);
    free(b->left);
    free(b);
}

static int load(brute *b, const unsigned char *given)
{
    int lines = 0;
    memset(b->used, 0, (size_t)b->rows);
    for (int i = 0; i < b->rows; i++) {
        if (!given[i] || b->used[b->first_equal[i]])
            continue;
        b->used[b->first_equal[i]] = 1;
        b->line[lines] = b->work + (size_t)lines * (size_t)b->k;
        memcpy(b->line[lines++], b->row + (size_t)i * (size_t)b->k, (size_t)b->k * sizeof *b->row);
    }
    for (int c = 0; c < b->k; c++)
        b->left[c] = 1;
    return lines;
}

/* Brings the largest entry of lines [from, lines) to line `from`; returns its column, -1 if nothing is left.
 */
static int pivot(brute *b, int from, int lines)
{
    long double largest = 1e-12L;
    int row = -1, column = -1;
    for (int i = from; i < lines; i++)
        for (int c = 0; c < b->k; c++)
            if (fabsl(b->line[i][c]) > largest) {
                largest = fabsl(b->line[i][c]);
                row = i;
                column = c;
            }
    if (row >= 0) {
        long double *swap = b->line[from];
        b->line[from] = b->line[row];
        b->line[row] = swap;
    }
    return column;
}

static void eliminate(int k, const long double *by, int column, long double *from)
{
    if (from[column] == 0)
        return;
    long double factor = from[column] / by[column];
    for (int c = 0; c < k; c++)
        from[c] -= factor * by[c];
    from[column] = 0;
}

bool brute_spans(brute *b, const unsigned char *given)
{
    int lines = load(b, given), column;
    for (int p = 0; p < lines && (column = pivot(b, p, lines)) >= 0; p++) {
        for (int i = p + 1; i < lines; i++)
            eliminate(b->k, b->line[p], column, b->line[i]);
        eliminate(b->k, b->line[p], column, b->left);
    }
    long double most = 0;
    for (int c = 0; c < b->k; c++)
        most = fabsl(b->left[c]) > most ? fabsl(b->left[c]) : most;
    if (most > 1e-9L && most < 1e-5L) {
        fprintf(stderr, "brute: rounding leaves the rank open (%.3Lg)\n", most);
        abort();
    }
    return most <= 1e-9L;
}

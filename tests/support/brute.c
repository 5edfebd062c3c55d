/* brute.c - full-pivot elimination, written for the tests alone.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "support/brute.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct line {
    const long double *entry; /* [k]: of a row, or in `own` once it was changed */
    long double *own;         /* [k] */
    int column;               /* of its largest entry */
} line;

struct brute {
    int k, rows, blocks; /* k: columns */
    long double *row;    /* [rows x k] */
    int *first_equal;    /* [rows] */
    int *largest;        /* [rows] column of the largest entry */
    unsigned char *used; /* [rows] */
    long double *work;   /* [rows x k] */
    line *line;          /* [rows] */
    long double *left;   /* [blocks x k] of all-ones, of the ones of each block */
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

static int find_largest(int k, const long double *entry)
{
    int largest = 0;
    for (int c = 1; c < k; c++)
        if (fabsl(entry[c]) > fabsl(entry[largest]))
            largest = c;
    return largest;
}

brute *brute_create(const gdc_plan *plan)
{
    brute *b = need(1, sizeof *b);
    b->blocks = plan->blocks;
    b->k = plan->partitions * plan->blocks;
    b->rows = plan->row_at[plan->workers];
    size_t rows = (size_t)b->rows, k = (size_t)b->k;
    b->row = need(rows * k, sizeof *b->row);
    b->first_equal = need(rows, sizeof *b->first_equal);
    b->largest = need(rows, sizeof *b->largest);
    b->used = need(rows, sizeof *b->used);
    b->work = need(rows * k, sizeof *b->work);
    b->line = need(rows, sizeof *b->line);
    b->left = need((size_t)b->blocks * k, sizeof *b->left);
    for (int i = 0; i < b->rows; i++) {
        for (int t = 0; t < plan->row[i].terms; t++)
            for (int c = 0; c < plan->row[i].term[t].span.count; c++)
                b->row[(size_t)i * k + (size_t)(plan->row[i].term[t].span.first + c)] =
                    plan->row[i].term[t].coefficient;
        for (b->first_equal[i] = 0; !are_equal(b, b->first_equal[i], i);)
            b->first_equal[i]++;
        b->largest[i] = find_largest(b->k, b->row + (size_t)i * k);
    }
    return b;
}

void brute_destroy(brute *b)
{
    free(b->row);
    free(b->first_equal);
    free(b->largest);
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
        size_t at = (size_t)i * (size_t)b->k;
        b->used[b->first_equal[i]] = 1;
        b->line[lines++] = (line){.entry = b->row + at, .own = b->work + at, .column = b->largest[i]};
    }
    for (int v = 0; v < b->blocks; v++)
        for (int c = 0; c < b->k; c++)
            b->left[v * b->k + c] = c / (b->k / b->blocks) == v;
    return lines;
}

/* Brings the largest entry of lines [from, lines) to line `from`; false if nothing is left. */
static bool pivot(brute *b, int from, int lines)
{
    long double largest = 1e-12L;
    int best = -1;
    for (int i = from; i < lines; i++)
        if (fabsl(b->line[i].entry[b->line[i].column]) > largest) {
            largest = fabsl(b->line[i].entry[b->line[i].column]);
            best = i;
        }
    if (best < 0)
        return false;
    line swap = b->line[from];
    b->line[from] = b->line[best];
    b->line[best] = swap;
    return true;
}

/* out = from without its entry in the column of `by`; may be the same memory */
static void eliminate(int k, const line *by, const long double *from, long double *out)
{
    long double factor = from[by->column] / by->entry[by->column];
    for (int c = 0; c < k; c++)
        out[c] = from[c] - factor * by->entry[c];
    out[by->column] = 0;
}

static void eliminate_all(brute *b, int from, int lines)
{
    const line *by = &b->line[from];
    for (int i = from + 1; i < lines; i++) {
        line *l = &b->line[i];
        if (l->entry[by->column] == 0)
            continue;
        eliminate(b->k, by, l->entry, l->own);
        l->entry = l->own;
        l->column = find_largest(b->k, l->entry);
    }
    for (int v = 0; v < b->blocks; v++) {
        long double *left = b->left + (size_t)v * (size_t)b->k;
        if (left[by->column] != 0)
            eliminate(b->k, by, left, left);
    }
}

/* The largest entry of what is left of all-ones. */
static long double what_is_left(const brute *b)
{
    long double most = 0;
    for (int c = 0; c < b->blocks * b->k; c++)
        most = fabsl(b->left[c]) > most ? fabsl(b->left[c]) : most;
    return most;
}

bool brute_spans(brute *b, const unsigned char *given)
{
    int lines = load(b, given);
    for (int p = 0; p < lines && pivot(b, p, lines); p++) {
        eliminate_all(b, p, lines);
        if (what_is_left(b) == 0)
            return true;
    }
    long double most = what_is_left(b);
    if (most > 1e-9L && most < 1e-5L) {
        fprintf(stderr, "brute: rounding leaves the rank open (%.3Lg)\n", most);
        abort();
    }
    return most <= 1e-9L;
}

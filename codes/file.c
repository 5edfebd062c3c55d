/* file.c - a code of the user's own: the rows of a matrix from a file of text (any B of arXiv 1612.03301, section 3).
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * One row per worker, and one column per shard or per partition. A worker holds what its row has coefficients for, in ascending
 * order, and sends its row when all of that is done. Whether the matrix is a code, and what it survives, is for the decoder
 * to say. */
#include "plan/code.h"

#include "base/read_table.h"

#include <stdlib.h>

typedef struct file_options {
    const char *path;
    int permute;
} file_options;

static const gdc_option rows[] = {
    {"path", GDC_TEXT, offsetof(file_options, path), NULL, 0, 0, NULL,
     "CSV, workers x shards or workers x partitions; lines that begin with # are notes; file:PATH will do", 1},
    {"permute", GDC_INT, offsetof(file_options, permute), "0", 0, 1, NULL,
     "1: a seeded permutation says which worker has which row; 0: row i is worker i's", 0},
    {.key = NULL},
};

static const double most = 1e100; /* products and sums of it stay finite */
enum { MOST_BYTES = 1 << 28 };

static double cell(const gdc_table *b, size_t row, size_t column)
{
    return b->cell[row * b->columns + column];
}

static gdc_status check_size(const char *path, const gdc_table *b, int n, int k)
{
    if (b->rows != (size_t)n)
        return gdc_fail(GDC_EDATA, "file: %.400s: %zu rows for %d workers: want one row per worker", path, b->rows, n);
    if (b->columns == (size_t)n || b->columns == (size_t)k)
        return GDC_OK;
    if (n == k)
        return gdc_fail(GDC_EDATA, "file: %.400s: %zu columns: want %d, one per partition", path, b->columns, k);
    return gdc_fail(GDC_EDATA, "file: %.400s: %zu columns: want %d, one per shard, or %d, one per partition", path,
                    b->columns, n, k);
}

static gdc_status check_zeros(const char *path, const gdc_table *b)
{
    for (size_t i = 0; i < b->rows; i++) {
        size_t j = 0;
        while (j < b->columns && cell(b, i, j) == 0)
            j++;
        if (j == b->columns)
            return gdc_fail(GDC_EDATA,
                            "file: %.400s: row %zu has zeros only, so a worker would send nothing: want at least one "
                            "coefficient in every row",
                            path, i + 1);
    }
    for (size_t j = 0; j < b->columns; j++) {
        size_t i = 0;
        while (i < b->rows && cell(b, i, j) == 0)
            i++;
        if (i == b->rows)
            return gdc_fail(GDC_EDATA,
                            "file: %.400s: column %zu has zeros only, so nobody would hold it: want at least one "
                            "coefficient in every column",
                            path, j + 1);
    }
    return GDC_OK;
}

/* The walk goes over neighbouring columns in one leg, whatever their coefficients. */
static void add_worker(gdc_plan_writer *writer, const gdc_table *b, int k, size_t row, gdc_term *term)
{
    int columns = (int)b->columns, terms = 0, held = 0;
    for (int j = 0, begun = 0; j < columns; j++) {
        gdc_span span = gdc_shard(columns, k, j), leg = gdc_shard(columns, k, begun);
        if (cell(b, row, (size_t)j) == 0) {
            begun = j + 1;
            continue;
        }
        term[terms++] = (gdc_term){span, cell(b, row, (size_t)j)};
        held += span.count;
        if (j + 1 == columns || cell(b, row, (size_t)j + 1) == 0)
            gdc_plan_add_leg(writer, (gdc_span){leg.first, span.first + span.count - leg.first}, false);
    }
    gdc_plan_add_row(writer, held, terms, term);
    gdc_plan_end_worker(writer);
}

static gdc_status write_plan(const file_options *o, const gdc_table *b, int n, int k, uint64_t seed, gdc_plan **plan)
{
    int *position_of;
    gdc_plan_writer *writer;
    gdc_term *term = calloc(b->columns, sizeof *term);
    if (term == NULL)
        return gdc_fail(GDC_ENOMEM, "file: no memory for rows of %zu columns", b->columns);
    gdc_status status = gdc_code_placement(o->permute != 0, n, seed, NULL, &position_of);
    if (status != GDC_OK) {
        free(term);
        return status;
    }
    status = gdc_plan_writer_create(n, k, &writer);
    for (int w = 0; status == GDC_OK && w < n; w++)
        add_worker(writer, b, k, (size_t)position_of[w], term);
    free(position_of);
    free(term);
    return status == GDC_OK ? gdc_plan_writer_finish(writer, plan) : status;
}

static gdc_status file_build(const void *options, int n, int k, uint64_t seed, gdc_plan **plan)
{
    const file_options *o = options;
    const gdc_table_source source = {.name = "file",
                                     .path = o->path,
                                     .least = -most,
                                     .most = most,
                                     .shape = "one row of coefficients per worker",
                                     .most_bytes = MOST_BYTES};
    gdc_table b;
    gdc_status status = gdc_table_read(&source, &b);
    if (status != GDC_OK)
        return status;
    status = check_size(o->path, &b, n, k);
    if (status == GDC_OK)
        status = check_zeros(o->path, &b);
    if (status == GDC_OK)
        status = write_plan(o, &b, n, k, seed, plan);
    gdc_table_free(&b);
    return status;
}

const gdc_code_ops gdc_code_file = {
    .name = "file",
    .help =
        "rows from a matrix in a CSV file, one message per worker: tolerance and amplification as the rows have them",
    .options = rows,
    .options_bytes = sizeof(file_options),
    .build = file_build,
};

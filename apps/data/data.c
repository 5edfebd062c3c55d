/* data.c - the registry of readers; opens, shuffles, converts and closes data sets.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "data/data.h"

#include "gradcode/draw.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const data_reader_ops data_fashion_mnist, data_libsvm, data_csv, data_synthetic;

const data_reader_ops *const data_readers[] = {
    &data_fashion_mnist, &data_libsvm, &data_csv, &data_synthetic, NULL,
};

static const data_reader_ops *choose_reader(const gdc_spec *spec)
{
    const char *names[sizeof data_readers / sizeof *data_readers] = {NULL};
    for (int i = 0; data_readers[i]; i++)
        names[i] = data_readers[i]->name;
    int chosen = gdc_spec_choose("data set", gdc_spec_name(spec), names);
    return chosen < 0 ? NULL : data_readers[chosen];
}

static void swap(void *a, void *b, size_t count)
{
    unsigned char kept[256], *p = a, *q = b;
    while (count) {
        size_t part = count < sizeof kept ? count : sizeof kept;
        memcpy(kept, p, part);
        memcpy(p, q, part);
        memcpy(q, kept, part);
        p += part;
        q += part;
        count -= part;
    }
}

/* Fisher-Yates on the rows themselves, so that a block of samples stays contiguous. */
static void shuffle_rows(data *set, uint64_t seed)
{
    static const uint64_t purpose = 0x73687566666c6573u;
    size_t row = set->features * (set->type == DATA_U8 ? 1 : sizeof(float));
    unsigned char *x = set->x;
    for (size_t i = set->samples; i-- > 1;) {
        size_t j = gdc_draw_below((gdc_key){.seed = seed, .purpose = purpose, .a = i}, i + 1);
        if (j == i)
            continue;
        swap(x + i * row, x + j * row, row);
        swap(set->y + i, set->y + j, sizeof *set->y);
    }
}

/* Where each class begins when all samples are sorted by it; stable, so that a class stays as shuffled. */
static void find_places(const data *set, size_t *next)
{
    for (size_t i = 0; i < set->samples; i++)
        next[(size_t)set->y[i] + 1]++;
    for (int c = 0; c < set->classes; c++)
        next[c + 1] += next[c];
}

static gdc_status sort_by_class(data *set)
{
    if (set->classes == 0)
        return gdc_fail(GDC_EINVAL, "%s has real targets: want classes to sort its samples by class", set->name);
    size_t row = set->features * (set->type == DATA_U8 ? 1 : sizeof(float));
    unsigned char *x = malloc(set->samples * row);
    float *y = malloc(set->samples * sizeof *y);
    size_t *next = calloc((size_t)set->classes + 1, sizeof *next);
    if (!x || !y || !next) {
        free(x);
        free(y);
        free(next);
        return gdc_fail(GDC_ENOMEM, "%s: no memory to sort %zu samples", set->name, set->samples);
    }
    find_places(set, next);
    for (size_t i = 0; i < set->samples; i++) {
        size_t to = next[(size_t)set->y[i]]++;
        memcpy(x + to * row, (unsigned char *)set->x + i * row, row);
        y[to] = set->y[i];
    }
    free(set->x);
    free(set->y);
    free(next);
    set->x = x;
    set->y = y;
    return GDC_OK;
}

static gdc_status put_in_order(data *set, uint64_t seed, data_order order)
{
    if (order != DATA_AS_READ)
        shuffle_rows(set, seed);
    return order == DATA_BY_CLASS ? sort_by_class(set) : GDC_OK;
}

static gdc_status read_with(const data_reader_ops *reader, gdc_spec *spec, uint64_t seed, data *into)
{
    const gdc_option *tables[] = {reader->options, NULL};
    void *values = calloc(1, reader->options_bytes);
    if (!values)
        return gdc_fail(GDC_ENOMEM, "%s: no memory for its options", reader->name);
    gdc_status status = gdc_spec_read(spec, reader->options, values);
    if (!status)
        status = gdc_spec_finish(spec, tables);
    if (!status)
        status = reader->read(values, seed, into);
    free(values);
    snprintf(into->name, sizeof into->name, "%s", reader->name);
    return status;
}

static gdc_status read_spec(gdc_spec *spec, uint64_t seed, data **out)
{
    const data_reader_ops *reader = choose_reader(spec);
    if (!reader)
        return GDC_EINVAL;
    data *set = calloc(1, sizeof *set);
    if (!set)
        return gdc_fail(GDC_ENOMEM, "%s: no memory for a data set", reader->name);
    gdc_status status = read_with(reader, spec, seed, set);
    if (status)
        data_close(set);
    else
        *out = set;
    return status;
}

gdc_status data_open(const char *text, uint64_t seed, data_order order, data **out)
{
    gdc_spec *spec = NULL;
    gdc_status status = gdc_spec_parse(text, &spec);
    if (status)
        return status;
    data *set = NULL;
    status = read_spec(spec, seed, &set);
    gdc_spec_destroy(spec);
    if (status)
        return status;
    status = put_in_order(set, seed, order);
    if (status)
        data_close(set);
    else
        *out = set;
    return status;
}

void data_close(data *set)
{
    if (!set)
        return;
    free(set->x);
    free(set->y);
    free(set->optimum);
    free(set);
}

void data_rows_f64(const data *set, size_t first, size_t count, double *out)
{
    size_t begin = first * set->features, values = count * set->features;
    const unsigned char *bytes = set->type == DATA_U8 ? (const unsigned char *)set->x + begin : NULL;
    const float *floats = set->type == DATA_F32 ? (const float *)set->x + begin : NULL;
    for (size_t i = 0; bytes && i < values; i++)
        out[i] = bytes[i] * set->x_scale;
    for (size_t i = 0; floats && i < values; i++)
        out[i] = (double)floats[i] * set->x_scale;
}

void data_rows_f32(const data *set, size_t first, size_t count, float *out)
{
    size_t begin = first * set->features, values = count * set->features;
    float scale = (float)set->x_scale;
    const unsigned char *bytes = set->type == DATA_U8 ? (const unsigned char *)set->x + begin : NULL;
    const float *floats = set->type == DATA_F32 ? (const float *)set->x + begin : NULL;
    for (size_t i = 0; bytes && i < values; i++)
        out[i] = bytes[i] * scale;
    for (size_t i = 0; floats && i < values; i++)
        out[i] = floats[i] * scale;
}

/* data.h - data sets in memory: samples x features, kept in the type of their file.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef APPS_DATA_DATA_H
#define APPS_DATA_DATA_H

#include "gradcode/spec.h"

#include <stdint.h>

typedef enum data_type { DATA_U8, DATA_F32 } data_type;

typedef struct data {
    char name[64]; /* spec name, for reports */
    size_t samples, features;
    int classes; /* labels are 0..classes-1; 0: real targets */
    data_type type;
    void *x;         /* [samples x features] row-major, owned */
    double x_scale;  /* a value is x * x_scale (1/255 for bytes) */
    float *y;        /* [samples] label or target, owned */
    double *optimum; /* [features] the parameters that made synthetic targets; NULL: not known */
} data;

typedef struct data_reader_ops {
    const char *name;
    const char *help;
    const gdc_option *options; /* one table per reader */
    size_t options_bytes;
    /* into is zeroed; on error data_close cleans up */
    gdc_status (*read)(const void *options, uint64_t seed, data *into);
} data_reader_ops;

/* NULL-terminated: fashion-mnist, libsvm, csv, synthetic */
extern const data_reader_ops *const data_readers[];

/* What becomes of the order of the samples, once, by seed. BY_CLASS: shuffled, then sorted by class, so that a contiguous block
 * holds few classes. */
typedef enum data_order { DATA_AS_READ, DATA_SHUFFLED, DATA_BY_CLASS } data_order;

/* Reads the data set of a spec (fashion-mnist | libsvm:FILE | csv:FILE | synthetic:...) and puts its samples in order. EINVAL:
 * bad spec, BY_CLASS of real targets. EDATA: the file is missing, truncated or malformed; the sentence says which file, where
 * and what was expected. ENOMEM. */
gdc_status data_open(const char *spec, uint64_t seed, data_order order, data **out);
void data_close(data *set); /* accepts NULL */

/* Converts samples [first, first + count) to double or float rows: out [count x features], scaled. */
void data_rows_f64(const data *set, size_t first, size_t count, double *out);
void data_rows_f32(const data *set, size_t first, size_t count, float *out);

#endif

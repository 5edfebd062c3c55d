/* real.c - vectors of float or double through CBLAS.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "problems/real.h"

#include <cblas.h>
#include <stdlib.h>

/* Not every cblas.h that stands in for OpenBLAS's own declares it. */
void openblas_set_num_threads(int threads);

void real_single_thread(void)
{
    if (!getenv("OPENBLAS_NUM_THREADS"))
        openblas_set_num_threads(1);
}

size_t real_bytes(gdc_dtype dtype)
{
    return dtype == GDC_F64 ? sizeof(double) : sizeof(float);
}

void *real_at(gdc_dtype dtype, void *vector, size_t index)
{
    return (char *)vector + index * real_bytes(dtype);
}

const void *real_from(gdc_dtype dtype, const void *vector, size_t index)
{
    return (const char *)vector + index * real_bytes(dtype);
}

void real_load(gdc_dtype dtype, size_t count, const void *from, double *to)
{
    for (size_t i = 0; i < count; i++)
        to[i] = dtype == GDC_F64 ? ((const double *)from)[i] : (double)((const float *)from)[i];
}

void real_store(gdc_dtype dtype, size_t count, const double *from, void *to)
{
    for (size_t i = 0; i < count; i++)
        if (dtype == GDC_F64)
            ((double *)to)[i] = from[i];
        else
            ((float *)to)[i] = (float)from[i];
}

void real_rows(gdc_dtype dtype, const data *set, size_t first, size_t count, void *rows)
{
    if (dtype == GDC_F64)
        data_rows_f64(set, first, count, rows);
    else
        data_rows_f32(set, first, count, rows);
}

void *real_ones(gdc_dtype dtype, size_t count)
{
    void *ones = calloc(count, real_bytes(dtype));
    for (size_t i = 0; ones && i < count; i++)
        real_store(dtype, 1, &(double){1}, real_at(dtype, ones, i));
    return ones;
}

void real_axpy(gdc_dtype dtype, size_t count, double alpha, const void *x, void *y)
{
    if (dtype == GDC_F64)
        cblas_daxpy((int)count, alpha, x, 1, y, 1);
    else
        cblas_saxpy((int)count, (float)alpha, x, 1, y, 1);
}

void real_scale(gdc_dtype dtype, size_t count, double alpha, void *x)
{
    if (dtype == GDC_F64)
        cblas_dscal((int)count, alpha, x, 1);
    else
        cblas_sscal((int)count, (float)alpha, x, 1);
}

double real_dot(gdc_dtype dtype, size_t count, const void *x, const void *y)
{
    return dtype == GDC_F64 ? cblas_ddot((int)count, x, 1, y, 1) : cblas_dsdot((int)count, x, 1, y, 1);
}

/* One output is a matrix times a vector: gemv does it in one pass over x where gemm would pack x first. */
void real_forward(gdc_dtype dtype, real_shape shape, const void *x, const void *w, void *s)
{
    int rows = (int)shape.rows, features = (int)shape.features, outputs = (int)shape.outputs;
    if (outputs == 1 && dtype == GDC_F64)
        cblas_dgemv(CblasRowMajor, CblasNoTrans, rows, features, 1, x, features, w, 1, 1, s, 1);
    else if (outputs == 1)
        cblas_sgemv(CblasRowMajor, CblasNoTrans, rows, features, 1, x, features, w, 1, 1, s, 1);
    else if (dtype == GDC_F64)
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, rows, outputs, features, 1, x, features, w, features, 1, s,
                    outputs);
    else
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, rows, outputs, features, 1, x, features, w, features, 1, s,
                    outputs);
}

void real_inward(gdc_dtype dtype, real_shape shape, const void *s, const void *w, void *x)
{
    int rows = (int)shape.rows, features = (int)shape.features, outputs = (int)shape.outputs;
    if (dtype == GDC_F64)
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, rows, features, outputs, 1, s, outputs, w, features, 0,
                    x, features);
    else
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, rows, features, outputs, 1, s, outputs, w, features, 0,
                    x, features);
}

void real_backward(gdc_dtype dtype, real_shape shape, double alpha, const void *s, const void *x, void *w)
{
    int rows = (int)shape.rows, features = (int)shape.features, outputs = (int)shape.outputs;
    if (outputs == 1 && dtype == GDC_F64)
        cblas_dgemv(CblasRowMajor, CblasTrans, rows, features, alpha, x, features, s, 1, 1, w, 1);
    else if (outputs == 1)
        cblas_sgemv(CblasRowMajor, CblasTrans, rows, features, (float)alpha, x, features, s, 1, 1, w, 1);
    else if (dtype == GDC_F64)
        cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, outputs, features, rows, alpha, s, outputs, x, features, 1,
                    w, features);
    else
        cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, outputs, features, rows, (float)alpha, s, outputs, x,
                    features, 1, w, features);
}

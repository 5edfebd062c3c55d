/* statistics.c - means, quantiles and honest intervals.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "gradcode/statistics.h"

#include "base/student.h"

#include <math.h>
#include <stdlib.h>

double gdc_mean(const double *x, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += x[i];
    return count == 0 ? NAN : sum / (double)count;
}

double gdc_variance(const double *x, size_t count)
{
    double mean = gdc_mean(x, count), sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += (x[i] - mean) * (x[i] - mean);
    return count == 0 ? NAN : count == 1 ? 0 : sum / (double)(count - 1);
}

/* NaN is put last, so that the order is total. */
static int ascending(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    if (isnan(a) || isnan(b))
        return (isnan(a) != 0) - (isnan(b) != 0);
    return (a > b) - (a < b);
}

double gdc_quantile(double *x, size_t count, double q)
{
    if (count == 0)
        return NAN;
    qsort(x, count, sizeof *x, ascending);
    double place = q * (double)(count - 1);
    size_t below = (size_t)place;
    double share = place - (double)below;
    if (share == 0 || x[below] == x[below + 1]) /* also keeps inf - inf out */
        return x[below];
    return x[below] + share * (x[below + 1] - x[below]);
}

double gdc_median(double *x, size_t count)
{
    return gdc_quantile(x, count, .5);
}

double gdc_mad(double *x, size_t count)
{
    double median = gdc_median(x, count);
    for (size_t i = 0; i < count; i++)
        x[i] = fabs(x[i] - median);
    return gdc_median(x, count);
}

/* P(|T| <= t) of Student's t, a finite sum for whole degrees of freedom (Abramowitz and Stegun 26.7.3
 * and 26.7.4). */
static double student_inside(double t, int degrees)
{
    const double pi = 3.141592653589793;
    double angle = atan(t / sqrt(degrees)), cosine = cos(angle);
    int is_odd = degrees % 2;
    double term = is_odd ? cosine : 1, sum = degrees == 1 ? 0 : term;
    for (int power = 2 + is_odd; power <= degrees - 2; power += 2) {
        term *= cosine * cosine * (power - 1) / power;
        sum += term;
    }
    return is_odd ? 2 / pi * (angle + sin(angle) * sum) : sin(angle) * sum;
}

/* The 97.5 % point, between those of the normal law and of one degree of freedom. */
double gdc_student_point(int degrees)
{
    double low = 1.9, high = 12.8;
    for (int i = 0; i < 50; i++) {
        double middle = (low + high) / 2;
        if (student_inside(middle, degrees) < .95)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}

/* Batches are contiguous and differ in length by one at most. */
static double batch_mean(const double *x, size_t count, size_t batches, size_t batch)
{
    size_t length = count / batches, longer = count % batches;
    size_t start = batch * length + (batch < longer ? batch : longer);
    return gdc_mean(x + start, length + (batch < longer));
}

double gdc_batch_half_width(const double *x, size_t count, int batches)
{
    if (batches < 2 || count < 2)
        return NAN;
    size_t b = (size_t)batches < count ? (size_t)batches : count;
    double mean = 0, squares = 0;
    for (size_t i = 0; i < b; i++)
        mean += batch_mean(x, count, b, i) / (double)b;
    for (size_t i = 0; i < b; i++)
        squares += pow(batch_mean(x, count, b, i) - mean, 2);
    return gdc_student_point((int)b - 1) * sqrt(squares / (double)(b - 1) / (double)b);
}

/* statistics.h - summaries of measured numbers.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GRADCODE_STATISTICS_H
#define GRADCODE_STATISTICS_H

#include "gradcode/status.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* All of these give NaN for count = 0 and read x[count] only. */
GDC_API double gdc_mean(const double *x, size_t count);
GDC_API double gdc_variance(const double *x, size_t count); /* unbiased; 0 for count = 1 */
/* The q-quantile (0 <= q <= 1), linear between order statistics (Hyndman and Fan's type 7). Sorts x in place. */
GDC_API double gdc_quantile(double *x, size_t count, double q);
GDC_API double gdc_median(double *x, size_t count); /* sorts x in place */
/* Median absolute deviation from the median, not rescaled. Overwrites x. */
GDC_API double gdc_mad(double *x, size_t count);
/* Half-width of the 95 % interval of the mean from `batches` means of consecutive values (Student's t with batches - 1
 * degrees; batches is lowered to count if needed; NaN for fewer than 2). Honest for correlated series. */
GDC_API double gdc_batch_half_width(const double *x, size_t count, int batches);

#ifdef __cplusplus
}
#endif
#endif

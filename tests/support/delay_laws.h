/* delay_laws.h - what tests of delay models share: many draws, and what holds of them within four standard errors.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_SUPPORT_DELAY_LAWS_H
#define TESTS_SUPPORT_DELAY_LAWS_H

#include "gradcode/delay.h"

#include <stddef.h>
#include <stdint.h>

/* GDC_TEST_SEED or 1, printed. */
uint64_t law_seed(void);

/* An array of specs and its count: two arguments. */
#define LAW_SPECS(...)                                                                                                 \
    (const char *const[]){__VA_ARGS__}, (int)(sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

/* Fails the test with the library's sentence. */
gdc_delay *law_delay(const char *const *specs, int count, uint64_t seed, int workers, int pieces);

/* Versions 1 to `versions`: x[((version - 1) * pieces + q) * workers + worker]. Destroys the delay; the caller frees. */
double *law_draws(gdc_delay *delay, int workers, int versions, int pieces);

/* The delay is refused with this status, and the sentence contains all of parts (ending with NULL). */
void law_refuses(gdc_status status, int workers, const char *const *specs, int count, const char *const *parts);
#define LAW_REFUSES(status, workers, specs, ...)                                                                       \
    law_refuses(status, workers, specs, (const char *const[]){__VA_ARGS__, NULL})

void law_near(const char *what, double value, double expected, double standard_error);
/* Independent draws of a law with these moments; kurtosis 3 is that of a normal. */
void law_moments(const double *x, size_t count, double mean, double variance, double kurtosis);
/* The level-quantile is where it should be: so many of the independent draws are below it. */
void law_quantile(const double *x, size_t count, double level, double quantile);
void law_exponential(const double *x, size_t count, double shift, double mean);

#endif

/* vector_f64.c - long vectors of double.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/vector.h"

#include <string.h>

#define REAL        double
#define BITS        uint64_t
#define MAGNITUDE   UINT64_C(0x7fffffffffffffff)
#define LOWEST      UINT64_C(0x0010000000000000)
#define NAMED(word) word##_f64
#include "kernels/vector_body.inc"

/* vector_f32.c - long vectors of float.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/vector.h"

#include <string.h>

#define REAL        float
#define BITS        uint32_t
#define MAGNITUDE   UINT32_C(0x7fffffff)
#define LOWEST      UINT32_C(0x00800000)
#define NAMED(word) word##_f32
#include "kernels/vector_body.inc"

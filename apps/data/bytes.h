/* bytes.h - a whole file in memory, unpacked if it is a gzip file.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef APPS_DATA_BYTES_H
#define APPS_DATA_BYTES_H

#include "gradcode/status.h"

#include <stddef.h>

/* BYTES_PAD zero bytes follow the last one: text can be scanned to a NUL, and inflate may look ahead. */
enum { BYTES_PAD = 16 };
typedef struct bytes {
    unsigned char *at;
    size_t count;
} bytes;

/* Reads a file whole; one that begins as gzip files do is inflated, its CRC and length are checked. EDATA,
 * ENOMEM. */
gdc_status bytes_read(const char *path, bytes *out);
void bytes_free(bytes *b); /* accepts {NULL, 0} */

/* Inflates one gzip member that fills `packed`; path is for the sentences. EDATA, ENOMEM. */
gdc_status gzip_inflate(const char *path, const bytes *packed, bytes *out);

#endif

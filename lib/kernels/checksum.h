/* checksum.h - CRC32C (Castagnoli) over ISA-L, with its plain twin.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GDC_KERNELS_CHECKSUM_H
#define GDC_KERNELS_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/* The CRC of bytes[count] appended to what gave `before` (0 at the start): crc("ab") = crc(crc(0, "a"), "b"). The check value of
 * "123456789" is 0xE3069283. Any length, chunked where ISA-L counts in int. */
uint32_t gdc_crc32c(uint32_t before, const void *bytes, size_t count);
uint32_t gdc_crc32c_ref(uint32_t before, const void *bytes, size_t count);

#endif

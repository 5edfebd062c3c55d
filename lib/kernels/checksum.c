/* checksum.c - CRC32C over ISA-L.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/checksum.h"

#include <isa-l/crc.h>

/* ISA-L leaves both complements of the standard CRC to the caller, and counts in int. */
uint32_t gdc_crc32c(uint32_t before, const void *bytes, size_t count)
{
    const size_t most = (size_t)1 << 30;
    const unsigned char *at = bytes;
    uint32_t running = ~before;
    while (count > 0) {
        size_t length = count < most ? count : most;
        running = crc32_iscsi((unsigned char *)at, (int)length, running); /* only reads */
        at += length;
        count -= length;
    }
    return ~running;
}

uint32_t gdc_crc32c_ref(uint32_t before, const void *bytes, size_t count)
{
    const uint32_t polynomial = 0x82F63B78; /* Castagnoli, lowest bit first */
    const unsigned char *at = bytes;
    uint32_t running = ~before;
    for (size_t i = 0; i < count; i++) {
        running ^= at[i];
        for (int bit = 0; bit < 8; bit++)
            running = (running >> 1) ^ (running & 1 ? polynomial : 0);
    }
    return ~running;
}

/* gzip.c - unpacks a gzip file through ISA-L (RFC 1952: header, deflate stream, CRC32, length modulo 2^32).
 * SPDX-License-Identifier: BSD-3-Clause */
#include "data/bytes.h"

#include <isa-l/igzip_lib.h>

#include <stdint.h>
#include <stdlib.h>

enum {
    SHORTEST = 18,     /* header 10, trailer 8 */
    BEST_RATIO = 1032, /* deflate's limit: 258 bytes from two bits */
};

/* The trailer says how long the data are: one allocation, and a garbled length is refused before it is
 * believed. */
static gdc_status unpacked_length(const char *path, const bytes *packed, size_t *length)
{
    if (packed->count < SHORTEST)
        return gdc_fail(GDC_EDATA, "%s: byte %zu: the gzip file ends here, want at least %d bytes", path, packed->count,
                        SHORTEST);
    if (packed->count > UINT32_MAX)
        return gdc_fail(GDC_EDATA, "%s: %zu bytes of gzip, want less than 4 GiB (unpack it first)", path,
                        packed->count);
    const unsigned char *t = packed->at + packed->count - 4;
    size_t claimed = (size_t)t[0] | (size_t)t[1] << 8 | (size_t)t[2] << 16 | (size_t)t[3] << 24;
    if (claimed / BEST_RATIO > packed->count)
        return gdc_fail(GDC_EDATA,
                        "%s: byte %zu: the gzip trailer claims %zu bytes, want at most %d per packed byte "
                        "(the file is truncated or garbled)",
                        path, packed->count - 4, claimed, BEST_RATIO);
    *length = claimed;
    return GDC_OK;
}

static const char *complaint(int code)
{
    switch (code) {
    case ISAL_END_INPUT:
        return "the file is truncated";
    case ISAL_OUT_OVERFLOW:
        return "the data are longer than the trailer says";
    case ISAL_INCORRECT_CHECKSUM:
        return "CRC or length of the data do not match the trailer";
    case ISAL_INVALID_WRAPPER:
        return "want a gzip header";
    case ISAL_UNSUPPORTED_METHOD:
        return "want compression method 8 (deflate)";
    default:
        return "the deflate stream is garbled";
    }
}

static gdc_status inflate_into(const char *path, const bytes *packed, bytes *b, struct inflate_state *state)
{
    isal_inflate_init(state);
    state->crc_flag = ISAL_GZIP;
    state->next_in = packed->at;
    state->avail_in = (uint32_t)packed->count;
    state->next_out = b->at;
    state->avail_out = (uint32_t)b->count;
    int code = isal_inflate_stateless(state);
    size_t offset = packed->count - state->avail_in;
    if (code != ISAL_DECOMP_OK)
        return gdc_fail(GDC_EDATA, "%s: byte %zu of %zu: %s", path, offset, packed->count, complaint(code));
    if (state->avail_in || state->total_out != b->count)
        return gdc_fail(GDC_EDATA, "%s: byte %zu: want the end of the file (one gzip member), %zu bytes follow", path,
                        offset, (size_t)state->avail_in);
    return GDC_OK;
}

gdc_status gzip_inflate(const char *path, const bytes *packed, bytes *out)
{
    size_t length = 0;
    gdc_status status = unpacked_length(path, packed, &length);
    if (status)
        return status;
    bytes b = {calloc(length + BYTES_PAD, 1), length};
    struct inflate_state *state = malloc(sizeof *state);
    if (b.at && state)
        status = inflate_into(path, packed, &b, state);
    else
        status = gdc_fail(GDC_ENOMEM, "%s: no memory for %zu bytes", path, length);
    free(state);
    if (status)
        bytes_free(&b);
    else
        *out = b;
    return status;
}

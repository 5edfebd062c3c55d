/* bytes.c - reads a file whole, whatever kind of file it is.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "data/bytes.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static gdc_status grow(const char *path, bytes *b, size_t *room)
{
    if (*room > SIZE_MAX / 2 - BYTES_PAD)
        return gdc_fail(GDC_ENOMEM, "%s: longer than memory can address", path);
    size_t wider = *room ? 2 * *room : (size_t)1 << 16;
    unsigned char *at = realloc(b->at, wider + BYTES_PAD);
    if (!at)
        return gdc_fail(GDC_ENOMEM, "%s: no memory for %zu bytes", path, wider);
    b->at = at;
    *room = wider;
    return GDC_OK;
}

/* Reads to the end instead of asking for the size, so that pipes work as well. */
static gdc_status read_stream(const char *path, FILE *stream, bytes *b)
{
    size_t room = 0;
    while (!feof(stream)) {
        if (b->count == room) {
            gdc_status status = grow(path, b, &room);
            if (status)
                return status;
        }
        b->count += fread(b->at + b->count, 1, room - b->count, stream);
        if (ferror(stream))
            return gdc_fail(GDC_EDATA, "%s: byte %zu: cannot read: %s", path, b->count, strerror(errno));
    }
    memset(b->at + b->count, 0, BYTES_PAD);
    return GDC_OK;
}

static gdc_status read_whole(const char *path, bytes *out)
{
    FILE *stream = fopen(path, "rb");
    if (!stream)
        return gdc_fail(GDC_EDATA, "%s: cannot open: %s", path, strerror(errno));
    bytes b = {NULL, 0};
    gdc_status status = read_stream(path, stream, &b);
    fclose(stream);
    if (status)
        bytes_free(&b);
    else
        *out = b;
    return status;
}

gdc_status bytes_read(const char *path, bytes *out)
{
    bytes raw;
    gdc_status status = read_whole(path, &raw);
    if (status)
        return status;
    if (raw.count < 2 || raw.at[0] != 0x1f || raw.at[1] != 0x8b) {
        *out = raw;
        return GDC_OK;
    }
    status = gzip_inflate(path, &raw, out);
    bytes_free(&raw);
    return status;
}

void bytes_free(bytes *b)
{
    free(b->at);
    *b = (bytes){NULL, 0};
}

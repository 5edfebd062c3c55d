/* idx.c - reads and checks IDX files.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "data/idx.h"

#include <stdint.h>

static uint32_t big_endian(const unsigned char *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | (uint32_t)at[3];
}

static gdc_status check_magic(const char *path, int dimensions, const bytes *file)
{
    size_t header = 4 * (size_t)(dimensions + 1);
    if (file->count < header)
        return gdc_fail(GDC_EDATA, "%s: byte %zu: the data end in the header, want %zu bytes", path, file->count,
                        header);
    uint32_t magic = big_endian(file->at), want = 0x800u + (uint32_t)dimensions;
    if (magic != want)
        return gdc_fail(GDC_EDATA, "%s: byte 0: magic %08x, want %08x (IDX, bytes, %d dimensions)", path,
                        (unsigned)magic, (unsigned)want, dimensions);
    return GDC_OK;
}

static gdc_status check_sizes(const char *path, int dimensions, idx *x)
{
    size_t values = 1, found = x->file.count - x->header;
    for (int i = 0; i < dimensions; i++) {
        x->size[i] = big_endian(x->file.at + 4 * (i + 1));
        if (x->size[i] == 0 || values > SIZE_MAX / x->size[i])
            return gdc_fail(GDC_EDATA, "%s: byte %d: size %zu, want 1 or more and data that fit in memory", path,
                            4 * (i + 1), x->size[i]);
        values *= x->size[i];
    }
    if (values != found)
        return gdc_fail(GDC_EDATA, "%s: byte %zu: %zu values, want %zu as its header says", path, x->header, found,
                        values);
    return GDC_OK;
}

gdc_status idx_read(const char *path, int dimensions, idx *out)
{
    idx x = {.header = 4 * (size_t)(dimensions + 1)};
    gdc_status status = bytes_read(path, &x.file);
    if (status)
        return status;
    status = check_magic(path, dimensions, &x.file);
    if (!status)
        status = check_sizes(path, dimensions, &x);
    if (status)
        bytes_free(&x.file);
    else
        *out = x;
    return status;
}

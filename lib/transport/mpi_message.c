/* mpi_message.c - trailers and tags of the messages.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "transport/mpi_message.h"

#include "engine/policy.h"
#include "kernels/checksum.h"

#include <limits.h>
#include <math.h>
#include <string.h>

/* Ranks with another byte order read another number and refuse each other at set-up. */
static const uint32_t magic = 0x47444331; /* "GDC1" */

_Static_assert(sizeof(gdc_trailer) == GDC_TRAILER_UNITS * GDC_UNIT, "the trailer is 128 bytes");
_Static_assert(offsetof(gdc_trailer, magic) == 0, "wire offset");
_Static_assert(offsetof(gdc_trailer, kind) == 4, "wire offset");
_Static_assert(offsetof(gdc_trailer, flags) == 6, "wire offset");
_Static_assert(offsetof(gdc_trailer, version) == 8, "wire offset");
_Static_assert(offsetof(gdc_trailer, worker) == 16, "wire offset");
_Static_assert(offsetof(gdc_trailer, index) == 20, "wire offset");
_Static_assert(offsetof(gdc_trailer, first) == 24, "wire offset");
_Static_assert(offsetof(gdc_trailer, count) == 28, "wire offset");
_Static_assert(offsetof(gdc_trailer, crc) == 32, "wire offset");
_Static_assert(offsetof(gdc_trailer, error) == 36, "wire offset");
_Static_assert(offsetof(gdc_trailer, ack) == 40, "wire offset");
_Static_assert(offsetof(gdc_trailer, limit) == 44, "wire offset");
_Static_assert(offsetof(gdc_trailer, nominal_s) == 48, "wire offset");
_Static_assert(offsetof(gdc_trailer, done) == 56, "wire offset");
_Static_assert(offsetof(gdc_trailer, overran) == 60, "wire offset");
_Static_assert(offsetof(gdc_trailer, finished) == 64, "wire offset");
_Static_assert(offsetof(gdc_trailer, piece_s) == 72, "wire offset");
_Static_assert(offsetof(gdc_trailer, since_model_s) == 80, "wire offset");
_Static_assert(offsetof(gdc_trailer, loss) == 88, "wire offset");
_Static_assert(offsetof(gdc_trailer, norm2) == 96, "wire offset");
_Static_assert(offsetof(gdc_trailer, compute_s) == 104, "wire offset");
_Static_assert(offsetof(gdc_trailer, pieces_s) == 112, "wire offset");
_Static_assert(offsetof(gdc_trailer, payload_crc) == 120, "wire offset");
_Static_assert(offsetof(gdc_trailer, units) == 124, "wire offset");
_Static_assert(GDC_TAG_DATA + 2 * GDC_INDEX_MAX + 1 == 32767, "the highest tag that MPI promises");

gdc_trailer gdc_trailer_make(gdc_message_kind kind, uint64_t version)
{
    return (gdc_trailer){
        .magic = magic,
        .kind = (uint16_t)kind,
        .version = version,
        .worker = -1,
        .index = GDC_BARE,
        .limit = INT_MAX,
        .nominal_s = NAN,
        .piece_s = NAN,
        .since_model_s = NAN,
        .loss = NAN,
        .norm2 = NAN,
        .units = GDC_TRAILER_UNITS,
    };
}

static uint32_t trailer_crc(const gdc_trailer *trailer)
{
    gdc_trailer copy = *trailer;
    copy.crc = 0;
    return gdc_crc32c(0, &copy, sizeof copy);
}

void gdc_trailer_seal_known(gdc_trailer *trailer, uint32_t payload_crc, bool checksum)
{
    if (checksum) {
        trailer->payload_crc = payload_crc;
        trailer->flags |= GDC_FLAG_CHECKED;
    }
    trailer->crc = trailer_crc(trailer);
}

void gdc_trailer_seal(gdc_trailer *trailer, const void *payload, size_t payload_bytes, bool checksum)
{
    gdc_trailer_seal_known(trailer, checksum ? gdc_crc32c(0, payload, payload_bytes) : 0, checksum);
}

bool gdc_trailer_is_sound(const gdc_trailer *trailer, int units)
{
    return trailer->magic == magic && trailer->units == units && trailer->crc == trailer_crc(trailer);
}

bool gdc_trailer_has_span(const gdc_trailer *trailer, int k)
{
    return trailer->count > 0 && trailer->count <= k && trailer->first >= 0 &&
           trailer->first % k <= k - trailer->count && trailer->first <= INT_MAX - trailer->count;
}

bool gdc_trailer_matches(const gdc_trailer *trailer, const void *payload, size_t payload_bytes)
{
    return !(trailer->flags & GDC_FLAG_CHECKED) || trailer->payload_crc == gdc_crc32c(0, payload, payload_bytes);
}

gdc_trailer gdc_trailer_at(const unsigned char *message, int units)
{
    gdc_trailer trailer;
    memcpy(&trailer, message + (size_t)(units - GDC_TRAILER_UNITS) * GDC_UNIT, sizeof trailer);
    return trailer;
}

void gdc_trailer_put(unsigned char *message, int units, const gdc_trailer *trailer)
{
    memcpy(message + (size_t)(units - GDC_TRAILER_UNITS) * GDC_UNIT, trailer, sizeof *trailer);
}

int gdc_tag_make(int index, bool ready)
{
    int base = index == GDC_BARE ? GDC_TAG_BARE : index == GDC_SPAN ? GDC_TAG_SPAN : GDC_TAG_DATA + 2 * index;
    return base + (ready ? 1 : 0);
}

bool gdc_tag_is_known(int tag)
{
    return (tag >= GDC_TAG_BARE && tag <= GDC_TAG_BARE + 1) || (tag >= GDC_TAG_SPAN && tag <= GDC_TAG_SPAN + 1) ||
           tag >= GDC_TAG_DATA;
}

int gdc_tag_index(int tag)
{
    if (tag >= GDC_TAG_DATA) {
        return (tag - GDC_TAG_DATA) / 2;
    }
    return tag >= GDC_TAG_SPAN ? GDC_SPAN : GDC_BARE;
}

bool gdc_tag_is_ready(int tag)
{
    return tag >= GDC_TAG_DATA ? (tag - GDC_TAG_DATA) % 2 == 1 : tag == GDC_TAG_SPAN + 1 || tag == GDC_TAG_BARE + 1;
}

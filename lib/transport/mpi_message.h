/* mpi_message.h - messages on the wire: payload in 64-byte units, then a trailer of 128 bytes; and their tags.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 *   name   from -> to   tag                        length              content
 *   MODEL  root -> w    1                          payload + trailer   one buffer serves all receivers
 *   STOP   root -> w    1                          [payload +] trailer told from MODEL by its trailer's kind
 *   CTRL   root -> w    2                          trailer             RING, WORK(span) or LIMIT(limit)
 *   DATA   w -> root    16 + 2*index + ready       vector + trailer    row `index` of the sender: as long as a payload, or one
 *                                                                      block of it where the plan has several
 *   SPAN   w -> root    8 + ready                  payload + trailer   the sum over the trailer's span
 *   BARE   w -> root    3 + ready                  trailer             READY without data, LEAVE, BYE, ERROR(code)
 *
 * Index and READY are in the tag, too, so that a message whose trailer is damaged still counts as the READY
 * that it was. */
#ifndef GDC_TRANSPORT_MPI_MESSAGE_H
#define GDC_TRANSPORT_MPI_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    GDC_UNIT = 64,         /* bytes per unit of the wire */
    GDC_TRAILER_UNITS = 2, /* length of a trailer */
    GDC_INDEX_MAX = 16375, /* the highest row whose tag lies within the 32767 that MPI promises */
};

enum { GDC_TAG_MODEL = 1, GDC_TAG_CTRL = 2, GDC_TAG_BARE = 3, GDC_TAG_SPAN = 8, GDC_TAG_DATA = 16 };

typedef enum gdc_message_kind {
    GDC_KIND_MODEL = 1,
    GDC_KIND_STOP,
    GDC_KIND_RING,
    GDC_KIND_WORK,
    GDC_KIND_LIMIT,
    GDC_KIND_DATA,
    GDC_KIND_SPAN,
    GDC_KIND_BARE,
} gdc_message_kind;

enum {
    GDC_FLAG_READY = 1,    /* "I have nothing to do" */
    GDC_FLAG_LEAVE = 2,    /* the worker leaves before the root has finished */
    GDC_FLAG_BYE = 4,      /* the worker's last message: all its transfers are complete */
    GDC_FLAG_ERROR = 8,    /* its callback failed with the code in `error` */
    GDC_FLAG_CHECKED = 16, /* payload_crc is valid */
    GDC_FLAG_LOSS = 32,    /* STOP: somebody was lost, so nothing collective may follow */
};

typedef struct gdc_trailer {
    uint32_t magic;
    uint16_t kind, flags;
    uint64_t version;
    int32_t worker, index;
    int32_t first, count; /* WORK, SPAN */
    uint32_t crc;         /* of the trailer with this field zero */
    int32_t error;
    int32_t ack, limit;
    double nominal_s;  /* MODEL: typical time of a piece */
    int32_t done;      /* pieces finished on this model */
    uint32_t overran;  /* since the start: pieces whose computation took longer than their drawn duration */
    uint64_t finished; /* pieces since the start */
    double piece_s;    /* the last piece's time */
    double since_model_s;
    double loss, norm2; /* of the parts that are new in the message; NaN: not known */
    double compute_s;   /* since the start: real computation inside pieces */
    double pieces_s;    /* since the start: duration of the finished pieces */
    uint32_t payload_crc;
    int32_t units; /* length of the whole message */
} gdc_trailer;

/* A trailer of the kind with everything unknown or zero. */
gdc_trailer gdc_trailer_make(gdc_message_kind kind, uint64_t version);

/* Writes the checksums; payload [payload_bytes] is read if checksum. */
void gdc_trailer_seal(gdc_trailer *trailer, const void *payload, size_t payload_bytes, bool checksum);
/* The same with the payload's checksum already known. */
void gdc_trailer_seal_known(gdc_trailer *trailer, uint32_t payload_crc, bool checksum);
/* True iff this is a trailer of ours, undamaged, of a message of `units` units. */
bool gdc_trailer_is_sound(const gdc_trailer *trailer, int units);
/* True iff its span lies within the k partitions of one batch (or of one of its extra mini-batches). */
bool gdc_trailer_has_span(const gdc_trailer *trailer, int k);
/* True iff the payload is what its sender had; also true where the sender made no checksum. */
bool gdc_trailer_matches(const gdc_trailer *trailer, const void *payload, size_t payload_bytes);

/* Trailers lie in the last units of a message. */
gdc_trailer gdc_trailer_at(const unsigned char *message, int units);
void gdc_trailer_put(unsigned char *message, int units, const gdc_trailer *trailer);

/* index: a row, GDC_SPAN or GDC_BARE. */
int gdc_tag_make(int index, bool ready);
bool gdc_tag_is_known(int tag); /* a tag that workers use */
int gdc_tag_index(int tag);
bool gdc_tag_is_ready(int tag);

#endif

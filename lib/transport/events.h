/* events.h - the event queue of the virtual clock: earliest first, in order of insertion where times are equal.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GDC_TRANSPORT_EVENTS_H
#define GDC_TRANSPORT_EVENTS_H

#include "engine/policy.h"

#include <stddef.h>

struct gdc_version;

typedef enum gdc_event_kind {
    GDC_EV_COMPUTED, /* worker, epoch: its piece is done */
    GDC_EV_CUT,      /* worker, epoch: its piece is cut */
    GDC_EV_MODEL,    /* worker, model, hint */
    GDC_EV_WORK,     /* worker, span */
    GDC_EV_RING,     /* worker, number */
    GDC_EV_LIMIT,    /* worker, number, hint.limit */
    GDC_EV_ARRIVE,   /* a message reached the master's link */
    GDC_EV_DELIVER,  /* ... and is through it */
    GDC_EV_RESUME,   /* worker, epoch of its stop */
    GDC_EV_DEAD,     /* worker: the master learns of it */
    GDC_EV_REDUCED,  /* the all-reduce returns */
} gdc_event_kind;

typedef struct gdc_event {
    double at_s;
    uint64_t order; /* set by push */
    gdc_event_kind kind;
    int worker;
    uint64_t number; /* a version, or an epoch */
    struct gdc_version *model;
    gdc_hint hint;
    gdc_span span;
    gdc_arrival arrival;
    bool has_vector;
} gdc_event;

typedef struct gdc_events {
    gdc_event *heap;
    size_t count, capacity;
    uint64_t pushed;
} gdc_events;

bool gdc_events_push(gdc_events *events, gdc_event event); /* false: out of memory */
bool gdc_events_pop(gdc_events *events, gdc_event *event); /* false: empty */
double gdc_events_next(const gdc_events *events);          /* INFINITY: empty */
void gdc_events_free(gdc_events *events);

#endif

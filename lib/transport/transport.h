/* transport.h - what stands behind a gdc_engine handle. One table per transport.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GDC_TRANSPORT_TRANSPORT_H
#define GDC_TRANSPORT_TRANSPORT_H

#include "engine/policy.h"
#include "gradcode/round.h"

typedef struct gdc_transport_ops {
    const char *name;
    gdc_status (*round)(void *self, uint64_t version, const void *model, void *gradient, gdc_round *round);
    gdc_status (*finish)(void *self, const void *model);
    gdc_status (*next)(void *self, gdc_task *task, void **sum);       /* worker ranks; virtual: NULL */
    gdc_status (*submit)(void *self, const gdc_task *task, int code); /* worker ranks; virtual: NULL */
    int (*poll)(void *self);                                          /* worker ranks; virtual: NULL */
    int (*is_over)(const void *self);
    const void *(*final_model)(const void *self);
    double (*now)(const void *self);
    gdc_status (*stats)(const void *self, int worker, gdc_worker_stats *stats);
    gdc_status (*close)(void *self, int *missing); /* frees self */
} gdc_transport_ops;

struct gdc_engine {
    const gdc_transport_ops *ops;
    void *self;
    gdc_strategy_parts parts;
    int workers;
    bool is_root;
    bool finished;
    uint64_t next_version;
};

/* The virtual transport. */
gdc_status gdc_virtual_create(const gdc_options *options, int workers, const gdc_strategy_parts *parts,
                              gdc_partial_fn partial, void *context, void **self);
extern const gdc_transport_ops gdc_virtual_ops;

#endif

/* config.h - what the flags of compare, train, simulate and plan say.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef APPS_GRADCODE_CONFIG_H
#define APPS_GRADCODE_CONFIG_H

#include "command.h"
#include "flags.h"

#include <stdint.h>

enum { REPORT_NONE, REPORT_CRITICAL }; /* the words of --report */

typedef struct config {
    texts strategies, delays, faults, rest; /* rest: arguments that are no flags */
    int workers;                            /* 0: not given */
    int partitions;                         /* as given; 4 for compare without strategies, else 1 */
    size_t batch, rounds, dimension;        /* dimension: simulate only */
    const char *problem, *data, *out;       /* NULL: not given */
    double poll_s, bandwidth, latency_s, rate, momentum, target_loss, give_up_s;
    bool nesterov, json, quiet, force, overwrite;
    int shuffle; /* a data_order: the words of the flag stand in its order */
    int dtype;
    uint64_t seed;
    int warmup;  /* -1: not given */
    int report;  /* REPORT_* */
    int profile; /* rounds on which what is auto is chosen */
} config;

extern const flag config_flags[];

/* Defaults, then the flags of one command. EINVAL with the sentence; arguments that are no flags are EINVAL
 * but for plan. */
gdc_status config_read(unsigned which, int argc, char **argv, config *out);
void config_free(config *c);

#endif

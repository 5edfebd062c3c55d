/* engine_handle.h - what the public functions share.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GDC_API_ENGINE_HANDLE_H
#define GDC_API_ENGINE_HANDLE_H

#include "transport/transport.h"

/* Copies `given`, fills in what an older caller's shorter struct lacks, checks the values. EINVAL. */
gdc_status gdc_options_check(const gdc_options *given, int workers, gdc_options *full);
/* EINVAL: float32 payloads whose predicted error is above 1e-3, unless forced. */
gdc_status gdc_options_check_precision(const gdc_options *options, const gdc_strategy_parts *parts);
/* EINVAL: local steps without a rate. */
gdc_status gdc_options_check_local(const gdc_options *options, const gdc_strategy_parts *parts);
/* Opens the strategy of checked options and checks the precision; nothing is left behind on failure. */
gdc_status gdc_parts_open(const gdc_options *options, int workers, gdc_strategy_parts *parts);

#endif

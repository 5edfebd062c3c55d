/* decoder.h - what the library asks of the decoder beyond the public calls.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GDC_PLAN_DECODER_H
#define GDC_PLAN_DECODER_H

#include "gradcode/decoder.h"

/* Accepts a message (by global number) that is in the plan and was not accepted, redundant or not: more rows
 * can lower the amplification. */
void gdc_decoder_take(gdc_decoder *decoder, int message);

/* What weights [messages] of anybody's making are worth. Whatever was accepted does not matter and stays. */
gdc_decode gdc_decoder_measure(gdc_decoder *decoder, const double *weight);

#endif

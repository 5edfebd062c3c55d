/* fault.h - what goes wrong on purpose: faults that a worker does to itself, with the same meaning on both clocks.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * For demonstrations and tests. Spec: kill|stop|nan|corrupt:worker=3,round=20[,at=compute|sent|model][,for=SECONDS]
 *   kill     the process ends without a word            stop     it stands still, for `for` seconds or for ever (for=0)
 *   nan      its next message of that version carries a NaN    corrupt  ... differs from its checksum in one bit
 *   at       compute: in its first piece of that version (default); sent: right after its first vector of it was sent;
 *            model: right after that version was accepted. nan and corrupt strike the first vector whatever `at` says. */
#ifndef GRADCODE_FAULT_H
#define GRADCODE_FAULT_H

#include "gradcode/status.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum gdc_fault_kind { GDC_FAULT_KILL, GDC_FAULT_STOP, GDC_FAULT_NAN, GDC_FAULT_CORRUPT } gdc_fault_kind;
typedef enum gdc_fault_moment { GDC_AT_COMPUTE, GDC_AT_SENT, GDC_AT_MODEL } gdc_fault_moment;

typedef struct gdc_fault {
    gdc_fault_kind kind;
    gdc_fault_moment at;
    int worker;
    uint64_t version; /* strikes at the first version >= this one that the worker receives; once */
    double for_s;     /* stop: seconds, 0 = for ever */
} gdc_fault;

/* Parses a spec in which `round=R` (from 0) stands for version first_version + R. EINVAL with the sentence. */
GDC_API gdc_status gdc_fault_parse(const char *spec, int workers, uint64_t first_version, gdc_fault *fault);

#ifdef __cplusplus
}
#endif
#endif

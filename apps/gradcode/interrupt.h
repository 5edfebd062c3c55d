/* interrupt.h - SIGINT and SIGTERM: a flag that is looked at between rounds.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef APPS_GRADCODE_INTERRUPT_H
#define APPS_GRADCODE_INTERRUPT_H

#include "gradcode/status.h"

#include <stdbool.h>

/* From now on either signal sets the flag, instead of ending the process. A second one that comes more than a second
 * later ends it after all. worker: the process ends quietly GRACE_S seconds after the first one, so that rank 0 has time to
 * take what was measured; before that, whoever waits for rank 0 goes on. */
enum { INTERRUPT_GRACE_S = 2 };
void interrupt_on(bool worker);
bool interrupt_seen(void);
/* Fails with the sentence "interrupted" if it was seen. */
gdc_status interrupt_check(void);

#endif

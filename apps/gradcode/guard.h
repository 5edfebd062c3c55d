/* guard.h - a bound on start-up: a rank that dies inside a collective call blocks the others for ever.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef APPS_GRADCODE_GUARD_H
#define APPS_GRADCODE_GUARD_H

/* From now on the process has GUARD_S seconds until guard_off, else it says so and leaves with exit code 1.
 */
enum { GUARD_S = 120 };
void guard_on(void);
void guard_off(void);

#endif

/* menu.h - which strategies are run when none, or all, are asked for.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef APPS_GRADCODE_MENU_H
#define APPS_GRADCODE_MENU_H

#include "run.h"

/* Calls take for each spec, in order: of the default comparison, or of `-s all`, one sensible instance of every strategy and code
 * that fits the run's size. ENOMEM, or what take returns. */
gdc_status menu_default(run *r, gdc_status (*take)(run *r, const char *spec));
gdc_status menu_all(run *r, gdc_status (*take)(run *r, const char *spec));

#endif

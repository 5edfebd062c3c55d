/* judge.h - after a strategy's last round: what its kept models and gradients were worth, and its figures.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef APPS_GRADCODE_JUDGE_H
#define APPS_GRADCODE_JUDGE_H

#include "record.h"

/* Moves what rec holds into s: losses, gradient error, work and traffic. Uses a plain loop over samples in
 * double precision; neither plan, decoder nor engine takes part. ENOMEM. */
gdc_status judge(run *r, const entry *e, record *rec, result_strategy *s);

/* An entry that never ran, with the reason. */
gdc_status judge_absent(const entry *e, const char *reason, result_strategy *s);

#endif

/* drops.h - what the tool must know of strategies that drop: rounds that they watch, rounds that make up, the model beside the
 * measurement.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef APPS_GRADCODE_DROPS_H
#define APPS_GRADCODE_DROPS_H

#include "record.h"

/* Makes room before the measured rounds for strategies that watch some, and for more measured rounds where these make up for
 * dropped samples (resample=steps). Faults keep their rounds. EINVAL with the strategy's sentence. */
gdc_status drops_prepare(run *r);
/* One micro-batch per round: a drop that looks after each cannot drop. */
gdc_status drops_note_idle(entry *e);
/* After a strategy was judged and its ideal round is known: what it chose by itself, and what the light-tail model says of its
 * threshold, go into its note. Remembers sync. ENOMEM. */
gdc_status drops_conclude(run *r, const entry *e, const record *rec, result_strategy *s);

#endif

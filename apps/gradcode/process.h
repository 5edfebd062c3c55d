/* process.h - who a process is, and whether it still runs: by /proc, on the same host and in the same pid namespace
 * only.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef APPS_GRADCODE_PROCESS_H
#define APPS_GRADCODE_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

/* A pid alone may be reused; with the start time it names one process of one boot and one namespace. */
typedef struct process {
    int64_t pid; /* 0: not known */
    uint64_t started, boot, space;
} process;

typedef enum process_state { PROCESS_UNKNOWN, PROCESS_RUNS, PROCESS_STOPPED, PROCESS_GONE } process_state;

process process_self(void);
bool process_is_near(const process *a, const process *b); /* same host, same namespace, both known */
/* Of a process that is near. */
process_state process_look(const process *p);
/* SIGKILL, if it is still that process. */
void process_end(const process *p);

#endif

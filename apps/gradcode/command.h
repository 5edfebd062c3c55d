/* command.h - sub-commands of the tool and how they end.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef APPS_GRADCODE_COMMAND_H
#define APPS_GRADCODE_COMMAND_H

#include "gradcode/status.h"

#include <stdbool.h>

/* Exit codes of the rank-0 process. */
enum { ENDED_DONE = 0, ENDED_OTHER = 1, ENDED_INPUT = 2, ENDED_UNFINISHED = 3 };

/* How this process was started. Without a launcher: one process, rank 0 of 1, and MPI is never initialised.
 */
typedef struct launch {
    bool under_mpi;
    int rank, size;
} launch;

typedef struct command {
    const char *name, *help, *usage;
    int (*run)(const launch *how, int argc, char **argv); /* argv after the command's name; returns the exit code */
    unsigned bit;                                         /* its column in the flag table; 0: takes no flags */
} command;

enum { ON_COMPARE = 1, ON_TRAIN = 2, ON_SIMULATE = 4, ON_PLAN = 8, ON_RUNS = ON_COMPARE | ON_TRAIN | ON_SIMULATE };

extern const command command_compare, command_train, command_simulate, command_plan, command_help;
extern const command *const commands[]; /* NULL-terminated */

/* `gradcode: failed: COMMAND: <last error>` on rank 0; returns 2 for bad input and bad files, else 1. */
int end_failed(const launch *how, const char *who, gdc_status status);

/* The help of one command, from its flags. */
void print_command_help(const command *which);

#endif

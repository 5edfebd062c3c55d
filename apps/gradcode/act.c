/* act.c - faults of kind kill and stop, done by a process to itself.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "run.h"

#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* The child of a process that uses MPI may only make async-signal-safe calls. */
static pid_t wake_later(double seconds)
{
    pid_t sleeper = getpid();
    struct timespec pause = {.tv_sec = (time_t)seconds};
    pause.tv_nsec = (long)((seconds - (double)pause.tv_sec) * 1e9);
    pid_t child = fork();
    if (child == 0) {
        nanosleep(&pause, NULL);
        if (getppid() == sleeper)
            kill(sleeper, SIGCONT);
        _exit(0);
    }
    return child;
}

void act_on_self(void *context, const gdc_fault *fault)
{
    (void)context;
    if (fault->kind == GDC_FAULT_KILL)
        raise(SIGKILL);
    if (fault->kind != GDC_FAULT_STOP)
        return;
    pid_t child = fault->for_s > 0 ? wake_later(fault->for_s) : -1;
    if (fault->for_s > 0 && child < 0)
        return;
    raise(SIGSTOP);
    if (child > 0)
        waitpid(child, NULL, 0);
}

/* guard.c - start-up bounded by an alarm, the only thing that gets a process out of a blocking collective.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "guard.h"
#include "command.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

static void leave(int signal_number)
{
    static const char text[] = "gradcode: failed: a rank did not come through the start-up in time\n";
    (void)signal_number;
    if (write(STDERR_FILENO, text, sizeof text - 1) < 0)
        _exit(ENDED_OTHER);
    _exit(ENDED_OTHER);
}

void guard_on(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = leave;
    sigemptyset(&action.sa_mask);
    sigaction(SIGALRM, &action, NULL);
    alarm(GUARD_S);
}

void guard_off(void)
{
    alarm(0);
}

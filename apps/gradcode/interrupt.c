/* interrupt.c - SIGINT and SIGTERM set a flag.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "interrupt.h"
#include "command.h"

#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* The only state of the tool that a signal handler can reach. */
static volatile sig_atomic_t seen, is_worker;
static volatile time_t seen_at;

static void handle(int signal_number, void (*handler)(int))
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaction(signal_number, &action, NULL);
}

static void leave(int signal_number)
{
    (void)signal_number;
    _exit(ENDED_OTHER);
}

/* A launcher may send the same signal twice at once; a person who means it waits a moment. */
static void note_signal(int signal_number)
{
    if (seen) {
        if (time(NULL) > seen_at + 1) {
            signal(signal_number, SIG_DFL);
            raise(signal_number);
        }
        return;
    }
    seen_at = time(NULL);
    seen = 1;
    if (is_worker) {
        handle(SIGALRM, leave);
        alarm(INTERRUPT_GRACE_S);
    }
}

void interrupt_on(bool worker)
{
    is_worker = worker;
    handle(SIGINT, note_signal);
    handle(SIGTERM, note_signal);
}

bool interrupt_seen(void)
{
    return seen != 0;
}

gdc_status interrupt_check(void)
{
    return seen ? gdc_fail(GDC_ETIMEDOUT, "interrupted") : GDC_OK;
}

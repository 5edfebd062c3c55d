/* mpi_idle.c - waiting without burning the core that the others need.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "transport/mpi_idle.h"

#include <errno.h>
#include <math.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

enum { SPINS_ALONE = 2000, SPINS_CROWDED = 50 };
static const double first_sleep_s = 20e-6;
static const double growth = 1.5;

int gdc_idle_spins(int ranks_here)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return ranks_here <= cores ? SPINS_ALONE : SPINS_CROWDED;
}

void gdc_idle_reset(gdc_idle *idle)
{
    idle->polls = 0;
    idle->sleep_s = first_sleep_s;
}

void gdc_idle_wait(gdc_idle *idle, double cap_s)
{
    if (idle->polls < idle->spins) {
        idle->polls++;
        return;
    }
    double pause_s = fmin(idle->sleep_s, cap_s);
    nanosleep(&(struct timespec){.tv_nsec = (long)(pause_s * 1e9)}, NULL);
    idle->sleep_s = fmin(idle->sleep_s * growth, cap_s);
}

double gdc_clock_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void gdc_sleep_until(double when_s)
{
    double whole = floor(when_s);
    struct timespec when = {.tv_sec = (time_t)whole, .tv_nsec = (long)((when_s - whole) * 1e9)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &when, NULL) == EINTR) {}
}

long gdc_slack_enter(void)
{
#ifdef __linux__
    long before = prctl(PR_GET_TIMERSLACK);
    prctl(PR_SET_TIMERSLACK, 1000UL);
    return before;
#else
    return 0;
#endif
}

void gdc_slack_leave(long before)
{
#ifdef __linux__
    if (before > 0) {
        prctl(PR_SET_TIMERSLACK, (unsigned long)before);
    }
#else
    (void)before;
#endif
}

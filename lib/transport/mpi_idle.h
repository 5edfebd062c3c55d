/* mpi_idle.h - how a rank waits: poll a while without pause, then sleep longer and longer up to a cap; and the clock.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Nobody ever blocks inside MPI on a peer: every wait is "test, idle, test again". */
#ifndef GDC_TRANSPORT_MPI_IDLE_H
#define GDC_TRANSPORT_MPI_IDLE_H

/* Longest pauses in seconds. Large transfers move only when both sides call MPI, so they get a short one. */
#define GDC_CAP_TRANSFER_S 100e-6
#define GDC_CAP_ROOT_S     200e-6
#define GDC_CAP_WORKER_S   1e-3

typedef struct gdc_idle {
    int polls, spins; /* empty polls since the last progress; of these, so many without pause */
    double sleep_s;
} gdc_idle;

/* ranks_here: ranks on this node. More of them than cores: give the core up early. */
int gdc_idle_spins(int ranks_here);

void gdc_idle_reset(gdc_idle *idle);
/* One empty poll: returns at once or after a pause of at most cap_s. */
void gdc_idle_wait(gdc_idle *idle, double cap_s);

/* Seconds on this process's monotonic clock. Only differences mean anything; never compared between ranks. */
double gdc_clock_s(void);
void gdc_sleep_until(double when_s);

/* A 50-us sleep takes 110 us with the kernel's default timer slack. enter returns what leave restores; per thread. */
long gdc_slack_enter(void);
void gdc_slack_leave(long before);

#endif

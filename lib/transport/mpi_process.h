/* mpi_process.h - who a rank is on its machine, and whether it is still there, by /proc.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GDC_TRANSPORT_MPI_PROCESS_H
#define GDC_TRANSPORT_MPI_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct gdc_process {
    int64_t pid;
    uint64_t started; /* start time in clock ticks since boot: tells a process from a later one with its pid */
    uint64_t boot;    /* digest of the boot id; 0: not known */
    uint64_t space;   /* inode of the pid namespace */
} gdc_process;

typedef enum gdc_presence { GDC_PRESENT, GDC_STOPPED, GDC_GONE, GDC_UNKNOWN } gdc_presence;

gdc_process gdc_process_self(void);
/* Same kernel. */
bool gdc_process_shares_node(const gdc_process *one, const gdc_process *other);
/* Same kernel and pid namespace: the one's /proc speaks of the other. */
bool gdc_process_sees(const gdc_process *one, const gdc_process *other);
/* GONE is proof: no such process, a zombie, or a later process with the same pid. Ask only about a process that
 * can be seen. */
gdc_presence gdc_process_look(const gdc_process *process);

#endif

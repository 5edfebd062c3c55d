/* mpi_process.c - identity and state of processes, read from /proc.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "transport/mpi_process.h"

#include "kernels/checksum.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Reads at most size - 1 bytes and ends them with 0. Returns their number, or -1 with errno (0 with errno 0). */
static long read_text(const char *path, char *text, size_t size)
{
    int file = open(path, O_RDONLY);
    if (file < 0) {
        return -1;
    }
    long count = (long)read(file, text, size - 1);
    int reason = count < 0 ? errno : 0;
    close(file);
    errno = reason;
    text[count > 0 ? count : 0] = '\0';
    return count;
}

/* Field 3 (state) and field 22 (start time) of /proc/PID/stat. The name in field 2 may contain anything, so
 * fields are counted from its last parenthesis. */
static bool parse_stat(const char *text, char *state, uint64_t *started)
{
    const char *after = strrchr(text, ')');
    unsigned long long ticks;
    if (!after || sscanf(after + 1, " %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %llu",
                         state, &ticks) != 2) {
        return false;
    }
    *started = ticks;
    return true;
}

gdc_process gdc_process_self(void)
{
    gdc_process self = {.pid = (int64_t)getpid()};
    char text[1024], state;
    long count = read_text("/proc/self/stat", text, sizeof text);
    if (count <= 0 || !parse_stat(text, &state, &self.started)) {
        return self;
    }
    struct stat space;
    if (stat("/proc/self/ns/pid", &space)) {
        return self;
    }
    self.space = (uint64_t)space.st_ino;
    count = read_text("/proc/sys/kernel/random/boot_id", text, sizeof text);
    if (count > 0) {
        size_t half = (size_t)count / 2;
        self.boot = (uint64_t)gdc_crc32c(0, text, half) << 32 | gdc_crc32c(1, text + half, (size_t)count - half);
    }
    return self;
}

bool gdc_process_shares_node(const gdc_process *one, const gdc_process *other)
{
    return one->boot != 0 && one->boot == other->boot;
}

bool gdc_process_sees(const gdc_process *one, const gdc_process *other)
{
    return gdc_process_shares_node(one, other) && one->space == other->space;
}

gdc_presence gdc_process_look(const gdc_process *process)
{
    char path[64], text[1024], state;
    uint64_t started;
    snprintf(path, sizeof path, "/proc/%lld/stat", (long long)process->pid);
    if (read_text(path, text, sizeof text) <= 0) {
        return errno == ENOENT || errno == ESRCH ? GDC_GONE : GDC_UNKNOWN;
    }
    if (!parse_stat(text, &state, &started)) {
        return GDC_UNKNOWN;
    }
    if (started != process->started || state == 'Z' || state == 'X') {
        return GDC_GONE;
    }
    return state == 'T' || state == 't' ? GDC_STOPPED : GDC_PRESENT;
}

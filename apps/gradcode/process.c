/* process.c - processes by /proc.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "process.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* State letter and start time (field 22) from /proc/PID/stat; the name in brackets may hold anything. */
static bool read_stat(int64_t pid, char *state, uint64_t *started)
{
    char path[64], text[1024];
    snprintf(path, sizeof path, "/proc/%lld/stat", (long long)pid);
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return false;
    size_t length = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[length] = '\0';
    const char *at = strrchr(text, ')');
    if (at == NULL || at[1] != ' ')
        return false;
    *state = at[2];
    for (int field = 2; field < 22; field++) {
        at = strchr(at + 1, ' ');
        if (at == NULL)
            return false;
    }
    unsigned long long ticks = 0;
    if (sscanf(at, " %llu", &ticks) != 1)
        return false;
    *started = ticks;
    return true;
}

static uint64_t boot_hash(void)
{
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "r");
    if (file == NULL)
        return 0;
    uint64_t hash = 0xcbf29ce484222325u;
    for (int c; (c = fgetc(file)) != EOF;)
        hash = (hash ^ (uint64_t)c) * 0x100000001b3u;
    fclose(file);
    return hash;
}

process process_self(void)
{
    process p = {.pid = (int64_t)getpid(), .boot = boot_hash()};
    struct stat space;
    char state;
    if (stat("/proc/self/ns/pid", &space) == 0)
        p.space = (uint64_t)space.st_ino;
    if (p.boot == 0 || p.space == 0 || !read_stat(p.pid, &state, &p.started))
        p.pid = 0;
    return p;
}

bool process_is_near(const process *a, const process *b)
{
    return a->pid != 0 && b->pid != 0 && a->boot == b->boot && a->space == b->space;
}

process_state process_look(const process *p)
{
    char state = 0;
    uint64_t started = 0;
    if (p->pid == 0)
        return PROCESS_UNKNOWN;
    if (!read_stat(p->pid, &state, &started) || started != p->started || state == 'Z' || state == 'X')
        return PROCESS_GONE;
    return state == 'T' || state == 't' ? PROCESS_STOPPED : PROCESS_RUNS;
}

void process_end(const process *p)
{
    process_state state = process_look(p);
    if (state == PROCESS_RUNS || state == PROCESS_STOPPED)
        kill((pid_t)p->pid, SIGKILL);
}

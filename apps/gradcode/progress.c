/* progress.c - one rewritten line on stderr; in a log of mpirun, one line per strategy.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "run.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

static const double every_s = .1;

static bool is_wanted(const run *r)
{
    return r->is_root && !r->config->quiet && isatty(STDERR_FILENO);
}

void progress_begin(const run *r, const char *spec)
{
    if (r->is_root && r->under_mpi && !r->config->quiet && !isatty(STDERR_FILENO))
        fprintf(stderr, "gradcode: begins %s\n", spec);
}

void progress_show(run *r, const char *what, size_t done, size_t all)
{
    struct timespec now;
    if (!is_wanted(r) || clock_gettime(CLOCK_MONOTONIC, &now) != 0)
        return;
    double now_s = (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
    if (now_s - r->last_shown_s < every_s)
        return;
    r->last_shown_s = now_s;
    if (all > 0)
        fprintf(stderr, "\r\033[K%.60s: round %zu of %zu", what, done, all);
    else
        fprintf(stderr, "\r\033[K%.70s", what);
}

void progress_clear(const run *r)
{
    if (is_wanted(r))
        fputs("\r\033[K", stderr);
}

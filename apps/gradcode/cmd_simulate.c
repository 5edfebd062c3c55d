/* cmd_simulate.c - gradcode simulate: timing only, on the virtual clock, without problem and data.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "experiment.h"

static int simulate(const launch *how, int argc, char **argv)
{
    config c;
    gdc_status status = config_read(ON_SIMULATE, argc, argv, &c);
    if (status == GDC_OK && how->under_mpi)
        status =
            gdc_fail(GDC_EINVAL, "started by mpirun: it runs on the virtual clock in one process, start it without");
    int code = status == GDC_OK ? experiment(how, "simulate", &c, true) : end_failed(how, "simulate", status);
    config_free(&c);
    return code;
}

const command command_simulate = {
    .name = "simulate",
    .help = "timing only: no problem, no data, virtual clock, thousands of workers",
    .usage = "gradcode simulate [-s SPEC ...] [--workers N] [flags]",
    .run = simulate,
    .bit = ON_SIMULATE,
};

/* cmd_compare.c - gradcode compare: several strategies on the same problem, data and delays.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "experiment.h"

static int compare(const launch *how, int argc, char **argv)
{
    config c;
    gdc_status status = config_read(ON_COMPARE, argc, argv, &c);
    int code = status == GDC_OK ? experiment(how, "compare", &c, false) : end_failed(how, "compare", status);
    config_free(&c);
    return code;
}

const command command_compare = {
    .name = "compare",
    .help = "several strategies side by side: under mpirun for real, otherwise on a virtual clock",
    .usage = "[mpirun -n N+1] gradcode compare [-s SPEC ...] [flags]",
    .run = compare,
    .bit = ON_COMPARE,
};

/* cmd_train.c - gradcode train: one strategy.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "experiment.h"

#include <string.h>

static gdc_status want_one(config *c)
{
    if (c->strategies.count > 1)
        return gdc_fail(GDC_EINVAL, "%d strategies: train runs one -s SPEC, compare runs several", c->strategies.count);
    if (c->strategies.count == 1 && strcmp(c->strategies.item[0], "all") == 0)
        return gdc_fail(GDC_EINVAL, "-s all: train runs one -s SPEC, compare runs several");
    return c->strategies.count == 0 ? texts_add(&c->strategies, "gc:code=fractional,load=2") : GDC_OK;
}

static int train(const launch *how, int argc, char **argv)
{
    config c;
    gdc_status status = config_read(ON_TRAIN, argc, argv, &c);
    if (status == GDC_OK)
        status = want_one(&c);
    int code = status == GDC_OK ? experiment(how, "train", &c, false) : end_failed(how, "train", status);
    config_free(&c);
    return code;
}

const command command_train = {
    .name = "train",
    .help = "one strategy (default gc:code=fractional,load=2)",
    .usage = "[mpirun -n N+1] gradcode train [-s SPEC] [flags]",
    .run = train,
    .bit = ON_TRAIN,
};

/* config.c - the table of flags and its defaults.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "data/data.h"

#include <math.h>
#include <string.h>

#define AT(member) offsetof(config, member)
#define ANY        INFINITY

enum { ON_PROBLEM = ON_COMPARE | ON_TRAIN };

/* Partitions per shard of the default comparison, whose drop could never drop with one. */
enum { TO_SHOW_DROPS = 4 };

const flag config_flags[] = {
    {"strategy", 's', FLAG_TEXTS, AT(strategies), 0, 0, NULL, "SPEC",
     "a strategy to run, or all of them: -s all (repeatable; `gradcode help strategies`)", ON_RUNS},
    {"workers", 'n', FLAG_INT, AT(workers), 1, 10000000, NULL, "N",
     "workers; virtual clock only, default 8 (under mpirun: ranks - 1)", ON_PROBLEM},
    {"workers", 'n', FLAG_INT, AT(workers), 1, 10000000, NULL, "N", "workers (8)", ON_SIMULATE},
    {"workers", 'n', FLAG_INT, AT(workers), 1, 10000000, NULL, "N", "workers", ON_PLAN},
    {"partitions", 0, FLAG_INT, AT(partitions), 1, 1000000, NULL, "M",
     "pieces per worker's shard, between which a drop can stop (1; without -s, or with -s all: 4)", ON_COMPARE},
    {"partitions", 0, FLAG_INT, AT(partitions), 1, 1000000, NULL, "M",
     "pieces per worker's shard, between which a drop can stop: with 1 it never does (1)", ON_TRAIN | ON_SIMULATE},
    {"partitions", 0, FLAG_INT, AT(partitions), 1, 1000000, NULL, "M", "partitions per worker's shard (1)", ON_PLAN},
    {"batch", 0, FLAG_COUNT, AT(batch), 0, 1e15, NULL, "B", "samples per round, 0 = all (0)", ON_PROBLEM},
    {"rounds", 0, FLAG_COUNT, AT(rounds), 1, 1e9, NULL, "R", "measured rounds (50)", ON_RUNS},
    {"warmup", 0, FLAG_INT, AT(warmup), 0, 1000000, NULL, "W",
     "rounds before the first clock reading, which count in nothing (mpirun 5, virtual 0)", ON_RUNS},
    {"profile", 0, FLAG_INT, AT(profile), 1, 10000, NULL, "I",
     "rounds of sync, none of them measured, on which key=auto in a strategy is chosen (20)", ON_RUNS},
    {"problem", 0, FLAG_TEXT, AT(problem), 0, 0, NULL, "SPEC", "what is minimised (least-squares)", ON_PROBLEM},
    {"data", 0, FLAG_TEXT, AT(data), 0, 0, NULL, "SPEC", "the data (the problem's own default)", ON_PROBLEM},
    {"dimension", 0, FLAG_COUNT, AT(dimension), 0, 1e12, NULL, "D",
     "numbers in a vector, for --bandwidth (0: vectors cost no bandwidth)", ON_SIMULATE},
    {"delay", 0, FLAG_TEXTS, AT(delays), 0, 0, NULL, "SPEC",
     "how long one piece takes; a worker's shard has M (repeatable: one base, then modifiers; virtual default "
     "none:piece=0.001)",
     ON_RUNS},
    {"poll", 0, FLAG_REAL, AT(poll_s), 0, ANY, "piece", "piece|S",
     "how often a piece looks whether its round is over (piece: never)", ON_RUNS},
    {"bandwidth", 0, FLAG_REAL, AT(bandwidth), 1e-9, ANY, "free", "BYTES_PER_S",
     "virtual clock: of the master's link in each direction (free)", ON_RUNS},
    {"latency", 0, FLAG_REAL, AT(latency_s), 0, ANY, NULL, "S", "virtual clock: of every message (0)", ON_RUNS},
    {"rate", 0, FLAG_REAL, AT(rate), 0, ANY, NULL, "ETA", "step size on the mean gradient (0.1)", ON_PROBLEM},
    {"momentum", 0, FLAG_REAL, AT(momentum), 0, .999999, NULL, "MU", "momentum (0)", ON_PROBLEM},
    {"nesterov", 0, FLAG_YES, AT(nesterov), 0, 0, NULL, NULL, "Nesterov's form of the momentum", ON_PROBLEM},
    {"dtype", 0, FLAG_WORD, AT(dtype), 0, 0, "f64|f32", "f64|f32", "numbers of model and messages (f64)", ON_PROBLEM},
    {"seed", 0, FLAG_SEED, AT(seed), 0, 9007199254740991, NULL, "S",
     "of data order, initial model, delays and codes (1)", ON_RUNS | ON_PLAN},
    {"shuffle", 0, FLAG_WORD, AT(shuffle), 0, 0, "0|1|class", "0|1|class",
     "shuffle the samples once; 0 keeps file order; class: then sorts them by class, so that few workers own a class "
     "(1)",
     ON_PROBLEM},
    {"target-loss", 0, FLAG_REAL, AT(target_loss), -ANY, ANY, NULL, "L",
     "report the first sampled time at which the loss is at most L; 25 rounds, evenly spread, are "
     "sampled",
     ON_PROBLEM},
    {"report", 0, FLAG_WORD, AT(report), 0, 0, "none|critical", "none|critical",
     "critical: how much batch, delay and step the problem bears, from the norms of partials (one more pass over each)",
     ON_PROBLEM},
    {"give-up", 0, FLAG_REAL, AT(give_up_s), 1e-3, ANY, NULL, "S",
     "how long a round waits for workers that are silent (10)", ON_RUNS},
    {"fault", 0, FLAG_TEXTS, AT(faults), 0, 0, NULL, "SPEC",
     "kill|stop|nan|corrupt:worker=W,round=R[,at=compute|sent|model][,for=S] (repeatable)", ON_RUNS},
    {"out", 0, FLAG_TEXT, AT(out), 0, 0, NULL, "DIR", "write result.json, rounds.csv, arrivals.csv and plots there",
     ON_RUNS},
    {"overwrite", 0, FLAG_YES, AT(overwrite), 0, 0, NULL, NULL, "replace results that are in DIR already", ON_RUNS},
    {"json", 0, FLAG_YES, AT(json), 0, 0, NULL, NULL, "the result as JSON on stdout, and nothing else there",
     ON_RUNS | ON_PLAN},
    {"quiet", 0, FLAG_YES, AT(quiet), 0, 0, NULL, NULL, "no progress, and no words below the table", ON_RUNS},
    {"force", 0, FLAG_YES, AT(force), 0, 0, NULL, NULL, "f32 messages although their predicted error is above 1e-3",
     ON_PROBLEM},
    {.name = NULL},
};

static const config defaults = {
    .rounds = 50,
    .profile = 20,
    .poll_s = INFINITY,
    .bandwidth = INFINITY,
    .rate = .1,
    .target_loss = NAN,
    .give_up_s = 10,
    .shuffle = DATA_SHUFFLED,
    .seed = 1,
    .warmup = -1,
};

/* Whoever leaves the choice of strategies to the tool is to see drops that can drop. */
static bool names_no_strategy(const texts *strategies)
{
    for (int i = 0; i < strategies->count; i++)
        if (strcmp(strategies->item[i], "all") != 0)
            return false;
    return true;
}

gdc_status config_read(unsigned which, int argc, char **argv, config *out)
{
    *out = defaults;
    gdc_status status = flags_parse(config_flags, which, argc, argv, out, &out->rest);
    if (status == GDC_OK && which != ON_PLAN && out->rest.count > 0)
        status =
            gdc_fail(GDC_EINVAL, "'%s' is no flag: want flags only, a strategy is given by -s SPEC", out->rest.item[0]);
    if (status == GDC_OK && out->nesterov && out->momentum <= 0)
        status = gdc_fail(GDC_EINVAL, "--nesterov without momentum: give --momentum too, for example 0.9");
    if (out->partitions == 0)
        out->partitions = which == ON_COMPARE && names_no_strategy(&out->strategies) ? TO_SHOW_DROPS : 1;
    return status;
}

void config_free(config *c)
{
    texts_free(&c->strategies);
    texts_free(&c->delays);
    texts_free(&c->faults);
    texts_free(&c->rest);
}

/* uncoded.c - plain partial gradients, sent as they are finished; redundancy by holding more shards than one's own.
 * Several messages per worker without coding: arXiv 1903.01974; in which order to compute: arXiv 1810.09992.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A worker walks its own shard, then the others that it holds (plan/place.h: which). Forward: every shard from its first
 * partition; two-ended: the shards of others from their last, so that owner and helper meet in the middle. */
#include "plan/code.h"

#include "plan/place.h"

#include <limits.h>
#include <stdlib.h>

enum { FORWARD, TWO_ENDED };

typedef struct uncoded_options {
    int load, clusters, place, walk, message, permute;
} uncoded_options;

static const gdc_option rows[] = {
    {"load", GDC_INT, offsetof(uncoded_options, load), "1", 1, INT_MAX, NULL, "shards held per worker", 0},
    {"clusters", GDC_INT, offsetof(uncoded_options, clusters), "1", 1, INT_MAX, NULL,
     "number of clusters, a divisor of the number of workers; only workers of a cluster help each other", 0},
    {"place", GDC_WORD, offsetof(uncoded_options, place), "ring", 0, 0, GDC_PLACE_WORDS,
     "whose shards a worker holds: of the next ones, of its group, at spread distances, or at random", 0},
    {"walk", GDC_WORD, offsetof(uncoded_options, walk), "forward", 0, 0, "forward|two-ended",
     "direction in which the shards of others are walked", 0},
    {"message", GDC_INT, offsetof(uncoded_options, message), "0", 0, INT_MAX, NULL,
     "partitions per message, a divisor of a shard's; 0: one message per shard", 0},
    {"permute", GDC_INT, offsetof(uncoded_options, permute), "1", 0, 1, NULL,
     "1: a seeded permutation puts workers into clusters and places; 0: in order of rank", 0},
    {.key = NULL},
};

/* The divisor of shard that is nearest to message. */
static int nearest_divisor(int message, int shard)
{
    int nearest = shard;
    for (int f = 1; f < shard; f++)
        if (shard % f == 0 && abs(f - message) < abs(nearest - message))
            nearest = f;
    return nearest;
}

static gdc_status check_message(int message, int shard)
{
    if (message == 0 || shard % message == 0)
        return GDC_OK;
    return gdc_fail(GDC_EINVAL,
                    "uncoded: message=%d with %d partitions per shard: want a divisor of %d, nearest is %d "
                    "(0: the whole shard)",
                    message, shard, shard, nearest_divisor(message, shard));
}

/* The i-th shard of a walk, cut into messages. */
static void add_shard(gdc_plan_writer *writer, gdc_span shard, int i, bool backward, int message)
{
    gdc_plan_add_leg(writer, shard, backward);
    for (int done = 0; done < shard.count; done += message) {
        int first = shard.first + (backward ? shard.count - done - message : done);
        gdc_term term = {{first, message}, 1};
        gdc_plan_add_row(writer, i * shard.count + done + message, 1, &term);
    }
}

static gdc_status write_plan(const uncoded_options *o, int n, int k, const int *held, gdc_plan **plan)
{
    gdc_plan_writer *writer;
    int message = o->message == 0 ? k / n : o->message;
    gdc_status status = gdc_plan_writer_create(n, k, &writer);
    if (status != GDC_OK)
        return status;
    for (int w = 0; w < n; w++) {
        const int *shard = held + (size_t)w * (size_t)o->load;
        for (int i = 0; i < o->load; i++)
            add_shard(writer, gdc_shard(n, k, shard[i]), i, i > 0 && o->walk == TWO_ENDED, message);
        gdc_plan_end_worker(writer);
    }
    return gdc_plan_writer_finish(writer, plan);
}

static gdc_status uncoded_build(const void *options, int n, int k, uint64_t seed, gdc_plan **plan)
{
    const uncoded_options *o = options;
    const gdc_placing placing = {o->place, o->clusters, o->load, o->permute != 0, seed};
    int *held;
    gdc_status status = gdc_code_check_clusters("uncoded", o->clusters, o->load, n);
    if (status == GDC_OK)
        status = check_message(o->message, k / n);
    if (status == GDC_OK)
        status = gdc_place_create(&placing, n, &held);
    if (status != GDC_OK)
        return status;
    status = write_plan(o, n, k, held, plan);
    free(held);
    return status;
}

const gdc_code_ops gdc_code_uncoded = {
    .name = "uncoded",
    .help = "plain partial gradients, each sent when it is finished; load > 1 lets others help",
    .options = rows,
    .options_bytes = sizeof(uncoded_options),
    .build = uncoded_build,
};

/* judge.c - gradient error and losses by a plain loop over samples, and the figures of a strategy.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * gradient_error = ||g - f|| / max(||f||, 1e-3 sum_j ||g_j||): g what the update applied, f = sum_j g_j the
 * gradient of the round's whole batch at the model being updated, both as sums over samples, in double,
 * partitions in order. */
#include "judge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct bench {
    double *model;                  /* [PROBLEM_MODELS x d] */
    double *applied, *whole, *part; /* [d] each */
} bench;

static gdc_status bench_open(size_t d, bench *b)
{
    size_t vectors = PROBLEM_MODELS + 3;
    double *all = d > 0 && d <= SIZE_MAX / (vectors * sizeof *all) ? malloc(vectors * d * sizeof *all) : NULL;
    if (all == NULL)
        return gdc_fail(GDC_ENOMEM, "no memory to evaluate a model of %zu numbers", d);
    double *rest = all + PROBLEM_MODELS * d;
    *b = (bench){.model = all, .applied = rest, .whole = rest + d, .part = rest + 2 * d};
    return GDC_OK;
}

static void widen(const run *r, const void *from, double *to)
{
    if (r->dtype == GDC_F64)
        memcpy(to, from, r->dimension * sizeof *to);
    else
        for (size_t i = 0; i < r->dimension; i++)
            to[i] = ((const float *)from)[i];
}

static double norm(const double *x, size_t d)
{
    double sum = 0;
    for (size_t i = 0; i < d; i++)
        sum += x[i] * x[i];
    return sqrt(sum);
}

static void add_partition(const run *r, uint64_t version, int partition, const double *model, double *sum)
{
    sample_range range[2];
    int ranges = batch_ranges(&r->batch, version, partition, range);
    for (int i = 0; i < ranges; i++)
        r->judge.ops->add(r->judge.self, range[i].first, range[i].count, 1, model, sum);
}

/* b->model and b->applied are given. */
static double gradient_error(const run *r, uint64_t version, const bench *b)
{
    size_t d = r->dimension;
    double parts = 0;
    memset(b->whole, 0, d * sizeof *b->whole);
    for (int j = 0; j < r->k; j++) {
        memset(b->part, 0, d * sizeof *b->part);
        add_partition(r, version, j, b->model, b->part);
        parts += norm(b->part, d);
        for (size_t i = 0; i < d; i++)
            b->whole[i] += b->part[i];
    }
    double scale = fmax(norm(b->whole, d), 1e-3 * parts);
    for (size_t i = 0; i < d; i++)
        b->part[i] = b->applied[i] - b->whole[i];
    double error = norm(b->part, d);
    return scale > 0 ? error / scale : error;
}

/* loss [kept]: of the sampled models, some at a time. */
static void judge_losses(run *r, const entry *e, const record *rec, const bench *b, double *loss)
{
    size_t bytes = r->dimension * r->element;
    for (size_t i = 0, part; i < rec->kept; i += part) {
        const void *models[PROBLEM_MODELS];
        part = rec->kept - i < PROBLEM_MODELS ? rec->kept - i : PROBLEM_MODELS;
        for (size_t m = 0; m < part; m++) {
            widen(r, rec->models + (i + m) * bytes, b->model + m * r->dimension);
            models[m] = b->model + m * r->dimension;
        }
        progress_show(r, e->spec, 0, 0);
        problem_losses(&r->judge, models, (int)part, loss + i);
    }
}

/* class_loss [classes]: sums become means; a class without samples has none. */
static gdc_status divide_by_counts(const run *r, double *class_loss)
{
    double *count = calloc((size_t)r->data->classes, sizeof *count);
    if (count == NULL)
        return gdc_fail(GDC_ENOMEM, "no memory for %d classes", r->data->classes);
    for (size_t i = 0; i < r->data->samples; i++)
        count[(size_t)r->data->y[i]]++;
    for (int c = 0; c < r->data->classes; c++)
        class_loss[c] = count[c] > 0 ? class_loss[c] / count[c] : NAN;
    free(count);
    return GDC_OK;
}

static gdc_status judge_end(const run *r, const record *rec, const bench *b, result_strategy *s)
{
    const result_round *end = &rec->round[rec->rounds - 1];
    bool has_classes = r->data->classes > 0;
    if (has_classes && (s->class_loss = calloc((size_t)r->data->classes, sizeof *s->class_loss)) == NULL)
        return gdc_fail(GDC_ENOMEM, "no memory for %d classes", r->data->classes);
    widen(r, rec->last, b->model);
    s->loss_final = problem_loss(&r->judge, b->model, s->class_loss);
    if (isnan(s->time_to_target_s) && s->loss_final <= r->config->target_loss)
        s->time_to_target_s = end->start_s + end->round_s;
    return has_classes ? divide_by_counts(r, s->class_loss) : GDC_OK;
}

static gdc_status judge_samples(run *r, const entry *e, record *rec, const bench *b, result_strategy *s)
{
    size_t bytes = r->dimension * r->element;
    double loss[SAMPLES_MAX];
    judge_losses(r, e, rec, b, loss);
    for (size_t i = 0; i < rec->kept; i++) {
        size_t round = r->sampled[i];
        progress_show(r, e->spec, 0, 0);
        widen(r, rec->models + i * bytes, b->model);
        widen(r, rec->gradients + i * bytes, b->applied);
        double error = !e->steps_locally ? gradient_error(r, r->warmup + 1 + round, b) : NAN;
        s->gradient_error = i > 0 && error <= s->gradient_error ? s->gradient_error : error;
        if (round < rec->rounds)
            rec->round[round].loss = loss[i];
        if (isnan(s->time_to_target_s) && round < rec->rounds && loss[i] <= r->config->target_loss)
            s->time_to_target_s = rec->round[round].start_s;
    }
    if (rec->kept > 0)
        s->loss_initial = loss[0];
    return rec->rounds > 0 ? judge_end(r, rec, b, s) : GDC_OK;
}

/* Sums over workers of what happened between the two ends of the measured rounds. */
static void judge_work(const run *r, const record *rec, result_strategy *s)
{
    double pieces = 0, messages = 0, bytes = 0, compute_s = 0, piece_s = 0, overran = 0, rounds = (double)rec->rounds;
    s->least_worker_share = INFINITY;
    for (int w = 0; w < r->workers; w++) {
        const gdc_worker_stats *x = &rec->before[w], *y = &rec->after[w];
        pieces += (double)(y->pieces - x->pieces);
        messages += (double)(y->messages - x->messages);
        bytes += (double)(y->bytes - x->bytes);
        compute_s += y->compute_s - x->compute_s;
        piece_s += y->piece_s - x->piece_s;
        overran += (double)(y->overran - x->overran);
        double share = (y->home_used - x->home_used) / (rounds * r->config->partitions);
        s->least_worker_share = fmin(s->least_worker_share, share);
    }
    s->work_ratio = pieces / (rounds * r->k);
    s->messages_per_round = messages / rounds;
    s->bytes_per_round = bytes / rounds;
    if (!r->under_mpi)
        return;
    s->compute_share = piece_s > 0 ? compute_s / piece_s : NAN;
    s->overrun_share = pieces > 0 ? overran / pieces : NAN;
}

/* Sums over the measured rounds. */
static void judge_rounds(const entry *e, const record *rec, result_strategy *s)
{
    double used = 0, residual = 0, rounds = (double)rec->rounds;
    uint64_t vectors = 0, fresh = 0;
    for (size_t i = 0; i < rec->rounds; i++) {
        const result_round *x = &rec->round[i];
        used += x->used_fraction;
        residual += x->residual;
        vectors += x->vectors;
        fresh += x->fresh;
        s->staleness_sum += x->staleness;
        s->in_flight_last = x->in_flight;
    }
    if (rec->rounds == 0)
        return;
    s->used_fraction = used / rounds;
    s->residual = e->collective ? NAN : residual / rounds;
    if (vectors == 0)
        return;
    s->vectors_per_update = (double)vectors / rounds;
    s->staleness_mean = (double)s->staleness_sum / (double)vectors;
    s->fresh_fraction = (double)fresh / (double)vectors;
}

static gdc_status judge_workers(const run *r, const record *rec, result_strategy *s)
{
    s->worker = calloc((size_t)r->workers, sizeof *s->worker);
    if (s->worker == NULL)
        return gdc_fail(GDC_ENOMEM, "no memory for %d workers", r->workers);
    for (int w = 0; w < r->workers; w++) {
        const gdc_worker_stats *x = &rec->before[w], *y = &rec->after[w];
        s->worker[w] =
            (result_worker){.pieces = (double)(y->pieces - x->pieces),
                            .used = y->used - x->used,
                            .home_share = (y->home_used - x->home_used) / ((double)rec->rounds * r->config->partitions),
                            .busy_s = y->piece_s - x->piece_s,
                            .compute_s = y->compute_s - x->compute_s,
                            .erased = (double)(y->erased - x->erased)};
    }
    return GDC_OK;
}

static gdc_status judge_lost(const run *r, const record *rec, result_strategy *s)
{
    int count = 0;
    for (int w = 0; w < r->workers; w++)
        count += rec->after[w].lost != NULL;
    if (count == 0)
        return GDC_OK;
    s->lost = calloc((size_t)count, sizeof *s->lost);
    if (s->lost == NULL)
        return gdc_fail(GDC_ENOMEM, "no memory for %d lost workers", count);
    for (int w = 0; w < r->workers; w++) {
        const gdc_worker_stats *x = &rec->after[w];
        if (x->lost == NULL)
            continue;
        result_lost *lost = &s->lost[s->lost_count++];
        *lost =
            (result_lost){.worker = w, .round = (long)x->lost_version - (long)r->warmup - 1, .returned = x->returned};
        strncpy(lost->how, x->lost, sizeof lost->how - 1);
    }
    return GDC_OK;
}

static gdc_status begin(const entry *e, result_strategy *s)
{
    *s = (result_strategy){.exact = e->exact, .collective = e->collective, .load = e->load};
    double *unknown[] = {&s->wall_s,         &s->ideal_round_s, &s->messages_per_round, &s->bytes_per_round,
                         &s->work_ratio,     &s->used_fraction, &s->least_worker_share, &s->gradient_error,
                         &s->loss_initial,   &s->loss_final,    &s->time_to_target_s,   &s->compute_share,
                         &s->overrun_share,  &s->amplification, &s->residual,           &s->vectors_per_update,
                         &s->staleness_mean, &s->fresh_fraction};
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
        *unknown[i] = NAN;
    s->spec = strdup(e->spec);
    if (e->chosen != NULL && (s->chosen = strdup(e->chosen)) == NULL)
        return gdc_fail(GDC_ENOMEM, "no memory for a choice");
    s->careful_price = e->careful_price;
    if (e->careful != NULL && (s->careful = strdup(e->careful)) == NULL)
        return gdc_fail(GDC_ENOMEM, "no memory for a choice");
    if (e->note != NULL && (s->note = strdup(e->note)) == NULL)
        return gdc_fail(GDC_ENOMEM, "no memory for a note");
    return s->spec != NULL ? GDC_OK : gdc_fail(GDC_ENOMEM, "no memory for the name of a strategy");
}

gdc_status judge_absent(const entry *e, const char *reason, result_strategy *s)
{
    gdc_status status = begin(e, s);
    if (status == GDC_OK && (s->error = strdup(reason)) == NULL)
        status = gdc_fail(GDC_ENOMEM, "no memory for a sentence");
    return status;
}

gdc_status judge(run *r, const entry *e, record *rec, result_strategy *s)
{
    gdc_status status = rec->error[0] != '\0' ? judge_absent(e, rec->error, s) : begin(e, s);
    bench b = {.model = NULL};
    if (status == GDC_OK && !r->timing_only)
        status = bench_open(r->dimension, &b);
    if (status == GDC_OK)
        status = judge_lost(r, rec, s);
    if (status == GDC_OK && rec->rounds > 0)
        status = judge_workers(r, rec, s);
    if (status == GDC_OK)
        status = noise_judge(r, &rec->noise.reading, s);
    if (status != GDC_OK) {
        free(b.model);
        return status;
    }
    s->wall_s = rec->wall_s;
    s->amplification = rec->amplification;
    if (rec->rounds > 0)
        judge_work(r, rec, s);
    if (!r->timing_only)
        status = judge_samples(r, e, rec, &b, s);
    judge_rounds(e, rec, s);
    free(b.model);
    s->rounds_completed = rec->rounds;
    s->round = rec->round;
    s->arrival = rec->arrival;
    s->arrivals = rec->arrivals;
    s->arrivals_left_out = rec->arrivals_left_out;
    r->arrivals += rec->arrivals;
    rec->round = NULL;
    rec->arrival = NULL;
    return status;
}

/* record.c - readings, and sampled models and gradients.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "record.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* calloc may hand out pages that fault at their first write, inside the clock. */
static void *touched(size_t count, size_t bytes)
{
    size_t room = count > 0 ? count : 1;
    if (bytes > 0 && room > SIZE_MAX / bytes)
        return NULL;
    void *memory = malloc(room * bytes);
    if (memory != NULL)
        memset(memory, 1, room * bytes);
    return memory;
}

static gdc_status open_samples(record *rec)
{
    const run *r = rec->run;
    size_t vector = r->dimension * r->element;
    rec->models = touched(r->sampled_count, vector);
    rec->gradients = touched(r->sampled_count, vector);
    rec->last = touched(1, vector);
    if (rec->models == NULL || rec->gradients == NULL || rec->last == NULL)
        return gdc_fail(GDC_ENOMEM, "no memory to keep %zu sampled rounds of %zu numbers", r->sampled_count,
                        r->dimension);
    return GDC_OK;
}

/* Every round brings at most all rows once more; what comes beyond makes the array grow. */
static gdc_status open_arrivals(record *rec, int rows)
{
    const run *r = rec->run;
    double wanted = (double)r->config->rounds * r->workers * rows;
    rec->arrival_room = wanted < ARRIVALS_MAX ? (size_t)wanted : ARRIVALS_MAX;
    rec->arrival = touched(rec->arrival_room, sizeof *rec->arrival);
    return rec->arrival != NULL ? GDC_OK : gdc_fail(GDC_ENOMEM, "no memory for %g arrivals", wanted);
}

gdc_status record_open(const run *r, const entry *e, bool keeps_samples, record *rec)
{
    *rec = (record){.run = r, .most = e->rounds_most, .amplification = NAN, .wall_s = NAN};
    rec->round = touched(rec->most, sizeof *rec->round);
    rec->before = calloc((size_t)r->workers, sizeof *rec->before);
    rec->after = calloc((size_t)r->workers, sizeof *rec->after);
    if (rec->round == NULL || rec->before == NULL || rec->after == NULL)
        return gdc_fail(GDC_ENOMEM, "no memory for %zu rounds of %d workers", rec->most, r->workers);
    gdc_status status = r->config->out != NULL && r->is_root ? open_arrivals(rec, 2) : GDC_OK;
    if (status == GDC_OK && keeps_samples)
        status = noise_open(r, &rec->noise);
    return status == GDC_OK && keeps_samples && !r->timing_only ? open_samples(rec) : status;
}

void record_close(record *rec)
{
    if (!rec->lent) {
        free(rec->round);
        free(rec->models);
        free(rec->gradients);
        free(rec->last);
    }
    noise_close(&rec->noise);
    free(rec->before);
    free(rec->after);
    free(rec->arrival);
}

static bool is_sampled(const record *rec, size_t round)
{
    return rec->models != NULL && rec->kept < rec->run->sampled_count && rec->run->sampled[rec->kept] == round;
}

void record_model(record *rec, size_t round, const void *model)
{
    size_t bytes = rec->run->dimension * rec->run->element;
    if (is_sampled(rec, round))
        memcpy(rec->models + rec->kept * bytes, model, bytes);
}

void record_gradient(record *rec, size_t round, const void *gradient)
{
    size_t bytes = rec->run->dimension * rec->run->element;
    if (is_sampled(rec, round))
        memcpy(rec->gradients + rec->kept++ * bytes, gradient, bytes);
}

bool record_goes_on(const record *rec)
{
    double batches = (double)rec->run->config->rounds;
    return rec->rounds < rec->run->config->rounds || (rec->rounds < rec->most && rec->used < batches * (1 - 1e-9));
}

void record_round(record *rec, double start_s, double round_s, const gdc_round *round)
{
    rec->used += round->used;
    rec->round[rec->rounds++] = (result_round){.start_s = start_s,
                                               .round_s = round_s,
                                               .used_fraction = round->used,
                                               .messages = round->messages,
                                               .loss = NAN,
                                               .vectors = round->vectors,
                                               .fresh = round->fresh,
                                               .staleness = round->staleness,
                                               .in_flight = round->in_flight,
                                               .told_loss = round->loss,
                                               .residual = round->residual};
    if (!(round->amplification <= rec->amplification))
        rec->amplification = isnan(round->amplification) ? rec->amplification : round->amplification;
}

void record_final(record *rec, const void *model)
{
    noise_end(&rec->noise);
    if (rec->last != NULL)
        memcpy(rec->last, model, rec->run->dimension * rec->run->element);
}

static bool has_arrival_room(record *rec)
{
    if (rec->run->arrivals + rec->arrivals >= ARRIVALS_MAX)
        return false;
    if (rec->arrivals < rec->arrival_room)
        return true;
    size_t room = 2 * rec->arrival_room + 1;
    result_arrival *grown = realloc(rec->arrival, room * sizeof *grown);
    if (grown == NULL)
        return false;
    rec->arrival = grown;
    rec->arrival_room = room;
    return true;
}

/* Arrivals of warm-up versions count in nothing. */
void record_arrival(void *context, const gdc_arrival_note *note)
{
    record *rec = context;
    if (note->version <= rec->run->warmup)
        return;
    size_t round = (size_t)(note->version - rec->run->warmup - 1);
    if (round > rec->rounds)
        return;
    if (!has_arrival_room(rec)) {
        rec->arrivals_left_out++;
        return;
    }
    double start_s = round < rec->rounds ? rec->round[round].start_s
                     : round == 0        ? 0
                                         : rec->round[round - 1].start_s + rec->round[round - 1].round_s;
    rec->arrival[rec->arrivals++] = (result_arrival){.round = (long)round,
                                                     .worker = note->worker,
                                                     .index = note->index,
                                                     .arrival_s = note->arrival_s - rec->began_s - start_s,
                                                     .fate = note->fate};
}

/* The library counts versions, from 1 and with the warm-up; tables and files count measured rounds, from 0. */
static const char *put_round(const record *rec, const char *sentence, char *number, size_t bytes)
{
    unsigned long long version = 0;
    int length = 0;
    number[0] = '\0';
    if (sscanf(sentence, "round %llu: %n", &version, &length) != 1 || length == 0)
        return sentence;
    if (version > rec->run->warmup)
        snprintf(number, bytes, "round %llu: ", version - (unsigned long long)rec->run->warmup - 1);
    else
        snprintf(number, bytes, "warm-up round %llu: ", version);
    return sentence + length;
}

void record_failure(record *rec, gdc_status status)
{
    char number[48];
    const char *sentence = gdc_last_error()[0] != '\0' ? gdc_last_error() : gdc_strerror(status);
    const char *rest = put_round(rec, sentence, number, sizeof number);
    rec->status = status;
    snprintf(rec->error, sizeof rec->error, "%s%s", number, rest);
}

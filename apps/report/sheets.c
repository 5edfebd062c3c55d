/* sheets.c - rounds.csv and arrivals.csv: one line per round, one per vector that arrived.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "report/parts.h"

#include <inttypes.h>
#include <math.h>

/* A field that may hold commas and quotes. */
static void csv_text(FILE *out, const char *s)
{
    fputc('"', out);
    for (; *s != '\0'; s++) {
        if (*s == '"')
            fputc('"', out);
        fputc(*s, out);
    }
    fputc('"', out);
}

/* NaN is an empty field. */
static void csv_real(FILE *out, double x)
{
    fputc(',', out);
    if (isfinite(x))
        fprintf(out, "%.17g", x);
}

static void csv_count(FILE *out, uint64_t x)
{
    fprintf(out, ",%" PRIu64, x);
}

void report_rounds_csv(const result *r, FILE *out)
{
    fprintf(out, "strategy,round,start_s,round_s,used_fraction,messages,loss,"
                 "vectors,fresh,staleness,in_flight,told_loss,residual\n");
    for (int i = 0; i < r->strategies; i++)
        for (size_t j = 0; j < r->strategy[i].rounds_completed; j++) {
            const result_round *round = &r->strategy[i].round[j];
            csv_text(out, r->strategy[i].spec);
            fprintf(out, ",%zu", j);
            csv_real(out, round->start_s);
            csv_real(out, round->round_s);
            csv_real(out, round->used_fraction);
            csv_real(out, round->messages);
            csv_real(out, round->loss);
            csv_count(out, round->vectors);
            csv_count(out, round->fresh);
            csv_count(out, round->staleness);
            csv_count(out, round->in_flight);
            csv_real(out, round->told_loss);
            csv_real(out, round->residual);
            fputc('\n', out);
        }
}

static const char *fate_word(gdc_fate fate)
{
    switch (fate) {
    case GDC_FATE_KEPT:
        return "kept";
    case GDC_FATE_FOLDED:
        return "folded";
    case GDC_FATE_DISCARDED:
        return "discarded";
    case GDC_FATE_ERASED:
        return "erased";
    }
    return "";
}

void report_arrivals_csv(const result *r, FILE *out)
{
    fprintf(out, "strategy,round,worker,index,arrival_s,fate\n");
    for (int i = 0; i < r->strategies; i++)
        for (size_t j = 0; j < r->strategy[i].arrivals; j++) {
            const result_arrival *a = &r->strategy[i].arrival[j];
            csv_text(out, r->strategy[i].spec);
            fprintf(out, ",%ld,%d,%d", a->round, a->worker, a->index);
            csv_real(out, a->arrival_s);
            fprintf(out, ",%s\n", fate_word(a->fate));
        }
}

/* decoder.c - the generic decoder: components, each on its own; completion in O(1); weights with their residual.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "plan/decoder.h"

#include "plan/chain.h"
#include "plan/code.h"
#include "plan/fit.h"
#include "plan/rank.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double gate = 1e-7; /* largest residual of a decode that is called exact */

typedef struct dense_part { /* of a dense component */
    gdc_rank rank;
    gdc_fit fit;
} dense_part;

typedef struct component {
    bool touched, complete;
    bool solved;       /* its weights are those of the accepted messages */
    int accepted;      /* messages */
    dense_part *dense; /* NULL: a chain */
} component;

struct gdc_decoder {
    const gdc_plan *plan;
    gdc_cells cells;
    gdc_chains chains;
    component *component;    /* [components] */
    int open;                /* components that are not complete */
    unsigned char *accepted; /* [messages] */
    unsigned char *taken;    /* [messages]: a message with this row was accepted; by twin */
    int *arrived;            /* [messages] the accepted ones */
    int arrivals;
    double *weight; /* [blocks x messages] generic weights of solved components */
    double *fast;   /* [blocks x messages] weights of the code's fast path */
    void *prepared; /* by the code, for its fast path */
    double *rho;    /* [cells] of one block */
    double *off;    /* [stretches] largest |rho| of their partitions over all blocks */
};

/* ---- life ---- */

static gdc_status add_dense(gdc_decoder *d, int c)
{
    const gdc_cells *cells = &d->cells;
    dense_part *dense = calloc(1, sizeof *dense);
    if (dense == NULL)
        return gdc_fail(GDC_ENOMEM, "decoder: out of memory");
    d->component[c].dense = dense;
    gdc_status status = gdc_rank_create(d->plan, cells, c, &dense->rank);
    if (status == GDC_OK)
        status = gdc_fit_create(cells->cell_at[c + 1] - cells->cell_at[c], cells->row_at[c + 1] - cells->row_at[c],
                                &dense->fit);
    return status;
}

static gdc_status allocate(gdc_decoder *d)
{
    size_t messages = (size_t)d->cells.rows + 1, blocks = (size_t)d->plan->blocks;
    d->component = calloc((size_t)d->cells.components, sizeof *d->component);
    d->accepted = calloc(messages, sizeof *d->accepted);
    d->taken = calloc(messages, sizeof *d->taken);
    d->arrived = calloc(messages, sizeof *d->arrived);
    d->weight = calloc(blocks * messages, sizeof *d->weight);
    d->fast = calloc(blocks * messages, sizeof *d->fast);
    d->rho = calloc((size_t)d->cells.cells, sizeof *d->rho);
    d->off = calloc((size_t)d->cells.stretches, sizeof *d->off);
    if (d->component == NULL || d->accepted == NULL || d->taken == NULL || d->arrived == NULL || d->weight == NULL ||
        d->fast == NULL || d->rho == NULL || d->off == NULL)
        return gdc_fail(GDC_ENOMEM, "decoder: no memory for %d messages", d->cells.rows);
    gdc_status status = gdc_chains_create(&d->cells, &d->chains);
    if (status == GDC_OK && d->plan->code != NULL && d->plan->code->prepare != NULL)
        status = d->plan->code->prepare(d->plan, &d->prepared);
    for (int c = 0; status == GDC_OK && c < d->cells.components; c++)
        if (d->cells.dense[c])
            status = add_dense(d, c);
    return status;
}

gdc_status gdc_decoder_create(const gdc_plan *plan, gdc_decoder **decoder)
{
    gdc_decoder *d = calloc(1, sizeof *d);
    if (d == NULL)
        return gdc_fail(GDC_ENOMEM, "decoder: out of memory");
    d->plan = plan;
    gdc_status status = gdc_cells_create(plan, &d->cells);
    if (status == GDC_OK)
        status = allocate(d);
    if (status != GDC_OK) {
        gdc_decoder_destroy(d);
        return status;
    }
    d->open = d->cells.components;
    *decoder = d;
    return GDC_OK;
}

void gdc_decoder_destroy(gdc_decoder *decoder)
{
    if (decoder == NULL)
        return;
    for (int c = 0; decoder->component != NULL && c < decoder->cells.components; c++)
        if (decoder->component[c].dense != NULL) {
            gdc_rank_free(&decoder->component[c].dense->rank);
            gdc_fit_free(&decoder->component[c].dense->fit);
            free(decoder->component[c].dense);
        }
    if (decoder->prepared != NULL)
        decoder->plan->code->release(decoder->prepared);
    gdc_cells_free(&decoder->cells);
    gdc_chains_free(&decoder->chains);
    free(decoder->component);
    free(decoder->accepted);
    free(decoder->taken);
    free(decoder->arrived);
    free(decoder->weight);
    free(decoder->fast);
    free(decoder->rho);
    free(decoder->off);
    free(decoder);
}

static void reset_component(gdc_decoder *d, int c)
{
    component *part = &d->component[c];
    if (!part->touched)
        return;
    if (part->dense != NULL)
        gdc_rank_reset(&part->dense->rank, &d->cells, c);
    else
        gdc_chain_reset(&d->chains, &d->cells, c);
    *part = (component){.dense = part->dense};
}

/* The weights [messages] of block v among those of all blocks. */
static double *block_of(const gdc_decoder *d, double *weight, int v)
{
    return weight + (size_t)v * (size_t)d->cells.rows;
}

void gdc_decoder_reset(gdc_decoder *decoder)
{
    for (int i = 0; i < decoder->arrivals; i++) {
        int message = decoder->arrived[i];
        decoder->accepted[message] = 0;
        decoder->taken[decoder->cells.twin[message]] = 0;
        for (int v = 0; v < decoder->plan->blocks; v++)
            block_of(decoder, decoder->weight, v)[message] = 0;
        reset_component(decoder, decoder->cells.of[message].component);
    }
    decoder->arrivals = 0;
    decoder->open = decoder->cells.components;
}

/* ---- residuals ---- */

/* rho += weight * row, on the cells of the row */
static void add_to_rho(gdc_decoder *d, int message, double weight)
{
    const gdc_row *row = &d->plan->row[message];
    for (int t = 0; t < row->terms; t++) {
        gdc_span span = row->term[t].span;
        for (int c = gdc_cells_find(&d->cells, span.first); d->cells.start[c] < span.first + span.count; c++)
            d->rho[c] += weight * row->term[t].coefficient;
    }
}

static double block_residual(gdc_decoder *d, int c, int v)
{
    const gdc_cells *cells = &d->cells;
    const double *weight = block_of(d, d->weight, v);
    double largest = 0;
    for (int i = cells->cell_at[c]; i < cells->cell_at[c + 1]; i++)
        d->rho[cells->cell[i]] = -gdc_cells_target(cells, cells->cell[i], v);
    for (int i = cells->row_at[c]; i < cells->row_at[c + 1]; i++)
        if (weight[cells->row[i]] != 0)
            add_to_rho(d, cells->row[i], weight[cells->row[i]]);
    for (int i = cells->cell_at[c]; i < cells->cell_at[c + 1]; i++)
        largest = fmax(largest, fabs(d->rho[cells->cell[i]]));
    return largest;
}

static double component_residual(gdc_decoder *d, int c)
{
    double largest = 0;
    for (int v = 0; v < d->plan->blocks; v++)
        largest = fmax(largest, block_residual(d, c, v));
    return largest;
}

/* Block v of a decode: leaves rho, returns the amplification. */
static double measure_block(gdc_decoder *d, const double *weight, int v)
{
    double size1 = 0;
    for (int c = 0; c < d->cells.cells; c++)
        d->rho[c] = -gdc_cells_target(&d->cells, c, v);
    for (int m = 0; m < d->cells.rows; m++)
        if (weight[m] != 0) {
            add_to_rho(d, m, weight[m]);
            size1 += fabs(weight[m]) * gdc_row_norm1(&d->plan->row[m]);
        }
    return size1 / d->plan->partitions;
}

/* From rows and weights as they will be used. Leaves off. */
static gdc_decode measure(gdc_decoder *d, const double *weight)
{
    gdc_decode decode = {0};
    double squares = 0;
    memset(d->off, 0, (size_t)d->cells.stretches * sizeof *d->off);
    for (int v = 0; v < d->plan->blocks; v++) {
        const double *of_block = weight + (size_t)v * (size_t)d->cells.rows;
        decode.amplification = fmax(decode.amplification, measure_block(d, of_block, v));
        for (int c = 0; c < d->cells.cells; c++) {
            double *off = &d->off[c % d->cells.stretches], rho = fabs(d->rho[c]);
            squares += rho * rho * gdc_cells_size(&d->cells, c);
            if (!(rho <= *off) && !isnan(*off)) /* a NaN stays */
                *off = rho;
        }
    }
    for (int c = 0; c < d->cells.stretches; c++) {
        decode.residual = fmax(decode.residual, d->off[c]);
        if (!(d->off[c] <= gate))
            decode.missing += gdc_cells_size(&d->cells, c);
    }
    decode.residual_rms = sqrt(squares / gdc_plan_columns(d->plan));
    return decode;
}

/* The code's own weights, in fast, and what they leave. False: it has none, or declines. */
static bool solve_own(gdc_decoder *d, gdc_decode *decode)
{
    const gdc_code_ops *code = d->plan->code;
    if (code == NULL || code->weights == NULL || !code->weights(d->plan, d->prepared, d->accepted, d->fast))
        return false;
    *decode = measure(d, d->fast);
    return true;
}

static gdc_status solve_dense(gdc_decoder *d, int c)
{
    component *part = &d->component[c];
    gdc_status status = gdc_fit_solve(&part->dense->fit, d->plan, &d->cells, c, d->accepted, d->weight);
    part->solved = status == GDC_OK;
    return status;
}

/* ---- arrivals ---- */

static int number_of(const gdc_decoder *d, int worker, int index)
{
    if (gdc_plan_row(d->plan, worker, index) == NULL)
        return -1;
    return d->plan->row_at[worker] + index;
}

static bool is_wanted(const gdc_decoder *d, int message)
{
    return message >= 0 && !d->taken[d->cells.twin[message]] && !d->component[d->cells.of[message].component].complete;
}

int gdc_decoder_wants(const gdc_decoder *decoder, int worker, int index)
{
    return is_wanted(decoder, number_of(decoder, worker, index));
}

/* The rank test nominates; weights whose residual is below the gate confirm: the code's own, which cost less, or the
 * generic ones. A failure to solve is no confirmation: the next row of the component is asked again. */
static bool dense_is_complete(gdc_decoder *d, int c, int message)
{
    gdc_decode own;
    if (!gdc_rank_add(&d->component[c].dense->rank, d->plan, &d->cells, c, message))
        return false;
    if (d->cells.components == 1 && solve_own(d, &own) && own.missing == 0)
        return true;
    return solve_dense(d, c) == GDC_OK && component_residual(d, c) <= gate;
}

static bool chain_is_complete(gdc_decoder *d, int c, int message)
{
    gdc_chain_add(&d->chains, &d->cells, message);
    return gdc_chain_is_complete(&d->chains, &d->cells, c);
}

void gdc_decoder_take(gdc_decoder *decoder, int message)
{
    int c = decoder->cells.of[message].component;
    component *part = &decoder->component[c];
    decoder->accepted[message] = 1;
    decoder->taken[decoder->cells.twin[message]] = 1;
    decoder->arrived[decoder->arrivals++] = message;
    part->touched = true;
    part->solved = false;
    part->accepted++;
    if (part->complete)
        return;
    part->complete =
        part->dense != NULL ? dense_is_complete(decoder, c, message) : chain_is_complete(decoder, c, message);
    decoder->open -= part->complete;
}

int gdc_decoder_offer(gdc_decoder *decoder, int worker, int index)
{
    int message = number_of(decoder, worker, index);
    if (!is_wanted(decoder, message))
        return 0;
    gdc_decoder_take(decoder, message);
    return 1;
}

int gdc_decoder_complete(const gdc_decoder *decoder)
{
    return decoder->open == 0;
}

/* ---- weights ---- */

/* An incomplete chain has no path: least squares with memory for this one time. */
static gdc_status fit_chain(gdc_decoder *d, int c)
{
    gdc_fit fit;
    gdc_status status = gdc_fit_create(d->cells.cell_at[c + 1] - d->cells.cell_at[c], d->component[c].accepted, &fit);
    if (status != GDC_OK)
        return status;
    status = gdc_fit_solve(&fit, d->plan, &d->cells, c, d->accepted, d->weight);
    gdc_fit_free(&fit);
    return status;
}

static gdc_status solve_component(gdc_decoder *d, int c)
{
    component *part = &d->component[c];
    gdc_status status = GDC_OK;
    if (part->solved || part->accepted == 0)
        return GDC_OK;
    if (part->dense != NULL)
        status = solve_dense(d, c);
    else if (part->complete)
        gdc_chain_weights(&d->chains, d->plan, &d->cells, c, d->accepted, d->weight);
    else
        status = fit_chain(d, c);
    part->solved = status == GDC_OK;
    return status;
}

/* The weights to use, and what they leave: the code's own, which must be exact where that is possible, or those of all
 * components. */
static gdc_status choose_weights(gdc_decoder *d, double **chosen, gdc_decode *decode)
{
    bool is_complete = d->open == 0, approximates = d->plan->code != NULL && d->plan->code->approximates;
    if ((is_complete || approximates) && solve_own(d, decode) && (decode->missing == 0 || !is_complete)) {
        *chosen = d->fast;
        return GDC_OK;
    }
    for (int c = 0; c < d->cells.components; c++) {
        gdc_status status = solve_component(d, c);
        if (status != GDC_OK)
            return status;
    }
    *chosen = d->weight;
    *decode = measure(d, d->weight);
    return GDC_OK;
}

gdc_decode gdc_decoder_measure(gdc_decoder *decoder, const double *weight)
{
    return measure(decoder, weight);
}

gdc_status gdc_decoder_weights(gdc_decoder *decoder, double *weight, unsigned char *missing, gdc_decode *quality)
{
    double *chosen;
    gdc_decode decode;
    gdc_status status = choose_weights(decoder, &chosen, &decode);
    if (status != GDC_OK)
        return status;
    if (decoder->open == 0 && decode.missing > 0)
        return gdc_fail(GDC_ENUMERIC,
                        "decoder: the weights leave a residual of %.3g on %d partitions: want at most %.0e",
                        decode.residual, decode.missing, gate);
    memcpy(weight, chosen, (size_t)decoder->plan->blocks * (size_t)decoder->cells.rows * sizeof *weight);
    for (int c = 0; missing != NULL && c < decoder->cells.stretches; c++)
        memset(missing + decoder->cells.start[c], !(decoder->off[c] <= gate),
               (size_t)gdc_cells_size(&decoder->cells, c));
    if (quality != NULL) {
        decode.size = quality->size;
        memcpy(quality, &decode, quality->size < sizeof decode ? quality->size : sizeof decode);
    }
    return GDC_OK;
}

/* formulas.c - what the claims need beyond the tool, by the public headers: closed forms, rules, and exact enumerations.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 *     reproduce_formulas NAME ARGUMENT...      prints one line of numbers
 */
#include "gradcode/critical.h"
#include "gradcode/decoder.h"
#include "gradcode/draw.h"
#include "gradcode/drop_model.h"
#include "gradcode/runtime.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- closed forms ---- */

static gdc_status order_exp(int count, char **text)
{
    double mean = atof(text[0]);
    int n = atoi(text[1]);
    (void)count;
    for (int k = 1; k <= n; k++)
        printf("%.8f ", gdc_order_mean_exp(k, n, mean));
    return GDC_OK;
}

static gdc_status order_pareto(int count, char **text)
{
    int n = atoi(text[2]);
    (void)count;
    for (int k = 1; k <= n; k++)
        printf("%.8f ", gdc_order_mean_pareto(k, n, atof(text[0]), atof(text[1])));
    return GDC_OK;
}

static gdc_status fresh(int count, char **text)
{
    int n = atoi(text[1]);
    (void)count;
    for (int k = 1; k <= n; k++)
        printf("%.6f ", strcmp(text[0], "k-async") == 0 ? gdc_fresh_k_async(k, n) : gdc_fresh_k_batch_async(k, n));
    return GDC_OK;
}

static gdc_status quad(int count, char **text)
{
    for (int i = 2; i < count; i++)
        printf("%.8f ", gdc_adasync_quad(atoi(text[0]), atoi(text[1]), atof(text[i])));
    return GDC_OK;
}

/* As the strategy uses it: at most n. */
static gdc_status root(int count, char **text)
{
    for (int i = 2; i < count; i++)
        printf("%.8f ", fmin(gdc_adasync_sqrt(atoi(text[0]), atof(text[i])), atoi(text[1])));
    return GDC_OK;
}

static gdc_status factor(int count, char **text)
{
    for (int i = 0; i < count; i++)
        printf("%.8f ", gdc_drop_model_factor(atoi(text[i])));
    return GDC_OK;
}

static gdc_status step(int count, char **text)
{
    for (int i = 1; i < count; i++) {
        double value = 0;
        gdc_status failed = gdc_critical_step(atof(text[0]), atoi(text[i]), &value);
        if (failed)
            return failed;
        printf("%.8f ", value);
    }
    return GDC_OK;
}

/* n, M, mean, deviation, piece|poll, tau or best: share kept, round, speed-up. */
static gdc_status drop(int count, char **text)
{
    gdc_drop_model model;
    gdc_threshold t;
    gdc_check check = strcmp(text[4], "poll") == 0 ? GDC_CHECK_POLL : GDC_CHECK_PIECE;
    (void)count;
    gdc_drop_model_init(&model);
    model.workers = atoi(text[0]);
    model.pieces = atoi(text[1]);
    model.mean_s = atof(text[2]);
    model.deviation_s = atof(text[3]);
    gdc_status failed = strcmp(text[5], "best") == 0 ? gdc_drop_model_choose(&model, check, &t)
                                                     : gdc_drop_model_judge(&model, atof(text[5]), check, &t);
    if (!failed)
        printf("%.8f %.8f %.8f", t.kept, t.round_s, t.speedup);
    return failed;
}

/* ---- rows: every case ---- */

typedef struct code {
    gdc_plan *plan;
    gdc_decoder *decoder;
    int workers;
} code;

static gdc_status open_code(const char *spec, const char *workers, code *c)
{
    gdc_status failed = gdc_plan_create(spec, atoi(workers), atoi(workers), 1, &c->plan);
    c->workers = failed ? 0 : gdc_plan_workers(c->plan);
    if (!failed)
        failed = gdc_decoder_create(c->plan, &c->decoder);
    return failed;
}

static void close_code(code *c)
{
    gdc_decoder_destroy(c->decoder);
    gdc_plan_destroy(c->plan);
}

/* SPEC, n: chance that the gradient is decodable if every worker's progress is uniform on 0 .. what it holds. */
static gdc_status progress(int count, char **text)
{
    code c = {0};
    gdc_status failed = open_code(text[0], text[1], &c);
    long states = 1, decodable = 0;
    (void)count;
    for (int w = 0; !failed && w < c.workers; w++)
        states *= gdc_plan_held(c.plan, w) + 1;
    for (long s = 0; !failed && s < states; s++) {
        long left = s;
        gdc_decoder_reset(c.decoder);
        for (int w = 0; w < c.workers; w++) {
            int held = gdc_plan_held(c.plan, w), done = (int)(left % (held + 1));
            left /= held + 1;
            for (int i = 0; i < gdc_plan_rows(c.plan, w); i++)
                if (gdc_plan_row(c.plan, w, i)->after <= done)
                    gdc_decoder_offer(c.decoder, w, i);
        }
        decodable += gdc_decoder_complete(c.decoder);
    }
    if (!failed)
        printf("%.8f", (double)decodable / (double)states);
    close_code(&c);
    return failed;
}

/* ---- noise with known parameters ---- */

enum { PARTS = 8, SAMPLES = 4, DIMENSION = 20 };

/* g = G (1 + z) + a, the mean of SAMPLES samples: Var z = 3, E|a|^2 = 12, |G|^2 = 5 scale^2. */
static void part_of(double scale, uint64_t round, int part, double g[DIMENSION])
{
    gdc_key key = {.seed = 1, .purpose = 1, .a = round, .b = (uint64_t)part};
    double z = sqrt(3. / SAMPLES) * gdc_draw_normal(key);
    for (int i = 0; i < DIMENSION; i++) {
        key.c = (uint64_t)i + 1;
        g[i] = scale * sqrt(5. / DIMENSION) * (1 + z) + sqrt(12. / DIMENSION / SAMPLES) * gdc_draw_normal(key);
    }
}

static gdc_status observe(gdc_critical *critical, double scale, uint64_t round)
{
    double mean[DIMENSION] = {0}, parts = 0, whole = 0;
    for (int l = 0; l < PARTS; l++) {
        double g[DIMENSION];
        part_of(scale, round, l, g);
        for (int i = 0; i < DIMENSION; i++) {
            parts += g[i] * g[i] / PARTS;
            mean[i] += g[i] / PARTS;
        }
    }
    for (int i = 0; i < DIMENSION; i++)
        whole += mean[i] * mean[i];
    return gdc_critical_feed(critical, parts, SAMPLES, whole, PARTS * SAMPLES);
}

/* updates per scale: M and sigma^2 as estimated. */
static gdc_status noise(int count, char **text)
{
    static const double scales[] = {4, 2, 1, .5, .25};
    gdc_critical *critical = NULL;
    gdc_critical_estimates estimates = {.size = sizeof estimates};
    uint64_t updates = (uint64_t)atoi(text[0]);
    gdc_status failed = gdc_critical_create(INFINITY, &critical);
    (void)count;
    for (uint64_t i = 0; !failed && i < 5 * updates; i++)
        failed = observe(critical, scales[i / updates], i);
    if (!failed)
        failed = gdc_critical_estimate(critical, &estimates);
    if (!failed)
        printf("%.8f %.8f", estimates.m.value, estimates.sigma2.value);
    gdc_critical_destroy(critical);
    return failed;
}

static const struct {
    const char *name, *arguments;
    int least;
    gdc_status (*print)(int count, char **text);
} formulas[] = {
    {"order-exp", "MEAN n", 2, order_exp},
    {"order-pareto", "ALPHA MIN n", 3, order_pareto},
    {"fresh", "k-async|k-batch-async n", 2, fresh},
    {"quad", "K0 n FALL...", 3, quad},
    {"sqrt", "K0 n FALL...", 3, root},
    {"factor", "n...", 1, factor},
    {"step", "M TAU...", 2, step},
    {"drop", "n M MEAN DEVIATION piece|poll TAU|best", 6, drop},
    {"progress", "CODE n", 2, progress},
    {"noise", "UPDATES", 1, noise},
};

int main(int argc, char **argv)
{
    size_t known = sizeof formulas / sizeof *formulas;
    for (size_t i = 0; argc > 1 && i < known; i++) {
        if (strcmp(argv[1], formulas[i].name) != 0 || argc - 2 < formulas[i].least)
            continue;
        gdc_status failed = formulas[i].print(argc - 2, argv + 2);
        putchar('\n');
        if (failed)
            fprintf(stderr, "reproduce_formulas: %s: %s\n", argv[1], gdc_last_error());
        return failed ? 1 : 0;
    }
    for (size_t i = 0; i < known; i++)
        fprintf(stderr, "reproduce_formulas %s %s\n", formulas[i].name, formulas[i].arguments);
    return 2;
}

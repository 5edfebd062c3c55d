/* sample_result.h - results for the tests of the report: one known by hand, and any number of odd ones.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_APPS_SAMPLE_RESULT_H
#define TESTS_APPS_SAMPLE_RESULT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gradcode/draw.h"
#include "report/result.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline char *copy(const char *s)
{
    char *p = malloc(strlen(s) + 1);
    assert_non_null(p);
    return strcpy(p, s);
}

static inline void set_rounds(result_strategy *s, size_t count, const double *round_s)
{
    double now = 0;
    s->rounds_completed = count;
    s->round = calloc(count + 1, sizeof *s->round);
    for (size_t i = 0; i < count; i++) {
        s->round[i] = (result_round){.start_s = now,
                                     .round_s = round_s[i],
                                     .used_fraction = s->used_fraction,
                                     .messages = 8,
                                     .loss = i % 2 == 0 ? 2.0 - now : NAN,
                                     .vectors = 4,
                                     .fresh = 3,
                                     .staleness = 2,
                                     .in_flight = 5,
                                     .told_loss = NAN,
                                     .residual = 0};
        now += round_s[i];
    }
    s->wall_s = now;
}

static inline void set_strategy(result_strategy *s, const char *spec, bool exact, double used, double first,
                                double second)
{
    const double round_s[] = {first, second};
    *s = (result_strategy){.spec = copy(spec),
                           .exact = exact,
                           .load = 1,
                           .ideal_round_s = 0.5,
                           .messages_per_round = 8,
                           .bytes_per_round = 64,
                           .work_ratio = 1,
                           .used_fraction = used,
                           .least_worker_share = used,
                           .gradient_error = exact ? 1e-15 : 0.25,
                           .loss_initial = 2.5,
                           .loss_final = 0.75,
                           .time_to_target_s = NAN,
                           .compute_share = 0.125,
                           .overrun_share = 0,
                           .amplification = 1,
                           .residual = 0,
                           .vectors_per_update = 4,
                           .staleness_mean = 0,
                           .fresh_fraction = 1};
    set_rounds(s, 2, round_s);
}

/* Four strategies whose figures are known by hand: means 4, 2, 5 and 1; the last used half of the samples. */
static inline result known_result(void)
{
    result r = {.problem = copy("softmax"),
                .data = copy("fashion-mnist"),
                .samples = 1000,
                .dimension = 10,
                .dtype = copy("f64"),
                .delay = calloc(1, sizeof *r.delay),
                .delays = 1,
                .workers = 8,
                .partitions = 2,
                .batch = 64,
                .rounds = 2,
                .seed = 7,
                .clock = copy("virtual"),
                .poll_s = INFINITY,
                .bandwidth = INFINITY,
                .target_loss = NAN,
                .rate = 0.1,
                .strategies = 4,
                .strategy = calloc(4, sizeof *r.strategy)};
    r.delay[0] = copy("exp:mean=1");
    set_strategy(&r.strategy[0], "sync", true, 1, 3, 5);
    set_strategy(&r.strategy[1], "gc:code=fractional,load=2", true, 1, 2, 2);
    set_strategy(&r.strategy[2], "gc:code=uncoded", true, 1, 4, 6);
    set_strategy(&r.strategy[3], "drop:tau=1", false, 0.5, 1, 1);
    r.strategy[1].load = 2;
    return r;
}

static inline void set_error(result_strategy *s, const char *error)
{
    s->error = copy(error);
}

static inline void add_loss(result_strategy *s, result_lost lost)
{
    s->lost = realloc(s->lost, (size_t)(s->lost_count + 1) * sizeof lost);
    assert_non_null(s->lost);
    s->lost[s->lost_count++] = lost;
}

static inline void add_arrival(result_strategy *s, result_arrival arrival)
{
    s->arrival = malloc(sizeof arrival);
    s->arrival[0] = arrival;
    s->arrivals = 1;
}

static inline uint64_t seed(void)
{
    const char *text = getenv("GDC_TEST_SEED");
    return text != NULL ? strtoull(text, NULL, 10) : 20240611;
}

typedef struct dice {
    gdc_key key;
} dice;

static inline double roll(dice *d)
{
    d->key.b++;
    return gdc_draw_uniform(d->key);
}

/* Log-uniform over many decades, now and then unknown or infinite. */
static inline double odd_number(dice *d)
{
    double u = roll(d);
    return u < 0.15 ? NAN : u < 0.2 ? INFINITY : u < 0.3 ? 0 : pow(10, 24 * roll(d) - 12);
}

static inline void odd_word(dice *d, char *word, size_t longest)
{
    static const char letters[] = "abcdefghij,:=+_-0123456789\"'%";
    size_t length = 1 + (size_t)(roll(d) * (double)longest);
    for (size_t i = 0; i < length; i++)
        word[i] = letters[(size_t)(roll(d) * (double)(sizeof letters - 1))];
    word[length] = '\0';
}

static inline void set_odd_strategy(result_strategy *s, dice *d)
{
    char spec[256], error[256];
    double round_s[4];
    odd_word(d, spec, roll(d) < 0.2 ? 250 : 40);
    odd_word(d, error, 250);
    set_strategy(s, spec, roll(d) < 0.5, odd_number(d), 1, 1);
    free(s->round);
    for (int i = 0; i < 4; i++)
        round_s[i] = pow(10, 12 * roll(d) - 6);
    set_rounds(s, (size_t)(roll(d) * 5), round_s);
    s->load = odd_number(d);
    s->messages_per_round = odd_number(d);
    s->gradient_error = odd_number(d);
    s->loss_initial = odd_number(d);
    s->loss_final = odd_number(d);
    s->time_to_target_s = odd_number(d);
    s->compute_share = odd_number(d);
    s->ideal_round_s = odd_number(d);
    s->residual = odd_number(d);
    s->staleness_mean = odd_number(d);
    s->fresh_fraction = odd_number(d);
    if (roll(d) < 0.5) {
        s->class_loss = calloc(3, sizeof *s->class_loss);
        for (int c = 0; c < 3; c++)
            s->class_loss[c] = odd_number(d);
    }
    if (roll(d) < 0.3)
        s->chosen = copy(error);
    if (s->chosen != NULL && roll(d) < 0.5) {
        s->careful = copy(error);
        s->careful_price = odd_number(d);
    }
    if (roll(d) < 0.3)
        set_error(s, error);
    if (roll(d) < 0.3)
        add_loss(s, (result_lost){(int)(roll(d) * 1e6), -1, "silent", false});
}

static inline result odd_result(uint64_t number)
{
    dice d = {{.seed = seed(), .a = number}};
    result r = known_result();
    r.classes = 3;
    int first = (int)(roll(&d) * 4); /* the known ones from there on are replaced, baselines included */
    for (int i = first; i < r.strategies; i++) {
        free(r.strategy[i].spec);
        free(r.strategy[i].round);
        set_odd_strategy(&r.strategy[i], &d);
    }
    r.target_loss = odd_number(&d);
    r.bandwidth = odd_number(&d);
    return r;
}

/* ---- what was printed ---- */

static inline char *printed(void (*print)(const result *, FILE *), const result *r)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    assert_non_null(out);
    print(r, out);
    fclose(out);
    char *kept = copy(text); /* compilers take what open_memstream stored for a pointer to `text` */
    free(text);
    return kept;
}

/* Does the text hold the sentence, wherever its lines are broken? */
static inline bool says(const char *text, const char *sentence)
{
    char *flat = copy(text), *to = flat;
    for (const char *from = text; *from != '\0'; from++) {
        bool gap = *from == ' ' || *from == '\n';
        if (!gap || (to > flat && to[-1] != ' '))
            *to++ = gap ? ' ' : *from;
    }
    *to = '\0';
    bool found = strstr(flat, sentence) != NULL;
    free(flat);
    return found;
}

static inline void assert_no_line_is_too_long(const char *text)
{
    for (const char *line = text; *line != '\0'; line += strcspn(line, "\n"), line += *line == '\n')
        if (strcspn(line, "\n") > 100)
            fail_msg("%zu columns: %.*s", strcspn(line, "\n"), (int)strcspn(line, "\n"), line);
}

#endif

/* cmd_help.c - gradcode help: everything generated from the option tables.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "gradcode/round.h"
#include "gradcode/spec.h"
#include "problems/problem.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The i-th row of a registry: its name (NULL past the end), options and one line. */
typedef const char *(*listing)(int i, const gdc_option **options, const char **help);

static const char *problem_row(int i, const gdc_option **options, const char **help)
{
    if (problems[i] == NULL)
        return NULL;
    *options = problems[i]->options;
    *help = problems[i]->help;
    return problems[i]->name;
}

static const char *data_row(int i, const gdc_option **options, const char **help)
{
    if (data_readers[i] == NULL)
        return NULL;
    *options = data_readers[i]->options;
    *help = data_readers[i]->help;
    return data_readers[i]->name;
}

static const struct topic {
    const char *name, *lead;
    listing row;
} topics[] = {
    {"strategies",
     "Strategies (-s SPEC, or -s all). Keys of the code go into the same spec: gc:code=fractional,load=2\n"
     "One of s, k, k0, load and tau may be auto: chosen on --profile rounds that are not measured, by the time "
     "per useful sample",
     gdc_strategy},
    {"codes", "Codes (code= of a strategy, and gradcode plan)", gdc_code},
    {"delays", "Delays (--delay SPEC, repeatable: at most one base, then modifiers in the order given)",
     gdc_delay_model},
    {"problems", "Problems (--problem SPEC)", problem_row},
    {"data", "Data (--data SPEC)", data_row},
};
enum { TOPICS = sizeof topics / sizeof *topics };

static void print_bounds(const gdc_option *o)
{
    if (o->type == GDC_WORD)
        printf(" (%s)", o->words);
    else if (o->min != 0 || o->max != 0) {
        if (isinf(o->max) || o->max >= 2147483647)
            printf(" (>= %g", o->min);
        else
            printf(" (%g to %g", o->min, o->max);
        printf("%s%s)", o->words != NULL ? " or " : "", o->words != NULL ? o->words : "");
    }
}

static void print_row(const char *name, const gdc_option *options, const char *help)
{
    printf("  %-14s %s\n", name, help != NULL ? help : "");
    for (const gdc_option *o = options; o != NULL && o->key != NULL; o++) {
        char key[48];
        snprintf(key, sizeof key, "%s=%s", o->key, o->fallback != NULL ? o->fallback : "");
        printf("      %-20s %s", key, o->help != NULL ? o->help : "");
        print_bounds(o);
        printf("%s\n", o->fallback == NULL ? ", must be given" : "");
    }
}

static void print_topic(const struct topic *t)
{
    const gdc_option *options = NULL;
    const char *help = NULL, *name;
    printf("%s\n", t->lead);
    for (int i = 0; (name = t->row(i, &options, &help)) != NULL; i++)
        print_row(name, options, help);
}

/* A single name from any registry; it may be in several. */
static int print_named(const char *wanted)
{
    int found = 0;
    for (int t = 0; t < TOPICS; t++) {
        const gdc_option *options = NULL;
        const char *help = NULL, *name;
        for (int i = 0; (name = topics[t].row(i, &options, &help)) != NULL; i++) {
            if (strcmp(name, wanted) != 0)
                continue;
            printf("%s%s\n", found++ > 0 ? "\n" : "", topics[t].lead);
            print_row(name, options, help);
        }
    }
    return found;
}

static void print_faults(void)
{
    puts("Faults (--fault SPEC, repeatable): what a worker does to itself, with the same meaning on both "
         "clocks\n"
         "  kill|stop|nan|corrupt:worker=W,round=R[,at=compute|sent|model][,for=SECONDS]\n"
         "      worker=              0 to workers - 1\n"
         "      round=               measured round, from 0\n"
         "      at=compute           in its first piece; sent: after its first vector; model: when the model "
         "was accepted\n"
         "      for=0                stop: seconds, 0 = for ever\n"
         "On the virtual clock every strategy meets the fault afresh; under mpirun a killed worker stays "
         "dead.");
}

void print_command_help(const command *which)
{
    printf("gradcode %s: %s\n\n  %s\n", which->name, which->help, which->usage);
    if (which->bit != 0) {
        puts("\nFlags");
        flags_print(config_flags, which->bit, stdout);
    }
}

static void print_overview(void)
{
    puts("gradcode: distributed gradient descent that does not wait for stragglers\n\nCommands");
    for (int i = 0; commands[i] != NULL; i++)
        printf("  %-10s %s\n", commands[i]->name, commands[i]->help);
    fputs("\nhelp TOPIC: a command, ", stdout);
    for (int t = 0; t < TOPICS; t++)
        printf("%s, ", topics[t].name);
    puts("faults, or the name of anything that they list\n"
         "--version: which gradcode this is\n"
         "Exit codes: 0 done, 2 bad input, 3 a strategy could not finish, 1 anything else");
}

/* Every name that help knows, for the sentence about an unknown one. */
static gdc_status unknown(const char *word)
{
    enum { ROOM = 96 };
    const char *names[ROOM + 1] = {"faults"};
    int count = 1;
    for (int i = 0; commands[i] != NULL && count < ROOM; i++)
        names[count++] = commands[i]->name;
    for (int t = 0; t < TOPICS; t++) {
        const gdc_option *options = NULL;
        const char *help = NULL, *name;
        if (count < ROOM)
            names[count++] = topics[t].name;
        for (int i = 0; (name = topics[t].row(i, &options, &help)) != NULL && count < ROOM; i++)
            names[count++] = name;
    }
    return gdc_spec_choose("topic", word, names) < 0 ? GDC_EINVAL : GDC_OK;
}

static gdc_status print_about(const char *word)
{
    for (int i = 0; commands[i] != NULL; i++) {
        if (strcmp(commands[i]->name, word) == 0) {
            print_command_help(commands[i]);
            return GDC_OK;
        }
    }
    for (int t = 0; t < TOPICS; t++) {
        if (strcmp(topics[t].name, word) == 0) {
            print_topic(&topics[t]);
            return GDC_OK;
        }
    }
    if (strcmp(word, "faults") == 0) {
        print_faults();
        return GDC_OK;
    }
    return print_named(word) > 0 ? GDC_OK : unknown(word);
}

static int help(const launch *how, int argc, char **argv)
{
    if (argc > 1)
        return end_failed(how, "help", gdc_fail(GDC_EINVAL, "%d topics: want one, or none for the overview", argc));
    if (how->rank != 0)
        return ENDED_DONE;
    if (argc == 0) {
        print_overview();
        return ENDED_DONE;
    }
    gdc_status status = print_about(argv[0]);
    return status == GDC_OK ? ENDED_DONE : end_failed(how, "help", status);
}

const command command_help = {
    .name = "help",
    .help = "what there is: commands, strategies, codes, delays, problems, data, faults",
    .usage = "gradcode help [TOPIC]",
    .run = help,
};

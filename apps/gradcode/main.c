/* main.c - the tool gradcode: finds the sub-command, starts MPI only under a launcher, ends with one clear line.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "command.h"
#include "gradcode/engine.h"
#include "gradcode/spec.h"
#include "guard.h"
#include "problems/real.h"
#include "report/result.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const command *const commands[] = {&command_compare, &command_train, &command_simulate,
                                   &command_plan,    &command_help,  NULL};

enum { FINALIZE_GUARD_S = 10 };

static bool is_launched(void)
{
    static const char *const signs[] = {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_SIZE", "PMI_RANK", "MPI_LOCALNRANKS"};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (getenv(signs[i]) != NULL)
            return true;
    return false;
}

static bool start_mpi(launch *how, int *argc, char ***argv)
{
    guard_on();
    bool is_up = MPI_Init(argc, argv) == MPI_SUCCESS && MPI_Comm_rank(MPI_COMM_WORLD, &how->rank) == MPI_SUCCESS &&
                 MPI_Comm_size(MPI_COMM_WORLD, &how->size) == MPI_SUCCESS;
    guard_off();
    return is_up;
}

int end_failed(const launch *how, const char *who, gdc_status status)
{
    const char *sentence = gdc_last_error();
    if (how->rank == 0)
        fprintf(stderr, "gradcode: failed: %s%s%s\n", who != NULL ? who : "", who != NULL ? ": " : "",
                sentence[0] != '\0' ? sentence : gdc_strerror(status));
    return status == GDC_EINVAL || status == GDC_EDATA ? ENDED_INPUT : ENDED_OTHER;
}

static const command *choose(const char *word)
{
    const char *names[sizeof commands / sizeof *commands] = {NULL};
    for (size_t i = 0; commands[i] != NULL; i++)
        names[i] = commands[i]->name;
    int chosen = gdc_spec_choose("command", word, names);
    return chosen < 0 ? NULL : commands[chosen];
}

static bool asks_for_help(int argc, char **argv)
{
    for (int i = 0; i < argc; i++)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
            return true;
    return false;
}

static int dispatch(const launch *how, int argc, char **argv)
{
    if (argc < 2)
        return end_failed(how, NULL,
                          gdc_fail(GDC_EINVAL, "no command given: want one of those that `gradcode help` lists"));
    if (strcmp(argv[1], "--version") == 0) {
        if (how->rank == 0)
            printf("gradcode %s\n", result_tool_version());
        return ENDED_DONE;
    }
    if (asks_for_help(1, argv + 1))
        return command_help.run(how, 0, argv);
    const command *which = choose(argv[1]);
    if (which == NULL)
        return end_failed(how, NULL, GDC_EINVAL);
    if (asks_for_help(argc - 2, argv + 2)) {
        if (how->rank == 0)
            print_command_help(which);
        return ENDED_DONE;
    }
    return which->run(how, argc - 2, argv + 2);
}

/* What could not be printed is a failure, whatever printed it. */
static int finish_output(const launch *how, int code)
{
    bool good = fflush(stdout) == 0 && !ferror(stdout);
    if (good || code != ENDED_DONE)
        return code;
    return end_failed(how, NULL, gdc_fail(GDC_EMPI, "stdout could not be written"));
}

int main(int argc, char **argv)
{
    launch how = {.under_mpi = is_launched(), .rank = 0, .size = 1};
    real_single_thread();
    if (how.under_mpi && !start_mpi(&how, &argc, &argv)) {
        fputs("gradcode: failed: MPI could not be started\n", stderr);
        return ENDED_OTHER;
    }
    int code = finish_output(&how, dispatch(&how, argc, argv));
    return how.under_mpi ? gdc_mpi_finalize(FINALIZE_GUARD_S, code) : code;
}

/* machine.c - what a run was measured on, without the machine's name.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "report/parts.h"

#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

/* The value of "model name : X" in /proc/cpuinfo; the hardware's name from uname where there is none. */
static void cpu_model(char *model, size_t bytes, const char *fallback)
{
    char line[256];
    snprintf(model, bytes, "%s", fallback);
    FILE *in = fopen("/proc/cpuinfo", "r");
    if (in == NULL)
        return;
    while (fgets(line, sizeof line, in) != NULL) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) != 0 || colon == NULL)
            continue;
        const char *value = colon + 1 + strspn(colon + 1, " \t");
        snprintf(model, bytes, "%.*s", (int)strcspn(value, "\n"), value);
        break;
    }
    fclose(in);
}

json_t *report_machine(const char *mpi)
{
    struct utsname name = {.sysname = "unknown"};
    char model[256], os[256];
    uname(&name);
    cpu_model(model, sizeof model, name.machine);
    snprintf(os, sizeof os, "%.80s %.80s %.80s", name.sysname, name.release, name.machine);
    return json_pack("{s:s%, s:I, s:s, s:s?}", "cpu", model, strlen(model), "cores",
                     (json_int_t)sysconf(_SC_NPROCESSORS_ONLN), "os", os, "mpi", mpi);
}

# test_install.sh - a program builds and runs against the installed library alone, and the installed tool starts.
# SPDX-License-Identifier: BSD-3-Clause
. "$(dirname "$0")/law.sh"

prefix=$scratch/prefix
cmake --install "$GDC_BUILD" --prefix "$prefix" >"$scratch/log" 2>&1 || { cat "$scratch/log"; exit 1; }

cat >"$scratch/program.c" <<'C'
#include <gradcode/round.h>

#include <stdio.h>

/* The gradient of partition p is p + 1. */
static int partial(void *context, gdc_task *task, void *sum)
{
    (void)context;
    *(double *)sum += task->scale * (task->partition + 1);
    return 0;
}

int main(void)
{
    double model = 0, gradient = 0;
    gdc_engine *engine = NULL;
    gdc_options options;
    gdc_options_init(&options);
    options.strategy = "gc:code=fractional,load=2";
    options.dimension = 1;
    gdc_status status = gdc_open_virtual(&options, 4, partial, NULL, &engine);
    if (status == GDC_OK)
        status = gdc_gradient(engine, &model, &gradient, NULL);
    if (status != GDC_OK)
        fprintf(stderr, "%s\n", gdc_last_error());
    gdc_close(engine, NULL);
    printf("%g\n", gradient);
    return status != GDC_OK;
}
C
library=$(find "$prefix" -name 'libgradcode.so' | head -n 1)
[ -n "$library" ] || { echo "no libgradcode.so was installed"; exit 1; }
export LD_LIBRARY_PATH="${library%/*}"
"$(from_cache CMAKE_C_COMPILER)" -std=c11 -Wall -Wextra -Werror -I"$prefix/include" "$scratch/program.c" \
    -L"${library%/*}" -lgradcode -o "$scratch/program" || { echo "a program does not link to what is installed"; exit 1; }
answer=$("$scratch/program") || { echo "the program failed"; exit 1; }
{ [ "$answer" = 10 ] || echo "the gradient over four workers is $answer, want 10"; } |
    verdict "a program runs against the installed library"
{ "$prefix/bin/gradcode" help >"$scratch/help" 2>&1 || echo "gradcode help ended with $?"; } |
    verdict "the installed tool starts"
grep -rl "$GDC_BUILD" "$prefix/include" | verdict "installed headers name no build folder"

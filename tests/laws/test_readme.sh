#!/bin/sh
# test_readme.sh - the listing in README.md compiles against an install, runs under mpirun and gives the right answer; so does the
# installed tool.
# SPDX-License-Identifier: BSD-3-Clause
. "$(dirname "$0")/law.sh"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
awk '/^```c$/ { inside = 1; next } /^```$/ { inside = 0 } inside' "$GDC_SOURCE/README.md" >"$work/descend.c"
{
    [ "$(wc -l <"$work/descend.c")" -ge 20 ] || echo "README.md has no listing"
    cmake --install "$GDC_BUILD" --prefix "$work/p" >"$work/log" 2>&1 || cat "$work/log"
    lib=$(dirname "$(find "$work/p" -name 'libgradcode.so' | head -n 1)")
    mpicc -std=c11 -Wall -Wextra -Wno-unused-parameter -Werror "$work/descend.c" -I"$work/p/include" -L"$lib" \
        -Wl,-rpath,"$lib" -lgradcode -o "$work/descend" 2>&1
    said=$(timeout -k 5 60 "${GDC_MPIRUN:-mpirun}" --oversubscribe --bind-to none -n 5 "$work/descend" 2>&1)
    [ "$said" = "x = 1.5" ] || echo "the listing said: $said"
    "$work/p/bin/gradcode" help >"$work/help" 2>&1 || cat "$work/help"
} | verdict "the listing of README.md runs"

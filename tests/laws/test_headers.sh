# test_headers.sh - every header compiles alone: the public ones in C11 and C++, round.h and its like without MPI's include path.
# SPDX-License-Identifier: BSD-3-Clause
. "$(dirname "$0")/law.sh"

cc=$(from_cache CMAKE_C_COMPILER)
mpicc=$(from_cache MPI_C_COMPILER)
strict='-Wall -Wextra -Wpedantic -Werror -fsyntax-only'

# alone COMPILER LANGUAGE NAME [options]: a translation unit of nothing but this header, twice.
alone()
{
    compiler=$1
    language=$2
    name=$3
    shift 3
    printf '#include "%s"\n#include "%s"\n' "$name" "$name" >"$scratch/alone"
    # shellcheck disable=SC2086 # a list
    "$compiler" $strict "$@" -x "$language" "$scratch/alone" >"$scratch/said" 2>&1 || {
        echo "$name as $language:"
        head -n 5 "$scratch/said"
    }
}

for header in include/gradcode/*.h; do
    name=gradcode/${header##*/}
    case $name in
    gradcode/engine.h | gradcode/drop.h) compiler=$mpicc ;;
    *) compiler=$cc ;;
    esac
    alone "$compiler" c "$name" -std=c11 -Iinclude
done | verdict "every public header compiles alone as C11"

project_files | grep -E '^(lib|apps)/.*\.h$' | while read -r header; do
    case $header in
    lib/api/* | lib/transport/mpi* | apps/gradcode/*) compiler=$mpicc ;;
    *) compiler=$cc ;;
    esac
    alone "$compiler" c "$header" -std=c11 -D_POSIX_C_SOURCE=200809L -I. -Iinclude -Ilib -Iapps
done | verdict "every private header compiles alone as C11"

command -v g++ >/dev/null 2>&1 || skip "no g++: the public headers were not compiled as C++"
mpi_include=$(from_cache MPI_C_HEADER_DIR)
for header in include/gradcode/*.h; do
    name=gradcode/${header##*/}
    case $name in
    gradcode/engine.h | gradcode/drop.h) alone g++ c++ "$name" -std=c++11 -Iinclude -isystem "$mpi_include" ;;
    *) alone g++ c++ "$name" -std=c++11 -Iinclude ;;
    esac
done | verdict "every public header compiles alone as C++11"

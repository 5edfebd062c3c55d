# test_symbols.sh - what libgradcode.so exports is exactly what the public headers declare; the library neither prints nor ends programs.
# SPDX-License-Identifier: BSD-3-Clause
. "$(dirname "$0")/law.sh"

library=$(find "$GDC_BUILD" -name 'libgradcode.so' | head -n 1)
[ -n "$library" ] || { echo "there is no libgradcode.so in $GDC_BUILD"; exit 1; }

nm -D --defined-only "$library" | awk '{ print $NF }' | sed 's/@.*//' | sort -u >"$scratch/exported"
[ -s "$scratch/exported" ] || { echo "$library exports nothing"; exit 1; }

# The name before the first parenthesis of each declaration that begins with GDC_API.
cat include/gradcode/*.h | awk '
    /^GDC_API/ { text = ""; open = 1 }
    open { text = text " " $0 }
    open && /[(;]/ {
        sub(/[(;].*/, "", text); n = split(text, word, /[ *]+/); name = word[n] == "" ? word[n - 1] : word[n]
        print name; open = 0
    }' | sort -u >"$scratch/declared"
[ -s "$scratch/declared" ] || { echo "the public headers declare nothing"; exit 1; }

grep -v '^gdc_' "$scratch/exported" | verdict "every exported name begins with gdc_"
comm -23 "$scratch/exported" "$scratch/declared" | verdict "every exported name is declared in a public header"
comm -13 "$scratch/exported" "$scratch/declared" | verdict "every declared function is exported"

# Names that a library must not use. The object that defines gdc_mpi_finalize ends programs by its promise.
find "$GDC_BUILD/lib" -name '*.o' -exec nm -A {} + >"$scratch/names"
awk '
    BEGIN {
        n = split("stdout stderr printf vprintf puts putchar perror __printf_chk __vprintf_chk exit abort signal sigaction " \
            "kill raise MPI_Init MPI_Init_thread MPI_Finalize MPI_Abort", word, " ")
        for (i = 1; i <= n; i++)
            forbidden[word[i]] = 1
        ending["MPI_Finalize"] = ending["sigaction"] = ending["signal"] = 1
    }
    { object = $1; sub(/:[0-9a-f]*$/, "", object); sub(/.*\//, "", object) }
    $(NF - 1) == "T" && $NF == "gdc_mpi_finalize" { ends[object] = 1 }
    $(NF - 1) == "U" && $NF in forbidden { used[object " " $NF] = 1 }
    END {
        for (pair in used) {
            split(pair, part, " ")
            if (!(part[1] in ends && part[2] in ending))
                print part[1] ": " part[2]
        }
    }' "$scratch/names" | verdict "no object prints, exits, aborts, handles or sends signals, or starts or ends MPI"

# test_speech.sh - sources say their name and licence; the project speaks of itself, and leaves nothing for later.
# SPDX-License-Identifier: BSD-3-Clause
. "$(dirname "$0")/law.sh"

project_files >"$scratch/all"

grep -E '\.(c|h|inc)$' "$scratch/all" | xargs -r awk '
    FNR == 1 {
        name = FILENAME; sub(/.*\//, "", name)
        if (index($0, "/* " name " - ") != 1)
            print FILENAME ": the first line is not \"/* " name " - what it is\""
    }' | verdict "every C file begins with its name and its story"

grep -E '(\.(c|h|inc|sh)|CMakeLists\.txt)$' "$scratch/all" | xargs -r grep -L 'SPDX-License-Identifier: BSD-3-Clause' |
    verdict "every source names its licence"

# Spelt so that this file does not hold the words itself.
later='\bTO[D]O\b|\bFI[X]ME\b|\bXX[X]\b|^[[:space:]]*#[[:space:]]*if[[:space:]]+[0]\b'
elsewhere='/wor[k]/|/tmp/[h]/|\b[Ii]ssue #?[0-9]|\bAI\b[ -](generated|assisted|written)|\b[Aa]ssistan[t]s?\b|\blanguage mode[l]s?\b'
xargs -r grep -nIE "$later" <"$scratch/all" | verdict "nothing is left for later"
xargs -r grep -nIE "$elsewhere" <"$scratch/all" | verdict "the project speaks of itself only"

# law.sh - what the tests of this folder share: the list of files, and how a breach is told.
# SPDX-License-Identifier: BSD-3-Clause
# Sourced by test_*.sh, which ctest starts with GDC_SOURCE and GDC_BUILD set.
set -eu
: "${GDC_SOURCE:?want the top of the source tree}" "${GDC_BUILD:?want the build folder}"
cd "$GDC_SOURCE"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# project_files: every file of the project, one a line: known to git or new; without git, all but builds and outputs.
project_files()
{
    git ls-files --cached --others --exclude-standard 2>/dev/null | while read -r file; do
        [ -f "$file" ] && echo "$file"
    done | sort >"$scratch/files"
    [ -s "$scratch/files" ] || find . -type f ! -path './.git/*' ! -path './build*' ! -path './out*' |
        sed 's|^\./||' | sort >"$scratch/files"
    cat "$scratch/files"
}

# from_cache NAME: a value of the build's CMakeCache.txt.
from_cache()
{
    sed -n "s/^$1:[A-Z]*=//p" "$GDC_BUILD/CMakeCache.txt"
}

# skip REASON: this law cannot be looked at here.
skip()
{
    echo "skipped: $*"
    exit 77
}

# verdict LAW: fails if the breaches on standard input are any.
verdict()
{
    cat >"$scratch/breaches"
    if [ -s "$scratch/breaches" ]; then
        echo "broken: $1"
        sed 's/^/  /' "$scratch/breaches"
        exit 1
    fi
    echo "holds: $1"
}

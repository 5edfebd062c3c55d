# test_code_pages.sh - codes/README.md has a page for every code, and the rows on it are those that its commands print.
# SPDX-License-Identifier: BSD-3-Clause
. "$(dirname "$0")/cli.sh"
: "${GDC_SOURCE:?want the top of the source tree}"
pages=$GDC_SOURCE/codes/README.md

# The indented lines after "    $ COMMAND", up to the next blank one.
shown() {
    awk -v command="    \$ $1" '$0 == command { inside = 1; next } !/^    ./ { inside = 0 } inside { sub(/^    /, ""); print }' "$pages"
}

# One line per worker: its messages in due order.
rows() {
    awk 'BEGIN { last = "none" }
        /^worker / { w = $2 }
        /^ +message [0-9]+ after/ {
            sub(/^[^:]*: /, "")
            printf w == last ? ", then %s" : (last == "none" ? "" : "\n") "worker " w ": %s", $0
            last = w
        }
        END { print "" }'
}

cd "$work" || exit 1
shown 'cat B.csv' >B.csv
grep '^    \$ gradcode plan ' "$pages" | sed 's/^    \$ //' >commands
while read -r command; do
    # shellcheck disable=SC2086
    run "$GRADCODE" ${command#gradcode }
    rows <out >printed
    shown "$command" >page
    holds "$command: every worker has a line" [ "$(wc -l <page)" -ge 4 ]
    holds "$command: the page shows what is printed" cmp -s printed page
done <commands

"$GRADCODE" help codes | awk '/^  [a-z]/ && !/\|/ { print $1 }' >codes
while read -r code; do
    holds "$code has a page" grep -qx "## $code" "$pages"
    holds "$code: its page shows its rows" grep -q "^    \\\$ gradcode plan $code[: ]" "$pages"
    holds "$code is in the table" grep -q "^| $code |" "$pages"
done <codes
finish 60

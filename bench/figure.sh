# figure.sh - reads figures out of a result.json, which has one key per line.
# SPDX-License-Identifier: BSD-3-Clause
# Sourced.

# figure FILE SPEC KEY: a number of one strategy.
figure()
{
    awk -v spec="\"spec\": \"$2\"," -v key="\"$3\": " '
        index($0, "\"spec\": ") { ours = index($0, spec) > 0 }
        ours && !found && (at = index($0, key)) { text = substr($0, at + length(key)); sub(/,$/, "", text); print text; found = 1 }' "$1"
}

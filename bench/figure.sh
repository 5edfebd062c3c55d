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

# figures_of FILE KEY...: one line per strategy that ran to its end: its spec and these numbers.
figures_of()
{
    file=$1
    shift
    awk -v keys="$*" '
        BEGIN { n = split(keys, key, " ") }
        function flush_spec(   i, line) {
            if (spec == "" || broken)
                return
            line = spec
            for (i = 1; i <= n; i++)
                line = line " " (key[i] in value ? value[key[i]] : "null")
            print line
        }
        /^ *"[a-z_0-9]+": / {
            name = $1; gsub(/[":]/, "", name)
            text = $2; sub(/,$/, "", text); gsub(/"/, "", text)
            if (name == "spec") { flush_spec(); spec = text; broken = 0; split("", value) }
            else if (spec != "" && name == "error") broken = text != "null"
            else if (!(name in value)) value[name] = text
        }
        END { flush_spec() }' "$file"
}

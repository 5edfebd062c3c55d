# judge.sh - compares our values with references and keeps the ledger: one entry per comparison.
# SPDX-License-Identifier: BSD-3-Clause
# Sourced. $claim and $from say what is being judged; entries go to $ledger, tab-separated.

# entry WHAT OURS REFERENCE ACCEPTED VERDICT
entry()
{
    printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$claim" "$from" "$1" "$2" "$3" "$4" "$5" >>"$ledger"
    show_entry "$claim" "$from" "$1" "$2" "$3" "$4" "$5"
}

# within WHAT OURS REFERENCES MARGINS [ACCEPTED]: lists of as many numbers, or one margin for all. What is no number fails. ACCEPTED
# says what the margins are; by default the largest is shown.
within()
{
    judged=$(awk -v ours="$2" -v references="$3" -v margins="$4" -v accepted="${5:-}" '
        function is_number(text) { return text ~ /^[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?$/ }
        function like(value, text,   at) { # as many decimals as the reference has
            if (!is_number(value))
                return value
            at = index(text, ".")
            if (at == 0 || text ~ /[eE]/)
                return sprintf("%.4g", value)
            return sprintf("%.*f", length(text) - at, value)
        }
        BEGIN {
            n = split(references, r, " "); m = split(ours, o, " "); k = split(margins, d, " ")
            verdict = n > 0 && m == n && (k == n || k == 1) ? "pass" : "FAIL"
            for (i = 1; i <= m; i++) {
                margin = k == 1 ? d[1] : d[i]
                off = o[i] - r[i]
                if (!is_number(o[i]) || !is_number(r[i]) || !is_number(margin) || (off < 0 ? -off : off) > margin + 0)
                    verdict = "FAIL"
                if (margin + 0 > widest) widest = margin + 0
                shown = shown (i > 1 ? " " : "") like(o[i], r[i])
            }
            if (accepted == "")
                accepted = widest > 0 ? sprintf("+-%.2g", widest) : "equal"
            printf "%s\t%s\t%s", (m ? shown : "none"), accepted, verdict
        }')
    tab=$(printf '\t')
    entry "$1" "${judged%%"$tab"*}" "${3% }" "$(echo "$judged" | cut -f 2)" "${judged##*"$tab"}"
}

# near WHAT OURS REFERENCES [PERCENT]: by default within 2 %.
near()
{
    within "$1" "$2" "$3" "$(awk -v r="$3" -v p="${4:-2}" 'BEGIN {
        n = split(r, x, " ")
        for (i = 1; i <= n; i++) printf "%s%.17g", (i > 1 ? " " : ""), (x[i] < 0 ? -x[i] : x[i]) * p / 100 }')" "${4:-2} %"
}

# between WHAT OURS LOW HIGH [REFERENCE]; LOW or HIGH may be - for no bound.
between()
{
    if awk -v v="$2" -v low="$3" -v high="$4" 'BEGIN {
        ok = v ~ /^[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?$/
        exit !(ok && (low == "-" || v + 0 >= low + 0) && (high == "-" || v + 0 <= high + 0)) }'; then
        judged=pass
    else
        judged=FAIL
    fi
    case $3,$4 in
    -,*) accepted="at most $4" ;;
    *,-) accepted="at least $3" ;;
    *) accepted="$3 to $4" ;;
    esac
    entry "$1" "$(shorter "$2")" "${5:-}" "$accepted" "$judged"
}

# same WHAT OURS REFERENCE: the same text.
same()
{
    if [ -n "$2" ] && [ "$2" = "$3" ]; then judged=pass; else judged=FAIL; fi
    entry "$1" "${2:-none}" "$3" equal "$judged"
}

# shorter TEXT: a number to four digits; other text as it is.
shorter()
{
    awk -v v="$1" 'BEGIN { print (v ~ /^[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?$/) ? sprintf("%.4g", v) : (v == "" ? "none" : v) }'
}

# calculate EXPRESSION [-v name=value...]: one number by awk.
calculate()
{
    expression=$1
    shift
    awk "$@" "BEGIN { printf \"%.12g\", ($expression) }"
}

# cli.sh - what the scripts of this folder share: where the tool is, and counting what does not hold.
# SPDX-License-Identifier: BSD-3-Clause

: "${GDC_BUILD:?want the build directory}"
GRADCODE=$GDC_BUILD/apps/gradcode
MPIRUN=${GDC_MPIRUN:-mpirun}
[ -x "$GRADCODE" ] || {
    echo "no tool: $GRADCODE"
    exit 1
}
OMPI_ALLOW_RUN_AS_ROOT=1
OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
OPENBLAS_NUM_THREADS=1
export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM OPENBLAS_NUM_THREADS
unset OMPI_COMM_WORLD_SIZE PMIX_RANK PMI_SIZE PMI_RANK MPI_LOCALNRANKS

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
held=0
broken=0

# holds WHAT COMMAND...: counts whether the command succeeds.
holds() {
    what=$1
    shift
    if "$@"; then
        held=$((held + 1))
    else
        broken=$((broken + 1))
        echo "does not hold: $what"
    fi
}

# run COMMAND...: stdout to $work/out, stderr to $work/err, the status to $status; never longer than $limit seconds.
limit=60
run() {
    timeout -k 5 $limit "$@" >"$work/out" 2>"$work/err" </dev/null
    status=$?
}

# parallel N ARGUMENTS...: the tool on N ranks without recovery.
parallel() {
    ranks=$1
    shift
    run "$MPIRUN" --oversubscribe --bind-to none -n "$ranks" "$GRADCODE" "$@"
}

# surviving N ARGUMENTS...: the same with recovery, under which mpirun always returns 0; $status is that of rank 0.
surviving() {
    ranks=$1
    shift
    cat >"$work/rank.sh" <<'WRAPPER'
directory=$1
shift
"$@"
echo $? >"$directory/status.${OMPI_COMM_WORLD_RANK:?}"
WRAPPER
    rm -f "$work"/status.*
    run "$MPIRUN" --oversubscribe --bind-to none --enable-recovery --mca ompi_async_mpi_finalize 1 -n "$ranks" \
        sh "$work/rank.sh" "$work" "$GRADCODE" "$@"
    mpirun_status=$status
    status=$(cat "$work/status.0" 2>/dev/null || echo none)
}

last_line_is() {
    [ "$(grep '^gradcode: ' "$work/err" | tail -n 1)" = "$1" ]
}

# Strict: python's own parser lets NaN pass unless told otherwise. Without python3, jq (which lets nan pass, so it is looked for).
is_json() {
    if command -v python3 >/dev/null; then
        python3 -c '
import json, sys
def refuse(word):
    raise ValueError(word)
json.load(open(sys.argv[1]), parse_constant=refuse)' "$1" 2>/dev/null
    elif command -v jq >/dev/null; then
        jq -e . "$1" >/dev/null 2>&1 && ! grep -qiw -e nan -e infinity "$1"
    else
        [ "$(tr -cd '{' <"$1" | wc -c)" = "$(tr -cd '}' <"$1" | wc -c)" ] && ! grep -qiw -e nan -e infinity "$1"
    fi
}

# The result without what differs between two runs on two machines.
without_machine() {
    awk '/^  "machine": \{/ { inside = 1 } !inside { print } inside && /^  \}/ { inside = 0 }' "$1"
}

# figure FILE SPEC KEY: a number of one strategy (result.json has one key per line).
figure() {
    awk -v spec="\"spec\": \"$2\"," -v key="\"$3\": " '
        index($0, "\"spec\": ") { ours = index($0, spec) > 0 }
        ours && !found && (at = index($0, key)) { text = substr($0, at + length(key)); sub(/,$/, "", text); print text; found = 1 }' "$1"
}

# is_close A B RELATIVE
is_close() {
    awk -v a="$1" -v b="$2" -v tolerance="$3" 'BEGIN {
        if (a == "" || b == "" || a == "null" || b == "null") exit 1
        d = a - b; if (d < 0) d = -d
        m = b < 0 ? -b : b
        exit !(d <= tolerance * m)
    }'
}

is_below() {
    awk -v a="$1" -v b="$2" 'BEGIN { exit !(a != "" && a != "null" && a + 0 < b + 0) }'
}

# finish LEAST: fails if something did not hold, or if fewer checks ran than the script has.
finish() {
    echo "$held hold, $broken do not"
    [ "$broken" -eq 0 ] && [ "$held" -ge "$1" ]
}

# ranks.sh - what the scripts of this folder share: runs a program of laws on several ranks and counts what it says.
# SPDX-License-Identifier: BSD-3-Clause

: "${GDC_BUILD:?want the build directory}"
MPIRUN=${GDC_MPIRUN:-mpirun}
command -v "$MPIRUN" >/dev/null || {
    echo "skipped: no mpirun"
    exit 77
}
OMPI_ALLOW_RUN_AS_ROOT=1
OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
OPENBLAS_NUM_THREADS=1
export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM OPENBLAS_NUM_THREADS
unset OMPI_COMM_WORLD_SIZE PMIX_RANK PMI_SIZE PMI_RANK MPI_LOCALNRANKS

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
broken=0

# laws RANKS LEAST PROGRAM [ARGUMENTS]: exit code 0, no law broken, at least LEAST of them. $OPTIONS go to mpirun.
laws() {
    ranks=$1
    least=$2
    program=$3
    shift 3
    # shellcheck disable=SC2086 # a list
    timeout -k 5 "${LIMIT:-90}" "$MPIRUN" --oversubscribe --bind-to none $OPTIONS -n "$ranks" "$GDC_BUILD/tests/$program" "$@" \
        >"$work/out" 2>"$work/err" </dev/null
    status=$?
    held=$(grep -c '^ok ' "$work/out")
    if [ "$status" -eq 0 ] && [ "$held" -ge "$least" ] && ! grep -q '^NOT ok' "$work/out"; then
        echo "$program on $ranks ranks${OPTIONS:+ ($OPTIONS)}: $held laws hold"
        return
    fi
    broken=$((broken + 1))
    echo "$program on $ranks ranks${OPTIONS:+ ($OPTIONS)}: exit code $status, $held of $least laws hold"
    grep '^NOT ok' "$work/out"
    tail -n 20 "$work/err"
}
OPTIONS=

#!/bin/sh
# run.sh - builds everything and runs the tests: run.sh [quick|full|faults]. See tests/README.md.
# SPDX-License-Identifier: BSD-3-Clause
set -eu
GDC_SOURCE=$(CDPATH='' cd "$(dirname "$0")/.." && pwd)
. "$GDC_SOURCE/apps/packages.sh"
. "$GDC_SOURCE/apps/setup.sh"

mode=${1:-default}
case $mode in
default | quick | full | faults) ;;
*)
    echo "run.sh: unknown argument '$mode': want nothing, quick, full or faults" >&2
    exit 2
    ;;
esac

# check_extras: what is missing of the third list is said, and in full mode an error.
check_extras()
{
    # shellcheck disable=SC2086 # a list
    missing=$(gdc_missing_packages $GDC_EXTRA_PACKAGES)
    [ -n "$missing" ] || return 0
    echo "extras missing: $missing(what wants them is skipped)"
    if [ "$mode" = full ]; then
        echo "run.sh full: want them: apt-get update && apt-get install -y --no-install-recommends $missing" >&2
        exit 2
    fi
}

# run_ctest DIR [options]: all that ctest says, then why tests were skipped; closing= gets its closing line.
run_ctest()
{
    dir=$1
    shift
    log=$dir/ctest.log
    { ctest --test-dir "$dir" --output-on-failure -j "$(gdc_cores)" "$@" 2>&1 && echo 0 >"$log.code" ||
        echo $? >"$log.code"; } | tee "$log"
    sed -n 's/^skipped: /not tested: /p' "$dir/Testing/Temporary/LastTest.log" | sort -u
    closing="$closing$(grep '% tests passed' "$log" || echo "$dir: ctest found no tests")
"
    [ "$(cat "$log.code")" -eq 0 ] || failed=1
}

# The sanitizers' turn: all that runs in one process.
run_sanitized()
{
    echo "build: $GDC_SOURCE/build-asan"
    (cd "$GDC_SOURCE" && cmake --preset asan && cmake --build --preset asan -j "$(gdc_cores)") \
        >"$GDC_SOURCE/build/build-asan.log" 2>&1 || {
        tail -n 60 "$GDC_SOURCE/build/build-asan.log" >&2
        exit 1
    }
    run_ctest "$GDC_SOURCE/build-asan" -R '^(unit|codes|policies|apps|fuzz)/'
}

# shellcheck disable=SC2086 # lists
gdc_install $GDC_RUN_PACKAGES $GDC_TEST_PACKAGES
check_extras
gdc_environment
gdc_build all -DGDC_TESTS=ON

closing=''
failed=0
case $mode in
default) run_ctest "$GDC_SOURCE/build" ;;
quick) run_ctest "$GDC_SOURCE/build" -R '^(unit|apps|laws|policies)/' ;;
faults)
    export GDC_STRIKES="${GDC_STRIKES:-20}"
    run_ctest "$GDC_SOURCE/build" -L faults
    ;;
full)
    run_ctest "$GDC_SOURCE/build"
    run_sanitized
    ;;
esac
printf '\n%s' "$closing"
exit "$failed"

# packages.sh - the one list of Debian packages, and how to install those that are missing.
# SPDX-License-Identifier: BSD-3-Clause
# Sourced by apps/demo.sh and tests/run.sh; needs nothing but a POSIX shell.
# shellcheck disable=SC2034 # the lists are used by those who source this

# To build and run.
GDC_RUN_PACKAGES="build-essential cmake libopenmpi-dev openmpi-bin liblapacke-dev libopenblas-dev libisal-dev
librandom123-dev libjansson-dev gnuplot-nox dataset-fashion-mnist"
# To test.
GDC_TEST_PACKAGES="libcmocka-dev"
# Tests that want one of these are skipped without it and say so; `tests/run.sh full` wants them all.
GDC_EXTRA_PACKAGES="clang-format clang-tidy valgrind gfortran python3-numpy mpich chromium"

# Prints those of the packages named that are not installed. Another flavour of gnuplot will do, and must not be replaced.
gdc_missing_packages()
{
    for gdc_package in "$@"; do
        [ "$gdc_package" = gnuplot-nox ] && command -v gnuplot >/dev/null 2>&1 && continue
        dpkg-query -W -f '${db:Status-Status}\n' "$gdc_package" 2>/dev/null | grep -qx installed ||
            printf '%s ' "$gdc_package"
    done
}

# Installs what is missing of the packages named, as root or through sudo where that asks no password. Otherwise prints the command
# and exits with 2. Where there is no dpkg, says so and goes on: the build names what it does not find.
gdc_install()
{
    if ! command -v dpkg-query >/dev/null 2>&1; then
        echo "packages: no dpkg here; this needs what Debian calls: $*" | tr '\n' ' ' >&2
        echo >&2
        return 0
    fi
    gdc_missing=$(gdc_missing_packages "$@")
    [ -n "$gdc_missing" ] || return 0
    if [ "$(id -u)" -eq 0 ]; then
        gdc_as_root="env"
    elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
        gdc_as_root="sudo -n env"
    else
        echo "packages: missing: $gdc_missing" >&2
        echo "packages: run this as root, then start again:" >&2
        echo "    apt-get update && apt-get install -y --no-install-recommends $gdc_missing" >&2
        exit 2
    fi
    echo "packages: installing $gdc_missing"
    gdc_log=$(mktemp)
    # shellcheck disable=SC2086 # both are lists
    if ! { $gdc_as_root apt-get update && $gdc_as_root DEBIAN_FRONTEND=noninteractive apt-get install -y \
        --no-install-recommends $gdc_missing; } >"$gdc_log" 2>&1; then
        tail -n 20 "$gdc_log" >&2
        rm -f "$gdc_log"
        echo "packages: could not install $gdc_missing" >&2
        exit 2
    fi
    rm -f "$gdc_log"
}

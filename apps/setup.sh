# setup.sh - what demo.sh and run.sh do before they start: the environment of mpirun, and the build.
# SPDX-License-Identifier: BSD-3-Clause
# Sourced; GDC_SOURCE is the top of the source tree.

# More ranks than cores are the rule here, and a container's only user may be root. mpi_yield_when_idle is left alone: Open MPI
# gives up the core by itself when ranks outnumber cores, and forced off it makes an all-reduce a hundred times slower. In a
# container without the right to read another process's memory, OMPI_MCA_btl_vader_single_copy_mechanism=none silences the
# warnings of Open MPI; it works without.
gdc_environment()
{
    if [ "$(id -u)" -eq 0 ]; then
        export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    fi
    export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none
    export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
}

# Not nproc: it believes OMP_NUM_THREADS.
gdc_cores()
{
    getconf _NPROCESSORS_ONLN
}

# gdc_build TARGET [cmake definitions]: builds a target in build/; speaks only when it fails.
gdc_build()
{
    gdc_target=$1
    shift
    gdc_log=$GDC_SOURCE/build/build.log
    mkdir -p "$GDC_SOURCE/build"
    echo "build: $GDC_SOURCE/build (log: build.log)"
    if ! { cmake -S "$GDC_SOURCE" -B "$GDC_SOURCE/build" "$@" &&
        cmake --build "$GDC_SOURCE/build" --target "$gdc_target" -j "$(gdc_cores)"; } >"$gdc_log" 2>&1; then
        tail -n 60 "$gdc_log" >&2
        echo "build: failed; all of it is in $gdc_log" >&2
        return 1
    fi
}

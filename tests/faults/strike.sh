# strike.sh - what the scripts of this folder share: a job whose ranks can be killed or stopped from outside, one at a time.
# SPDX-License-Identifier: BSD-3-Clause
. "$GDC_SOURCE/tests/cli/cli.sh"

# Every rank runs under this wrapper, which leaves the rank's pid and its exit status in files: under --enable-recovery mpirun returns
# 0 whoever died.
cat >"$work/rank" <<'WRAPPER'
#!/bin/sh
"$@" &
echo $! >"$GDC_JOB/pid.$OMPI_COMM_WORLD_RANK.new"
mv "$GDC_JOB/pid.$OMPI_COMM_WORLD_RANK.new" "$GDC_JOB/pid.$OMPI_COMM_WORLD_RANK"
wait $!
echo $? >"$GDC_JOB/status.$OMPI_COMM_WORLD_RANK"
WRAPPER
chmod +x "$work/rank"

# start JOB RANKS ARGUMENTS...: the tool in the background, in a directory of its own; its results go to JOB/out.
start() {
    job=$1
    ranks=$2
    shift 2
    mkdir -p "$job"
    GDC_JOB=$job timeout -k 5 60 "$MPIRUN" --oversubscribe --bind-to none -x GDC_JOB --enable-recovery \
        --mca ompi_async_mpi_finalize 1 -n "$ranks" "$work/rank" "$GRADCODE" "$@" --out "$job/out" \
        >"$job/stdout" 2>"$job/stderr" </dev/null &
    echo $! >"$job/mpirun"
}

# wait_for SECONDS COMMAND...: until the command succeeds.
wait_for() {
    tries=$(($1 * 20))
    shift
    while ! "$@"; do
        tries=$((tries - 1))
        [ "$tries" -gt 0 ] || return 1
        sleep 0.05
    done
}

has_begun() {
    grep -qs '^gradcode: begins' "$1/stderr"
}

# signal JOB WORKER SIGNAL: worker w is rank w + 1.
signal() {
    kill "-$3" "$(cat "$1/pid.$(($2 + 1))")"
}

# end JOB: waits for mpirun and prints its status.
end() {
    code=0
    wait "$(cat "$1/mpirun")" || code=$?
    echo $code
}

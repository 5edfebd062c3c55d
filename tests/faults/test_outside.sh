#!/bin/sh
# test_outside.sh - workers killed and stopped from outside at random moments: with replication everything goes on and stays exact;
# with one loss too many the round ends within its bound with the reason, and nothing hangs. GDC_STRIKES runs of each kind (default 8;
# run.sh faults: 20), and an eighth of that for each of the other strategies that outlive a loss.
# SPDX-License-Identifier: BSD-3-Clause
set -u
. "$GDC_SOURCE/tests/faults/strike.sh"
repeats=${GDC_STRIKES:-8}
others=$(((repeats + 7) / 8))
at_once=5
seed=${GDC_TEST_SEED:-$(date +%s)}
echo "seed $seed"

# Groups of two: workers {0,1} {2,3}, so that the losses of a kind can be chosen.
grouped=gc:code=fractional,load=2,permute=0

# draw BOUND: the next of a sequence that the seed makes.
draw() {
    seed=$(((seed * 1103515245 + 12345) % 2147483648))
    drawn=$((seed / 65536 % $1))
}

# one JOB STRATEGY SIGNAL PAUSE WORKER [WORKER]: starts a job, and strikes the workers some time after its first round.
one() {
    job=$1
    strategy=$2
    signal=$3
    pause=$4
    shift 4
    start "$job" 5 train -s "$strategy" --rounds $rounds --warmup 2 --give-up 1 --delay exp:mean=0.004 \
        --data synthetic:samples=400,features=20
    if wait_for 40 has_begun "$job"; then
        sleep "$pause"
        for worker; do
            signal "$job" "$worker" "$signal"
        done
    fi
    end "$job" >"$job/code"
}

rounds=150
# launch KIND SIGNAL WORKERS...: all repeats of a kind, some at once.
launch() {
    kind=$1
    name=$2
    shift 2
    i=0
    while [ $i -lt "$repeats" ]; do
        batch=''
        for slot in $(seq $at_once); do
            [ $i -lt "$repeats" ] || break
            draw 800
            one "$work/$kind.$i" $grouped "$name" "$(printf '0.%03d' "$drawn")" "$@" &
            batch="$batch $!"
            i=$((i + 1))
        done
        # shellcheck disable=SC2086 # a list
        wait $batch
    done
}

# An asynchronous round is short: there must be some left when it is struck.
launch_others() {
    i=0
    while [ $i -lt $others ]; do
        batch=''
        for name in KILL STOP; do
            draw 500
            one "$work/dynamic.$name.$i" dynamic:load=2 $name "$(printf '0.%03d' "$drawn")" 1 &
            batch="$batch $!"
            rounds=600
            one "$work/k-async.$name.$i" k-async:k=3 $name "$(printf '0.%03d' "$drawn")" 1 &
            batch="$batch $!"
            rounds=150
        done
        # shellcheck disable=SC2086 # a list
        wait $batch
        i=$((i + 1))
    done
}

root_left_with() {
    [ "$(cat "$1/status.0" 2>/dev/null)" = "$2" ]
}

says() {
    grep -q "$2" "$1"
}

# check_survived KIND STRATEGY ROUNDS HOW: all rounds, exact where that is promised, the worker named.
check_survived() {
    for job in "$work/$1".*; do
        result=$job/out/result.json
        holds "$1 ${job##*.}: the root leaves with 0" root_left_with "$job" 0
        holds "$1 ${job##*.}: mpirun returns" [ "$(cat "$job/code")" -lt 124 ]
        holds "$1 ${job##*.}: all rounds" says "$result" "\"rounds_completed\": $3"
        [ "$(figure "$result" "$2" exact)" = false ] ||
            holds "$1 ${job##*.}: exact" is_below "$(figure "$result" "$2" gradient_error)" 1e-10
        holds "$1 ${job##*.}: worker 1 is in lost_workers" says "$result" '"worker": 1'
        holds "$1 ${job##*.}: as $4" says "$result" "\"how\": \"$4\""
    done
}

# check_refused KIND SENTENCE: the reason names workers and partitions; status 3.
check_refused() {
    for job in "$work/$1".*; do
        holds "$1 ${job##*.}: the root leaves with 3" root_left_with "$job" 3
        holds "$1 ${job##*.}: mpirun returns" [ "$(cat "$job/code")" -lt 124 ]
        holds "$1 ${job##*.}: names workers and partitions" says "$job/stderr" "^gradcode: failed: .*$2.*workers 2-3.*partitions 2-3"
        holds "$1 ${job##*.}: result.json has failed" says "$job/out/result.json" '"status": "failed"'
    done
}

launch killed KILL 1
check_survived killed $grouped 150 dead
launch stopped STOP 1
check_survived stopped $grouped 150 stopped
launch_others
for name in KILL:dead STOP:stopped; do
    check_survived dynamic.${name%:*} dynamic:load=2 150 ${name#*:}
    check_survived k-async.${name%:*} k-async:k=3 600 ${name#*:}
done
launch group-killed KILL 2 3
check_refused group-killed 'cannot be recovered'
launch group-stopped STOP 2 3
check_refused group-stopped deadline
finish $((20 * repeats + 22 * others))

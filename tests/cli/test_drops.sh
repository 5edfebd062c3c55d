# test_drops.sh - strategies that drop choose by themselves before what is measured, make up for what they drop, and stand beside their
# model; local SGD; on both clocks.
# SPDX-License-Identifier: BSD-3-Clause
. "$(dirname "$0")/cli.sh"

common="--partitions 8 --rounds 60 --data synthetic:samples=2000,features=20 --delay lognormal:mu=.001 --json"
own=drop:tau=auto,profile=10
run "$GRADCODE" compare --workers 12 $common -s sync -s $own -s $own,resample=batch -s drop:tau=auto,resample=batch \
    -s drop:tau=.008,resample=steps -s drop:tau=.012 -s local:steps=1 -s local:steps=3 -s local:steps=3,tau=.03
holds "exit code 0 (was $status): $(tail -n 2 "$work/err")" [ "$status" -eq 0 ]
cp "$work/out" "$work/all.json"
all=$work/all.json
run "$GRADCODE" compare --workers 12 $common -s sync --warmup 15
holds "all measure the same rounds, those after the longest profile" \
    [ "$(figure "$all" sync loss_final)" = "$(figure "$work/out" sync loss_final)" ]
holds "in the same time" is_close "$(figure "$all" sync wall_s)" "$(figure "$work/out" sync wall_s)" 1e-9

is_between() { is_below "$2" "$1" && is_below "$1" "$3"; }
used_of() { figure "$all" "$1" used_fraction; }
note_of() { figure "$all" "$1" note; }
says() { note_of "$1" | grep -q "$2"; }
chose() { figure "$all" "$1" chosen | grep -q "$2"; }
holds "a profile of its own is followed by dropping ($(used_of $own))" is_between "$(used_of $own)" .6 .99
holds "what was chosen is said" chose $own '^"tau=0\.0[0-9]*"$'
holds "the model stands beside the measurement" says $own 'light-tail model: kept 0\.[0-9]*, speed-up 1\.[0-9]* (measured 0\.[0-9]*, 1\.[0-9]*)'
holds "the model stands beside a given tau" says drop:tau=.012 'light-tail model: kept'
for spec in $own,resample=batch drop:tau=auto,resample=batch; do
    holds "$spec uses about one batch a round ($(used_of $spec))" is_between "$(used_of $spec)" .95 1.07
done
steps=drop:tau=.008,resample=steps
rounds=$(figure "$all" $steps rounds_completed)
batches=$(awk -v r="$rounds" -v u="$(used_of $steps)" 'BEGIN { print r * u }')
holds "resample=steps runs more rounds ($rounds)" is_between "$rounds" 61 240
holds "until as many samples were used ($batches batches)" is_between "$batches" 59.999 61
holds "one local step is sync bit for bit" [ "$(figure "$all" sync loss_final)" = "$(figure "$all" local:steps=1 loss_final)" ]
holds "local steps use a batch each" is_close "$(used_of local:steps=3)" 3 1e-9
holds "local steps past tau are not taken ($(used_of local:steps=3,tau=.03))" is_between "$(used_of local:steps=3,tau=.03)" 1 2.999
holds "local steps descend further per round" is_below "$(figure "$all" local:steps=3 loss_final)" "$(figure "$all" sync loss_final)"
holds "no gradient stands for local steps" [ "$(figure "$all" local:steps=3 gradient_error)" = null ]
run "$GRADCODE" compare --workers 12 $common -s $own --fault nan:worker=1,round=4
holds "a fault keeps its round: $(tail -n 1 "$work/err")" grep -q "failed: $own: round 4: the sum of worker 1" "$work/err"

if command -v "$MPIRUN" >/dev/null; then
    parallel 5 compare --partitions 4 --rounds 10 --data synthetic:samples=500,features=20 --delay exp:mean=.002 --json -s sync \
        -s drop:tau=auto,profile=3 -s drop:tau=auto,profile=3,resample=batch -s drop:tau=.004,resample=steps -s local:steps=3 -s local:steps=1
    holds "exit code 0 under mpirun (was $status): $(tail -n 2 "$work/err")" [ "$status" -eq 0 ]
    all=$work/out
    holds "under mpirun what was chosen is said" chose drop:tau=auto,profile=3 '^"tau=0\.[0-9]*"$'
    holds "under mpirun a batch grows" chose drop:tau=auto,profile=3,resample=batch 'most=[4-9]'
    holds "under mpirun resample=steps runs more rounds" is_between "$(figure "$all" drop:tau=.004,resample=steps rounds_completed)" 10 41
    holds "under mpirun local steps use a batch each" is_close "$(used_of local:steps=3)" 3 1e-9
    holds "under mpirun one local step follows sync" is_close "$(figure "$all" local:steps=1 loss_final)" "$(figure "$all" sync loss_final)" 1e-9
else
    echo "skipped: no mpirun"
    held=$((held + 6))
fi
finish 23

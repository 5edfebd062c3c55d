# test_bad_input.sh - every mistake gives one sentence on stderr, nothing on stdout, and exit code 2.
# SPDX-License-Identifier: BSD-3-Clause
. "$(dirname "$0")/cli.sh"

# One line that begins as announced, names the word, and is not merely the name of a status.
is_one_sentence() {
    [ "$(wc -l <"$work/err")" -eq 1 ] && grep -q '^gradcode: failed: ..*[a-z].*' "$work/err" &&
        grep -qF -- "$1" "$work/err"
}

# refuses WORD ARGUMENTS...: WORD must be in the sentence.
refuses() {
    word=$1
    shift
    run "$GRADCODE" "$@"
    holds "exit code 2 (was $status): gradcode $*" [ "$status" -eq 2 ]
    holds "one sentence with '$word': gradcode $* -> $(head -c 300 "$work/err")" is_one_sentence "$word"
    holds "nothing on stdout: gradcode $*" [ ! -s "$work/out" ]
}

printf '1,2\n3\n' >"$work/ragged.csv"
printf '1,x\n3,4\n' >"$work/mixed.csv"
printf '1,2\n3,x\n' >"$work/words.csv"
printf '1 1:2\n1 1:z\n' >"$work/garbled.svm"
: >"$work/empty.csv"
printf '\037\213garbage' >"$work/broken.csv.gz"
mkdir "$work/used" "$work/images"
echo '{}' >"$work/used/result.json"
echo file >"$work/plain"
for row in 1,0,0,0,0,0,0,0 0,1,0,0,0,0,0,0 0,0,1,0,0,0,0,0 0,0,0,1,0,0,0,0 0,0,0,0,1,0,0,0 0,0,0,0,0,1,0,0 0,0,0,0,0,0,1,2 \
    0,0,0,0,0,0,1,2; do
    echo $row
done >"$work/rows.csv"
printf 'xx' >"$work/images/train-images-idx3-ubyte"
printf 'xx' >"$work/images/train-labels-idx1-ubyte"

# commands, flags and their values
refuses command
refuses compare train -s all
refuses 'is a strategy' plan gc:code=cyclic --workers 8
refuses 1e-09 compare -s drop:tau=-1
refuses twice compare -s sync -s sync
refuses comapre comapre
refuses compare comapre
refuses --rounds compare --rounds
refuses --rounds compare --rounds 0
refuses --rounds compare --rounds -3
refuses --rounds compare --rounds ten
refuses --rounds compare --rounds 1.5
refuses --rounds compare --rounds=
refuses --rounds compare --rounds 99999999999999999999
refuses --workers compare --workers 0
refuses --workers compare --workers 8x
refuses --partitions compare --partitions 0
refuses partitions compare --workers 10000000 --partitions 1000000
refuses --batch compare --batch -1
refuses batch compare --batch 3
refuses batch compare --batch 1000000
refuses --poll compare --poll often
refuses --poll compare --poll -1
refuses --poll compare --poll nan
refuses --latency compare --latency -1
refuses --latency compare --latency inf
refuses --bandwidth compare --bandwidth 0
refuses --rate compare --rate fast
refuses --momentum compare --momentum 1
refuses --momentum compare --nesterov
refuses --dtype compare --dtype f16
refuses --shuffle compare --shuffle 2
refuses --seed compare --seed -1
refuses --seed compare --seed 18446744073709551616
refuses --give-up compare --give-up 0
refuses --warmup compare --warmup -1
refuses --json compare --json=1
refuses --out compare --out --json
refuses wrokers compare --wrokers 4
refuses workers compare --wrokers 4
refuses -z compare -z
refuses stray compare stray
refuses problem simulate --problem softmax
refuses --overwrite compare --overwrite

# strategies and codes
refuses snyc compare -s snyc
refuses -s compare -s
refuses twice compare -s sync -s sync
refuses drop compare -s drop
refuses tau compare -s drop:tau=-1
refuses tau compare -s drop:tau=soon
refuses check compare -s drop:tau=1,check=poll
refuses chekc compare -s drop:tau=1,chekc=piece
refuses "at least 1e-09, or inf, or auto" compare -s drop:tau=0
refuses "from 1 to 1000" compare -s drop:tau=auto,profile=0
refuses "profile=1 to 1000 or most=4 to 16" compare -s drop:tau=1,resample=batch --partitions 4
refuses "want 4 to 16" compare -s drop:tau=1,resample=batch,most=20 --partitions 4
refuses "none, steps, batch" compare -s drop:tau=1,resample=all
refuses "from 1 to 1000" compare -s local:steps=0
refuses "or inf" compare -s local:steps=2,tau=0
refuses load compare -s gc:code=fractional,load=99
refuses load compare -s gc:code=fractional,load=x
refuses 'did you mean code' compare -s gc:cod=cyclic
refuses loda compare -s gc:code=fractional,loda=2
refuses nosuch compare -s gc:code=nosuch
refuses gc compare -s gc:
refuses gc compare -s gc:code=fractional,
refuses "','" compare -s ,
refuses train train -s sync -s drop:tau=1
refuses sync compare -s sync:tau=1
refuses message compare -s gc:code=uncoded,message=3 --partitions 4
refuses wait= compare -s approx
refuses '1 to 8' compare -s approx:wait=9
refuses divisor compare -s approx:wait=4,load=3
refuses decode=fixed compare -s approx:wait=4,code=cyclic,decode=fixed
refuses 'nearest is 2' compare -s gc:code=graph,degree=5
refuses approx:code=file compare -s "gc:code=file,path=$work/rows.csv"
refuses "1 to 3, nearest is 3" compare -s gc:code=dual,load=3,shorten=4
refuses "want 8, one for each" compare -s gc:code=dual,load=2,speeds=1+1
refuses "worker 7 the value 9 of 16" compare -s gc:code=dual,load=2,speeds=1+1+1+1+1+1+1+9

# delays and faults
refuses epx compare --delay epx:mean=1
refuses mean compare --delay exp
refuses mean compare --delay exp:mean=-1
refuses base compare --delay exp:mean=1 --delay exp:mean=2
refuses base compare --delay jitter --delay exp:mean=2
refuses slow compare --delay slow:which=8
refuses slow compare --delay slow:workers=9
refuses fault compare --fault melt:worker=1,round=1
refuses worker compare --fault kill:worker=8,round=1
refuses round compare --fault kill:worker=1
refuses at compare --fault kill:worker=1,round=1,at=noon

# problems, data and output
refuses sofmax compare --problem sofmax
refuses l2 compare --problem softmax:l2=-1
refuses hidden compare --problem mlp:hidden=0 --data synthetic:classes=3
refuses hidden compare --problem mlp:hidden=many --data synthetic:classes=3
refuses classes compare --problem mlp --data synthetic
refuses classes compare --shuffle class
refuses sythetic compare --data sythetic
refuses samples compare --data synthetic:samples=0
refuses missing.csv compare --data "csv:$work/missing.csv"
refuses ragged.csv compare --data "csv:$work/ragged.csv"
refuses words.csv compare --data "csv:$work/words.csv"
refuses empty.csv compare --data "csv:$work/empty.csv"
refuses broken.csv.gz compare --data "csv:$work/broken.csv.gz"
refuses garbled.svm compare --data "libsvm:$work/garbled.svm"
refuses "$work/images" compare --problem softmax --data "fashion-mnist:dir=$work/images"
refuses "$work/nowhere" compare --problem softmax --data "fashion-mnist:dir=$work/nowhere"
refuses softmax compare --problem softmax --data synthetic
refuses "$work/used" compare --out "$work/used"
refuses "$work/plain" compare --out "$work/plain/below"
refuses /proc/nowhere compare --out /proc/nowhere/below --rounds 1000000
refuses "$work/mixed.csv" compare --data "csv:$work/mixed.csv"
refuses regular compare --data csv:/dev/zero

# plan and help
refuses --workers plan fractional:load=2
refuses SPEC plan --workers 8
refuses SPEC plan fractional cyclic --workers 8
refuses fractoinal plan fractoinal --workers 8
refuses load plan fractional:load=9 --workers 8
refuses load plan cyclic:load=0 --workers 8
refuses degree plan graph:degree=3 --workers 8
refuses p= plan stochastic:p=1 --workers 8
refuses path plan file --workers 2
refuses 'line 2, column 2' plan "file:$work/ragged.csv" --workers 2
refuses 'line 1, column 2' plan "file:$work/mixed.csv" --workers 2
refuses '8 rows' plan "file:$work/rows.csv" --workers 2
refuses regular plan file:/dev/zero --workers 2
refuses --rounds plan fractional --workers 8 --rounds 3
refuses nosuch help nosuch
refuses topics help codes delays

finish 322

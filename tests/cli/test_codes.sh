#!/bin/sh
# test_codes.sh - multi-message and well-conditioned codes under mpirun on real images, with delays of every kind: exact in float64
# and to 1e-4 in float32, with as many messages as on the virtual clock.
# SPDX-License-Identifier: BSD-3-Clause
set -u
. "$GDC_SOURCE/tests/cli/cli.sh"
images=/usr/share/datasets/fashion-mnist/train-images-idx3-ubyte.gz
[ -f "$images" ] || {
    echo "skipped: no $images (package dataset-fashion-mnist)"
    exit 77
}
mmc=gc:code=mmc,load=2,clusters=2,orders=1+2
circulant=gc:code=circulant,load=4
ended='gc:code=uncoded,load=2,walk=two-ended,message=1'

# compare_both DTYPE DELAYS...: under mpirun, then on the virtual clock.
compare_both() {
    dtype=$1
    shift
    set -- compare -s "$mmc" -s "$circulant" -s "$ended" --problem softmax --data fashion-mnist:samples=12000 --batch 512 \
        --partitions 2 --rounds "$rounds" --dtype "$dtype" --poll 0.0005 "$@"
    parallel 9 "$@" --json
    cp "$work/out" "$work/real"
    real_status=$status
    run "$GRADCODE" "$@" --workers 8 --warmup 5 --json
}

check() {
    delays=$1
    dtype=$2
    bound=$3
    holds "$delays $dtype: both end well" [ "$real_status$status" = 00 ]
    for spec in "$mmc" "$circulant" "$ended"; do
        error=$(figure "$work/real" "$spec" gradient_error)
        real=$(figure "$work/real" "$spec" messages_per_round)
        virtual=$(figure "$work/out" "$spec" messages_per_round)
        holds "$delays $dtype $spec: exact (error $error)" is_below "$error" "$bound"
        holds "$delays $dtype $spec: $real messages, virtual $virtual" is_close "$real" "$virtual" 0.1
    done
}

rounds=30 kinds=f64
[ "${GDC_TEST_FULL:-0}" = 1 ] && rounds=50 kinds="f64 f32"
for dtype in $kinds; do
    bound=1e-10
    [ $dtype = f64 ] || bound=1e-4
    compare_both $dtype --delay lognormal:mu=0.006
    check lognormal $dtype $bound
    compare_both $dtype --delay exp:mean=0.008 --delay gilbert:in=.03,out=.3,factor=5
    check gilbert $dtype $bound
    compare_both $dtype --delay exp:mean=0.008 --delay stall:p=.02,extra=.1
    check stall $dtype $bound
done
if [ "$kinds" = f64 ]; then # the other kind once
    compare_both f32 --delay lognormal:mu=0.006
    check lognormal f32 1e-4
fi
finish 28

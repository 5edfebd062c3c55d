#!/bin/sh
# demo.sh - gradient coding and DropCompute side by side, on real images, with one straggler among eight workers.
# SPDX-License-Identifier: BSD-3-Clause
set -eu
GDC_SOURCE=$(CDPATH='' cd "$(dirname "$0")/.." && pwd)
. "$GDC_SOURCE/apps/packages.sh"
. "$GDC_SOURCE/apps/setup.sh"
out=$GDC_SOURCE/out/demo

cat <<'TEXT'
This trains a softmax classifier on Fashion-MNIST with 8 workers under mpirun. Worker times are drawn, the same ones
for every strategy, and one worker is 10 times slower than the others. Compared are:
  sync                       all-reduce that waits for everybody: the baseline
  drop                       DropCompute: all-reduce without what is not computed in time, looking at the clock between
                             pieces (check=piece) and inside them (check=poll)
  gc:code=uncoded            a master that waits for everybody, to see what the star by itself costs
  gc:code=fractional,load=2  gradient coding: every sample at two workers, any one of them may be late
  gc:code=cyclic,load=3      gradient coding: every sample at three workers, any two of them may be late
It takes about two minutes; the build comes first.

TEXT

# shellcheck disable=SC2086 # a list
gdc_install $GDC_RUN_PACKAGES
gdc_environment
gdc_build gradcode_tool -DGDC_TESTS=OFF

set -- compare --problem softmax --data fashion-mnist --batch 1024 --partitions 2 --rounds 60 --rate 0.1 \
    --delay shifted-exp:shift=.0025,mean=.01 --delay slow:workers=1,factor=10 --poll 0.0005 \
    -s sync -s drop:tau=0.05 -s gc:code=uncoded -s gc:code=fractional,load=2 -s gc:code=cyclic,load=3 \
    -s dynamic:load=2 \
    --out "$out" --overwrite
echo "run: mpirun -n 9 build/apps/gradcode $*"
echo
mpirun -n 9 "$GDC_SOURCE/build/apps/gradcode" "$@"

echo
echo "Files, in $out:"
echo "  result.json                  every figure, for a script to read (apps/report/README.md says what they mean)"
echo "  rounds.csv, arrivals.csv     every round, every vector that arrived"
for picture in "$out"/loss.png "$out"/loss.svg "$out"/round-times.png "$out"/round-times.svg; do
    if [ -f "$picture" ]; then
        echo "  $(basename "$picture")"
    fi
done

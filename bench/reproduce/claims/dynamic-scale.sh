# dynamic-scale.sh - redundancy against dropping at 16, 256 and 1,024 workers: 5 % are 10 times slower in a round
# SPDX-License-Identifier: BSD-3-Clause
from="two simulations"
. "$here/dynamic_table.sh"
delays="--delay none:piece=1 --delay jitter:sd=.05 --delay burst:p=.05,factor=10"
# row WORKERS ROUNDS R3 R4 RN DROP; tau as at 64 workers, where it was the best.
row()
{
    workers=$1
    table_rounds=$(rounds "$2")
    set -- "$3" "$4" "$5" "$6" "dynamic:permute=0,nominal=1.05,load"
    # shellcheck disable=SC2086 # a list
    table_run $delays -s "$5=3" -s "$5=4" -s "$5=$workers" -s drop:tau=10
    cell "N = $workers, dynamic r = 3" "$5=3" "$1:0"
    cell "N = $workers, dynamic r = 4" "$5=4" "$2:0"
    cell "N = $workers, dynamic r = N" "$5=$workers" "$3:0"
    cell "N = $workers, drop" drop:tau=10 "$4:0" effective_round_s
}
row 16 4000 17.0 15.6 14.2 13.3
row 256 500 24.3 19.6 15.2 13.8
row 1024 100 29.7 21.3 15.4 14.1

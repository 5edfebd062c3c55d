# dynamic-stall.sh - redundancy against dropping: a piece in 240 stalls for 200 s
# SPDX-License-Identifier: BSD-3-Clause
from="two simulations"
. "$here/dynamic_table.sh"
delays="--delay none:piece=1 --delay jitter:sd=.05 --delay stall:p=.0041667,extra=200"
nominal=1.05
static_row 218.4 118.3 92.9 92.5 89.2
tuned_row 27.6 206.3
between "drop / sync: nothing to gain inside a piece" "$(calculate "d / s" -v d="$dropping" -v s="$waiting")" .9 1 .945
dynamic_row 99.7:3.4 56.8:1.9 40.9:1.3 23.4:.3
bound 13.4

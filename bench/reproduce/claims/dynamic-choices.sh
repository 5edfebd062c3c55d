# dynamic-choices.sh - what the parts of dynamic are worth: helpers' vectors held apart, progress, carrying pieces over
# SPDX-License-Identifier: BSD-3-Clause
from="two simulations"
. "$here/dynamic_table.sh"
table_rounds=$(rounds 2000)
own=dynamic:permute=0

table_run --delay lognormal:mu=1 -s $own,load=3,nominal=1.5,pool=0 -s $own,load=3,nominal=1.5,progress=0
cell "log-normal, r = 3, nothing held apart" $own,load=3,nominal=1.5,pool=0 24.2
cell "log-normal, r = 3, progress not told" $own,load=3,nominal=1.5,progress=0 21.5

jitter="--delay none:piece=1 --delay jitter:sd=.05"
# shellcheck disable=SC2086 # a list
table_run $jitter --delay slow:workers=1,factor=10 -s $own,load=3,nominal=1.05,progress=0
cell "one slow worker, r = 3, progress not told" $own,load=3,nominal=1.05,progress=0 19.03

table_run --delay pareto:alpha=2,min=.5 -s $own,load=64
cell "Pareto, r = N, typical time from the last round" $own,load=64 14.2

# shellcheck disable=SC2086 # a list
table_run $jitter --delay stall:p=.0041667,extra=200 --poll 0 -s $own,load=3,nominal=1.05
cell "stall, r = 3, everybody fresh in every round" $own,load=3,nominal=1.05 24.6

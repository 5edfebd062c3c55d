# dynamic-burst.sh - redundancy against dropping: 5 % of the workers are 10 times slower in a round
# SPDX-License-Identifier: BSD-3-Clause
from="two simulations"
. "$here/dynamic_table.sh"
delays="--delay none:piece=1 --delay jitter:sd=.05 --delay burst:p=.05,factor=10"
nominal=1.05
static_row 121.8 43.6:2.44 50.4 28.3 26.5
tuned_row 15.4 13.5
dynamic_row 32.0:1.1 20.6 17.9 14.8
bound 13.6

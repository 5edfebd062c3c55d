# dynamic-fixed.sh - redundancy against dropping: one worker is always 10 times slower
# SPDX-License-Identifier: BSD-3-Clause
from="two simulations"
. "$here/dynamic_table.sh"
delays="--delay none:piece=1 --delay jitter:sd=.05 --delay slow:workers=1,factor=10"
nominal=1.05
static_row 124.8 25.1 49.9 26.0 24.6
tuned_row 12.9 13.0
dynamic_row 23.7 18.8 16.9 13.8
bound 13.4

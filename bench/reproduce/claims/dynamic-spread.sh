# dynamic-spread.sh - redundancy against dropping: a factor 1 + Exp(1) per worker and round
# SPDX-License-Identifier: BSD-3-Clause
from="two simulations"
. "$here/dynamic_table.sh"
delays="--delay none:piece=1 --delay jitter:sd=.05 --delay spread:mean=1"
nominal=2.0
static_row 71.3 76.0 84.6 53.4 43.7
tuned_row 39.8 25.9
dynamic_row 41.1:.34 32.8 29.0 23.0
bound 21.8

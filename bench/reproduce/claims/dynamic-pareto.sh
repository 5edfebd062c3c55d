# dynamic-pareto.sh - redundancy against dropping: Pareto(2) times
# SPDX-License-Identifier: BSD-3-Clause
from="two simulations"
. "$here/dynamic_table.sh"
delays="--delay pareto:alpha=2,min=.5"
nominal=1.05
static_row 35.8:1.58 29.7 42.0 26.4 23.4
tuned_row 17.6 30.7:1.26
dynamic_row 22.1 18.2 16.6 14.6
bound 11.8

# dynamic-gilbert.sh - redundancy against dropping: workers turn slow and back, factor 5
# SPDX-License-Identifier: BSD-3-Clause
from="two simulations"
. "$here/dynamic_table.sh"
delays="--delay none:piece=1 --delay jitter:sd=.05 --delay gilbert:in=.03,out=.3,factor=5"
nominal=1.05
static_row 62.9 48.1:2.69 51.8 31.5 27.7
tuned_row 16.1 13.9
dynamic_row 30.9:.8 21.4 18.5 15.5
bound 14.1

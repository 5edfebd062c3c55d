# dynamic-lognormal.sh - redundancy against dropping: log-normal times
# SPDX-License-Identifier: BSD-3-Clause
from="two simulations"
. "$here/dynamic_table.sh"
delays="--delay lognormal:mu=1"
nominal=1.5
static_row 24.5 39.3 68.3 25.6 23.1
tuned_row 22.9 21.3
dynamic_row 22.1 21.3 21.0 20.5
bound 18.6

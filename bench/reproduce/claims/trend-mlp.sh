# trend-mlp.sh - which K reaches a low loss first, and AdaSync beside every K: mlp:hidden=32
# SPDX-License-Identifier: BSD-3-Clause
from="arXiv 2003.10579"
. "$here/trend.sh"
problem=mlp:hidden=32
floors
trend .02
trend .05

# trend-softmax.sh - which K reaches a low loss first, and AdaSync beside every K: softmax
# SPDX-License-Identifier: BSD-3-Clause
from="arXiv 2003.10579"
. "$here/trend.sh"
problem=softmax
floors
trend .02
trend .05

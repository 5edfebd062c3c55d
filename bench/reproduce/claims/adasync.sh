# adasync.sh - the K of AdaSync as the loss falls, by its rules
# SPDX-License-Identifier: BSD-3-Clause
from="arXiv 2003.10579"
within "quad, K0 = 2 of 8, F0/F = 2 4 6 12 32" "$("$formulas" quad 2 8 2 4 6 12 32)" "2.6667 3.4741 4.0000 4.9443 6.1988" .00005 \
    "last digit"
within "quad, K0 = 4 of 8, F0/F = 2 4 6 12 32" "$("$formulas" quad 4 8 2 4 6 12 32)" "4.9443 5.8564 6.3303 6.9839 7.5542" .00005 \
    "last digit"
within "sqrt, K0 = 4 of 8, F0/F = 2 4" "$("$formulas" sqrt 4 8 2 4)" "5.6569 8.0000" .00005 "last digit"

# fractional.sh - any load - 1 stragglers at any n, and nothing cancels
# SPDX-License-Identifier: BSD-3-Clause
from="arXiv 1612.03301"
tolerances=
amplifications=
for case in 12:3 16:4 10:3 11:4; do
    tool plan "fractional:load=${case#*:}" --workers "${case%:*}"
    tolerances="$tolerances $(planned tolerance)"
    amplifications="$amplifications $(planned worst)"
done
within "stragglers survived, n:load = 12:3 16:4 10:3 11:4" "$tolerances" "2 3 2 3" 0
within "worst amplification of these" "$amplifications" "1 1 1 1" 0

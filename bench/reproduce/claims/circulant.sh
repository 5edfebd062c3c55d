# circulant.sh - worst amplification of cyclic MDS codes
# SPDX-License-Identifier: BSD-3-Clause
from="arXiv 1707.03858"
ours=
for case in 8:4 12:4 16:4 16:6 24:6 25:7; do
    tool plan "circulant:load=${case#*:}" --workers "${case%:*}"
    ours="$ours $(planned worst)"
done
# The references have three digits.
within "n:s = 8:3 12:3 16:3 16:5 24:5 25:6" "$ours" "5.83 13.9 25.3 147 804 2.63e3" ".005 .05 .05 .5 .5 5" "last digit"

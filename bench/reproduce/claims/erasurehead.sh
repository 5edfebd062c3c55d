# erasurehead.sh - the share of the gradient that is missing when a repetition code is cut short
# SPDX-License-Identifier: BSD-3-Clause
from="arXiv 1901.09671"
simulate --workers 30 --poll 0 --rounds "$(rounds 20000)" --delay exp:mean=1 \
    -s approx:wait=15,code=erasurehead,load=3 -s approx:wait=20,code=erasurehead,load=3
# C(27, m) / C(30, m)
for case in 15:11.207 20:2.956; do
    used=$(figure "$result" "approx:wait=${case%:*},code=erasurehead,load=3" used_fraction)
    near "missing (%), n = 30, load 3, after ${case%:*} workers" "$(calculate "100 * (1 - used)" -v used="$used")" "${case#*:}"
done

# cyclic.sh - any n - s workers suffice, and no fewer; a round ends with them
# SPDX-License-Identifier: BSD-3-Clause
from="arXiv 1612.03301"
tolerances=
for case in 8:4 12:4 16:6; do
    tool plan "cyclic:load=${case#*:}" --workers "${case%:*}"
    tolerances="$tolerances $(planned tolerance)"
done
within "stragglers survived, n:load = 8:4 12:4 16:6" "$tolerances" "3 3 5" 0

# T = load (.01 + Exp(.1)), the (n - s)-th of 20
set -- --workers 20 --poll 0 --rounds "$(rounds 20000)" --delay shifted-exp:shift=.01,mean=.1,per=round
for load in 2 3 4 5; do
    set -- "$@" -s "gc:code=cyclic,load=$load,tries=1"
done
simulate "$@"
order=$("$formulas" order-exp .1 20)
for load in 2 3 4 5; do
    near "mean round (s), load $load" "$(figure "$result" "gc:code=cyclic,load=$load,tries=1" mean)" \
        "$(calculate "load * (.01 + $(echo "$order" | cut -d ' ' -f $((21 - load))))" -v load=$load)"
    within "vectors by then, load $load" "$(figure "$result" "gc:code=cyclic,load=$load,tries=1" messages_per_round)" \
        $((21 - load)) 0
done

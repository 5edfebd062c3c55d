# mmc.sh - clusters and several messages per worker: mean round and vectors, n = 20
# SPDX-License-Identifier: BSD-3-Clause
from="arXiv 1903.01974"
# T(m) = m (.01 + Exp(.1)), one draw per worker and round, everybody fresh and interrupted at once. The references are two
# simulations that agree within 1 %. cN: clusters of N.
cells='cyclic,load=2,tries=1|GC r=2|.539 19.0
mmc,load=2,clusters=5|c4 r=2|.403 17.3
mmc,load=2,clusters=4|c5 r=2|.426 17.6
uncoded,load=2|uncoded ring r=2|.249 31.4
uncoded,load=2,clusters=5|uncoded c4 r=2|.249 31.5
cyclic,load=3,tries=1|GC r=3|.660 18.0
mmc,load=3,clusters=5|c4 r=3|.366 13.5
mmc,load=3,clusters=4|c5 r=3|.418 14.6
mmc,load=3,clusters=5,orders=2+3|orders 2,3 c4|.317 27.4
mmc,load=3,clusters=4,orders=2+3|orders 2,3 c5|.309 27.1
uncoded,load=3|uncoded ring r=3|.206 37.2
uncoded,load=3,clusters=5|uncoded c4 r=3|.205 37.3
cyclic,load=4,tries=1|GC r=4|.746 17.0
mmc,load=4,clusters=5|c4 r=4|.270 8.6
mmc,load=4,clusters=4|c5 r=4|.361 11.1
mmc,load=4,clusters=5,orders=3+4|orders 3,4 c4|.250 18.1
mmc,load=4,clusters=4,orders=3+4|orders 3,4 c5|.331 22.6
uncoded,load=4|uncoded ring r=4|.182 40.3
uncoded,load=4,clusters=5|uncoded c4 r=4|.177 39.5
cyclic,load=5,tries=1|GC r=5|.808 16.0
mmc,load=5,clusters=4|c5 r=5|.259 6.8
mmc,load=5,clusters=4,orders=4+5|orders 4,5 c5|.247 14.2
uncoded,load=5|uncoded ring r=5|.168 42.0
uncoded,load=5,clusters=4|uncoded c5 r=5|.164 41.2'
set -- --workers 20 --poll 0 --rounds "$(rounds 20000)" --delay shifted-exp:shift=.01,mean=.1,per=round -s gc:code=uncoded \
    -s gc:code=mmc,load=2,clusters=5,orders=1+2 -s gc:code=mmc,load=3,clusters=4,orders=1+2+3 -s gc:code=uncoded,load=3,clusters=4
while IFS='|' read -r code rest; do
    set -- "$@" -s "gc:code=$code"
done <<CELLS
$cells
CELLS
simulate "$@"
both()
{
    echo "$(figure "$result" "gc:code=$1" mean) $(figure "$result" "gc:code=$1" messages_per_round)"
}
near "mean round (s), vectors: uncoded, load 1" "$(both uncoded)" ".3698 20"
while IFS='|' read -r code name reference; do
    near "mean round (s), vectors: $name" "$(both "$code")" "$reference"
done <<CELLS
$cells
CELLS
from=derived
within "all orders end when uncoded messages do (s): r=2 c4, r=3 c5" \
    "$(figure "$result" gc:code=mmc,load=2,clusters=5,orders=1+2 mean) $(figure "$result" gc:code=mmc,load=3,clusters=4,orders=1+2+3 mean)" \
    "$(figure "$result" gc:code=uncoded,load=2,clusters=5 mean) $(figure "$result" gc:code=uncoded,load=3,clusters=4 mean)" 1e-9

# Progress of every worker uniform on 0 .. load: all cases counted.
for case in 4:3:3:.2617 4:3:2+3:.4062 4:3:1+2+3:.7227 6:3:2+3:.2686 4:3:1+2:.6289; do
    l=${case%%:*}
    orders=${case#*:*:}
    within "P(decodable), cluster of $l, load 3, orders ${orders%:*}" \
        "$("$formulas" progress "mmc:load=3,orders=${orders%:*}" "$l")" "${case##*:}" .00005 "last digit"
done

# drop-limits.sh - what DropCompute cannot do and exact redundancy can: a dead worker, a persistently slow one
# SPDX-License-Identifier: BSD-3-Clause
from="arXiv 2306.10598"
set -- --workers 16 --partitions 12 --delay none:piece=1 --delay jitter:sd=.05
code=0
simulate "$@" --rounds 50 -s drop:tau=13 --fault kill:worker=3,round=20 2>/dev/null || code=$?
same "drop, a worker dies: exit code (3: could not finish)" "$code" 3
simulate "$@" --rounds 50 -s dynamic:load=3 --fault kill:worker=3,round=20
within "dynamic r = 3, a worker dies: rounds, of 50" "$(figure "$result" dynamic:load=3 rounds_completed)" 50 0
simulate "$@" --rounds "$(rounds 500)" --delay slow:workers=1,factor=10 -s drop:tau=11 -s dynamic:load=3
between "drop, one worker 10 times slower: share used of its samples" "$(figure "$result" drop:tau=11 least_worker_share)" - .2 "few"
within "dynamic r = 3, the same" "$(figure "$result" dynamic:load=3 least_worker_share)" 1 0

# shorten.sh - messages m times shorter: exact at 100 workers, and s + m owners per partition pay for them
# SPDX-License-Identifier: BSD-3-Clause
from="arXiv 1802.03475"
set -- --workers 100 --data synthetic:samples=2000,features=40 --rounds "$(rounds 50)" --delay exp:mean=1 -s gc:code=uncoded
codes='load=3,shorten=1 load=4,shorten=2 load=6,shorten=4 load=8,shorten=4'
for code in $codes; do
    set -- "$@" -s "gc:code=dual,$code"
done
tool compare --quiet "$@"
for code in $codes; do
    between "largest relative error of a gradient, n = 100, $code" "$(figure "$result" "gc:code=dual,$code" gradient_error)" - 1e-10
done
for case in 4:2:2 6:4:2 8:4:4; do
    load=${case%%:*} m=${case#*:} s=${case##*:}
    m=${m%:*}
    tool plan "dual:load=$load,shorten=$m" --workers 12
    within "stragglers survived, n = 12, load $load, m = $m" "$(planned tolerance)" "$s" 0
done

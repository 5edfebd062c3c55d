# test_adopt_drop.sh - the example that adopts DropCompute in a loop of its own runs, learns its model and says what it chose.
# SPDX-License-Identifier: BSD-3-Clause
. "$(dirname "$0")/ranks.sh"

for ranks in 1 4; do
    timeout -k 5 60 "$MPIRUN" --oversubscribe --bind-to none -n $ranks "$GDC_BUILD/apps/adopt_drop" >"$work/out" 2>"$work/err" </dev/null
    status=$?
    if [ $status -eq 0 ] && grep -q '^model 1.00 -2.00 3.00$' "$work/out" && grep -q '^chosen tau=0\.0' "$work/out"; then
        echo "adopt_drop on $ranks ranks: $(tr '\n' ';' <"$work/out")"
    else
        broken=$((broken + 1))
        echo "adopt_drop on $ranks ranks: exit code $status"
        cat "$work/out" "$work/err"
    fi
done
marked=$(grep -c '/\* + \*/$' "${GDC_SOURCE:?}/apps/examples/adopt_drop.c")
[ "$marked" -eq 10 ] || { echo "it takes $marked new lines, not ten"; broken=$((broken + 1)); }
[ "$broken" -eq 0 ]

# test_critical.sh - --report critical: against a plain computation over samples, against known noise, and on both clocks.
# SPDX-License-Identifier: BSD-3-Clause
. "$(dirname "$0")/cli.sh"

# value FILE SPEC KEY: the value of an interval of one strategy's critical parameters.
value() {
    awk -v spec="\"spec\": \"$2\"," -v key="\"$3\": {" '
        index($0, "\"spec\": ") { ours = index($0, spec) > 0; inside = 0 }
        ours && index($0, "\"critical\": {") { inside = 1 }
        inside && index($0, key) { wanted = 1 }
        wanted && index($0, "\"value\": ") { text = $2; sub(/,$/, "", text); print text; exit }' "$1"
}

# Data of three features whose noise grows with the first; at w = 0 a sample's gradient is -y (x, 1).
awk 'BEGIN {
    srand(7); tau = 8 * atan2(1, 1)
    for (i = 0; i < 4000; i++) {
        for (j = 0; j < 4; j++)
            z[j] = sqrt(-2 * log(1 - rand())) * cos(tau * rand())
        printf "%.17g,%.17g,%.17g,%.17g\n", z[0], z[1] + 1, z[2], 2 * z[0] + z[1] - 1 + z[3] * (1 + z[0])
    }
}' >"$work/data.csv"
awk -F, '{ g[0] = -$4 * $1; g[1] = -$4 * $2; g[2] = -$4 * $3; g[3] = -$4
    for (j = 0; j < 4; j++) { sum[j] += g[j]; squares += g[j] * g[j] } }
    END { for (j = 0; j < 4; j++) whole += (sum[j] / NR) ^ 2
          printf "%.17g %.17g\n", whole, (squares - NR * whole) / (NR - 1) }' "$work/data.csv" >"$work/plain"
read -r gradient2 noise <"$work/plain"

# A rate of nothing keeps the model where it is.
still="train --report critical --data csv:$work/data.csv --rate 1e-12 --json"
for spec in sync gc:code=cyclic,load=3; do
    run "$GRADCODE" $still --rounds 2 --partitions 25 -s "$spec"
    holds "$spec: exit code 0 (was $status)" [ "$status" -eq 0 ]
    holds "$spec: strict JSON" is_json "$work/out"
    holds "$spec: |G|^2 of whole batches is the plain one" is_close "$(value "$work/out" "$spec" gradient2)" "$gradient2" 1e-6
    holds "$spec: S is near the plain one, from 200 parts" is_close "$(value "$work/out" "$spec" noise)" "$noise" .2
done
run "$GRADCODE" $still --rounds 800 --partitions 4 --batch 128 -s sync
holds "batches: S is the plain one" is_close "$(value "$work/out" sync noise)" "$noise" .1
holds "batches: |G|^2 is the plain one" is_close "$(value "$work/out" sync gradient2)" "$gradient2" .1
holds "all updates were observed" grep -q '"updates": 800,' "$work/out"
holds "one level: M is not told" [ "$(value "$work/out" sync m)" = null ]

# Least squares on 20 normal features and a bias: M = E|x|^2 (x e)^2 / |e|^2 - 1 = 22 for errors e in the features, and sigma^2 =
# noise^2 E|x|^2 = 5.25.
known="--report critical --data synthetic:samples=20000,features=20,noise=.5 --batch 256 --rounds 300 --rate .02"
run "$GRADCODE" train $known -s sync --json
holds "M is that of the problem ($(value "$work/out" sync m))" is_close "$(value "$work/out" sync m)" 22 .1
holds "sigma^2 is that of the problem ($(value "$work/out" sync sigma2))" is_close "$(value "$work/out" sync sigma2)" 5.25 .1
holds "sync keeps its batch in flight" [ "$(figure "$work/out" sync samples_in_flight)" = 256.0 ]
holds "and no staleness" [ "$(figure "$work/out" sync staleness)" = 0.0 ]
run "$GRADCODE" train $known -s sync
for word in '|G|^2' 'sigma^2' batch 'in flight' staleness workers 'step size'; do
    holds "the report has a row '$word'" grep -qF "  $word " "$work/out"
done
holds "no line above 100 columns" awk 'length > 100 { exit 1 }' "$work/out"

run "$GRADCODE" compare $known --delay exp:mean=.01 -s sync -s k-async:k=4 -s gc:code=fractional,load=2
holds "a comparison tells the samples in flight, once where they agree" [ "$(grep -c '^  in flight .*:.*samples' "$work/out")" -eq 2 ]
holds "P m for k-async, whatever K" grep -q 'in flight *k-async:k=4: 25[56]' "$work/out"
run "$GRADCODE" compare $known --delay exp:mean=.01 -s k-async:k=2 -s k-async:k=8 --json
holds "K = 2 and K = 8 have the same in flight" is_close "$(figure "$work/out" k-async:k=2 samples_in_flight)" \
    "$(figure "$work/out" k-async:k=8 samples_in_flight)" .02

silent() {
    run "$GRADCODE" train -s sync --rounds 3 "$@"
    [ "$status" -eq 0 ] && ! grep -q 'sigma^2' "$work/out"
}
holds "nothing is told unasked" silent
holds "nor with none" silent --report none
run "$GRADCODE" train -s sync --rounds 3 --json
holds "null in JSON" grep -q '"critical": null' "$work/out"
run "$GRADCODE" train -s sync --rounds 3 --workers 1 --report critical
holds "one part shows no noise, and the report says so ($status)" grep -q 'No update showed noise' "$work/out"

for words in "train --report nonsense" "compare --report" "compare --report critical,none" "simulate --report critical"; do
    run "$GRADCODE" $words
    holds "$words: exit code 2 (was $status)" [ "$status" -eq 2 ]
    holds "$words: one sentence" [ "$(wc -l <"$work/err")" -eq 1 ]
    holds "$words: which names the flag" grep -qe '--report' "$work/err"
done

least=43
if command -v "$MPIRUN" >/dev/null; then
    both="train --report critical --data synthetic:samples=4000,features=20 --batch 256 --rounds 80 --warmup 0 --json"
    for spec in sync gc:code=uncoded gc:code=fractional,load=2; do
        run "$GRADCODE" $both --workers 4 -s "$spec"
        cp "$work/out" "$work/virtual"
        parallel 5 $both -s "$spec"
        holds "$spec under mpirun: exit code 0 (was $status)" [ "$status" -eq 0 ]
        for key in gradient2 noise m sigma2; do
            holds "$spec: $key is the same on both clocks" is_close "$(value "$work/out" "$spec" $key)" \
                "$(value "$work/virtual" "$spec" $key)" 1e-6
        done
    done
    least=$((least + 15))
else
    echo "skipped in part: no mpirun"
fi
finish $least

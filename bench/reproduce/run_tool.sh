# run_tool.sh - how claims run the tool.
# SPDX-License-Identifier: BSD-3-Clause
# Sourced.

# find_tool: the tool to GRADCODE, the formulas beside it to $formulas; builds these if they are missing in build/.
find_tool()
{
    GRADCODE=${GRADCODE:-$GDC_SOURCE/build/apps/gradcode}
    [ -x "$GRADCODE" ] || {
        echo "reproduce.sh: no $GRADCODE: run sh apps/demo.sh first, or set GRADCODE" >&2
        exit 2
    }
    formulas=$(dirname "$GRADCODE")/../bench/reproduce_formulas
    [ -x "$formulas" ] || gdc_build reproduce_formulas >&2
    [ -x "$formulas" ] || {
        echo "reproduce.sh: no $formulas: build the target reproduce_formulas there" >&2
        exit 2
    }
}

# rounds N: N of them, or the part of them that SHARE says.
rounds()
{
    awk -v n="$1" -v share="${SHARE:-100}" 'BEGIN { r = int(n * share / 100); print r < 20 ? 20 : r }'
}

# tool ARGUMENTS...: the result goes to $result.
tool()
{
    "$GRADCODE" "$@" --json >"$result" 2>"$work/err" </dev/null || {
        code=$?
        tail -n 3 "$work/err" >&2
        return "$code"
    }
}

simulate()
{
    tool simulate --quiet "$@"
}

# planned KEY: a number of the plan in $result.
planned()
{
    sed -n "s/^ *\"$1\": \([^,]*\),\{0,1\}\$/\1/p" "$result" | head -n 1
}

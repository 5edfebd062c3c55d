#!/bin/sh
# test_sources.sh - the opening comment of every code and policy names its paper.
# SPDX-License-Identifier: BSD-3-Clause
. "$(dirname "$0")/law.sh"

project_files | grep -E '^(codes|lib/policies)/[a-z_]*\.c$' | while read -r file; do
    sed '/\*\//q' "$file" | grep -qE 'arXiv|[A-Z]+ [12][0-9]{3}' || echo "$file"
done | verdict "every code and policy cites its source"

# test_format.sh - every C file is as clang-format with the project's .clang-format writes it.
# SPDX-License-Identifier: BSD-3-Clause
. "$(dirname "$0")/law.sh"

command -v clang-format >/dev/null 2>&1 || skip "no clang-format: the layout of the sources was not looked at"
project_files | grep -E '\.(c|h)$' | xargs -r clang-format --dry-run -Werror 2>&1 |
    sed -n 's/^\([^:]*\):.*code should be clang-formatted.*/\1/p' | sort | uniq -c |
    awk '{ print $2 ": " $1 " places" }' | verdict "every C file is formatted"

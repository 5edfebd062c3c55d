# test_functions.sh - no function is over 80 lines, no file over 400; source names are unique; every folder has its README.md.
# SPDX-License-Identifier: BSD-3-Clause
. "$(dirname "$0")/law.sh"

project_files >"$scratch/all"
grep -E '\.(c|h|inc)$' "$scratch/all" >"$scratch/sources"

# A body begins and ends with a brace in the first column.
xargs -r awk '
    FNR == 1 { first = 0 }
    /^\{/ { first = FNR; name = previous }
    /^\}/ && first > 0 { if (FNR - first + 1 > 80) print FILENAME ":" first ": " FNR - first + 1 " lines: " name; first = 0 }
    { if ($0 !~ /^[ {}]/) previous = $0 }' <"$scratch/sources" | verdict "no function has more than 80 lines"

xargs -r awk 'FNR == 401 { print FILENAME " has more than 400 lines" }' <"$scratch/sources" |
    verdict "no file has more than 400 lines"

# A private header may complete the public one of its name.
grep -E '\.(c|h|sh)$' "$scratch/all" | grep -v '^include/' | sed 's|.*/||' | sort | uniq -d | while read -r name; do
    echo "$name: $(grep -E "(^|/)$name\$" "$scratch/all" | tr '\n' ' ')"
done | verdict "source file names are unique"

# include/gradcode is installed as it is, and the folders of tests/ hold little else than tests: the folder above tells of them.
{ echo . && grep / "$scratch/all" | sed 's|/[^/]*$||'; } | sort -u | grep -v '^\.[^/]' | while read -r folder; do
    case $folder in
    include/gradcode | tests/*) grep -q "${folder##*/}/" "${folder%/*}/README.md" 2>/dev/null ;;
    *) [ -f "$folder/README.md" ] ;;
    esac || echo "$folder"
done | verdict "every folder has its README.md"

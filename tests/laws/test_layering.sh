# test_layering.sh - a file includes only from its own layer and lower ones, and only the last layer can see mpi.h.
# SPDX-License-Identifier: BSD-3-Clause
. "$(dirname "$0")/law.sh"

project_files | grep -E '\.(c|h|inc)$' >"$scratch/sources"

# Every #include as "file name-with-its-brackets".
xargs -r grep -HE '^[[:space:]]*#[[:space:]]*include' <"$scratch/sources" |
    sed -nE 's/^([^:]*):[[:space:]]*#[[:space:]]*include[[:space:]]*(<[^>]*>|"[^"]*").*/\1 \2/p' >"$scratch/includes"
[ -s "$scratch/includes" ] || { echo "no #include was found at all"; exit 1; }

# Layers by folder; public headers by name. transport/mpi* may see what gdc_open is, the rest of its layer may not.
cat >"$scratch/layers.awk" <<'AWK'
function set(names, layer,   list, n, i) {
    n = split(names, list, " ")
    for (i = 1; i <= n; i++)
        level[list[i]] = layer
}
BEGIN {
    set("lib/base", 1); set("lib/kernels", 2); set("lib/plan codes", 3); set("lib/straggling", 4)
    set("lib/engine lib/policies lib/policies/parts", 5); set("lib/transport", 6); set("lib/api", 7)
    set("status.h draw.h spec.h statistics.h", 1); set("plan.h decoder.h", 3)
    set("delay.h fault.h trace.h critical.h runtime.h profile.h drop_model.h", 4)
    set("round.h tune.h", 5); set("engine.h drop.h", 6); set("simulate.h checkpoint.h", 7)
}
{
    file = $1; name = substr($2, 2, length($2) - 2); system_header = $2 ~ /^</
    folder = file; sub(/\/[^\/]*$/, "", folder)
    base = file; sub(/.*\//, "", base)
    over_mpi = folder == "lib/api" || (folder == "lib/transport" && base ~ /^mpi/) ||
        file == "include/gradcode/engine.h" || file == "include/gradcode/drop.h"
    public = name; is_public = sub(/^gradcode\//, "", public)
    inside = folder ~ /^(lib|codes)(\/|$)/
    if (name ~ /\.\.\//)
        print file ": " name " climbs out of its folder"
    if (inside && !(folder in level)) {
        print file ": " folder " has no layer: give it one in test_layering.sh"
    } else if (is_public && !system_header) {
        if (!(public in level))
            print file ": " name " has no layer: give it one in test_layering.sh"
        else if (inside && level[public] > level[folder])
            print file ": layer " level[folder] " includes " name " of layer " level[public]
        else if (inside && level[public] == 6 && !over_mpi)
            print file ": includes " name ", which wants mpi.h"
    } else if (inside && system_header) {
        if (name == "mpi.h" && !over_mpi)
            print file ": sees mpi.h"
        if (name ~ /^(lapacke|cblas|isa-l)/ && level[folder] != 2)
            print file ": " name " belongs to lib/kernels"
        if (name ~ /^Random123/ && level[folder] != 1)
            print file ": " name " belongs to lib/base"
    } else if (inside && name ~ /\//) {
        target = "lib/" name; sub(/\/[^\/]*$/, "", target)
        if (!(target in level))
            print file ": " name " is in no layer"
        else if (level[target] > level[folder])
            print file ": layer " level[folder] " includes " name " of layer " level[target]
    } else if (folder == "include/gradcode" && !system_header) {
        print file ": a public header includes " name ", which is not one"
    } else if (folder == "include/gradcode" && name == "mpi.h" && !over_mpi) {
        print file ": sees mpi.h"
    } else if (folder ~ /^apps/ && !system_header && name ~ /^(base|kernels|plan|straggling|engine|policies|transport|api)\//) {
        print file ": reaches into the library by " name
    }
}
AWK
awk -f "$scratch/layers.awk" "$scratch/includes" | verdict "every #include is of the own or a lower layer"

# The wall: layers 1 to 5 and the virtual transport are compiled without MPI's include path.
commands=$GDC_BUILD/compile_commands.json
[ -f "$commands" ] || { echo "$commands is missing: the build must export it"; exit 1; }
mpi_include=$(from_cache MPI_C_HEADER_DIR)
[ -n "$mpi_include" ] || { echo "the build does not say where mpi.h is"; exit 1; }
awk -v mpi="$mpi_include" -v top="$GDC_SOURCE/" '
    /^ *"command":/ { command = $0 }
    /^ *"file":/ {
        file = $2; gsub(/[",]/, "", file)
        relative = index(file, top) == 1 ? substr(file, length(top) + 1) : file
        last = file; sub(/.*\//, "", last)
        ours = relative ~ /^lib\/(base|kernels|plan|straggling|engine|policies|transport)\// || relative ~ /^codes\// ||
            last ~ /^(code|policy)_registry\.c$/
        if (!ours || (relative ~ /^lib\/transport\// && last ~ /^mpi/))
            next
        seen++
        if (index(command, mpi) > 0)
            print file ": compiled with " mpi
    }
    END { if (seen == 0) print "no file of the library is in compile_commands.json" }' "$commands" |
    verdict "below the last layer nothing is compiled with MPI's include path"

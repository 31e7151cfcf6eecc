#!/usr/bin/env bash
# Runs the small studies behind docs/gallery.md, draws them with `esenas report`, and copies the drawings
# that are shown to docs/gallery/. A few minutes on two cores. The figure of effort shows times and so
# differs from run to run; the others do not.
#
#     cargo build --release && bash scripts/gallery.sh
#     bash scripts/gallery.sh path/to/esenas
set -euo pipefail
esenas=$(realpath "${1:-$(dirname "$0")/../target/release/esenas}")
cd "$(dirname "$0")/.."
studies=$PWD/studies
gallery=$PWD/docs/gallery
mkdir -p "$gallery"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

run() { # name, study, overrides
    local name=$1 study=$2
    shift 2
    local set=()
    for override in "$@"; do set+=(--set "$override"); done
    "$esenas" run "$studies/$study.toml" --quiet --out "$name" "${set[@]}"
}
report() { # name, run directories
    local name=$1
    shift
    "$esenas" report "$@" --out "report-$name" > /dev/null
}
show() { cp "report-$1/$2.svg" "$gallery/$3.svg"; } # report, figure, name in the gallery

run quickstart quickstart
report quickstart quickstart
for figure in history choices importance weights effort; do show quickstart $figure $figure; done
show quickstart model tree

for seed in 0 1 2; do
    run "evolution-$seed" pendulum seed=$seed
    run "asng-$seed" pendulum seed=$seed controller.kind=asng
done
report comparison evolution-{0,1,2} asng-{0,1,2}
show comparison history-evaluations comparison
cp report-comparison/table.md "$gallery/comparison.md"
report evolution evolution-0
show evolution model network
show evolution controller controller

run nonlinearity pendulum 'problem.policy={ kind = "nonlinearity", hidden = [8], edges = 20 }' \
    stop.iterations=80
report nonlinearity nonlinearity
show nonlinearity model nonlinearities

run quantization pendulum 'problem.policy={ kind = "quantization", hidden = [16], partitions = 8 }' \
    stop.iterations=60
report quantization quantization
show quantization model partition

run constrained pendulum 'problem.policy={ kind = "edge-pruning", hidden = [16], edges = "any" }' \
    'constraint={ cost = "active", target = 24 }' controller.kind=asng
report constrained constrained
show constrained size size
show constrained masks masks

run cma bbob/cma-enas controller.kind=asng problem.d_cat=6 problem.d_con=20
report cma cma
show cma weights axes

run neat bbob/es-enas controller.kind=neat
report neat neat
show neat controller species
du -ch "$gallery"/* | tail -1

#!/usr/bin/env bash
# Runs the tutorials and copies the figures that they show to docs/tutorials/. A minute or two.
#
#     pip install '.[ray]' && bash scripts/tutorials.sh      # PYTHON: an interpreter that has the package
set -euo pipefail
cd "$(dirname "$0")/.."
python=$(command -v "${PYTHON:-python3}")
pages=$PWD/docs/tutorials
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

play() { # page: runs its blocks in this folder, where the study stays
    "$python" - "$pages/$1.md" << 'PROGRAM'
import re, sys
sys.path.insert(0, "")
exec("\n".join(re.findall(r"^```python\n(.*?)^```", open(sys.argv[1]).read(), flags=re.M | re.S)))
PROGRAM
}
figure() { # page, figure, run directories
    local page=$1 name=$2
    shift 2
    "$(dirname "$python")/esenas" report "$@" --out report > /dev/null
    cp "report/$name.svg" "$pages/$page.svg"
    rm -r report
}

play supernet
figure supernet history-evaluations runs/supernet
play reading
figure reading choices runs/cooler
if "$python" -c 'import ray' 2> /dev/null; then
    play cluster
    figure cluster history-evaluations runs/cluster runs/alone
fi

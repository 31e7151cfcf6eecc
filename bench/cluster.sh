#!/usr/bin/env bash
# Ray on this machine: wall time against ideal, bytes, and what the driver costs; with `chaos`, what happens when
# nodes are killed, cut off and added: a function in threads, in processes, or policies. Needs root (network namespaces), iproute2, and a Python that has the package
# with Ray: PYTHON=.venv/bin/python bench/cluster.sh [wall|bytes|scale|chaos|chaos-processes|chaos-policies]...
set -euo pipefail
cd "$(dirname "$0")/.."
export PYTHONPATH="$PWD/bench/cluster:$PWD/python/tests${PYTHONPATH:+:$PYTHONPATH}"
command -v ip > /dev/null || { apt-get update -qq && apt-get install -qq -y iproute2; } > /dev/null
for what in "${@:-wall}"; do
  case "$what" in
    chaos) "${PYTHON:-python3}" bench/cluster/chaos.py threads ;;
    chaos-*) "${PYTHON:-python3}" bench/cluster/chaos.py "${what#chaos-}" ;;
    *) "${PYTHON:-python3}" bench/cluster/measure.py "$what" ;;
  esac
done

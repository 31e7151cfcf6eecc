#!/usr/bin/env bash
# Every crate that is published, packed as the registry would get it. Packs only what is committed.
# `--verify` builds each from its package, which takes minutes.
set -euo pipefail
cd "$(dirname "$0")/.."
verify=(--no-verify)
[ "${1:-}" = "--verify" ] && verify=()
cargo package --workspace --locked "${verify[@]}" --exclude esenas-fuzz --exclude esenas-faults \
  --exclude esenas-tidy --exclude esenas-python

#!/usr/bin/env bash
# The quick check while working: formatting, lints, and the tests that need neither a browser nor MuJoCo,
# Ray or a built Python package. `scripts/test.sh` runs everything.
set -euo pipefail
cd "$(dirname "$0")/.."
export PROPTEST_RNG_SEED=2111
step() { printf '\n== %s\n' "$1"; }

step "formatting"
cargo fmt --check
bash scripts/lint.sh
step "lints"
cargo clippy --workspace --all-targets --locked -- -D warnings
step "tests"
# Of the whole workspace, so that nothing is built twice with other features; the unit tests of every
# crate, and those integration tests that ask for nothing that is not in the repository.
cargo test --workspace --locked --lib --bins \
  --test conformance --test settings --test spec --test study --test schema --test store \
  --test pages --test source --test readme --test architecture --test dependencies

#!/usr/bin/env bash
# Everything that must hold: formatting, lints, tests, documentation. Needs a Rust toolchain and
# a C compiler; fetches crates by name and version from Cargo.lock.
set -euo pipefail
cd "$(dirname "$0")/.."

step() { printf '\n== %s\n' "$1"; }

step "formatting"
cargo fmt --check
step "lints"
cargo clippy --workspace --all-targets --locked -- -D warnings
step "tests"
cargo test --workspace --locked
step "documentation"
RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --locked

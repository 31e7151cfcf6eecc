#!/usr/bin/env bash
# What is too long for every change: all tests, and then those that are ignored by default, optimized.
# Takes hours.
set -euo pipefail
cd "$(dirname "$0")/.."
bash scripts/test.sh
printf '\n== tests that are ignored by default\n'
cargo test --workspace --locked --release --test cma_published -- --ignored

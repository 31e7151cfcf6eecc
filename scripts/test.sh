#!/usr/bin/env bash
# Everything that must hold: formatting, lints, tests, documentation. Needs a Rust toolchain, a C
# compiler and Python 3.11 or later with pip; fetches crates by name and version from Cargo.lock, and MuJoCo as
# `esenas mujoco install` does.
set -euo pipefail
cd "$(dirname "$0")/.."

# The same random cases in every run, so that a red one is the change's doing; `cargo test` alone draws
# others each time.
export PROPTEST_RNG_SEED=2111

step() { printf '\n== %s\n' "$1"; }

step "formatting"
cargo fmt --check
step "lints"
cargo clippy --workspace --all-targets --locked -- -D warnings
step "tests"
cargo test --workspace --locked
step "documentation"
RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --locked
step "python"
# An environment of its own, below the build's: whatever else is installed plays no part.
target="${CARGO_TARGET_DIR:-$PWD/target}"
venv="$target/python-tests"
[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check -r python/requirements-test.txt
VIRTUAL_ENV="$venv" "$venv/bin/maturin" develop --locked --quiet
VIRTUAL_ENV="$venv" "$venv/bin/maturin" generate-stubs --locked --quiet --out "$target/python-stubs"
diff "$target/python-stubs/esenas/_native.pyi" python/esenas/_native.pyi
"$venv/bin/python" -m pytest --quiet

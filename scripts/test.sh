#!/usr/bin/env bash
# Everything that must hold: formatting, lints, tests, documentation. Needs a Rust toolchain, a C
# compiler and Python 3.11 or later with pip; fetches crates by name and version from Cargo.lock, MuJoCo as
# `esenas mujoco install` does, Chromium with its driver from Debian's packages if they are missing, and the
# Python packages of `python/requirements-test.txt`.
set -euo pipefail
cd "$(dirname "$0")/.."

# The same random cases in every run, so that a red one is the change's doing; `cargo test` alone draws
# others each time.
export PROPTEST_RNG_SEED=2111

step() { printf '\n== %s\n' "$1"; }

# The live page is tested in a real browser, which is a package of the system.
browser() {
  command -v "${ESENAS_CHROMEDRIVER:-chromedriver}" >/dev/null && return
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium chromium-driver
  fi
  command -v "${ESENAS_CHROMEDRIVER:-chromedriver}" >/dev/null && return
  echo "the tests of the live page need Chromium and ChromeDriver: install them (Debian: apt-get install" \
    "chromium chromium-driver), or name them in ESENAS_CHROMIUM and ESENAS_CHROMEDRIVER" >&2
  return 1
}

step "formatting"
cargo fmt --check
bash scripts/lint.sh
step "lints"
cargo clippy --workspace --all-targets --locked -- -D warnings
step "browser"
browser
step "tests"
cargo test --workspace --locked
step "tests in the browser"
# Of the whole workspace, as above: with other features everything would be built again.
cargo test --workspace --locked --test browser -- --ignored --test-threads 1
step "documentation"
RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --locked
step "site"
bash scripts/site.sh
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

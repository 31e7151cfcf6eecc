#!/usr/bin/env bash
# Coverage-guided fuzzing of every parser, of the page and of run directories:
#   bash scripts/fuzz.sh [SECONDS [PARSER...]]      an hour each, unless told otherwise
# libFuzzer's instruments are put into our own crates; all else is built as usual, with a stable compiler. Inputs
# that reached something new are kept in target/fuzz/PARSER, and the fewest that reach all of it in
# crates/fuzz/corpus/PARSER. What breaks a parser goes there, too: the tests replay it.
set -euo pipefail
if [ "${1:-}" = --rustc ]; then
  # As the wrapper of the compiler, for the crates of this workspace.
  shift
  exec "$@" -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares
fi
cd "$(dirname "$0")/.."
seconds="${1:-3600}"
[ $# = 0 ] || shift
target="${CARGO_TARGET_DIR:-$PWD/target}"
kept="$target/fuzz"
mkdir -p "$kept"
printf '#!/bin/sh\nexec bash "%s" --rustc "$@"\n' "$PWD/scripts/fuzz.sh" > "$kept/rustc"
chmod +x "$kept/rustc"
# Of the whole workspace: with other features everything would be built again.
RUSTC_WORKSPACE_WRAPPER="$kept/rustc" cargo build --workspace --locked --features esenas-fuzz/guided --example fuzz
names=("$@")
[ $# -gt 0 ] || names=(study override space-json space-toml dna dna-json program-line bbob-line checkpoint
  worker answer request damaged changed forged)
# Whatever is left in the end is removed.
TMPDIR=$(mktemp -d)
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT
# Words of study files, which chance would not find.
grep -oE '"[a-zA-Z_-]{3,}"' docs/study.schema.json | sort -u > "$kept/words"
broken=0
for name in "${names[@]}"; do
  corpus="crates/fuzz/corpus/$name"
  mkdir -p "$corpus" "$kept/$name" "$kept/seeds/$name"
  export ESENAS_FUZZ="$name" ESENAS_FUZZ_SEEDS="$kept/seeds/$name"
  fuzz=("$target/debug/examples/fuzz" -rss_limit_mb=4096 -timeout=30 -verbosity=0)
  printf '== %s\n' "$name"
  "${fuzz[@]}" -max_total_time="$seconds" -print_final_stats=1 -print_coverage=0 -dict="$kept/words" \
    -artifact_prefix="$corpus/" "$kept/$name" "$corpus" "$kept/seeds/$name" 2> "$kept/$name.log" || broken=1
  grep -aE '^(stat::(number_of_executed|new_units)|SUMMARY|artifact_prefix)|panicked at' "$kept/$name.log" || true
  # What the valid inputs reach by themselves need not be kept.
  rm -rf "$kept/least" && mkdir "$kept/least"
  "${fuzz[@]}" -set_cover_merge=1 -use_counters=0 "$kept/least" "$kept/seeds/$name" "$corpus" "$kept/$name" \
    2> "$kept/merge.log" || { broken=1; continue; }
  find "$corpus" -type f ! -name 'crash-*' ! -name 'timeout-*' ! -name 'oom-*' -delete
  find "$kept/least" -type f -size -5k -exec cp {} "$corpus/" \;
  printf '%s inputs kept\n' "$(find "$corpus" -type f | wc -l)"
done
exit "$broken"

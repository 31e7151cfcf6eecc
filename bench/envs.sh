#!/usr/bin/env bash
# Environment steps per second of esenas, of a bare mj_step loop in C on the same library and model, and of
# EnvPool, mujoco.rollout and Gymnasium, in interleaved rounds; prints one table of medians and ratios. On a shared machine many
# short rounds tell more than few long ones.
# usage: bench/envs.sh [--prepare] [ROUNDS [SECONDS]]   (--prepare builds everything and measures nothing)
set -euo pipefail
cd "$(dirname "$0")/.."
work=${ESENAS_BENCH_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/esenas/bench-envs}
target=${ESENAS_BENCH_BUILD:-${CARGO_TARGET_DIR:-target}/release}
cache=${XDG_CACHE_HOME:-$HOME/.cache}/esenas
prepare=no
if [ "${1:-}" = --prepare ]; then prepare=yes; shift; fi
rounds=${1:-20} seconds=${2:-0.3}
mkdir -p "$work"

venv() { # NAME REQUIREMENTS
  [ -e "$work/$1/ready" ] && return
  python3 -m venv "$work/$1"
  "$work/$1/bin/pip" install -q -r "bench/peers/envs/$2"
  touch "$work/$1/ready"
}
if [ $prepare = yes ] || [ ! -x "$work/bare" ]; then
  cargo build -q --release --locked -p esenas-cli -p esenas-mujoco --example steps --bin esenas
  "$target/esenas" mujoco install
  cc -O3 -I "$cache/mujoco-2.3.7/include" bench/peers/envs/bare.c -o "$work/bare" \
    -L "$cache/mujoco-2.3.7" -l:libmujoco.so.2.3.7 -Wl,-rpath,"$cache/mujoco-2.3.7" -lm -pthread
  venv peers requirements.txt
  venv rollout requirements-rollout.txt
fi
[ $prepare = yes ] && exit

results=$work/results.txt
: > "$results"
for ((round = 0; round < rounds; round++)); do
  for env in HalfCheetah Hopper Swimmer; do
    case $env in HalfCheetah) file=half_cheetah ;; Hopper) file=hopper ;; Swimmer) file=swimmer ;; esac
    model=$cache/gymnasium-1.4.0/$file.xml
    for threads in 1 2; do
      note() { echo "$env $1 $threads $2" >> "$results"; }
      note esenas "$("$target/examples/steps" $env $threads "$seconds")"
      note bare-C "$("$work/bare" "$model" $env $threads "$seconds")"
      note bare-C,no-midphase "$("$work/bare" "$model" $env $threads "$seconds" nomid)"
      note mujoco.rollout-3.2.7 "$("$work/rollout/bin/python" bench/peers/envs/peers.py rollout $env $threads "$seconds" "$model")"
      note EnvPool-1.2.5 "$("$work/peers/bin/python" bench/peers/envs/peers.py envpool $env $threads "$seconds")"
      if [ $threads = 1 ]; then
        note Gymnasium-1.4.0 "$("$work/peers/bin/python" bench/peers/envs/peers.py gymnasium $env $threads "$seconds")"
      fi
    done
  done
done
python3 bench/peers/envs/table.py "$results"
sed -n 's/^model name[[:space:]]*: //p' /proc/cpuinfo | sort | uniq -c

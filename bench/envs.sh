#!/usr/bin/env bash
# Environment steps per second of esenas with a policy, of a bare mj_step loop in C over the same states on the same library and
# model, and of mujoco.rollout, EnvPool and Gymnasium, taking turns; prints one table of ratios. A round is about 5 s.
# usage: bench/envs.sh [--prepare] [ROUNDS]   (--prepare builds everything and measures nothing)
set -euo pipefail
cd "$(dirname "$0")/.."
cache=${XDG_CACHE_HOME:-$HOME/.cache}/esenas
work=${ESENAS_BENCH_DIR:-$cache/bench-envs}
target=${ESENAS_BENCH_BUILD:-${CARGO_TARGET_DIR:-target}/release}
prepare=no
if [ "${1:-}" = --prepare ]; then prepare=yes; shift; fi
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

python3 bench/peers/envs/rounds.py "${1:-25}" "$target" "$work" "$cache"
sed -n 's/^model name[[:space:]]*: //p' /proc/cpuinfo | sort | uniq -c

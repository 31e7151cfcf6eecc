#!/usr/bin/env bash
# What share of an iteration on HalfCheetah the recurrent controller takes: 150 rollouts of 1000 steps, all
# values shown, ten updates. The paper's studies of quantization (736 decisions of 17 candidates) and of
# edge pruning (64 of 736), on one thread and on two. ITERATIONS (default 3) are counted, after a first.
# Needs MuJoCo, which is fetched if it is not there. `--prepare` only builds.
set -euo pipefail
cd "$(dirname "$0")/.."
iterations=${ITERATIONS:-3}

cargo build -q --release --locked -p esenas-cli
[ "${1-}" = --prepare ] && exit
esenas=${CARGO_TARGET_DIR:-target}/release/esenas
runs=$(mktemp -d)
trap 'rm -rf "$runs"' EXIT

sed -n 's/^model name[[:space:]]*: //p' /proc/cpuinfo | sort | uniq -c
echo "| study | threads | ask, s | evaluate, s | tell, s | controller's share |"
echo "|---|---|---|---|---|---|"
for study in quantization edge-pruning; do
    for threads in 1 2; do
        run=$runs/$study-$threads
        RAYON_NUM_THREADS=$threads "$esenas" run "studies/rl/$study/halfcheetah-policy-gradient.toml" -q -w "$threads" \
            -o "$run" --set centre.evaluations=0 --set stop.iterations=$((iterations + 1))
        "$esenas" export "$run" --format csv --timings | awk -F, -v study="$study" -v threads="$threads" '
            NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
            NR > 2 { n++; ask += $at["seconds_ask"]; evaluate += $at["seconds_evaluate"]; tell += $at["seconds_tell"] }
            END { printf "| %s | %d | %.2f | %.2f | %.2f | %.0f %% |\n", study, threads, ask / n, evaluate / n, tell / n,
                100 * (ask + tell) / (ask + evaluate + tell) }'
    done
done

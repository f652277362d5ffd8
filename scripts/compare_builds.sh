#!/usr/bin/env bash
# compare_builds.sh OLD NEW [FOLDER [OLD_SOURCE]]: two builds of the program train the same short
# runs, and what they wrote is compared byte by byte: the metrics, and the tensors of the encoder. A
# change that is meant to change no number shows so with this. OLD and NEW are paths of adassl; the
# digits for the video runs must be in data/mnist, or those runs are left out. With OLD_SOURCE, the
# source tree of OLD, each program reads the configurations of its own commit, and those that only
# one of them has are left out. Prints a line a run with the first digits of the two SHA-256 sums.
# Fails if any of them differ, or if a run did not work.
set -euo pipefail
[ $# -ge 2 ] || { sed -n '2,8s/^# //p' "$0" >&2; exit 2; }
old=$(realpath "$1")
new=$(realpath "$2")
folder=$(realpath -m "${3:-$(mktemp -d)}")
old_source=$(realpath "${4:-$(dirname "$0")/..}")
cd "$(dirname "$0")/.."

short=(train.batch=64 train.log_every=1 train.probe_every=0 evaluate.suites='[]' compute.threads=2)
runs=()
for config in configs/numerical-*.toml; do
  [[ $config = *-identity.toml ]] && continue  # has no weights: equal bytes would show nothing
  name=$(basename "$config" .toml)
  runs+=("$name|$config train.steps=12")
done
runs+=("numerical-reference|configs/numerical-complex-infonce.toml train.steps=12 compute.kernels=reference")
runs+=("numerical-adassl-v-reference|configs/numerical-complex-adassl-v.toml train.steps=12 compute.kernels=reference")
# Of the perceptrons, only those with ReLU (slope 0) and at least 512 wide run in bfloat16.
runs+=("numerical-wide|configs/numerical-complex-adassl-v.toml train.steps=12 encoder.hidden=[512,512] encoder.slope=0")
runs+=("numerical-wide-bf16|configs/numerical-complex-adassl-v.toml train.steps=12 encoder.hidden=[512,512] encoder.slope=0 compute.precision=bf16")
if [ -d data/mnist ]; then
  for config in configs/video-*.toml; do
    runs+=("$(basename "$config" .toml)|$config train.steps=6 train.batch=16")
  done
  runs+=("video-bf16|configs/video-a-byol.toml train.steps=6 train.batch=16 compute.precision=bf16")
  runs+=("video-reference|configs/video-a-byol.toml train.steps=6 train.batch=16 compute.kernels=reference")
else
  echo "compare_builds: no data/mnist, so no video runs (adassl data mnist --out data/mnist)" >&2
fi

# The tensors of a safetensors file: what follows its header, whose metadata names the commit.
sum_of_tensors() {
  local header
  header=$(od -An -t u8 -N 8 "$1" | tr -d ' ')
  tail -c +$((header + 9)) "$1" | sha256sum | cut -c 1-16
}

sums() {  # PROGRAM DIRECTORY ARGUMENTS...
  local program=$1 run=$2
  shift 2
  if ! "$program" train "$@" --run "$run" >"$run.log" 2>&1; then
    echo "failed: $(tail -n 1 "$run.log")"
    return
  fi
  echo "$(sha256sum <"$run/metrics.jsonl" | cut -c 1-16) $(sum_of_tensors "$run/encoder.safetensors")"
}

mkdir -p "$folder/old" "$folder/new"
different=0
for entry in "${runs[@]}"; do
  name=${entry%%|*}
  read -r -a arguments <<<"${entry#*|}"
  if [ ! -e "$old_source/${arguments[0]}" ]; then
    printf '%-40s LEFT OUT   %s has no %s\n' "$name" "$old_source" "${arguments[0]}"
    continue
  fi
  a=$(sums "$old" "$folder/old/$name" "$old_source/${arguments[0]}" "${short[@]}" "${arguments[@]:1}")
  b=$(sums "$new" "$folder/new/$name" "${arguments[0]}" "${short[@]}" "${arguments[@]:1}")
  if [[ $a = failed* && $b = failed* ]]; then
    printf '%-40s NOT RUN    %s\n' "$name" "$b"  # two failures are no proof
    different=1
  elif [ "$a" = "$b" ]; then
    printf '%-40s same       %s\n' "$name" "$a"
  else
    printf '%-40s DIFFERENT  old %s, new %s\n' "$name" "$a" "$b"
    different=1
  fi
done
exit $different

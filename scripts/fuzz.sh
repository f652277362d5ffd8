#!/usr/bin/env bash
# fuzz.sh [SECONDS | --runs N] [HARNESS...]: builds tests/fuzz with libFuzzer and lets it search for
# inputs that break a promise, SECONDS (60) or N inputs for each harness. Prints one line for each and
# fails if there is a finding; the inputs are kept in build-fuzz/findings/. What was learned stays in
# build-fuzz/corpus/; the committed corpus is only read.
set -euo pipefail
cd "$(dirname "$0")/.."

limit=(-max_total_time=60)
if [ "${1:-}" = --runs ]; then
  limit=(-runs="${2:?fuzz.sh: expected --runs N}"); shift 2
elif [[ "${1:-}" =~ ^[0-9]+$ ]]; then
  limit=(-max_total_time="$1"); shift
fi
harnesses=("$@")
[ ${#harnesses[@]} -gt 0 ] || mapfile -t harnesses < <(ls tests/fuzz/corpus)

build=build-fuzz
cmake -Wno-dev --preset fuzz >/dev/null
cmake --build $build --target "${harnesses[@]/#/fuzz_}"

# Readers take paths: files in memory let them be tried far more often.
scratch=$(mktemp -d -p /dev/shm 2>/dev/null || mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export TMPDIR=$scratch
mkdir -p $build/findings $build/logs

# One line of the table; fails when the harness found something.
fuzz_one() {
  local harness=$1 log=$build/logs/$1.txt start=$SECONDS code=0 dictionary=()
  local words=tests/fuzz/dictionaries/$harness.dict
  [ ! -e "$words" ] || dictionary=(-dict="$words")
  mkdir -p $build/corpus/"$harness"
  # Without -entropic=0 libFuzzer spends half of its time on choosing which input to change next.
  $build/fuzz_"$harness" "${limit[@]}" "${dictionary[@]}" -entropic=0 -max_len=4096 -timeout=20 -rss_limit_mb=2048 \
    -print_final_stats=1 -artifact_prefix=$build/findings/"$harness"- \
    $build/corpus/"$harness" tests/fuzz/corpus/"$harness" >"$log" 2>&1 || code=$?
  local tried finding=none
  tried=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  if [ "$code" -eq 72 ] || [ "$code" -ge 129 ]; then  # libFuzzer ends with 72 after SIGINT or SIGTERM
    finding="none, but interrupted"
  elif [ "$code" -ne 0 ]; then
    finding=$(sed -n 's/.*Test unit written to //p' "$log" | tail -1)
    finding=${finding:-"see $log"}
  fi
  printf '%-12s %12s %8s  %s\n' "$harness" "${tried:-?}" $((SECONDS - start)) "$finding"
  [ "$code" -eq 0 ]
}

printf '%-12s %12s %8s  %s\n' harness inputs seconds finding
failed=0
for harness in "${harnesses[@]}"; do
  fuzz_one "$harness" || failed=1
done
exit $failed

#!/usr/bin/env bash
# start_times.sh PROGRAM RUN [REPEATS]: the processor time (user and system, in milliseconds) that
# commands without a model take, the median of REPEATS runs (default: 11), and for comparison that of
# a program that loads LibTorch. PROGRAM is a path of adassl, beside which adassl-main is; RUN is a
# run directory, whose page is made anew. Prints a record a command.
set -euo pipefail
[ $# -ge 2 ] || { sed -n '2,5s/^# //p' "$0" >&2; exit 2; }
program=$(realpath "$1")
run=$(realpath "$2")
repeats=${3:-11}
cd "$(dirname "$0")/.."
TIMEFORMAT='%U %S'

median() {  # COMMAND...
  for _ in $(seq "$repeats"); do
    { time "$@" >/dev/null 2>&1; } 2>&1
  done | awk '{ print 1000 * ($1 + $2) }' | sort -n | awk '{ t[NR] = $1 } END { print t[int((NR + 1) / 2)] }'
}

record() {  # NAME COMMAND...
  local name=$1
  shift
  "$@" >/dev/null 2>&1 || { echo "start_times: left out, as it fails here: $name" >&2; return; }
  printf '{"kind":"bench","name":"%s","cpu_ms":%s,"repeats":%s,"commit":"%s","time":"%s","host":{"cpu":"%s","cores":%s}}\n' \
    "$name" "$(median "$@")" "$repeats" "$commit" "$(date -u +%FT%TZ)" "$cpu" "$(nproc)"
}

commit=$("$program" --version | sed 's/.*commit \(.*\))/\1/')
cpu=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)
record "adassl --version" "$program" --version
record "adassl check" "$program" check configs/numerical-complex-adassl-v.toml
record "adassl list" "$program" list
record "adassl report" "$program" report "$run"
record "adassl-main --version, which loads LibTorch" "$program-main" --version

#!/usr/bin/env bash
# trust.sh BUILD [FUZZ_SECONDS]: tries what docs/TRUST.md promises, for about two hours on two cores, and
# prints a table: what was tried, how often, how often it held. Exit code 1 where anything did not.
# KILLS, FLIPS, TRUNCATIONS say how often; POINTS=N tries that many random injection points, not all.
set -uo pipefail
cd "$(dirname "$0")/.."
build=${1:?trust.sh: expected the build folder}
fuzz_seconds=${2:-60}
outcomes=$(mktemp)
trap 'rm -f "$outcomes"' EXIT
# Memory is faster than a disk, and a fault is a fault on either.
[ -d /dev/shm ] && export TMPDIR=${TMPDIR:-/dev/shm}
failed=0

# The last lines that are JSON are outcomes; all else passes on to the terminal.
note() {
  tee >(grep '^{"promise"' >>"$outcomes") || return 1
}

points=(--all)
[ -z "${POINTS:-}" ] || points=(--sample "$POINTS")
"$build"/trust inject "${points[@]}" --jobs 2 | note || failed=1
"$build"/trust kills --count "${KILLS:-500}" --jobs 2 | note || failed=1
"$build"/trust full-disk --jobs 2 | note || failed=1
"$build"/trust signals | note || failed=1
ADASSL_TRUST_FLIPS=${FLIPS:-10000} ADASSL_TRUST_TRUNCATIONS=${TRUNCATIONS:-1000} \
  "$build"/test_training --gtest_filter='DamagedCheckpoint.*' --gtest_brief=1 | note || failed=1
fuzzed=$(mktemp)
bash scripts/fuzz.sh "$fuzz_seconds" | tee "$fuzzed" || failed=1
sleep 1  # the last outcome is on its way through note's pipe

echo
printf '%-78s %10s %10s %9s\n' promise tried held seconds
awk -F '"promise": *"|", *"tried": *|, *"held": *|, *"seconds": *|, *"worst"|}' \
  '{ printf "%-78s %10s %10s %9s\n", $2, $3, $4, ($5 ~ /^[0-9.]+$/ ? sprintf("%.0f", $5) : "") }' "$outcomes"
awk 'NR > 1 && $2 ~ /^[0-9]+$/ { printf "%-78s %10s %10s %9s\n", "any bytes given to the reader of " $1 " are read or refused in one line", $2, ($4 == "none" ? $2 : "finding"), $3 }' "$fuzzed"
rm -f "$fuzzed"
exit $failed

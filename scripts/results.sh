#!/usr/bin/env bash
# docs/RESULTS.md and its pictures, from the records under results/ and the notes in docs/results-notes.md.
set -euo pipefail
program=$(realpath "${1:-build/adassl}")
cd "$(dirname "$0")/.."
{
  cat docs/results-notes.md
  echo
  "$program" report --markdown results/*.jsonl
} >docs/RESULTS.md
for records in numerical-complex-quick video-a-standard video-precision-standard; do
  "$program" report --picture results/$records.jsonl --out docs/pictures/${records%-*}.svg
done

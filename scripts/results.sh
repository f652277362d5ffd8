#!/usr/bin/env bash
# docs/RESULTS.md and its pictures, from the records under results/ and the notes in docs/results-notes.md.
# The claims of all studies come first, before the first heading of the notes.
set -euo pipefail
program=$(realpath "${1:-build/adassl}")
cd "$(dirname "$0")/.."
{
  sed '/^## /,$d' docs/results-notes.md
  "$program" report --claims results/*.jsonl
  echo
  sed -n '/^## /,$p' docs/results-notes.md
  echo
  "$program" report --markdown results/*.jsonl
} >docs/RESULTS.md
for records in numerical-complex-quick video-a-standard video-precision-standard; do
  "$program" report --picture results/$records.jsonl --out docs/pictures/${records%-*}.svg
done

#!/usr/bin/env bash
# docs/RESULTS.md and its picture, from the records under results/ and the notes in docs/results-notes.md.
set -euo pipefail
program=$(realpath "${1:-build/adassl}")
cd "$(dirname "$0")/.."
{
  cat docs/results-notes.md
  echo
  "$program" report --markdown results/*.jsonl
} >docs/RESULTS.md
"$program" report --picture results/numerical-complex-*.jsonl --out docs/pictures/numerical-complex.svg

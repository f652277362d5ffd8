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
for study in numerical-complex video-a video-precision; do
  "$program" report --picture results/$study-standard.jsonl --out docs/pictures/$study.svg
done

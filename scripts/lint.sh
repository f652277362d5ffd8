#!/usr/bin/env bash
# Formatting, layers, clang-tidy. `lint.sh BUILD` uses BUILD/compile_commands.json. clang-tidy cannot
# read GCC's precompiled headers, so it gets the commands without them; and clang accepts LibTorch
# 1.13's headers as C++20 with libc++ only, not with GCC's library.
set -euo pipefail
build=${1:-build}
cd "$(dirname "$0")/.."

git ls-files '*.h' '*.cpp' | xargs clang-format --dry-run --Werror
echo "format: clean"
tools/check_layers .

plain=$(mktemp -d)
trap 'rm -rf "$plain"' EXIT
sed -E 's/ -Winvalid-pch -include [^ ]*cmake_pch\.hxx//; s/ -Wno-(stringop-overflow|restrict)//g' \
  "$build/compile_commands.json" >"$plain/compile_commands.json"
git ls-files 'src/*.cpp' | xargs -P 2 -n 1 clang-tidy -p "$plain" --quiet --extra-arg=-stdlib=libc++ 2>/dev/null
echo "clang-tidy: clean"

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
tools/check_factories .

plain=$(mktemp -d)
trap 'rm -rf "$plain"' EXIT
sed -E 's/ -Winvalid-pch -include [^ ]*cmake_pch\.hxx//; s/ -Wno-(stringop-overflow|restrict)//g' \
  "$build/compile_commands.json" >"$plain/compile_commands.json"
tidy() { xargs -r -P 2 -n 1 clang-tidy -p "$plain" --quiet "$@" 2>/dev/null; }
torch_free='src/adassl/(core|kernels|storage|data|report)/'
git ls-files 'src/*.cpp' | grep -E "$torch_free" | tidy
git ls-files 'src/*.cpp' | grep -vE "$torch_free" | tidy --extra-arg=-stdlib=libc++
echo "clang-tidy: clean"

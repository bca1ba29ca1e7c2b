#!/usr/bin/env bash
# Builds one fixture project with the compiler alone and checks what is in its objects, libraries and programs.
#
# usage: fixtures.sh PROJECT CLANG_VERSION
set -euo pipefail

checks=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$checks/../..
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

archs=gfx906,gfx1030
build=$scratch/build
"$root/fixtures/configure" "$1" "$build" --clang "$2" --archs "$archs"
if ! ninja -C "$build" >"$scratch/log" 2>&1; then
  tail -50 "$scratch/log"
  exit 1
fi

case $1 in
  cxx-style)
    with_device=(check_primitives libalgebra.so)
    programs=(check_primitives check_gemm)
    plain='reference|check_gemm'
    ;;
  hip-language)
    with_device=(evaluate libphysics.so)
    programs=(evaluate simulate)
    plain='simulate|report'
    ;;
  *)
    echo "no project $1" >&2
    exit 2
    ;;
esac

cd "$build"
mapfile -t objects < <(find CMakeFiles -path '*.dir/*.o' | grep -v -E "/($plain)\\." | sort)
python3 "$checks/code_objects.py" --clang "$2" --archs "$archs" "${objects[@]}" "${with_device[@]}"
for program in "${programs[@]}"; do
  "./$program"
done

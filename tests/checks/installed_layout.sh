#!/usr/bin/env bash
# Installs into a directory, moves it, and uses it through a symbolic link from elsewhere: the programs must find each other.
#
# usage: installed_layout.sh BUILD_DIRECTORY
set -euo pipefail

scratch=$(mktemp -d)
export HIPCACHE_DIR=$scratch/cache
export HIPCACHE_CONFIG=/dev/null

cleanup() {
  "$scratch/link/hipcache" --stop-server >/dev/null 2>&1 || true
  rm -rf "$scratch"
}
trap cleanup EXIT

expect() {
  local what=$1
  shift
  if ! "$@" >"$scratch/output" 2>&1; then
    echo "failed: $what"
    cat "$scratch/output"
    exit 1
  fi
}

cmake --install "$1" --prefix "$scratch/first" >/dev/null
mkdir "$scratch/elsewhere" "$scratch/link"
mv "$scratch/first" "$scratch/elsewhere/moved"
ln -s "$scratch/elsewhere/moved/bin/hipcache" "$scratch/link/hipcache"
hipcache=$scratch/link/hipcache

expect "--version" "$hipcache" --version
expect "--start-server" "$hipcache" --start-server

# The daemon and the preload library of the moved directory serve a compile, and the second one is a hit.
echo '#include <hip/hip_runtime.h>
__global__ void twice(int* value) { *value *= 2; }' >"$scratch/twice.cpp"
bitcode=/usr/lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH)/amdgcn/bitcode
for object in first second; do
  expect "compile" "$hipcache" clang++-19 -x hip --offload-arch=gfx906 --rocm-path=/usr \
    "--rocm-device-lib-path=$bitcode" -c "$scratch/twice.cpp" -o "$scratch/twice.o"
  mv "$scratch/twice.o" "$scratch/$object.o"
done
expect "equal objects" cmp "$scratch/first.o" "$scratch/second.o"
"$hipcache" --show-stats --format json >"$scratch/stats.json"
expect "one hit and one miss" python3 -c '
import json, sys
requests = json.load(open(sys.argv[1]))["requests"]
assert (requests["hit"], requests["miss"]) == (1, 1), requests' "$scratch/stats.json"
expect "--stop-server" "$hipcache" --stop-server
echo "installed layout: good"

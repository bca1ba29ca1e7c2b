#!/usr/bin/env bash
# Runs clang-tidy over the sources of src/, with the commands of a build directory.
#
# usage: tidy.sh BUILD_DIRECTORY [PATTERN of sources]
#
# The commands are g++'s; warnings are g++'s business, so clang's own are turned off here.
set -euo pipefail

log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! run-clang-tidy-19 -quiet -j "$(nproc)" -p "$1" -extra-arg=-Wno-everything \
  "${2:-/src/[a-z]+/[a-z_0-9]+\.(cpp|c)\$}" >"$log" 2>&1; then
  grep -E -A 4 ': (warning|error): ' "$log" || tail -20 "$log"
  exit 1
fi

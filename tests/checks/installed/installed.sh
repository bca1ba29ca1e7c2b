#!/usr/bin/env bash
# For the checks of an installed tree, which source this file: a scratch directory, and a cache and daemon of its own.
#
# Sets: scratch. REQUIRES: `hipcache` is set to an installed program before the script ends.

scratch=$(mktemp -d)
export HIPCACHE_DIR=$scratch/cache
export HIPCACHE_CONFIG=$scratch/no-config.toml
hipcache=false

cleanup() {
  "$hipcache" --stop-server >/dev/null 2>&1 || true
  rm -rf "$scratch"
}
trap cleanup EXIT

fail() {
  echo "failed: $*"
  exit 1
}

# expect WHAT COMMAND...: the command succeeds; otherwise its output is shown.
expect() {
  local what=$1
  shift
  if ! "$@" >"$scratch/output" 2>&1; then
    cat "$scratch/output"
    fail "$what"
  fi
}

# expect_text WHAT EXPECTED GIVEN
expect_text() {
  [[ $2 == "$3" ]] || fail "$1: expected"$'\n'"$2"$'\n'"and got"$'\n'"$3"
}

# expect_requests HITS MISSES: since the daemon started.
expect_requests() {
  "$hipcache" --show-stats --format json >"$scratch/stats.json"
  expect "$1 hits and $2 misses" python3 -c '
import json, sys
requests = json.load(open(sys.argv[1]))["requests"]
assert (requests["hit"], requests["miss"]) == (int(sys.argv[2]), int(sys.argv[3])), requests' "$scratch/stats.json" "$1" "$2"
}

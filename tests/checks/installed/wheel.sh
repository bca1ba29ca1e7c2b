#!/usr/bin/env bash
# Checks that pip installs the wheel of a build: hipcache caches from there, and nothing is left when it is uninstalled.
#
# usage: wheel.sh BUILD_DIRECTORY SOURCE_DIRECTORY
set -euo pipefail

build=$1 source=$2
work=$(mktemp -d)
export HIPCACHE_DIR=$work/cache HIPCACHE_CONFIG=/dev/null
end() {
  [[ ! -x $work/venv/bin/hipcache ]] || "$work/venv/bin/hipcache" --stop-server >/dev/null
  rm -rf "$work"
}
trap end EXIT

python3 -m venv "$work/venv" || { echo "skipped: no virtual environments; the package is python3-venv" && exit 77; }
cmake --install "$build" --prefix "$work/tree" --strip >"$work/log"
wheel=$(python3 -B "$source/packaging/wheel/make_wheel.py" "$work/tree" 0.1.0 "$source/README.md" "$work")
find "$work/venv" -type f ! -name '*.pyc' | sort >"$work/before"
"$work/venv/bin/python" -m pip install --quiet --no-index --disable-pip-version-check "$wheel"

echo 'int f(void) { return 1; }' >"$work/f.c"
for _ in cold warm; do
  (cd "$work" && venv/bin/hipcache gcc -c f.c -o f.o)
done
"$work/venv/bin/hipcache" --show-stats --format json >"$work/stats.json"
hits=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["requests"]["hit"])' "$work/stats.json")
[[ $hits == 1 ]] || { echo "the second compile is no hit" && exit 1; }
"$work/venv/bin/hipcache" --stop-server >"$work/log"
"$work/venv/bin/update-hipcache-symlinks" "$work/links" | grep -q "$work/links"
[[ -f $work/venv/share/man/man1/hipcache.1 ]] || { echo "no man page" && exit 1; }

"$work/venv/bin/python" -m pip uninstall --quiet --yes hipcache
find "$work/venv" -type f ! -name '*.pyc' | sort >"$work/after"
diff "$work/before" "$work/after"
echo "the wheel is good"

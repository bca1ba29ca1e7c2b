#!/usr/bin/env bash
# Builds hipcache in a root of another Debian suite (trixie, or the one given) as its packages are there, runs the quick unit
# tests, and compiles HIP once cold and once warm. The root is kept below build/rooms. Ends with 77 and the reason where a root
# cannot be made.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=tools/package.d/room.sh
source "$root/tools/package.d/room.sh"

readonly suite=${1:-trixie}
readonly room=$root/build/rooms/$suite
readonly tested=(base_test compiler_test hip_test store_test)
# For the tests; those for the build are in tools/packages.txt.
readonly further=clang-19,clang-tools-19,libbenchmark-dev,libcli11-dev,libgmock-dev,libgtest-dev,lld-19,llvm-19,openssl,protobuf-compiler-grpc

skip() {
  echo "skipped: $*"
  exit 77
}

[[ $EUID -eq 0 ]] || skip "a root of $suite is made by root alone"
command -v mmdebstrap >/dev/null || skip "mmdebstrap is missing"
work=$(mktemp -d)
trap 'leave_layer; rm -rf --one-file-system "$work"' EXIT

make_room "$room" "$suite" --variant=apt --include="$further" \
  --customize-hook="mkdir \"\$1/setup\"" --customize-hook="copy-in $root/tools/setup $root/tools/packages.txt /setup" \
  --customize-hook="chroot \"\$1\" /setup/setup building # $(sha256sum <"$root/tools/packages.txt")" || skip "mmdebstrap makes no root of $suite"
can_enter_layer "$room" "$work" || skip "no overlay can be mounted"
enter_layer "$room" "$work"

mkdir "$layer/source"
git -C "$root" ls-files -z | (cd "$root" && tar --create --null --files-from=-) | tar --extract --directory="$layer/source"
echo "== build in $suite"
in_layer offline "cd /source; cmake --preset release -DCMAKE_C_FLAGS_RELEASE=-DNDEBUG -DCMAKE_CXX_FLAGS_RELEASE=-DNDEBUG >/tmp/configured || { cat /tmp/configured; exit 1; }
  cmake --build build/release --target hipcache hipcached hipcache-remote hipcache-trace ${tested[*]} >/tmp/built ||
    { tail -n 100 /tmp/built; exit 1; }"
echo "== quick unit tests in $suite"
in_layer offline "cd /source/build/release/tests; for program in ${tested[*]}; do ./\$program --gtest_brief=1; done"
echo "== a HIP compile in $suite"
in_layer offline "mkdir /work; cd /work; export HOME=/work HIPCACHE_DIR=/work/cache PATH=/source/build/release/bin:\$PATH
  echo '__attribute__((device)) float twice(float x) { return x * 2; }' >twice.hip
  for object in cold warm; do
    hipcache clang++-19 -x hip -nogpuinc -nogpulib --offload-arch=gfx906 --offload-arch=gfx1030 -O2 -c twice.hip -o twice.o
    mv twice.o \$object.o
  done
  cmp cold.o warm.o
  hipcache --show-stats --format json | python3 -c 'import json, sys
counted = json.load(sys.stdin)[\"requests\"]
sys.exit(0 if (counted[\"hit\"], counted[\"miss\"]) == (1, 1) else str(counted))'
  hipcache --stop-server"
leave_layer
echo "$suite: good"

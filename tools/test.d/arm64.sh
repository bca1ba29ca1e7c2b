#!/usr/bin/env bash
# Builds hipcache for arm64 by a cross compiler, and runs it in an arm64 root by qemu-user: unit tests, and HIP for two
# architectures, cold, warm and as the compiler alone does it. The root is kept below build/rooms. Ends with 77 and the reason
# where that cannot be done.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=tools/package.d/room.sh
source "$root/tools/package.d/room.sh"

readonly room=$root/build/rooms/arm64 build=$root/build/arm64
readonly tested=(base_test compiler_test protocol_test trace_preload_test)
# What the emulator lacks or does in another way: more than 250 descriptors in a message, fexecve, the order of the environment,
# a script's own name, limits; and what needs more of the target than is unpacked: locales, /sys, fakeroot.
excluded='ChannelFault.MoreDescriptors*:Life.OfAnExecuted*:Life.OfAProgram*:Life.AddsOnly*:Life.*Preload*:Life.UnderFakeroot*'
excluded+=':Preload.RecordsTheKernelsOwn*:Preload.RecordsTheFilesThatLibc*:Process.GivesArgumentZero*:Then.BothHaveTheUsersLimits'
readonly used=bash,clang-19,clang-tools-19,coreutils,dash,diffutils,g++,grep,lld-19,llvm-19,python3,rocm-device-libs,libamdhip64-dev,sed,util-linux
# What the build and the tests link, by tools/packages.txt.
linked=$(sed -n '/^# building$/,/^$/p; /^# tests/,/^$/p' "$root/tools/packages.txt" | awk '$1 ~ /-dev$/ && $1 != "dpkg-dev" { print $1 }' | paste -sd,)
readonly linked=$linked,musl-dev

skip() {
  echo "skipped: $*"
  exit 77
}

[[ $EUID -eq 0 ]] || skip "an arm64 root is made by root alone"
[[ $(dpkg --print-architecture) == amd64 ]] || skip "this machine is no amd64"
command -v mmdebstrap >/dev/null || skip "mmdebstrap is missing"
command -v aarch64-linux-gnu-g++ >/dev/null || skip "g++-aarch64-linux-gnu is missing"
# The kernel starts programs of arm64 by the emulator, as systemd tells it to by the same line.
readonly formats=/proc/sys/fs/binfmt_misc
[[ -e $formats/register ]] || mount -t binfmt_misc binfmt_misc $formats || skip "no binfmt_misc"
[[ -e $formats/qemu-aarch64 ]] || tr -d '\n' </usr/lib/binfmt.d/qemu-aarch64.conf >$formats/register || skip "no qemu-user-static"
grep -q '^flags:.*F' $formats/qemu-aarch64 || skip "qemu-user is registered in a way that roots do not see (no flag F)"
work=$(mktemp -d)
trap 'leave_layer; rm -rf --one-file-system "$work"' EXIT

# Unpacked and not configured: that would take minutes in the emulator.
# shellcheck disable=SC2016
make_room "$room" bookworm --architectures=arm64 --variant=extract --include="$used,$linked" \
  --extract-hook='echo root:x:0:0:root:/root:/bin/sh >"$1/etc/passwd"' || skip "mmdebstrap makes no arm64 root"
can_enter_layer "$room" "$work" || skip "no overlay can be mounted"
# Debian's musl-gcc is for the machine that it runs on.
mkdir "$work/bin"
sed "s#/usr/#$room/usr/#g" "$room/usr/lib/aarch64-linux-musl/musl-gcc.specs" >"$work/musl.specs"
printf '#!/bin/sh\nexec aarch64-linux-gnu-gcc "$@" -specs "%s"\n' "$work/musl.specs" >"$work/bin/aarch64-linux-musl-gcc"
chmod +x "$work/bin/aarch64-linux-musl-gcc"

echo "== build for arm64"
export ARM64_ROOT=$room PATH=$work/bin:$PATH
launchers=()
[[ -n ${CI:-} ]] || ! command -v ccache >/dev/null || launchers=(-DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
cmake -S "$root" -B "$build" --preset release -DCMAKE_C_FLAGS_RELEASE=-DNDEBUG -DCMAKE_CXX_FLAGS_RELEASE=-DNDEBUG \
  -DCMAKE_TOOLCHAIN_FILE="$root/tools/test.d/arm64.cmake" \
  -DHIPCACHE_MUSL_GCC="$work/bin/aarch64-linux-musl-gcc" "${launchers[@]}" >"$work/configured" || { cat "$work/configured"; exit 1; }
cmake --build "$build" --target hipcache hipcached hipcache-remote hipcache-trace "${tested[@]}" >"$work/built" ||
  { tail -n 100 "$work/built"; exit 1; }

enter_layer "$room" "$work"
mkdir -p "$layer$root" "$layer/work"
mount --bind "$root" "$layer$root"
echo "== unit tests on arm64"
in_layer online "cd '$build/tests'; for program in ${tested[*]}; do ./\$program --gtest_brief=1 --gtest_filter='-$excluded'; done"
echo "== HIP compiles on arm64"
cat >"$layer/work/twice.hip" <<'END'
#include <hip/hip_runtime.h>
__global__ void twice(int* value) { *value *= 2; }
END
in_layer offline "cd /work; export HOME=/work HIPCACHE_DIR=/work/cache PATH='$build/bin':\$PATH
  compile() { # RESULT ARCHITECTURES [LAUNCHER]
    \$3 clang++-19 -x hip \$(printf -- '--offload-arch=%s ' \$2) --rocm-path=/usr \
      --rocm-device-lib-path=/usr/lib/aarch64-linux-gnu/amdgcn/bitcode -cuid=twice -O2 -MD -c twice.hip -o twice.o
    mkdir \$1; mv twice.o twice.d \$1
  }
  compile plain 'gfx906 gfx1030' ''
  compile cold 'gfx906 gfx1030' hipcache
  compile warm 'gfx906 gfx1030' hipcache
  for result in cold warm; do cmp plain/twice.o \$result/twice.o; cmp plain/twice.d \$result/twice.d; done
  compile more 'gfx906 gfx1030 gfx90a' hipcache
  hipcache --show-stats --format json | python3 -c '
import json, sys
counted = json.load(sys.stdin)
run = {arch: steps[\"run\"] for arch, steps in counted[\"steps\"][\"device\"].items()}
sys.exit(0 if run == {\"gfx906\": 1, \"gfx1030\": 1, \"gfx90a\": 1} and counted[\"requests\"][\"hit\"] == 1 else str(counted))'
  hipcache --stop-server"
leave_layer
echo "arm64: good"

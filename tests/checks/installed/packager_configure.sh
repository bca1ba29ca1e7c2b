#!/usr/bin/env bash
# Configures as a distribution does, without a network: a build for /usr with the flags of the environment. What developers
# switch on is off, and the programs look for each other in the directories of the distribution.
#
# usage: packager_configure.sh SOURCE_DIRECTORY GENERATOR
set -euo pipefail

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

fail() {
  echo "failed: $*"
  exit 1
}

offline=()
if unshare --map-root-user --net true 2>/dev/null; then
  offline=(unshare --map-root-user --net)
fi
# configure DIRECTORY OPTION...
configure() {
  "${offline[@]}" cmake -S "$source" -B "$@" -G "$generator" -DCMAKE_EXPORT_COMPILE_COMMANDS=ON >"$scratch/output" 2>&1
}
source=$1 generator=$2

multiarch=$(dpkg-architecture -qDEB_HOST_MULTIARCH)
eval "$(dpkg-buildflags --export=sh)"
configure "$scratch/package" -DCMAKE_BUILD_TYPE=None -DCMAKE_INSTALL_PREFIX=/usr -DCMAKE_INSTALL_LIBDIR="lib/$multiarch" ||
  { cat "$scratch/output"; fail "configure"; }
commands=$scratch/package/compile_commands.json
if grep -q -e ' -Werror[ "]' "$commands"; then fail "warnings are no errors"; fi
if grep -q '"file": ".*/tests/' "$commands"; then fail "there are no tests"; fi
grep -q 'HIPCACHE_TRACE_FROM_HELPERS=.*"../../lib/'"$multiarch"'/hipcache' "$commands" || fail "the trace library is in the multiarch directory"
grep -q 'HIPCACHE_HELPERS_FROM_BIN=.*"../libexec/hipcache' "$commands" || fail "the helpers are in libexec"
grep -q -e "-ffile-prefix-map=$source=\\." "$commands" || fail "no path of the source tree is in a program"
# musl-gcc gets none of the flags that are meant for another compiler, and still optimises.
grep 'src/launcher/main.c"\?' "$commands" | grep -q -e ' -O2 ' || fail "the launcher is optimised"

env -u CFLAGS -u CXXFLAGS -u CPPFLAGS -u LDFLAGS cmake -S "$source" -B "$scratch/plain" -G "$generator" >"$scratch/output" 2>&1 ||
  { cat "$scratch/output"; fail "configure without options"; }
grep -q '^CMAKE_BUILD_TYPE:[A-Z]*=Release$' "$scratch/plain/CMakeCache.txt" || fail "a build without a type is a release"

# The launcher is for the processor that all else is for.
printf '#!/bin/sh\necho riscv64-linux-gnu\n' >"$scratch/musl-gcc"
chmod +x "$scratch/musl-gcc"
if configure "$scratch/other" -DHIPCACHE_MUSL_GCC="$scratch/musl-gcc"; then fail "a musl-gcc for another processor"; fi
tr -s ' \n' '  ' <"$scratch/output" | grep -q "$scratch/musl-gcc, which makes programs for \"riscv64\"" ||
  { cat "$scratch/output"; fail "the musl-gcc for another processor is named"; }
cross=(-DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64 -DCMAKE_C_COMPILER=clang-19 -DCMAKE_CXX_COMPILER=clang++-19
  -DCMAKE_C_COMPILER_TARGET=aarch64-linux-gnu -DCMAKE_CXX_COMPILER_TARGET=aarch64-linux-gnu
  -DCMAKE_TRY_COMPILE_TARGET_TYPE=STATIC_LIBRARY -DCMAKE_LIBRARY_ARCHITECTURE="$multiarch")
CFLAGS='' CXXFLAGS='' LDFLAGS='' configure "$scratch/cross" "${cross[@]}" || { cat "$scratch/output"; fail "configure a cross build"; }
grep 'src/launcher/main.c"\?' "$scratch/cross/compile_commands.json" | grep -q -e 'clang-19 --target=aarch64' ||
  fail "the target's compiler makes the launcher of a cross build"

if configure "$scratch/outside" -DCMAKE_INSTALL_PREFIX=/opt/hipcache -DCMAKE_INSTALL_LIBEXECDIR=/usr/libexec; then
  fail "a directory outside the prefix"
fi
tr -s ' \n' '  ' <"$scratch/output" | grep -q 'CMAKE_INSTALL_LIBEXECDIR is /usr/libexec, which is not a directory below' ||
  { cat "$scratch/output"; fail "the directory outside the prefix is named"; }
echo "packager's configuration: good"

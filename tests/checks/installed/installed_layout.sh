#!/usr/bin/env bash
# Installs below a DESTDIR, moves the tree to a path with blanks, and uses it through a symbolic link from elsewhere: every file
# is where it belongs, and the programs find each other.
#
# usage: installed_layout.sh BUILD_DIRECTORY MANIFEST PREFIX BIN SBIN LIBEXEC LIB DATA DOC MAN     from BIN on below the prefix
#
# The manifest lists the files (install/manifest.txt).
set -euo pipefail

# shellcheck source=tests/checks/installed/installed.sh
source "$(dirname "${BASH_SOURCE[0]}")/installed.sh"
build=$1 manifest=$2 prefix=$3
declare -A directories=([BINDIR]=$4 [SBINDIR]=$5 [LIBEXECDIR]=$6 [LIBDIR]=$7 [DATADIR]=$8 [DOCDIR]=$9 [MANDIR]=${10})
bin=${directories[BINDIR]}

DESTDIR="$scratch/a stage" expect "install below DESTDIR" cmake --install "$build"
installed=$scratch/a\ stage$prefix
wanted=$(sed '/^#/d' "$manifest" | while read -r directory file; do echo "${directories[$directory]}/$file"; done | sort)
expect_text "the installed files" "$wanted" "$(cd "$installed" && find . -type f -printf '%P\n' | sort)"
expect_text "nothing beside the prefix" "$(cd "$installed" && find . -type f | wc -l)" "$(find "$scratch/a stage" -type f | wc -l)"

mkdir "$scratch/link"
mv "$installed" "$scratch/a moved tree"
ln -s "$scratch/a moved tree/$bin/hipcache" "$scratch/link/hipcache"
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
expect_requests 1 1

# The helpers that options start.
expect "--export" "$hipcache" --export "$scratch/results"
openssl genpkey -algorithm ed25519 -out "$scratch/ci.pem" 2>/dev/null
chmod 600 "$scratch/ci.pem"
expect "--public-key" "$hipcache" --public-key "$scratch/ci.pem"
expect "--stop-server" "$hipcache" --stop-server

# The loader cannot preload from a path with blanks, unless the cache directory holds a link. Without, compilers run alone.
said=$(HIPCACHE_DIR="$scratch/a cache" "$hipcache" --start-server 2>&1) && fail "a daemon that cannot preload"
[[ $said == "hipcache: error: "*"cannot preload $scratch/a moved tree/${directories[LIBDIR]}/hipcache/libhipcache-trace.so"* && $said != *$'\n'* ]] ||
  fail "the reason in one line, and not: $said"
HIPCACHE_DIR="$scratch/a cache" expect "compile without a cache" "$hipcache" g++ -c -x c++ /dev/null -o "$scratch/none.o"

# Another prefix than the configured one.
expect "install below another prefix" cmake --install "$build" --prefix "$scratch/another prefix"
expect_text "the files below another prefix" "$wanted" "$(cd "$scratch/another prefix" && find . -type f -printf '%P\n' | sort)"
expect "--version below another prefix" "$scratch/another prefix/$bin/hipcache" --version
echo "installed layout: good"

#!/usr/bin/env bash
# Builds the archive that runs on other distributions, too (cmake/HipcachePortable.cmake).
# shellcheck source=tools/package.d/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

name=hipcache-$(version_of_project)
archive_commit "$name" "$work/sources.tar.xz"
tar -C "$work" -xf "$work/sources.tar.xz"
cmake -S "$work/$name" -B "$work/build" -G Ninja -DHIPCACHE_PORTABLE=ON -DHIPCACHE_UNITY=ON -DCMAKE_INSTALL_LIBDIR=lib
cmake --build "$work/build"
(cd "$work/build" && cpack -G TXZ)
cp "$work/build/$name"-linux-*.tar.xz "$packages"
echo "package: $(echo "$packages/$name"-linux-*.tar.xz)"

#!/usr/bin/env bash
# Builds the archive that runs on other distributions, too (cmake/HipcachePortable.cmake).
# shellcheck source=tools/package.d/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

name=hipcache-$(version_of_project)
need dpkg-source dpkg-dev
"$root/tools/package.d/curl.sh" "$work/curl"
archive_commit "$name" "$work/sources.tar.xz"
tar -C "$work" -xf "$work/sources.tar.xz"
cmake -S "$work/$name" -B "$work/build" -G Ninja -DHIPCACHE_PORTABLE=ON -DCMAKE_INSTALL_LIBDIR=lib \
  -DCMAKE_PREFIX_PATH="$work/curl"
cmake --build "$work/build"
(cd "$work/build" && cpack -G TXZ)
mkdir "$work/archive"
tar -C "$work/archive" --strip-components=1 -xf "$work/build/$name"-linux-*.tar.xz
"$work/$name/tests/checks/glibc_versions.py" --archive "$work/archive"
cp "$work/build/$name"-linux-*.tar.xz "$packages"
echo "package: $(echo "$packages/$name"-linux-*.tar.xz)"

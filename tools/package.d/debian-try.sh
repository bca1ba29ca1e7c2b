#!/usr/bin/env bash
# Tries the built Debian package in a clean chroot: it installs, a compiler comes and goes, it is upgraded, its tests pass, and
# nothing is left when it is purged. The chroot is kept in the directory of the packages, unchanged.
# shellcheck source=tools/package.d/debian_source.sh
source "$(dirname "${BASH_SOURCE[0]}")/debian_source.sh"
# shellcheck source=tools/package.d/room.sh
source "$root/tools/package.d/room.sh"

readonly suite=bookworm rooms=$packages/rooms
[[ $EUID -eq 0 ]] || die "chroots need root"
need mmdebstrap mmdebstrap
need autopkgtest autopkgtest
make_debian_source
trap 'leave_layer; rm -rf --one-file-system "$work"' EXIT

# The files of the layer, but those in which dpkg, apt and the loader keep books.
files() {
  in_layer offline "find / -xdev \( -path /proc -o -path /dev -o -path /tmp -o -path /var/log -o -path /var/cache \
    -o -path /var/lib/dpkg -o -path /var/lib/apt -o -path /etc/ld.so.cache \) -prune -o -print | sort"
}

# deb_of NAME VERSION PATH: a package in the layer's /tmp with one program.
deb_of() {
  local tree=$layer/tmp/$1
  mkdir -p "$tree/DEBIAN" "$tree/${3%/*}"
  printf '%s\n' "Package: $1" "Version: $2" "Architecture: all" "Maintainer: nobody" "Description: a compiler" >"$tree/DEBIAN/control"
  install -m 755 /dev/stdin "$tree/$3" <<<"#!/bin/sh"
  in_layer offline "dpkg-deb --build --root-owner-group /tmp/$1 /tmp/$1.deb"
}

links() { in_layer offline "find /usr/lib/hipcache -type l -printf '%f '"; }

make_room "$rooms/use" "$suite" --variant=minbase
enter_layer "$rooms/use" "$work/using"
deb=hipcache_${debian_version}_$(dpkg --print-architecture).deb
cp "$packages/$deb" "$layer/tmp"
echo "== what hipcache, its tests and autopkgtest need"
tested=$(sed -n 's/^Depends: @, //p' "$work/hipcache-$upstream_version/debian/tests/control" | paste -sd,)
in_layer online "apt-get -qq update; apt-get -qq --yes --no-install-recommends satisfy \
  '$(dpkg-deb --field "$packages/$deb" Depends), $tested, apt-utils, dpkg-dev' >/dev/null"
files >"$work/before"

echo "== install; a compiler comes and goes; upgrade"
in_layer offline "dpkg --install /tmp/$deb; hipcache --version"
[[ " $(links)" == *" g++ "* ]] || die "no link for g++, only $(links)"
deb_of clang-99 1 usr/bin/clang-99
in_layer offline "dpkg --install /tmp/clang-99.deb"
[[ " $(links)" == *" clang-99 "* ]] || die "no link for a compiler that came later"
in_layer offline "dpkg --purge clang-99"
[[ " $(links)" != *" clang-99 "* ]] || die "a link of a compiler that is gone"
in_layer offline "cd /tmp; dpkg-deb --raw-extract $deb next; sed -i 's/^Version: .*/&+next/' next/DEBIAN/control
  dpkg-deb --build --root-owner-group next next.deb; dpkg --install next.deb; dpkg --install $deb"
[[ " $(links)" == *" g++ "* ]] || die "no links after an upgrade"

echo "== tests"
autopkgtest --no-built-binaries "$packages/hipcache_$debian_version.dsc" "$packages/$deb" -- chroot "$layer" ||
  die "autopkgtest failed"

echo "== remove and purge"
in_layer offline "dpkg --remove hipcache"
[[ ! -e $layer/usr/lib/hipcache ]] || die "links are left after removal"
in_layer offline "dpkg --purge hipcache"
files >"$work/after"
diff "$work/before" "$work/after" || die "files are left after purging"
leave_layer
echo "the package is good"

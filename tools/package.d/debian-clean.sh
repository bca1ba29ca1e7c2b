#!/usr/bin/env bash
# Builds the Debian package in a clean chroot, as a user and without network, and checks it by lintian and for the flags that
# harden programs. The chroot is kept in the
# directory of the packages, unchanged.
# shellcheck source=tools/package.d/debian_source.sh
source "$(dirname "${BASH_SOURCE[0]}")/debian_source.sh"
# shellcheck source=tools/package.d/room.sh
source "$root/tools/package.d/room.sh"

readonly suite=bookworm rooms=$packages/rooms
[[ $EUID -eq 0 ]] || die "chroots need root"
need mmdebstrap mmdebstrap
make_debian_source
trap 'leave_layer; rm -rf --one-file-system "$work"' EXIT

make_room "$rooms/build" "$suite" --variant=buildd --include=lintian,debhelper,devscripts
enter_layer "$rooms/build" "$work/building"
cp "$packages"/hipcache_"$upstream_version"*.{dsc,tar.xz} "$layer/tmp"
echo "== build dependencies"
in_layer online "apt-get -qq update; apt-get -qq --yes build-dep /tmp/hipcache_$debian_version.dsc >/dev/null
  useradd --create-home builder; install --directory --owner=builder /build"
echo "== build as a user, without network"
in_layer offline "cd /build; export DEB_BUILD_OPTIONS=parallel=$(nproc)
  runuser -u builder -- dpkg-source --extract /tmp/hipcache_$debian_version.dsc source
  cp /tmp/hipcache_*.orig.tar.xz .; cd source; runuser -u builder -- dpkg-buildpackage --no-sign"
cp "$layer"/build/hipcache*.{deb,buildinfo,changes} "$packages"
echo "== lintian"
# Debian 12's lintian does not know Static-Built-Using.
in_layer offline "cd /build; runuser -u builder -- lintian --pedantic --display-info --suppress-tags unknown-field \
    --fail-on error,warning,info,pedantic hipcache_${debian_version}_*.changes"
echo "== hardening"
in_layer offline "cd /build; dpkg-deb --extract hipcache_${debian_version}_*.deb installed
  cd installed/usr; check='hardening-check --nocfprotection'  # no flag of Debian 12 asks for that
  \$check libexec/hipcache/hipcached libexec/hipcache/hipcache-remote
  # It sees no functions in static programs, and the trace library defines those that fortified wrappers wrap.
  \$check --nostackprotector --nofortify bin/hipcache libexec/hipcache/hipcache-client
  \$check --nofortify lib/*/hipcache/libhipcache-trace.so"
leave_layer
echo "packages: $(echo "$packages"/hipcache*_"$debian_version"_*.deb)"

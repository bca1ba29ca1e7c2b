#!/usr/bin/env bash
# For the parts of tools/package that need the Debian source package, which source this file.
# shellcheck source=tools/package.d/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# make_debian_source: of the commit as upstream's archive, and of packaging/debian. Sets debian_version, upstream_version.
make_debian_source() {
  need dpkg-source dpkg-dev
  debian_version=$(git -C "$root" show "$commit:packaging/debian/changelog" | sed -n '1s/^hipcache (\(.*\)) .*/\1/p')
  [[ -n $debian_version ]] || die "packaging/debian/changelog of $commit has no version"
  upstream_version=${debian_version%-*}
  local name=hipcache-$upstream_version
  archive_commit "$name" "$packages/hipcache_$upstream_version.orig.tar.xz"
  tar -C "$work" -xf "$packages/hipcache_$upstream_version.orig.tar.xz"
  cp -R "$work/$name/packaging/debian" "$work/$name/debian"
  (cd "$packages" && dpkg-source --build "$work/$name")
}

#!/usr/bin/env bash
# Makes the Debian source package, and builds it here.
# shellcheck source=tools/package.d/debian_source.sh
source "$(dirname "${BASH_SOURCE[0]}")/debian_source.sh"

make_debian_source
need dpkg-buildpackage dpkg-dev
need dh debhelper
mkdir "$work/built"
mv "$work/hipcache-$upstream_version" "$work/built/source"
(cd "$work/built" && as_user env --chdir=source dpkg-buildpackage --build=binary --no-sign)
cp "$work"/built/hipcache*_"${debian_version}"_*.{deb,buildinfo,changes} "$packages"
echo "package: $(echo "$packages/hipcache_${debian_version}"_*.deb)"

#!/usr/bin/env bash
# Makes the Debian source package.
# shellcheck source=tools/package.d/debian_source.sh
source "$(dirname "${BASH_SOURCE[0]}")/debian_source.sh"

make_debian_source
echo "source package: $packages/hipcache_$debian_version.dsc"

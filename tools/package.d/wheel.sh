#!/usr/bin/env bash
# Makes a Python wheel of the archive for other distributions, which it builds unless it is there.
# shellcheck source=tools/package.d/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

version=$(version_of_project)
archive=$packages/hipcache-$version-linux-x86_64.tar.xz
[[ -f $archive ]] || "$root/tools/package.d/tarball.sh" "$commit" "$packages"
mkdir "$work/tree"
tar -C "$work/tree" --strip-components=1 -xf "$archive"
git -C "$root" show "$commit:README.md" >"$work/README.md"
echo "package: $(python3 -B "$root/packaging/wheel/make_wheel.py" "$work/tree" "$version" "$work/README.md" "$packages")"

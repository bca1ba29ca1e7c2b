#!/usr/bin/env bash
# Builds the Arch package, also on a machine whose packages are not Arch's.
# shellcheck source=tools/package.d/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

need makepkg makepkg
version=$(version_of_project)
mkdir "$work/arch"
git -C "$root" archive "$commit:packaging/arch" | tar -C "$work/arch" -x
archive_commit "hipcache-$version" "$work/arch/hipcache-$version.tar.xz"
dependencies=()
pacman --query filesystem >/dev/null 2>&1 || dependencies=(--nodeps)
(cd "$work/arch" && as_user env PACKAGER="hipcache maintainers <packages@hipcache.invalid>" makepkg "${dependencies[@]}")
cp "$work/arch/hipcache-$version"-*.pkg.tar.* "$packages"
echo "package: $(echo "$packages/hipcache-$version"-*.pkg.tar.*)"

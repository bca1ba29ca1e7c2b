#!/usr/bin/env bash
# Builds the RPM package, also on a machine whose packages are no RPMs.
# shellcheck source=tools/package.d/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

need rpmbuild rpm
version=$(version_of_project)
mkdir -p "$work/rpm/SOURCES"
archive_commit "hipcache-$version" "$work/rpm/SOURCES/hipcache-$version.tar.xz"
git -C "$root" show "$commit:packaging/rpm/hipcache.spec" >"$work/rpm/hipcache.spec"
dependencies=()
rpm --query --quiet filesystem 2>/dev/null || dependencies=(--nodeps)
(cd "$work/rpm" && as_user rpmbuild --define "_topdir $work/rpm" -ba "${dependencies[@]}" hipcache.spec)
cp "$work"/rpm/RPMS/*/hipcache-"$version"-*.rpm "$work"/rpm/SRPMS/hipcache-"$version"-*.rpm "$packages"
echo "packages: $(echo "$packages/hipcache-$version"-*.rpm)"

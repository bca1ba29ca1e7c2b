# Makes the source package: the commit as upstream's archive, and packaging/debian. Sets debian_source, the directory that was
# packed, in $work, and debian_version.
need dpkg-source dpkg-dev

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
debian_version=$(git -C "$root" show "$commit:packaging/debian/changelog" | sed -n '1s/^hipcache (\(.*\)) .*/\1/p')
[[ -n $debian_version ]] || die "packaging/debian/changelog of $named has no version"
debian_source=hipcache-${debian_version%-*}
archive_commit "$debian_source" "$packages/hipcache_${debian_version%-*}.orig.tar.xz"
tar -C "$work" -xf "$packages/hipcache_${debian_version%-*}.orig.tar.xz"
cp -R "$work/$debian_source/packaging/debian" "$work/$debian_source/debian"
(cd "$packages" && dpkg-source --build "$work/$debian_source")

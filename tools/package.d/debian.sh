# Makes the source package and builds it here.
# shellcheck source=tools/package.d/debian-source.sh
source "$root/tools/package.d/debian-source.sh"
need dpkg-buildpackage dpkg-dev
need dh debhelper

chmod 755 "$work"
cd "$work"
mkdir built
mv "$debian_source" built
(cd built && as_user env --chdir="$debian_source" dpkg-buildpackage --build=binary --no-sign)
cp built/hipcache_"$debian_version"_*.{deb,buildinfo,changes} built/hipcache-dbgsym_"$debian_version"_*.deb "$packages"

#!/usr/bin/env bash
# Uses the built wheel as a new user would, in clean roots of Debian 11, 12 and 13: one HIP compile cold and warm, shared caches,
# export and import, --doctor. The chroots are kept in the directory of the packages, unchanged.
# shellcheck source=tools/package.d/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
# shellcheck source=tools/package.d/room.sh
source "$root/tools/package.d/room.sh"

[[ $EUID -eq 0 ]] || die "chroots need root"
need mmdebstrap mmdebstrap
wheel=$(find "$packages" -name "hipcache-$(version_of_project)-py3-none-manylinux*.whl")
[[ -f $wheel ]] || die "no wheel in $packages: make it by tools/package wheel"

# The servers run here. A chroot shares the network, and their certificates, whose directory it sees under the same name.
servers=$work/servers
mkdir "$servers"
coproc SERVERS { exec python3 -B "$root/tools/package.d/try_servers.py" "$servers"; }
# shellcheck disable=SC2154  # coproc sets it
trap 'leave_layer; kill "$SERVERS_PID" 2>/dev/null; rm -rf --one-file-system "$work"' EXIT
read -r _ <&"${SERVERS[0]}" || die "the servers do not start"

# Debian's clang of each release that compiles HIP without HIP's headers.
declare -A clang=([bullseye]=16 [bookworm]=19 [trixie]=19)
for suite in bullseye bookworm trixie; do
  make_room "$packages/rooms/$suite" "$suite" --variant=minbase "deb http://deb.debian.org/debian $suite main"
  enter_layer "$packages/rooms/$suite" "$work/$suite"
  echo "== $suite"
  mkdir -p "$layer/$servers" "$layer/opt/wheel"
  mount --bind "$servers" "$layer/$servers"
  cp "$wheel" "$layer/opt/wheel"
  cp "$root/tools/package.d/wheel_try.py" "$layer/opt"
  version=${clang[$suite]}
  in_layer online "apt-get -qq update; apt-get -qq --yes --no-install-recommends install python3-venv >/dev/null"
  in_layer offline "python3 /opt/wheel_try.py /opt/wheel without-compiler"
  in_layer online "apt-get -qq --yes --no-install-recommends install clang-$version clang-tools-$version lld-$version llvm-$version >/dev/null"
  in_layer online "python3 /opt/wheel_try.py /opt/wheel clang++-$version $servers/urls"
  leave_layer
done
echo "the wheel is good"

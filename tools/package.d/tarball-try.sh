#!/usr/bin/env bash
# Tries the built archive in a clean Ubuntu 18.04 (glibc 2.27), Debian 11 (2.31) and Debian 12: C++ by g++ and, in Debian, by clang
# and HIP for two architectures are cold misses and warm hits. The chroots are kept in the directory of the packages, unchanged.
# shellcheck source=tools/package.d/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
# shellcheck source=tools/package.d/room.sh
source "$root/tools/package.d/room.sh"

[[ $EUID -eq 0 ]] || die "chroots need root"
need mmdebstrap mmdebstrap
archive=$packages/hipcache-$(version_of_project)-linux-x86_64.tar.xz
[[ -f $archive ]] || die "no $archive: make it by tools/package tarball"
trap 'leave_layer; rm -rf --one-file-system "$work"' EXIT

# Run in the chroot, with what to compile, in the order of the counts below. This HIP needs nothing but the compiler.
# shellcheck disable=SC2016
compiles='
export HOME=/tmp/home PATH=/opt/hipcache/bin:$PATH
mkdir $HOME; cd $HOME
echo "#include <string>
unsigned long size(const std::string& text) { return text.size(); }" >size.cpp
echo "__attribute__((device)) int twice(int value) { return value * 2; }
int main() { return 0; }" >twice.hip
for state in cold warm; do for kind in $kinds; do
  case $kind in
    gcc) hipcache g++ -O2 -c size.cpp -o out.o ;;
    clang) hipcache clang++-16 -O2 -c size.cpp -o out.o ;;
    hip) hipcache clang++-16 -x hip -nogpuinc -nogpulib --offload-arch=gfx906 --offload-arch=gfx1030 -c twice.hip -o out.o ;;
  esac
  mv out.o $state.$kind.o
done; done
for kind in $kinds; do cmp cold.$kind.o warm.$kind.o; done
hipcache --show-stats --format json >/tmp/stats.json
hipcache --stop-server'

# try_in SUITE PACKAGES KINDS OPTION-OF-MMDEBSTRAP...
try_in() {
  make_room "$packages/rooms/$1" "$1" --variant=minbase "${@:4}"
  enter_layer "$packages/rooms/$1" "$work/$1"
  echo "== $1"
  in_layer online "apt-get -qq update; apt-get -qq --yes --no-install-recommends install $2 >/dev/null"
  mkdir "$layer/opt/hipcache"
  tar -C "$layer/opt/hipcache" --strip-components=1 -xf "$archive"
  in_layer offline "kinds='$3'; $compiles"
  python3 - "$layer/tmp/stats.json" "$3" <<'END'
import json, sys
stats, kinds = json.load(open(sys.argv[1])), sys.argv[2].split()
counted = {name: stats["requests"][name] for name in ("hit", "miss", "partial", "passthrough")}
steps = {arch: (step["hit"], step["run"]) for arch, step in stats["steps"]["device"].items()}
print(f"requests {counted}; device steps (hit, run) {steps}")
wanted = {"gfx906": (1, 1), "gfx1030": (1, 1)} if "hip" in kinds else {}
if counted != {"hit": len(kinds), "miss": len(kinds), "partial": 0, "passthrough": 0} or steps != wanted:
    sys.exit("tools/package: error: each of these should be a miss, then a hit, with one device step for each architecture")
END
  leave_layer
}

ubuntu_keys=/usr/share/keyrings/ubuntu-archive-keyring.gpg
if [[ -f $ubuntu_keys ]]; then
  try_in bionic g++ gcc --keyring="$ubuntu_keys" "deb http://archive.ubuntu.com/ubuntu bionic main"
else
  echo "skipped: Ubuntu 18.04: no $ubuntu_keys, which Debian 13's package ubuntu-keyring has"
fi
for suite in bullseye bookworm; do
  try_in $suite "g++ clang-16 clang-tools-16 lld-16 llvm-16" "gcc clang hip" "deb http://deb.debian.org/debian $suite main"
done
echo "the archive is good"

#!/usr/bin/env bash
# Tries the built archive in a clean Debian 11 (glibc 2.31) and Debian 12: C++ by g++ and clang and HIP for two architectures are
# cold misses and warm hits. The chroots are kept in the directory of the packages, unchanged.
# shellcheck source=tools/package.d/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
# shellcheck source=tools/package.d/room.sh
source "$root/tools/package.d/room.sh"

[[ $EUID -eq 0 ]] || die "chroots need root"
need mmdebstrap mmdebstrap
archive=$packages/hipcache-$(version_of_project)-linux-x86_64.tar.xz
[[ -f $archive ]] || die "no $archive: make it by tools/package tarball"
trap 'leave_layer; rm -rf --one-file-system "$work"' EXIT

# Run in the chroot. This HIP needs nothing but the compiler.
# shellcheck disable=SC2016
compiles='
export HOME=/tmp/home PATH=/opt/hipcache/bin:$PATH
mkdir $HOME; cd $HOME
echo "#include <string>
unsigned long size(const std::string& text) { return text.size(); }" >size.cpp
echo "__attribute__((device)) int twice(int value) { return value * 2; }
int main() { return 0; }" >twice.hip
for state in cold warm; do
  hipcache g++ -O2 -c size.cpp -o size.o; mv size.o $state.gcc.o
  hipcache clang++-16 -O2 -c size.cpp -o size.o; mv size.o $state.clang.o
  hipcache clang++-16 -x hip -nogpuinc -nogpulib --offload-arch=gfx906 --offload-arch=gfx1030 -c twice.hip -o twice.o
  mv twice.o $state.hip.o
done
for kind in gcc clang hip; do cmp cold.$kind.o warm.$kind.o; done
hipcache --show-stats --format json >/tmp/stats.json
hipcache --stop-server'

for suite in bullseye bookworm; do
  make_room "$packages/rooms/$suite" "$suite" --variant=minbase "deb http://deb.debian.org/debian $suite main"
  enter_layer "$packages/rooms/$suite" "$work/$suite"
  echo "== $suite"
  in_layer online "apt-get -qq update; apt-get -qq --yes --no-install-recommends install g++ clang-16 clang-tools-16 lld-16 llvm-16 >/dev/null"
  mkdir "$layer/opt/hipcache"
  tar -C "$layer/opt/hipcache" --strip-components=1 -xf "$archive"
  in_layer offline "$compiles"
  python3 - "$layer/tmp/stats.json" <<'END'
import json, sys
stats = json.load(open(sys.argv[1]))
counted = {name: stats["requests"][name] for name in ("hit", "miss", "partial", "passthrough")}
steps = {arch: (step["hit"], step["run"]) for arch, step in stats["steps"]["device"].items()}
print(f"requests {counted}; device steps (hit, run) {steps}")
if counted != {"hit": 3, "miss": 3, "partial": 0, "passthrough": 0} or steps != {"gfx906": (1, 1), "gfx1030": (1, 1)}:
    sys.exit("tools/package: error: that is not three misses, three hits and one device step for each architecture")
END
  leave_layer
done
echo "the archive is good"

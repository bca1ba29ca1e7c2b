#!/usr/bin/env bash
# update-hipcache-symlinks: a link for each compiler in PATH and for nothing else, which serves compiles wherever the tree goes.
#
# usage: installed_links.sh BUILD_DIRECTORY SBIN BIN
set -euo pipefail

# shellcheck source=tests/checks/installed/installed.sh
source "$(dirname "${BASH_SOURCE[0]}")/installed.sh"
sbin=$2 bin=$3

expect "install" cmake --install "$1" --prefix "$scratch/a tree"
compilers=$scratch/compilers
mkdir "$compilers"
for name in clang-19 clang++-19 clang-19.1 hipcc amdclang++ cc g++ x86_64-linux-gnu-gcc-12 c89-gcc \
  clang-format-19 clang-cpp-19 gcc-ar gcc-ar-12 git-clang-format-19 ccache cpp; do
  printf '#!/bin/sh\n' >"$compilers/$name"
  chmod +x "$compilers/$name"
done
echo "no program" >"$compilers/gcc"
mkdir "$compilers/clang"

# update PATH [DIRECTORY]
update() {
  local path=$1
  shift
  PATH=$path:/usr/bin:/bin "$scratch/a tree/$sbin/update-hipcache-symlinks" "$@"
}
names() { (cd "$1" && printf '%s\n' * | sort); }

links="$scratch/a tree/lib/hipcache"
expect "links" update "$compilers"
wanted=$(printf '%s\n' clang-19 clang++-19 clang-19.1 hipcc amdclang++ cc g++ x86_64-linux-gnu-gcc-12 c89-gcc | sort)
for name in $wanted; do
  [[ $links/$name -ef "$scratch/a tree/$bin/hipcache" ]] || fail "$name leads to hipcache"
  [[ $(readlink "$links/$name") != /* ]] || fail "$name is a relative link"
done
for name in clang-format-19 clang-cpp-19 gcc-ar gcc-ar-12 git-clang-format-19 ccache cpp clang; do
  [[ ! -e $links/$name || $name == clang && -e /usr/bin/clang ]] || fail "no link for $name"
done

# Again: nothing changes, even with the links first in PATH. A compiler that went takes its link along.
before=$(names "$links")
expect "links again" update "$links:$compilers"
expect_text "the links after another run" "$before" "$(names "$links")"
rm "$compilers/clang-19.1"
ln -s ../../bin/nothing "$links/other-gcc"
echo "a user's" >"$links/clang-19-mine"
rm "$links/amdclang++"
echo "a user's" >"$links/amdclang++"
said=$(update "$links:$compilers" 2>&1 >/dev/null)
[[ ! -L $links/clang-19.1 ]] || fail "the link of a removed compiler is gone"
[[ -L $links/other-gcc && -f $links/clang-19-mine ]] || fail "other files stay"
expect_text "what is said" "update-hipcache-symlinks: $links/amdclang++ is no link to hipcache, and stays" "$said"
expect_text "a file in place of a link" "a user's" "$(cat "$links/amdclang++")"

said=$(update "$compilers" "$scratch/other links")
count=$(find "$scratch/other links" -type l | wc -l)
expect_text "what is made" "$scratch/other links has a link to hipcache for $count names of compilers" "$said"
[[ -L "$scratch/other links/hipcc" ]] || fail "a link in another directory"

# Without the right to write there, one line says what to do. Root may write everywhere, so it becomes somebody else.
chmod 755 "$scratch"
mkdir -m 755 "$scratch/not ours"
as_user=()
[[ $EUID -ne 0 ]] || as_user=(setpriv --reuid=65534 --regid=65534 --clear-groups)
[[ $EUID -eq 0 ]] || chmod 555 "$scratch/not ours"
for target in "$scratch/not ours" "$scratch/not ours/below"; do
  said=$("${as_user[@]}" "$scratch/a tree/$sbin/update-hipcache-symlinks" "$target" 2>&1) && fail "a directory of others is an error"
  expect_text "what is said without root" "update-hipcache-symlinks: error: cannot write to $target; use sudo \
update-hipcache-symlinks, or name a directory of yours: update-hipcache-symlinks ~/.local/lib/hipcache" "$said"
done

# The names of other caches only on demand; later runs keep them. A build that asks for ccache gets hipcache, not the ccache in PATH.
as_ccache="$scratch/as ccache"
said=$(update "$compilers" --as-ccache "$as_ccache")
expect_text "what is made as ccache" \
  "$as_ccache has a link to hipcache for $count names of compilers, and for ccache and sccache" "$said"
update "$compilers" "$as_ccache" >/dev/null
for name in ccache sccache; do
  [[ $as_ccache/$name -ef "$scratch/a tree/$bin/hipcache" ]] || fail "$name leads to hipcache and stays"
done
[[ $("$as_ccache/ccache" --version) == "ccache version "* ]] || fail "the version as ccache"

# A moved tree compiles through its links: a miss, then a hit. The wrapper runs the compiler by its name in PATH, again a link.
mv "$scratch/a tree" "$scratch/a moved tree"
links="$scratch/a moved tree/lib/hipcache"
hipcache="$scratch/a moved tree/$bin/hipcache"
echo 'int answer() { return 42; }' >"$scratch/answer.cpp"
g++ -c "$scratch/answer.cpp" -o "$scratch/expected.o"
for _ in first second; do
  expect "g++ through its link" env "PATH=$links:$PATH" g++ -c "$scratch/answer.cpp" -o "$scratch/answer.o"
  expect "the compiler's object" cmp "$scratch/expected.o" "$scratch/answer.o"
done
expect_requests 1 1
mkdir "$scratch/wrapper"
printf '#!/bin/sh\nexec g++ "$@"\n' >"$scratch/wrapper/c++"
chmod +x "$scratch/wrapper/c++"
for _ in first second; do
  expect "a wrapper through links" env "PATH=$links:$scratch/wrapper:$PATH" c++ -c "$scratch/answer.cpp" -o "$scratch/answer.o"
  expect "the compiler's object by a wrapper" cmp "$scratch/expected.o" "$scratch/answer.o"
done

expect_text "no compiler behind a link" 'hipcache: error: could not find compiler "hipcc" in PATH' \
  "$(PATH=$links "$links/hipcc" -c x.hip 2>&1 || true)"
echo "installed links: good"

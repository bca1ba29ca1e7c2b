#!/usr/bin/env bash
# What the parts of tools/package share, which source this file and are called with a commit and the directory of the packages.
#
# Sets: root, commit, packages, and work, a directory that is removed at the end.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
export root commit=$1 packages=$2
work=$(mktemp -d)
chmod 755 "$work"
trap 'rm -rf "$work"' EXIT

die() {
  echo "tools/package: error: $*" >&2
  exit 1
}

# need PROGRAM PACKAGE: Debian's package that has the program.
need() {
  command -v "$1" >/dev/null || die "$1 is missing: apt-get install $2"
}

# version_of_project: in the commit.
version_of_project() {
  git -C "$root" show "$commit:CMakeLists.txt" | sed -n 's/^project(hipcache VERSION \([0-9.]*\).*/\1/p'
}

# archive_commit DIRECTORY FILE: the commit's files below that directory, the same bytes each time.
archive_commit() {
  git -C "$root" archive --format=tar --prefix="$1/" "$commit" | xz --threads=1 >"$2"
}

# as_user COMMAND...: in this directory, which the user then owns. Root's rights build no package.
as_user() {
  if [[ $EUID -ne 0 ]]; then
    "$@"
  else
    chown -R nobody:nogroup .
    HOME=$PWD setpriv --reuid=nobody --regid=nogroup --clear-groups --inh-caps=-all "$@"
  fi
}

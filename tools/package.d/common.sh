# For tools/package and its parts, which source this file.

die() {
  echo "tools/package: error: $*" >&2
  exit 1
}

# need PROGRAM PACKAGE...
need() {
  command -v "$1" >/dev/null || die "$1 is missing: apt-get install ${*:2}"
}

# archive_of FORMAT-COMMAND FILE PREFIX: the commit's files, the same bytes each time.
archive_commit() {
  git -C "$root" archive --format=tar --prefix="$1/" "$commit" | xz --threads=1 >"$2"
}

# as_user COMMAND...: in this directory, which the user then owns. Packages are built without root's rights.
as_user() {
  if [[ $EUID -ne 0 ]]; then
    "$@"
  else
    chown -R nobody:nogroup .
    HOME=$PWD setpriv --reuid=nobody --regid=nogroup --clear-groups --inh-caps=-all "$@"
  fi
}

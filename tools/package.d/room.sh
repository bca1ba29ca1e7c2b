#!/usr/bin/env bash
# Chroots that a run uses and does not change, for those who source this file. They need root.

# make_room DIRECTORY SUITE OPTION-OF-MMDEBSTRAP... [SOURCE]: a chroot, unless one is there that was made with
# the same arguments.
make_room() {
  local made=${*:2}
  [[ ! -d $1 || "$(cat "$1.made" 2>/dev/null)" != "$made" ]] || return 0
  echo "== chroot $1"
  mkdir -p "${1%/*}"
  local sources=() options=()
  for argument in "${@:3}"; do
    if [[ $argument == deb\ * ]]; then sources+=("$argument"); else options+=("$argument"); fi
  done
  # A caller that asks whether this failed switches errexit off here.
  mmdebstrap --quiet --mode=root --format=directory "${options[@]}" "$2" "$1.new" "${sources[@]}" ||
    { rm -rf --one-file-system "$1.new" && return 1; }
  rm -rf --one-file-system "$1"
  mv "$1.new" "$1"
  printf '%s\n' "$made" >"$1.made"
}

# can_enter_layer ROOM DIRECTORY: false where no overlay can be mounted, as in many containers.
can_enter_layer() {
  mkdir -p "$2/upper" "$2/work" "$2/root" &&
    mount -t overlay overlay -o "lowerdir=$1,upperdir=$2/upper,workdir=$2/work" "$2/root" && umount "$2/root"
}

# enter_layer ROOM DIRECTORY: sets layer, a root directory that shows the room and takes all changes, which lie in DIRECTORY.
# REQUIRES: leave_layer before DIRECTORY is removed.
enter_layer() {
  mkdir -p "$2/upper" "$2/work" "$2/root"
  layer=$2/root
  mount -t overlay overlay -o "lowerdir=$1,upperdir=$2/upper,workdir=$2/work" "$layer"
  mount -t proc proc "$layer/proc"
  mount --bind /dev "$layer/dev"
  mount --bind /dev/pts "$layer/dev/pts"
}

leave_layer() {
  [[ -n ${layer:-} ]] || return 0
  umount --recursive --lazy "$layer"  # a test that failed may have left a daemon
  layer=
}

# in_layer online|offline COMMANDS: of a shell that stops at the first error, as the layer's root.
in_layer() {
  local command=(chroot "$layer" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive
    http_proxy="${http_proxy:-}" https_proxy="${https_proxy:-}" /bin/sh -ec "$2")
  if [[ $1 == offline ]]; then
    unshare --net "${command[@]}"
  else
    "${command[@]}"
  fi
}

"""File systems that a case mounts, and what of the machine a case may use."""

import os
import pathlib
import stat

from process import must, run

# tools/torture gives the tool its own process and mount namespace, if it may.
APART = os.getpid() == 1 and os.geteuid() == 0


def mount_tmpfs(where, options):
    pathlib.Path(where).mkdir(parents=True, exist_ok=True)
    must(["mount", "-t", "tmpfs", "-o", options, "tmpfs", where])


def remount(where, options):
    must(["mount", "-o", f"remount,{options}", where])


def unmount(where):
    run(["umount", "--lazy", where])


def closed_to_others(program):
    """The directory above the program that other users may not enter; None if they reach it."""
    above = pathlib.Path(program).resolve().parents
    return next((place for place in above if not place.stat().st_mode & stat.S_IXOTH), None)

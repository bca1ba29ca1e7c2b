"""File systems that a case mounts."""

import os
import pathlib

from process import must, run

# tools/torture gives the tool its own process and mount namespace, if it may.
APART = os.getpid() == 1 and os.geteuid() == 0


def mount_tmpfs(where, options):
    pathlib.Path(where).mkdir(parents=True, exist_ok=True)
    must(["mount", "-t", "tmpfs", "-o", options, "tmpfs", where])


def unmount(where):
    run(["umount", "--lazy", where])

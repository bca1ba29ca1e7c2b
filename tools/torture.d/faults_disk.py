"""Disks that fill up, and cache directories that go, during compiles."""

import shutil
import threading
import time

from faults_kills import moment
from table_of_faults import fault


def _ballast(case):
    """Fills the cache's disk; returns the file to remove."""
    path = case.cache.directory / "ballast"
    with open(path, "wb", buffering=0) as file:
        try:
            while True:
                file.write(b"x" * 4096)
        except OSError:
            pass
    return path


@fault("disk", "fills up and is freed during compiles", "the disk filled up", needs_mounts=True)
def filling(case):
    case.disk("size=16m,mode=700")
    old, *new = case.project.some(4)
    case.warm(old)
    done = threading.Event()

    def fill():
        while not done.is_set():
            ballast = _ballast(case)
            time.sleep(0.1)
            ballast.unlink(missing_ok=True)
            time.sleep(0.05)

    thread = threading.Thread(target=fill)
    thread.start()
    try:
        case.compile_all(new)
        case.compile_all([old, new[0]])
    finally:
        done.set()
        thread.join()
    return new


@fault("disk", "cache directory removed", "the cache directory was removed, then made anew")
def removed(case):
    case.no_disk()
    commands = case.project.some(3)
    case.warm(commands[0])

    def remove(_):
        moment(case, case.expected_known(commands[1]))
        for _ in range(case.rng.randrange(1, 3)):
            case.note("rm -rf of the cache directory")
            shutil.rmtree(case.cache.directory, ignore_errors=True)

    case.compile_all(commands[1:], meanwhile=remove)
    case.compile(commands[0])
    case.forget_owed()
    case.expect_recovery("the cache directory was removed", *commands)
    case.warm(commands[0])  # what the new daemon stores must stay when the old one exits
    case.cache.stop()

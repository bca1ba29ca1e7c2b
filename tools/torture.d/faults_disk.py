"""Disks that are full, read-only or gone."""

import os
import shutil
import threading
import time

import mounts
from faults_kills import moment
from table_of_faults import fault


def _ballast(case, leave=0):
    """Fills the cache's disk except for some bytes; returns the file to remove."""
    path = case.cache.directory / "ballast"
    with open(path, "wb", buffering=0) as file:
        try:
            while True:
                file.write(b"x" * 4096)
        except OSError:
            pass
    if leave:
        os.truncate(path, max(0, path.stat().st_size - leave))
    return path


@fault("disk", "too small from the start, then larger", "the disk was too small", needs_mounts=True)
def small(case):
    size = case.rng.choice((0, 16, 64, 128, 256, 512, 1024, 2048))
    case.note(f"{size} KiB")
    case.disk(f"size={max(size, 4)}k,mode=700")
    if size == 0:
        _ballast(case)
    commands = case.project.some(3)
    case.compile_each(*commands, commands[0])
    (case.cache.directory / "ballast").unlink(missing_ok=True)
    mounts.remount(case.cache.directory, "size=64m")
    return commands


@fault("disk", "full for a while", "the disk was full for a while", needs_mounts=True)
def full(case):
    case.disk("size=24m,mode=700")
    old, *new = case.project.some(3)
    case.warm(old)
    ballast = _ballast(case, case.rng.choice((0, 0, 1 << 12, 1 << 14, 1 << 16, 1 << 18)))
    case.note("the disk is full")
    if case.rng.random() < 0.5:
        case.cache.end_somehow(case.rng)
    case.compile_each(*new, old, new[0])
    ballast.unlink()
    return new


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


@fault("disk", "no inodes", "the disk had no inodes", needs_mounts=True)
def inodes(case):
    case.disk(f"size=32m,mode=700,nr_inodes={case.rng.choice((2, 4, 8, 16, 24, 32))}")
    commands = case.project.some(2)
    case.compile_each(*commands, commands[0])
    mounts.remount(case.cache.directory, "nr_inodes=10000")
    return commands


@fault("disk", "read-only for a while", "the directory was read-only", needs_mounts=True)
def read_only(case):
    old, *new = case.project.some(3)
    case.disk("size=32m,mode=700")
    if case.rng.random() < 0.7:
        case.warm(old)
    case.cache.end_somehow(case.rng)  # a disk with files open for writing cannot be remounted read-only
    mounts.remount(case.cache.directory, "ro")
    case.compile_each(*new, old, new[0])
    mounts.remount(case.cache.directory, "rw")
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


@fault("disk", "cache directory moved away and back", "the cache directory was moved")
def moved(case):
    case.no_disk()
    commands = case.project.some(3)
    case.warm(commands[0])
    away = case.cache.directory.with_name("away")
    case.note("the cache directory moves away")
    case.cache.directory.rename(away)
    if case.rng.random() < 0.5:
        case.compile_all(commands[1:])
    else:
        case.compile(commands[0])
    case.note("the cache directory moves back")
    for _ in range(2):
        shutil.rmtree(case.cache.directory, ignore_errors=True)
        try:
            away.rename(case.cache.directory)
            break
        except OSError:  # a daemon went on writing there
            case.cache.kill()
    return commands[1:]

"""Disks that are full, read-only or gone."""

import os
import pathlib
import shutil
import threading
import time

import machine
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


@fault("disk", "too small from the start, then larger", needs_mounts=True)
def small(case):
    size = case.rng.choice((0, 16, 64, 128, 256, 512, 1024, 2048))
    case.note(f"{size} KiB")
    case.disk(f"size={max(size, 4)}k,mode=700")
    if size == 0:
        _ballast(case)
    commands = case.project.some(3)
    for command in (*commands, commands[0]):
        case.compile(command)
    (case.cache.directory / "ballast").unlink(missing_ok=True)
    machine.remount(case.cache.directory, "size=64m")
    case.expect_recovery("the disk was too small", *commands)


@fault("disk", "full for a while", needs_mounts=True)
def full(case):
    case.disk("size=24m,mode=700")
    old, *new = case.project.some(3)
    case.warm(old)
    ballast = _ballast(case, case.rng.choice((0, 0, 1 << 12, 1 << 14, 1 << 16, 1 << 18)))
    case.note("the disk is full")
    if case.rng.random() < 0.5:
        case.cache.end_somehow(case.rng)
    for command in (*new, old, new[0]):
        case.compile(command)
    ballast.unlink()
    case.note("the disk has room")
    case.expect_recovery("the disk was full for a while", *new)
    case.expect_owed("the disk was full for a while")


@fault("disk", "fills up and is freed during compiles", needs_mounts=True)
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
    (case.cache.directory / "ballast").unlink(missing_ok=True)
    case.expect_recovery("the disk filled up", *new)
    case.expect_owed("the disk filled up")


@fault("disk", "no inodes", needs_mounts=True)
def inodes(case):
    case.disk(f"size=32m,mode=700,nr_inodes={case.rng.choice((2, 4, 8, 16, 24, 32))}")
    commands = case.project.some(2)
    for command in (*commands, commands[0]):
        case.compile(command)
    machine.remount(case.cache.directory, "nr_inodes=10000")
    case.expect_recovery("the disk had no inodes", *commands)


@fault("disk", "read-only for a while", needs_mounts=True)
def read_only(case):
    old, *new = case.project.some(3)
    case.disk("size=32m,mode=700")
    if case.rng.random() < 0.7:
        case.warm(old)
    case.cache.end_somehow(case.rng)  # a disk with files open for writing cannot be remounted read-only
    machine.remount(case.cache.directory, "ro")
    for command in (*new, old, new[0]):
        case.compile(command)
    machine.remount(case.cache.directory, "rw")
    case.expect_recovery("the directory was read-only", *new)
    case.expect_owed("the directory was read-only")


@fault("disk", "cache directory removed")
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
    case.expect_owed("the cache directory was removed, then made anew")


@fault("disk", "cache directory moved away and back")
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
    shutil.rmtree(case.cache.directory, ignore_errors=True)
    if case.cache.directory.exists():  # a daemon went on writing there
        shutil.rmtree(case.cache.directory, ignore_errors=True)
    try:
        away.rename(case.cache.directory)
    except OSError:
        case.cache.kill()
        shutil.rmtree(case.cache.directory, ignore_errors=True)
        away.rename(case.cache.directory)
    case.expect_recovery("the cache directory was moved", *commands[1:])
    case.expect_owed("the cache directory was moved")


@fault("disk", "parts of the cache directory removed")
def parts(case):
    commands = case.project.some(3)
    case.warm(commands[0])
    if case.rng.random() < 0.3:
        case.cache.end_somehow(case.rng)
    names = [path for path in case.cache.directory.iterdir() if path.name != "store"]
    for path in case.rng.sample(names, case.rng.randrange(1, len(names) + 1)):
        case.note(f"{path.name} is removed")
        shutil.rmtree(path, ignore_errors=True)
        pathlib.Path(path).unlink(missing_ok=True)
    for command in commands:
        case.compile(command)
    case.expect_recovery("parts of the cache directory were removed", *commands[1:])
    case.expect_owed("parts of the cache directory were removed")

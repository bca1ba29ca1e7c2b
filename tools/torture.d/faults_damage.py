"""Damage within the store, and links in place of the cache's own files."""

import os
import shutil

import machine
import patience
from table_of_faults import fault


def _filled(case):
    """A store with tables, blobs and a log; returns the commands that are in it."""
    commands = case.project.some(3)
    case.warm(*commands[:2])
    if case.rng.random() < 0.6:
        case.cache.stop()  # moves the log into tables
        case.warm(commands[2])
    return commands


def _damage(case, path):
    size = path.stat().st_size
    how = case.rng.choice(("flip", "flip", "truncate", "zero", "remove", "append", "random", "empty"))
    case.note(f"{how}: {path.name}, {size} bytes")
    if how == "remove":
        path.unlink()
    elif how == "empty":
        os.truncate(path, 0)
    elif how == "truncate":
        os.truncate(path, case.rng.randrange(size + 1))
    elif how == "append":
        with open(path, "ab") as file:
            file.write(case.rng.randbytes(case.rng.randrange(1, 5000)))
    else:
        with open(path, "r+b") as file:
            for _ in range(case.rng.choice((1, 1, 3, 10))):
                length = min(size, {"flip": 1}.get(how, 512))
                place = case.rng.randrange(max(1, size - length + 1))
                file.seek(place)
                old = file.read(length)
                file.seek(place)
                flipped = bytes(byte ^ case.rng.randrange(1, 256) for byte in old)
                file.write({"flip": flipped, "zero": bytes(length)}.get(how, case.rng.randbytes(length)))


def _damage_some(case):
    files = case.cache.data_files()
    if not files:
        return
    for path in case.rng.sample(files, min(len(files), case.rng.choice((1, 1, 2, 4, 100)))):
        if path.exists():
            _damage(case, path)


def _judge(case, commands, what):
    """Nothing is owed as a hit any more, but every result, hit or miss, must be the compiler's bytes."""
    case.forget_owed()
    for command in (*commands, *commands):
        case.compile(command)
    # If a daemon meets damage in the background, its next start repairs the store.
    case.cache.end_somehow(case.rng)
    case.expect_recovery(what, *commands)
    case.cache.settled()
    case.warm(*commands)
    case.cache.stop()
    case.expect_owed(f"{what}, long before")


@fault("corruption", "store damaged while no daemon runs")
def stopped(case):
    commands = _filled(case)
    case.cache.stop()
    _damage_some(case)
    _judge(case, commands, "the store was damaged")


@fault("corruption", "store damaged after the daemon was killed")
def killed(case):
    commands = _filled(case)
    case.cache.kill()
    _damage_some(case)
    _judge(case, commands, "the store was damaged")


@fault("corruption", "store damaged below a living daemon")
def living(case):
    commands = _filled(case)
    _damage_some(case)
    _judge(case, commands, "the store was damaged below a living daemon")


def _sort(path):
    return path.suffix or path.name.split("-")[0]


@fault("corruption", "files swapped with another store's")
def swapped(case):
    commands = _filled(case)
    other = case.new_cache("other")
    if not other.serve():
        case.finding("no daemon for a second cache")
        return
    for command in case.project.some(2):
        case.compile(command, cache=other)
    other.stop()
    case.cache.end_somehow(case.rng)
    theirs = other.data_files()
    for path in case.cache.data_files():
        donors = [one for one in theirs if _sort(one) == _sort(path)]
        if donors and case.rng.random() < 0.5:
            donor = case.rng.choice(donors)
            case.note(f"{path.name} becomes the other store's {donor.name}")
            shutil.copyfile(donor, path)
    _judge(case, commands, "files were swapped")


@fault("corruption", "store of an unknown format")
def unknown(case):
    commands = _filled(case)
    case.cache.stop()
    for path in case.cache.data_files():
        text = path.read_bytes()
        if b"hipcache store" in text:
            case.note(f"another format in {path.name}")
            path.write_bytes(text.replace(b"hipcache store ", b"hipcache store 9"[: len(b"hipcache store ")]))
    place = case.cache.directory / "store"
    if case.rng.random() < 0.5:
        (place / "v999").mkdir(exist_ok=True)
        (place / "format").write_text("999\n")
    _judge(case, commands, "the store's format was unknown")


@fault("corruption", "files of the cache's own replaced by links")
def links(case):
    """Links lead to files of the user's, which must not change, and to names that must not be created."""
    commands = _filled(case)
    case.cache.end_somehow(case.rng)
    victim, absent = case.directory / "victim", case.directory / "absent"
    victim.write_text("a file of the user's\n")
    home = case.cache.home.name
    names = [f"{home}/{name}" for name in ("daemon.lock", "start.lock", "daemon.log", "daemon.sock", "tmp")]
    names += ["store/lock", "store/damaged"]
    for name in case.rng.sample(names, case.rng.randrange(1, 4)):
        path = case.cache.directory / name
        target = case.rng.choice((victim, absent))
        case.note(f"{name} becomes a link to {target.name}")
        shutil.rmtree(path, ignore_errors=True)
        path.unlink(missing_ok=True)
        path.symlink_to(target)
    for command in (*commands, commands[0]):
        case.compile(command)
    case.control("--show-stats")
    case.cache.end_somehow(case.rng)
    if victim.read_text() != "a file of the user's\n":
        case.finding("a file behind a link within the cache directory was written")
    if absent.exists():
        case.finding("a file behind a link within the cache directory was made")
    for name in names:
        path = case.cache.directory / name
        if path.is_symlink():
            path.unlink()
    case.expect_recovery("links were in the cache directory", *commands)
    case.expect_owed("links were in the cache directory")


@fault("corruption", "file system of the store is another one's after a restart", needs_mounts=True)
def covered(case):
    """An empty disk covers the cache directory for a while: afterwards the stored results are back."""
    commands = _filled(case)
    case.cache.end_somehow(case.rng)
    case.mount(case.cache.directory, "size=16m,mode=700")
    case.compile_all(commands[:2])
    case.cache.end_somehow(case.rng)
    machine.unmount(case.cache.directory)
    case.mounts.remove(case.cache.directory)
    case.expect_owed("the directory was covered for a while")
    case.compile(commands[2], patience.HEALTHY)

"""Damage within the store. Afterwards nothing is owed as a hit, but every result, hit or miss, must be the
compiler's."""

import os
import shutil

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
    elif how in ("empty", "truncate"):
        os.truncate(path, 0 if how == "empty" else case.rng.randrange(size + 1))
    elif how == "append":
        with open(path, "ab") as file:
            file.write(case.rng.randbytes(case.rng.randrange(1, 5000)))
    else:
        with open(path, "r+b") as file:
            for _ in range(case.rng.choice((1, 1, 3, 10))):
                _overwrite(case, file, size, how)


def _overwrite(case, file, size, how):
    length = min(size, {"flip": 1}.get(how, 512))
    place = case.rng.randrange(max(1, size - length + 1))
    file.seek(place)
    old = file.read(length)
    file.seek(place)
    flipped = bytes(byte ^ case.rng.randrange(1, 256) for byte in old)
    file.write({"flip": flipped, "zero": bytes(length)}.get(how, case.rng.randbytes(length)))


def _damage_some(case):
    files = case.cache.data_files()
    for path in case.rng.sample(files, min(len(files), case.rng.choice((1, 1, 2, 4, 100)))):
        if path.exists():
            _damage(case, path)


def _swap_some(case):
    """Files become those of another store."""
    other = case.new_cache("other")
    if not other.serve():
        case.finding("no daemon for a second cache")
        return
    case.compile_each(*case.project.some(2), cache=other)
    other.stop()
    theirs = other.data_files()
    for path in case.cache.data_files():
        donors = [one for one in theirs if _sort(one) == _sort(path)]
        if donors and case.rng.random() < 0.5:
            donor = case.rng.choice(donors)
            case.note(f"{path.name} becomes the other store's {donor.name}")
            shutil.copyfile(donor, path)


def _sort(path):
    return path.suffix or path.name.split("-")[0]


def _add(title, before, damage):
    @fault("corruption", title, "the store was damaged, long before")
    def strike(case):
        commands = _filled(case)
        before(case)
        damage(case)
        case.forget_owed()
        case.compile_each(*commands, *commands)
        # If a daemon meets damage in the background, its next start repairs the store.
        case.cache.end_somehow(case.rng)
        case.expect_recovery("the store was damaged", *commands)
        case.cache.settled()
        case.warm(*commands)
        case.cache.stop()


for _title, _before, _how in (
    ("store damaged while no daemon runs", lambda case: case.cache.stop(), _damage_some),
    ("store damaged after the daemon was killed", lambda case: case.cache.kill(), _damage_some),
    ("store damaged below a living daemon", lambda case: None, _damage_some),
    ("files swapped with another store's", lambda case: case.cache.end_somehow(case.rng), _swap_some),
):
    _add(_title, _before, _how)

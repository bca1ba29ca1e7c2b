"""The oracle: hipcache must leave exactly what the compiler leaves with the same `-cuid=`."""

import os
import pathlib
import shutil


def with_id(argv, cuid, for_frontends):
    """Adds the id to the command, as hipcache does."""
    if not cuid:
        return list(argv)
    return [argv[0], *(["-Xclang"] if for_frontends else []), f"-cuid={cuid}", *argv[1:]]


def files_in(directory):
    """The bytes and mode of every file, and the target of every link."""
    found = {}
    for path in pathlib.Path(directory).rglob("*"):
        name = str(path.relative_to(directory))
        if path.is_symlink():
            found[name] = (0, os.readlink(path).encode())
        elif path.is_file():
            found[name] = (path.stat().st_mode & 0o7777, path.read_bytes())
    return found


def restore(directory, files):
    """Restores the state that files_in() saw; does not write unchanged files."""
    now = files_in(directory)
    for name in now.keys() - files.keys():
        (pathlib.Path(directory) / name).unlink()
    for name, (mode, content) in files.items():
        path = pathlib.Path(directory) / name
        if now.get(name) != (mode, content) and not path.is_symlink():
            path.unlink(missing_ok=True)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
            path.chmod(mode)


def changes(before, after):
    """New and changed files, and None for removed ones."""
    left = {name: file for name, file in after.items() if before.get(name) != file}
    return {**left, **{name: None for name in before.keys() - after.keys()}}


def file_differences(cached, alone, random=()):
    """A line for each file that differs; the bytes of `random` files do not count."""
    for name in sorted(cached.keys() | alone.keys()):
        mine, real = cached.get(name, "absent"), alone.get(name, "absent")
        if mine == real or (name in random and "absent" not in (mine, real)):
            continue
        if "absent" in (mine, real):
            yield f"{name} is {'missing' if mine == 'absent' else 'too much'}"
        else:
            yield f"{name} is another one"


def differences(cached, alone, random=()):
    """The differences between two runs, each given as (Ended, changed files)."""
    (mine, my_files), (real, real_files) = cached, alone
    if mine.exit_code != real.exit_code:
        yield f"exit code {mine.exit_code} instead of {real.exit_code}"
    if mine.out != real.out and "standard output" not in random:
        yield "other standard output"
    if mine.err != real.err and "standard error" not in random:
        yield "other standard error"
    yield from file_differences(my_files, real_files, random)


def fresh(directory):
    shutil.rmtree(directory, ignore_errors=True)
    pathlib.Path(directory).mkdir(parents=True)
    return pathlib.Path(directory)

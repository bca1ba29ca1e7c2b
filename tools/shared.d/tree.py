"""The contents of a directory, and how two states of one differ."""

import os
import pathlib
import shutil
import stat


def files_in(directory):
    """Mode and bytes of each file, and mode and target of each link. Directories are known by their contents."""
    found = {}
    for place, directories, names in os.walk(directory):
        for name in [*names, *(one for one in directories if os.path.islink(os.path.join(place, one)))]:
            path = os.path.join(place, name)
            try:
                mode = os.lstat(path).st_mode
                content = b""
                if stat.S_ISLNK(mode):
                    content = os.fsencode(os.readlink(path))
                elif stat.S_ISREG(mode):
                    content = pathlib.Path(path).read_bytes()
            except FileNotFoundError:
                continue
            found[os.path.relpath(path, directory)] = (mode, content)
    return found


def changes(before, after):
    """New and changed files, and None for removed ones."""
    changed = {name: file for name, file in after.items() if before.get(name) != file}
    return {**changed, **{name: None for name in before if name not in after}}


def write_out(directory, files):
    """Writes files as files_in() saw them; a mode of 0 leaves it to the umask."""
    for name, file in files.items():
        if file is None:
            continue
        path = pathlib.Path(directory) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        if stat.S_ISLNK(file[0]):
            path.symlink_to(os.fsdecode(file[1]))
            continue
        path.write_bytes(file[1])
        if file[0]:
            path.chmod(stat.S_IMODE(file[0]))


def restore(directory, files):
    """Restores the state that files_in() saw; does not write unchanged files."""
    now = files_in(directory)
    for name in now.keys() - files.keys():
        remove(pathlib.Path(directory) / name)
    write_out(directory, {name: file for name, file in files.items() if now.get(name) != file})


def remove(path):
    path = pathlib.Path(path)
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def fresh(directory):
    """The directory, empty."""
    shutil.rmtree(directory, ignore_errors=True)
    pathlib.Path(directory).mkdir(parents=True)
    return pathlib.Path(directory)

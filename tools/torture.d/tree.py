"""The contents of a directory."""

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
                status = os.lstat(path)
                if stat.S_ISLNK(status.st_mode):
                    content = b"-> " + os.fsencode(os.readlink(path))
                elif stat.S_ISREG(status.st_mode):
                    content = pathlib.Path(path).read_bytes()
                else:
                    content = b""
            except FileNotFoundError:
                continue
            found[os.path.relpath(path, directory)] = (oct(status.st_mode), content)
    return found


def changes(before, after):
    """Files that differ from before; None for removed ones."""
    changed = {name: content for name, content in after.items() if before.get(name) != content}
    changed.update({name: None for name in before if name not in after})
    return changed


def write_out(directory, files):
    for name, content in files.items():
        if content is not None:
            path = pathlib.Path(directory) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content[1])
            if content[0]:
                path.chmod(int(content[0], 8) & 0o7777)


def remove(path):
    path = pathlib.Path(path)
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)

"""Makes a Python wheel of the archive for other distributions: its files, which pip puts below the prefix of an environment.

No Python stands in the way of a compile: bin/hipcache is the program itself.
https://packaging.python.org/en/latest/specifications/binary-distribution-format/

usage: make_wheel.py TREE VERSION README DIRECTORY     prints the wheel's path
"""

import base64
import hashlib
import os
import pathlib
import sys
import zipfile

NAME = "hipcache"
# What glibc_versions.py holds the archive to. manylinux2014 is the old name of the same.
TAG = "py3-none-manylinux_2_17_x86_64.manylinux2014_x86_64"
WHEEL = f"""Wheel-Version: 1.0
Generator: hipcache
Root-Is-Purelib: false
Tag: py3-none-manylinux_2_17_x86_64
Tag: py3-none-manylinux2014_x86_64
"""
METADATA = """Metadata-Version: 2.1
Name: {name}
Version: {version}
Summary: A compile cache for HIP that caches each GPU architecture by itself
License: Apache-2.0
Requires-Python: >=3.7
Classifier: Environment :: Console
Classifier: Operating System :: POSIX :: Linux
Classifier: Topic :: Software Development :: Build Tools
Description-Content-Type: text/markdown

{readme}"""
EPOCH = (1980, 1, 1, 0, 0, 0)  # the same bytes each time


def place_of(name, data):
    """Programs go where an environment has its programs, so that tools which install programs alone find them."""
    directory, _, program = name.partition("/")
    return f"{data}/scripts/{program}" if directory in ("bin", "sbin") else f"{data}/data/{name}"


def contents(tree, version, readme):
    """By their names in the wheel: bytes, and whether the file is a program."""
    information, data = f"{NAME}-{version}.dist-info", f"{NAME}-{version}.data"
    for path in sorted(tree.rglob("*")):
        if path.is_symlink():
            sys.exit(f"make_wheel.py: error: {path} is a link, which a wheel cannot have")
        if path.is_file():
            yield place_of(str(path.relative_to(tree)), data), path.read_bytes(), os.access(path, os.X_OK)
    metadata = METADATA.format(name=NAME, version=version, readme=readme.read_text())
    yield f"{information}/METADATA", metadata.encode(), False
    yield f"{information}/WHEEL", WHEEL.encode(), False
    yield f"{information}/LICENSE", (tree / "share/doc/hipcache/LICENSE").read_bytes(), False


def main(tree, version, readme, directory):
    wheel = pathlib.Path(directory) / f"{NAME}-{version}-{TAG}.whl"
    record = f"{NAME}-{version}.dist-info/RECORD"
    lines = []
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, content, is_program in contents(pathlib.Path(tree), version, pathlib.Path(readme)):
            entry = zipfile.ZipInfo(name, EPOCH)
            entry.external_attr = (0o100755 if is_program else 0o100644) << 16
            archive.writestr(entry, content, zipfile.ZIP_DEFLATED)
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            lines.append(f"{name},sha256={digest},{len(content)}\n")
        archive.writestr(zipfile.ZipInfo(record, EPOCH), "".join(lines) + f"{record},,\n", zipfile.ZIP_DEFLATED)
    print(wheel)


if __name__ == "__main__":
    main(*sys.argv[1:])

#!/usr/bin/env python3
"""Checks that programs and the trace library run with old C libraries: which versions of glibc's symbols they name, and which
libraries they load.

A container may have an older glibc than the machine that built hipcache. There a file with a newer symbol does not load.

usage: glibc_versions.py LIBRARY            the trace library, which compilers of any age load
       glibc_versions.py --archive TREE     every file of the archive for other distributions
"""

import pathlib
import re
import subprocess
import sys

sys.dont_write_bytecode = True
import tracked

# docs/install.md, "Archive for other distributions"
NEWEST_OF_TRACE, NEWEST_OF_PROGRAMS = (2, 14), (2, 17)
TRACE = "libhipcache-trace.so"
OF_GLIBC = {"libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "librt.so.1", "ld-linux-x86-64.so.2"}


def read(*words):
    return subprocess.run(["readelf", "-W", *words], capture_output=True, text=True, check=True).stdout


def problems_of(file, newest):
    named = re.findall(r" UND (\w+)@GLIBC_([\d.]+)", read("--dyn-syms", file))
    for name, version in named:
        if tuple(map(int, version.split("."))) > newest:
            yield f"{file} needs {name} of glibc {version}, which is newer than {'.'.join(map(str, newest))}"
    for library in re.findall(r"\(NEEDED\).*\[(.*)\]", read("-d", file)):
        if library not in OF_GLIBC:
            yield f"{file} loads {library}, which other distributions may not have"


def trace_problems(library):
    if "@GLIBC_" not in read("--dyn-syms", library):
        yield f"{library} uses nothing of glibc"
    yield from problems_of(library, NEWEST_OF_TRACE)


def archive_problems(tree):
    files = [file for file in pathlib.Path(tree).rglob("*") if file.is_file() and file.read_bytes()[:4] == b"\x7fELF"]
    names = {file.name for file in files}
    for name in ("hipcache", "hipcache-client", "hipcached", "hipcache-remote", "hipcache-archive", TRACE):
        if name not in names:
            yield f"{tree} has no {name}"
    for file in files:
        yield from problems_of(file, NEWEST_OF_TRACE if file.name == TRACE else NEWEST_OF_PROGRAMS)
        if "DYN" not in read("-h", file):
            yield f"{file} lies at the same address each time: link it with -pie or -static-pie"
        if file.name != TRACE and subprocess.run([file, "--version"], capture_output=True).returncode != 0:
            yield f"{file} does not start"


def main(words):
    problems = archive_problems(words[1]) if words[0] == "--archive" else trace_problems(words[0])
    return tracked.finish(list(problems), "glibc versions")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

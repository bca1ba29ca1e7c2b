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
OLDEST_OF_ARM64 = (2, 17)
TRACE = "libhipcache-trace.so"
OF_GLIBC = {"libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "librt.so.1", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}


def read(*words):
    return subprocess.run(["readelf", "-W", *words], capture_output=True, text=True, check=True).stdout


def problems_of(file, newest):
    if "AArch64" in read("-h", file):
        newest = max(newest, OLDEST_OF_ARM64)
    named = re.findall(r" UND (\w+)@GLIBC_([\d.]+)", read("--dyn-syms", file))
    for name, version in named:
        if tuple(map(int, version.split("."))) > newest:
            yield f"{file} needs {name} of glibc {version}, which is newer than {'.'.join(map(str, newest))}"
    for library in re.findall(r"\(NEEDED\).*\[(.*)\]", read("-d", file)):
        if library not in OF_GLIBC:
            yield f"{file} loads {library}, which other distributions may not have"


def library_of_versions(file):
    """By the number of a version in the file: the library that it is said to be of."""
    libraries, library = {}, ""
    for line in read("-V", file).splitlines():
        if found := re.search(r"File: (\S+)", line):
            library = found[1]
        elif found := re.search(r"Name: GLIBC_\S+ .*Version: (\d+)", line):
            libraries[found[1]] = library
    return libraries


def libdl_problems(library):
    """Loaders before glibc 2.30 look for a symbol in the library that it is said to be of, and glibc before 2.34 has these in libdl."""
    libraries = library_of_versions(library)
    for name, version in re.findall(r" UND (dl\w+)@GLIBC_\S+ \((\d+)\)", read("--dyn-syms", library)):
        if name != "dl_iterate_phdr" and libraries[version] != "libdl.so.2":
            yield f"{library} looks for {name} in {libraries[version]}: before glibc 2.30, compilers do not start with it"


def trace_problems(library):
    if "@GLIBC_" not in read("--dyn-syms", library):
        yield f"{library} uses nothing of glibc"
    yield from problems_of(library, NEWEST_OF_TRACE)


def archive_problems(tree):
    files = [file for file in pathlib.Path(tree).rglob("*") if file.is_file() and file.read_bytes()[:4] == b"\x7fELF"]
    names = {file.name for file in files}
    for name in ("hipcache", "hipcache-client", "hipcached", "hipcache-remote", TRACE):
        if name not in names:
            yield f"{tree} has no {name}"
    for file in files:
        yield from problems_of(file, NEWEST_OF_TRACE if file.name == TRACE else NEWEST_OF_PROGRAMS)
        if file.name == TRACE:
            yield from libdl_problems(file)
        if "DYN" not in read("-h", file):
            yield f"{file} lies at the same address each time: link it with -pie or -static-pie"
        if file.name != TRACE and subprocess.run([file, "--version"], capture_output=True).returncode != 0:
            yield f"{file} does not start"


def main(words):
    problems = archive_problems(words[1]) if words[0] == "--archive" else trace_problems(words[0])
    return tracked.finish(list(problems), "glibc versions")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

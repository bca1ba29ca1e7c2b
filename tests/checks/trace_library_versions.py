"""Checks that the trace library runs with old C libraries: it names no version of glibc's symbols above 2.14.

A container may have an older glibc than the machine that built hipcache. There a library with a newer symbol does not load, and
no compile is cached.

usage: trace_library_versions.py LIBRARY
"""

import re
import subprocess
import sys

import tracked

NEWEST = (2, 14)  # docs/install.md


def problems_of(library):
    symbols = subprocess.run(["readelf", "--dyn-syms", "-W", library], capture_output=True, text=True, check=True).stdout
    named = re.findall(r" UND (\w+)@GLIBC_([\d.]+)", symbols)
    if not named:
        return [f"{library} uses nothing of glibc"]
    newer = [(name, version) for name, version in named if tuple(map(int, version.split("."))) > NEWEST]
    return [f"{library} needs {name} of glibc {version}; bind it to an older version with .symver" for name, version in newer]


def main(libraries):
    return tracked.finish([problem for library in libraries for problem in problems_of(library)], "trace library versions")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

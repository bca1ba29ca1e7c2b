"""The oracle: hipcache must print and leave exactly what the compiler does with the same `-cuid=`."""

import re

# The driver gives its temporary files random names, and the linker's messages contain them.
RANDOM_NAMES = re.compile(r"/\S*?/tmp/[^:\s]*")


def with_id(argv, cuid, for_frontends=False):
    """The command with the id, as hipcache adds it."""
    return [argv[0], *(["-Xclang"] if for_frontends and cuid else []), *([f"-cuid={cuid}"] if cuid else []), *argv[1:]]


def differences(mine, my_files, real, real_files, random=()):
    """A line for each difference between two runs, each given as process.Ended and changed files. What `random` names
    need not be equal: files, "standard output", "standard error"."""
    if mine.code != real.code:
        yield f"exit code {mine.code}, the compiler's {real.code}: {mine.err.strip()[-300:]}"
    for what, one, other in (("standard output", mine.out, real.out), ("standard error", mine.err, real.err)):
        if what not in random and RANDOM_NAMES.sub("FILE", one) != RANDOM_NAMES.sub("FILE", other):
            yield f"other {what}: {one.strip()[-300:]!r}, the compiler's {other.strip()[-300:]!r}"
    yield from file_differences(my_files, real_files, random)


def file_differences(mine, real, random=()):
    """A line for each file that differs; the bytes of `random` files do not count."""
    for name in sorted(real.keys() | mine.keys()):
        if name not in mine:
            yield f"{name} is missing"
        elif name not in real:
            yield f"{name} is left, which the compiler does not leave"
        elif mine[name] != real[name] and name not in random:
            how = [one and f"mode {one[0]:o}, {len(one[1])} bytes" for one in (mine[name], real[name])]
            yield f"{name} is another one: {how[0]}; the compiler's: {how[1]}"

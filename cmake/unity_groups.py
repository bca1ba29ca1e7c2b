"""Divides the C++ sources of a target into groups that compile as one unit each (a unity build).

usage: unity_groups.py SOURCE...     prints "GROUP SOURCE" lines; a source that must be alone has none

Most of a source's compile is the headers that it includes, and the sources of a folder include much the same. Two sources can
share a unit unless one declares a name of its own (in an unnamed namespace, or static) that the other uses as well. The rule
errs on the side of another unit: it takes comments away, and nothing else. A name after `.`, `->` or `::` is another's.

Rejected: a fixed number of sources for each unit, as CMake groups them. A helper added to one file then breaks a build that
its author did not run.
"""

import functools
import itertools
import pathlib
import re
import sys

MOST = 16  # sources in a unit: more save little, and leave a core idle at the end
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
TEXT = re.compile(r'R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"', re.DOTALL)
# What a line without indentation declares: a type or a namespace by its name, else the last name before a value or arguments.
TYPE = re.compile(r"(?:template\s*<.*>\s*)?(?:class|struct|union|enum class|enum|namespace)\s+(\w+)|using\s+(\w+)\s*=")
OTHER = re.compile(r"[^(={\[;]*?(::)?(\w+)\s*[(={\[;]")
NO_NAMES = {"using", "namespace", "return", "const", "operator", "template", "static_assert", "extern", "TEST", "TEST_F", "TEST_P",
            "TYPED_TEST", "INSTANTIATE_TEST_SUITE_P", "TYPED_TEST_SUITE", "BENCHMARK"}
ENUMERATOR = re.compile(r"\benum\s+(?:\w+\s*)?(?::[\w:\s]+)?\{([^}]*)\}")
INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)
CONSTANT = re.compile(r"k[A-Z]")
PLACES = [pathlib.Path(__file__).resolve().parents[1] / place for place in ("include", "src", "tests")]
USE = re.compile(r"(\.|->|::)?\s*\b([A-Za-z_]\w*)")
OPENS, CLOSES = "namespace {", "}  // namespace"
SHARED = {"fs", "hipcache", "testing", "std", "PrintTo"}  # aliases, namespaces and overloads that files may have alike


def bare(text):
    """The text without comments and string literals."""
    return COMMENT.sub(" ", TEXT.sub('""', text))


def declared(lines):
    """The names that lines without indentation declare. Equal using-declarations do not clash."""
    names = set()
    for line in lines:
        if not line[:1].isalpha() or line.startswith("using ") and "=" not in line:
            continue
        if match := TYPE.match(line):
            names.add(match.group(1) or match.group(2))
        elif (match := OTHER.match(line)) and not match.group(1):
            names.add(match.group(2))
    return names - NO_NAMES - SHARED


def own_names(text):
    """Those of a source's unnamed namespaces and its static functions and variables."""
    inside, lines = False, []
    for line in text.splitlines():
        inside = line.startswith(OPENS) or (inside and not line.startswith("}  "))
        if inside or line.startswith("static "):
            lines.append(line)
    names = declared(lines)
    for body in ENUMERATOR.findall("\n".join(lines)):
        names |= set(re.findall(r"\w+", body))
    return names


def used_names(text):
    """Every name that the source could mean another's name by."""
    return {name for owner, name in USE.findall(text) if not owner}


def included(path):
    """The project's headers that the file includes."""
    for name in INCLUDE.findall(pathlib.Path(path).read_text()):
        found = (place / name for place in (path.parent, *PLACES) if (place / name).is_file())
        yield from itertools.islice(found, 1)


@functools.cache
def headers_of(path):
    """Those that the file includes, directly or indirectly."""
    return frozenset().union(*({header} | headers_of(header) for header in included(path)))


@functools.cache
def prominent_names(header):
    """What a header names beside its parameters and members: types, constants, what it declares itself."""
    text = bare(header.read_text())
    return {name for name in used_names(text) if name[0].isupper() or CONSTANT.match(name)} | declared(
        text.splitlines()
    )


class Source:
    def __init__(self, path):
        raw = path.read_text()
        # The closing comment of a namespace is needed to find its end.
        self.own = own_names("\n".join(line if line.startswith("}  //") else line for line in keep_ends(raw)))
        self.used = used_names(bare(raw)) | set().union(*(prominent_names(header) for header in headers_of(path)))
        # What it defines for the headers after it would reach the other sources of the unit.
        self.alone = bool(re.search(r"^\s*#\s*define\b", raw, re.MULTILINE))

    def clashes(self, other):
        return bool(self.own & other.used or other.own & self.used)


def keep_ends(raw):
    """The lines without comments and literals, less those that close a namespace."""
    marked = re.sub(r"^\}  // namespace.*$", "}  end", raw, flags=re.MULTILINE)
    return bare(marked).splitlines()


def groups_of(paths, most=MOST):
    """Lists of paths, of at most so many; sources of one list can be one unit."""
    groups, alone = [], []
    for path in sorted(paths):
        source = Source(path)
        if source.alone:
            alone.append([path])
            continue
        for members in groups:
            if len(members) < most and not any(source.clashes(member) for _, member in members):
                members.append((path, source))
                break
        else:
            groups.append([(path, source)])
    return [[path for path, _ in members] for members in groups] + alone


if __name__ == "__main__":
    for number, members in enumerate(groups_of(map(pathlib.Path, sys.argv[1:]))):
        if len(members) > 1:
            for member in members:
                print(f"{number} {member}")

"""What the phases change in a checkout: some of it no object shows. Each edit is a function of the checkout and of a
number that no other edit has."""

import collections
import pathlib
import re
import shutil
import zlib

from process import Failed, must

COMMENT = "// Edited, and nothing more: {number}.\n"
HOST_CODE = "\nint edited_by_try_project_{name}() {{ return {number}; }}\n"
SOURCES = re.compile(r"\.(?:[chC]|cc|cpp|cxx|cu|cuh|hh|hip|hpp|hxx|H|inc|inl|ipp)$")
LICENCE_YEAR = re.compile(r"(copyright\b[^\n]*?\b)(?:19|20)(\d\d)\b", re.IGNORECASE)
CLANG_FORMAT = "clang-format-19"
OTHER_STYLE = {"ColumnLimit": 117, "SortIncludes": "Never", "SortUsingDeclarations": "Never",
               "BreakStringLiterals": "false"}


def with_comment(text, number):
    """A line before all code: what follows moves down, and no code changes."""
    return COMMENT.format(number=number) + text


def with_host_code(text, number):
    """A function that only the host has code of. Its name is the text's: a unit may include another one."""
    return text + HOST_CODE.format(name=f"{zlib.crc32(text.encode()):x}", number=number)


def with_another_year(text, number):
    """In every line of a licence, as long as the old one."""
    return LICENCE_YEAR.sub(lambda match: f"{match.group(1)}3{number % 10}{match.group(2)}", text)


def comment_units(checkout, number):
    checkout.rewrite(checkout.project.units, with_comment, number)


def add_host_code(checkout, number):
    checkout.rewrite(checkout.project.units, with_host_code, number)


def change_years(checkout, number):
    checkout.rewrite(_sources(checkout), with_another_year, number)


def document_header(checkout, number):
    """The header that most units include."""
    checkout.rewrite([most_included(checkout)], with_comment, number)


def change_commit(checkout, number):
    checkout.commit = f"{number:040x}"


def format_all(checkout, _number):
    """By the project's own style, else LLVM's, with other columns. What would change tokens stays off."""
    if not shutil.which(CLANG_FORMAT):
        raise Failed(f"no {CLANG_FORMAT}; leave the phase out with --only")
    own = checkout.directory / ".clang-format"
    style = must([CLANG_FORMAT, "--dump-config", f"--style=file:{own}" if own.exists() else "--style=LLVM"])
    for key, value in OTHER_STYLE.items():
        style = re.sub(rf"^{key}:.*$", f"{key}: {value}", style, flags=re.MULTILINE)
    own.write_text(style)
    for path in _sources(checkout):
        must([CLANG_FORMAT, "-i", f"--style=file:{own}", checkout.directory / path])


def most_included(checkout):
    """By the depfiles of the checkout's last build, the first of those that are equal."""
    counts = collections.Counter(path for unit in checkout.project.units for path in checkout.last_build.inputs(unit))
    headers = {path: number for path, number in counts.items() if path not in checkout.project.units}
    if not headers:
        raise Failed("no unit includes a header of the project; leave the phase out with --only")
    return max(sorted(headers), key=headers.get)


def _sources(checkout):
    found = (path.relative_to(checkout.directory) for path in checkout.directory.rglob("*")
             if path.is_file() and not path.is_symlink())
    return sorted(path for path in found if SOURCES.search(path.name) and not checkout.is_built(pathlib.Path(path)))
